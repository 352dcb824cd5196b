"""Models of scikit-learn in a model file: what they predict by, and no more."""
