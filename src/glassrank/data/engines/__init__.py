"""Backends for tables: DuckDB on disk, and Spark."""
