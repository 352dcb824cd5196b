"""Additive models: effects, curves, LRBF columns and flip values."""
