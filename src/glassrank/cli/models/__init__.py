"""Commands that train a model, and that use a saved one."""
