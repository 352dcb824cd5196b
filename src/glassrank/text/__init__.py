"""Words of texts: tokens, counts, weights and search; knows no collection."""
