"""Comparable pairs: sweeps that do not enumerate them, losses, objectives and Newton's method."""
