"""Two classes instead of pairs: the objectives of support vector classifiers."""
