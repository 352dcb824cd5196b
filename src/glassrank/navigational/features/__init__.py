"""The 197 features of a query and a result."""
