"""Adapters that read fitted models as sums of curves: one file per family of models."""
