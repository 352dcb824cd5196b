"""Nomogram-based recursive feature elimination."""
