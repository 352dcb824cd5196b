"""Features of the result's page."""
