"""Addresses of a staged table: those that cannot be taken apart, and those of international hosts."""

from glassrank.core.checks import DataError
from glassrank.data.hosts import host_of
from glassrank.data.logs.staging import Staging

_FETCHED = 100_000


def judge_address(url: str) -> str:
    """Say ``bad`` of an address that cannot be taken apart, ``international`` of a host beyond ASCII, else nothing.

    An identifier without a scheme (of a product, of a file) is no fault: it has no host.

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
    """Drop rows whose address cannot be taken apart; count those of international hosts."""
    staging.run("CREATE TABLE judged (url VARCHAR, judgement VARCHAR)")
    # A cursor of its own: what is inserted meanwhile would end the reading.
    reader = staging.connection.cursor()
    different = reader.execute(f"SELECT DISTINCT url FROM {table} WHERE url <> ''")
    while rows := different.fetchmany(_FETCHED):
        found = [(url, judgement) for (url,) in rows if (judgement := judge_address(url))]
        if found:
            urls, judgements = zip(*found, strict=True)
            staging.insert("judged", {"url": urls, "judgement": judgements})
    reader.close()
    bad, international = (
        f"url IN (SELECT url FROM judged WHERE judgement = '{judgement}')" for judgement in ("bad", "international")
    )
    staging.drop("address that cannot be taken apart", "url", bad, table)
    staging.count("international host", "url", international, table)
    staging.run("DROP TABLE judged")
