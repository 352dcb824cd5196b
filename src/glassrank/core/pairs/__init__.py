"""Comparable pairs: sweeps that never list them, losses, objectives and Newton's method."""
