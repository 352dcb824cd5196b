"""Checks for invalid addresses and international hosts in a staged table."""

from glassrank.core.checks import DataError
from glassrank.data.hosts import host_of
from glassrank.data.logs.staging import Staging

_FETCHED_ROWS = 100_000


def judge_address(url: str) -> str:
    """Return ``bad`` for an address that cannot be parsed, ``international`` for a non-ASCII host, and '' otherwise.

    An identifier without a scheme (a product number, a file name) is accepted: it has no host.

    >>> judge_address("http://[::1/"), judge_address("http://bücher.example/"), judge_address("B076YX2LML")
    ('bad', 'international', '')
    """
    try:
        host = host_of(url)
    except DataError:
        return "bad"
    if "://" in url and not host:
        return "bad"
    is_international = not host.isascii() or any(label.startswith("xn--") for label in host.split("."))
    return "international" if is_international else ""


def check_addresses(staging: Staging, table: str) -> None:
    """Drop rows with an invalid address, and count international hosts."""
    staging.run("CREATE TABLE judged (url VARCHAR, judgement VARCHAR)")
    # A separate cursor, because inserting on the same one would end the query.
    reader = staging.connection.cursor()
    distinct = reader.execute(f"SELECT DISTINCT url FROM {table} WHERE url <> ''")
    while rows := distinct.fetchmany(_FETCHED_ROWS):
        found = [(url, judgement) for (url,) in rows if (judgement := judge_address(url))]
        if found:
            urls, judgements = zip(*found, strict=True)
            staging.insert("judged", {"url": urls, "judgement": judgements})
    reader.close()
    bad, international = (
        f"url IN (SELECT url FROM judged WHERE judgement = '{judgement}')" for judgement in ("bad", "international")
    )
    staging.drop("invalid address", "url", bad, table)
    staging.count("international host", "url", international, table)
    staging.run("DROP TABLE judged")
