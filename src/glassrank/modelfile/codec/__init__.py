"""How values are written to and read from a model file."""
