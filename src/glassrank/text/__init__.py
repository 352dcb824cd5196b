"""Words of texts: tokens, counts, weights and search. Independent of collections."""
