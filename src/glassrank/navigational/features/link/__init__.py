"""Features of the link graph."""
