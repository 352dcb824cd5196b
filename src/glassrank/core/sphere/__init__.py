"""The smallest sphere around data (SVDD)."""
