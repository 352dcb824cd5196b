"""Limits on what is read, in one place: they stop hostile and damaged input before it fills memory or takes for ever.

``docs/reference/reliability.md`` lists them. Messages name the limit and the way around it.
"""

# A packed file may always unpack to this many bytes, and beyond that to so many times its own size. Tables, logs and
# pages shrink 4 to 30 times; a file that shrinks 100 times is almost empty or an attack.
MAX_UNPACKED_BYTES = 64 * 2**20
MAX_UNPACKED_RATIO = 100
# Memory that unpacking xz may ask for; xz -9 needs 65 MiB.
XZ_MEMORY = 256 * 2**20

# A record of CSV or TSV and a line of a log, in bytes: DuckDB reads none that is longer.
MAX_RECORD_BYTES = 2_000_000
# Columns of a file that is a table. DuckDB's time grows with their square: 3 s for so many in Parquet, 14 s for 16,000.
MAX_COLUMNS = 10_000
# Lines of a log that one record may take: a quoted field may have line breaks, and a quote may be forgotten.
MAX_LINES = 100

# Characters of an identifier. A longer one is a text, or a line break that got lost.
MAX_ID_LENGTH = 4_096
# Identifiers are kept in arrays as wide as the longest. Such an array may always have this many characters, 4 bytes
# each, and beyond that so many times the characters that it holds: one long identifier must not widen millions.
MAX_PADDED = 2**28
MAX_PADDED_RATIO = 8
