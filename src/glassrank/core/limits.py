"""Limits on what is read, in one place: they stop hostile and damaged input before it fills memory or takes for ever.

``docs/reference/reliability.md`` lists them. Messages name the limit and the way around it.
"""

# A packed file may always unpack to this many bytes, and beyond that to so many times its own size. Tables, logs and
# pages shrink 4 to 30 times; a file that shrinks 100 times is almost empty or an attack.
LARGEST_UNPACKED = 64 * 2**20
MOST_TIMES_UNPACKED = 100
# Memory that unpacking xz may ask for; xz -9 needs 65 MiB.
XZ_MEMORY = 256 * 2**20

# A record of CSV or TSV and a line of a log, in bytes: DuckDB reads none that is longer.
LONGEST_RECORD = 2_000_000
# Columns of a file that is a table. DuckDB's time grows with their square: 3 s for so many in Parquet, 14 s for 16,000.
MOST_COLUMNS = 10_000
# Lines of a log that one record may take: a quoted field may have line breaks, and a quote may be forgotten.
MOST_LINES = 100
