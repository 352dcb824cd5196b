"""Parts of the Ranking page: its address, its head, the list, and the panel of a pair."""
