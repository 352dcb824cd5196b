"""Feature selection coupled with classification."""
