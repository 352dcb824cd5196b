"""Shared by the readers of pages: a page, words of HTML, and the function that builds a collection."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from glassrank.core.progress import silent
from glassrank.data.reading_report import Reading, ReadingTally
from glassrank.data.web.build_collection import NoPagesError, build_collection
from glassrank.data.web.documents import Document
from glassrank.data.web.find_source import find_source
from tests.fuzz.reader import DifferenceError

# Expected of a case: its faults are reported
FAULTY = {"is_faulty": True}
_LARGEST_COMPARED = 100_000
TOKENS = (
    *(b"<", b">", b"</a>", b"<a href=", b"<base href=//[", b"<title>", b"<svg>", b"<template>", b"<h1>", b"&#x110000;"),
    *(
        b"<meta charset=utf-7>",
        b"<meta charset=utf-16>",
        b"<meta http-equiv=refresh content='0;url=b.html'>",
        b"<![CDATA[",
    ),
    *(
        b"<?php echo 1 ?>",
        b"<?xml version='1.0'?>",
        b"<!DOCTYPE",
        b"<plaintext>",
        b"<select>",
        b"<math><mi>",
        b"hidden",
    ),
)
PAGE = (
    b"<!doctype html><title>Zen</title><h1>Zen</h1><p>See <a href='b.html#x' rel=nofollow>the other</a><img alt=a>.\n"
)


def build(path: Path) -> Reading:
    """Build a collection from a source, and return the report."""
    found, tally = find_source(path), ReadingTally()
    try:
        collection = build_collection(found, tally, silent)
    except NoPagesError:
        return tally.report(str(path), found.kind, 0, 0)
    return tally.report(str(path), found.kind, len(collection.pages), len(collection.links))


def documents_of(path: Path) -> tuple[list[Document], Reading]:
    """Return the documents of a small archive, and the report."""
    tally = ReadingTally()
    found = find_source(path)
    documents = list(found.documents(tally, silent))
    return documents, tally.report(str(path), found.kind, len(documents), 0)


def check_faults(reading: Reading, options: Mapping[str, Any]) -> None:
    """Raise an error if no fault is reported for an archive that is known to have one."""
    if options.get("is_faulty") and not reading.n_faults:
        raise DifferenceError("the archive's fault is not reported")


def is_small(path: Path) -> bool:
    return path.is_file() and path.stat().st_size <= _LARGEST_COMPARED
