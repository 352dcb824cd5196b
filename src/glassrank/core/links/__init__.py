"""Link analysis: power iteration, link weights and PageRank."""
