"""Estimators that learn a ranking."""
