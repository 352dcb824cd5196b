"""A simulated web."""
