"""Measures of rankings under named conventions, and the comparison of systems."""
