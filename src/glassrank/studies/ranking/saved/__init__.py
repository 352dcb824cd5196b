"""Finished ranking studies, read from their folders."""
