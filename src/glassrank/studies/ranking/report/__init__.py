"""The report of a ranking study: its page, the picker of its nomogram, and where the model fails."""
