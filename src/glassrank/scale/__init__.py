"""Objectives and sums over blocks of queries, for data larger than memory."""
