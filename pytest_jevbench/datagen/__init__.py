"""Cases made from planned facts: a domain file, plans, texts, checks of the texts, a suite's files."""
