"""Features of a query log."""
