"""The cases on which the oracle of the package is asked."""
