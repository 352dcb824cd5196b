"""The picture of a query's neighbourhood."""
