"""A result becomes one self-contained page."""
