"""A simulated search log."""
