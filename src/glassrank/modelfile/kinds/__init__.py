"""The content of the file of each kind of model."""
