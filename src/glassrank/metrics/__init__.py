"""Measures by named convention, and the comparison of systems."""
