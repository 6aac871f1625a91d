"""Rewrite banks: candidates written by a chat model, judged by another, audited by a person."""
