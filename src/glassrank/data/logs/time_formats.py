"""How the times of a log are written: ISO 8601, seconds or milliseconds since 1970, or dates with the day first."""

from glassrank.data.column_table import MAX_TIME

# DuckDB alone would also read 1_000, inf and nan.
_NUMBER = r"'\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*'"
# DuckDB reads any offset and ignores it; no zone is further than 14 hours from UTC.
_ISO = r"'\s*\d[\d/-]*((T|\s+)\d[\d:.]*(Z|\s*UTC|[+-](0\d|1[0-3])(:?[0-5]\d)?|[+-]14(:?00)?)?)?\s*'"
_ZONE = r"':\d[\d:.]*([+-])(\d{2}):?(\d{2})?\s*$'"
_CLOCKS = (" %H:%M:%S.%f", " %H:%M:%S", " %H:%M", "")
SECONDS, MILLISECONDS, DAY_FIRST, MONTH_FIRST = "seconds", "milliseconds", "day-first", "month-first"
_PER_SECOND = {SECONDS: 1.0, MILLISECONDS: 1000.0}
_DATES = {DAY_FIRST: "%d/%m/%Y", MONTH_FIRST: "%m/%d/%Y"}
TIME_FORMATS = (*_PER_SECOND, *_DATES)
"""What a time can be besides ISO 8601, which is always read."""


def number_of(text: str) -> str:
    """Return SQL that reads a plain finite number, or NULL."""
    return (
        f"CASE WHEN regexp_full_match({text}, {_NUMBER}) AND isfinite(TRY_CAST({text} AS DOUBLE)) "
        f"THEN TRY_CAST({text} AS DOUBLE) END"
    )


def time_of(text: str, time_format: str) -> str:
    """Return SQL that reads seconds since 1970 from an ISO time, or from a time in a format; NULL if it is neither.

    A time without a zone is UTC. DuckDB's cast ignores the zone, so the offset is checked and subtracted here. Dates
    are separated by slashes, dots or hyphens.
    """
    zone = "coalesce(nullif(regexp_extract({0}, {1}, {2}), ''), '0')"
    hours, minutes = (f"CAST({zone.format(text, _ZONE, group)} AS INTEGER)" for group in (2, 3))
    sign = f"CASE regexp_extract({text}, {_ZONE}, 1) WHEN '-' THEN -1 ELSE 1 END"
    moment = f"CASE WHEN regexp_full_match({text}, {_ISO}) THEN epoch(TRY_CAST({text} AS TIMESTAMP)) END"
    written = f"{moment} - {sign} * ({hours} * 3600 + {minutes} * 60)"
    if time_format in _PER_SECOND:
        other = f"({number_of(text)}) / {_PER_SECOND[time_format]}"
    else:
        slashes = f"regexp_replace(trim({text}), '^(\\d+)[./-](\\d+)[./-](\\d{{4}})T?', '\\1/\\2/\\3')"
        patterns = ", ".join(f"'{_DATES[time_format]}{clock}'" for clock in _CLOCKS)
        other = f"epoch(try_strptime({slashes}, [{patterns}]))"
    seconds = f"coalesce({other}, {written})"
    return f"CASE WHEN abs({seconds}) <= {MAX_TIME} THEN {seconds} END"
