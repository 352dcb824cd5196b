"""What tables can live in: DuckDB on disk, Spark."""
