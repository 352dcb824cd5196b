"""A simulated web: hosts, pages and links whose topics, roles and worth are known."""
