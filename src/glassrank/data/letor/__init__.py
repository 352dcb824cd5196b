"""LETOR, SVMlight and LightGBM text."""
