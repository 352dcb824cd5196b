"""Ratings of items by users, as ranking data with one query per user."""
