"""Encoding and decoding of the values in a model file."""
