"""The parts of the Ship page."""
