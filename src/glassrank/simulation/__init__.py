"""Simulated data with a known truth."""
