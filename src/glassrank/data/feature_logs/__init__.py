"""Feature logs of search engines, and their join with judgements."""
