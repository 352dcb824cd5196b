"""Which queries are navigational: features of each result, of each query, and what tells the two kinds apart."""
