"""Asking a chat model: what the rooms that write with one share."""
