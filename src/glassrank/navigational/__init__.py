"""Navigational queries: features of results and of queries, and classifiers that identify navigational queries."""
