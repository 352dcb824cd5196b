"""The ranking study."""
