"""Metamorphic coherence tests for typed decision models, as pytest items."""

__version__ = "0.1.0"
