"""Two models on the same documents: which queries change, which pairs flip, and which features did it."""
