"""How a follow-up is made from a source: one file for each part of a request that is edited."""
