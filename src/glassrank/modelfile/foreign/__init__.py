"""Readers of model files that other tools have written."""
