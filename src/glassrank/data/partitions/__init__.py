"""Ranking data in a folder of Parquet blocks, for training beyond memory."""
