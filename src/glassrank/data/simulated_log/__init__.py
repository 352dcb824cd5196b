"""A simulated search log: queries, result lists, visits and clicks, with the truth about who wanted what."""
