"""Fitted models as sums of curves: one file per family of models."""
