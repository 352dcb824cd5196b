"""The jobs behind the commands."""
