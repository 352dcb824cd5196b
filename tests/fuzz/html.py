"""HTML files in folders: every file becomes a page or is counted."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.fuzz.cases import Case, odd_files
from tests.fuzz.pages import PAGE, TOKENS, build
from tests.fuzz.reader import Reader, same


def _html_corpus() -> list[Case]:
    pages = {"a.html": PAGE, "b.html": b"<title>B</title><p>Nothing more.<form><input></form>"}
    odd = {
        "processing instruction": b"<?php echo 1; ?><title>A</title><p>text<?php more ?> end",
        "instruction in the body": PAGE + b"<div><?xml-stylesheet a='b'?><b>c</b></div>",
        "declaration": b"<!ELEMENT a><!DOCTYPE a [<!ENTITY b 'c'>]><p>&b;",
        "deep nesting": b"<div>" * 20_000,
        "links inside links": b"<a href=x><object>" * 500,
        "NULs and surrogates": b"<p>a\0b&#xd800;&#0;\xed\xa0\x80",
        "many attributes": b"<p " + b" ".join(b"a%d=1" % number for number in range(20_000)) + b">",
        "templates": b"<template><template><table><p></template></a><svg><title>x</svg>",
    }
    return [
        Case("two pages", pages),
        *(Case(name, {"a.html": content, "b.html": pages["b.html"]}) for name, content in odd.items()),
        *odd_files("a.html", beside={"b.html": pages["b.html"]}),
    ]


def _read_html(folder: Path, options: Mapping[str, Any]) -> None:
    """Build a collection; every file becomes a page or a redirect, or is counted as skipped."""
    n_files = sum(1 for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    reading = build(folder)
    leading_on = sum(found.count for kind, found in reading.noted.items() if kind.startswith("redirect"))
    same("pages and files skipped", reading.pages + reading.n_skipped + leading_on, n_files)


HTML = Reader("HTML", _html_corpus, _read_html, share=12, tokens=TOKENS)
