"""Parts of the report of a ranking study: the picker of its nomogram, and where the model fails."""
