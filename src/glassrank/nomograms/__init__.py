"""Additive models drawn as nomograms."""
