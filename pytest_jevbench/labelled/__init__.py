"""Labelled tasks: records with a known answer, what a model answered to them, and the figures on both."""
