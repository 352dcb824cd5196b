"""Models in the formats of search engines, databases and other programs."""
