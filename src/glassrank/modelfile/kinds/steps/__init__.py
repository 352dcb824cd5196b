"""Steps of a Pipeline in a model file: one kind for each transformer."""
