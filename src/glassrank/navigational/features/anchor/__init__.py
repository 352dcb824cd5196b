"""Features of anchor texts."""
