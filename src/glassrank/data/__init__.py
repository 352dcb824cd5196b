"""Containers and readers: a file or a table becomes a checked, frozen container."""
