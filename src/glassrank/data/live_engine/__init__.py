"""Requests to a running search engine."""
