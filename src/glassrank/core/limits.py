"""Limits on input. They stop hostile and damaged files before these fill the memory or take too long.

``docs/reference/reliability.md`` lists them. Messages name the limit and say how to avoid it.
"""

# A packed file may unpack to this many bytes, or to this many times its own size if that is more. Tables, logs and
# pages shrink by a factor of 4 to 30. A file that shrinks by a factor of 100 is almost empty or an attack.
MAX_UNPACKED_BYTES = 64 * 2**20
MAX_UNPACKED_RATIO = 100
# Maximum memory for unpacking xz; xz -9 needs 65 MiB.
XZ_MEMORY = 256 * 2**20

# Maximum length in bytes of a CSV or TSV record and of a line of a log. DuckDB does not read longer ones.
MAX_RECORD_BYTES = 2_000_000
# Maximum number of bytes of a response of a search engine, and of a JSON file of judgements. A response with 1,000
# documents and 1,000 features has about 20 MB.
MAX_JSON_BYTES = 64 * 2**20
# Maximum number of columns of a table file. DuckDB's time grows quadratically: 3 s for this many columns in Parquet,
# 14 s for 16,000.
MAX_COLUMNS = 10_000
# Maximum number of lines of a log record: quoted fields may contain line breaks, but a closing quote may be missing.
MAX_LINES = 100

# Maximum number of characters of an identifier. A longer one is a text, or a line break is missing.
MAX_ID_LENGTH = 4_096
# Arrays of identifiers are as wide as their longest one. An array may take this many characters (of 4 bytes each), or
# this many times the characters of its identifiers if that is more, so that one long identifier cannot widen millions.
MAX_PADDED = 2**28
MAX_PADDED_RATIO = 8
