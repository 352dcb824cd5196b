"""Bodies of bulk requests with queries and events of UBI: compared with Python's json, line by line."""

import gzip
import json
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import glassrank as gr
from tests.fuzz.cases import Case, odd_files, text_bombs
from tests.fuzz.reader import DifferenceError, Reader, same

_FILE = "bulk.ndjson"
_LARGEST_COMPARED = 50_000
_ACTIONS = ("click", "impression", "add_to_cart", "purchase", "watch")
_TOKENS = (
    *(b"\n", b"{", b"}", b'"', b"[", b"null", b"-1", b"1e400", b"\\ud800", b"\xff"),
    *(b'{"index": {"_index": "ubi_events"}}\n', b'{"delete": {}}\n', b'{"query_id": "0"}\n', b'"ordinal": 0'),
)


def _body(generator: random.Random) -> bytes:
    first = generator.choice((0, 1))
    records: list[dict[str, Any]] = []
    for number in range(generator.randint(1, 4)):
        hits = [f"d{generator.randint(0, 9)}" for _ in range(generator.randint(0, 6))]
        listed = {"query_response_hit_ids": hits} if generator.random() < 0.8 else {}
        records.append({"query_id": str(number), "user_query": "zen", **listed})
        for _ in range(generator.randint(0, 4)):
            place = generator.randint(0, 6)
            url = hits[place] if place < len(hits) and generator.random() < 0.9 else "d7"
            about = {"object": {"object_id": url}, "position": {"ordinal": place + first}}
            records.append(
                {"action_name": generator.choice(_ACTIONS), "query_id": str(number), "event_attributes": about}
            )
    lines: list[object] = []
    for record in records:
        lines += [{generator.choice(("index", "create")): {"_index": "ubi"}}, record]
    return "".join(json.dumps(line) + generator.choice(("\n", "\r\n", "\n\n")) for line in lines).encode()


def _make(generator: random.Random) -> Case:
    return Case("bulk body", {_FILE: _body(generator)})


def _corpus() -> list[Case]:
    bodies = [_body(random.Random(seed)) for seed in range(6)]
    row = b'{"query_id": "%d", "user_query": "zen", "query_response_hit_ids": ["a", "b"]}\n'
    return [
        *(Case(f"bulk body {number}", {_FILE: body}) for number, body in enumerate(bodies)),
        Case("packed body", {_FILE: gzip.compress(bodies[0], mtime=0)}),
        Case("no action lines", {_FILE: b"".join(row % number for number in range(9))}),
        Case("actions alone", {_FILE: b'{"index": {}}\n' * 9 + row % 1}),
        *text_bombs(_FILE, row % 1, row % 2),
        *odd_files(_FILE),
    ]


def _read(folder: Path, options: Mapping[str, Any]) -> None:
    """Load a body and compare its rows, its damaged lines and the positions in lists of hits."""
    path = folder / _FILE
    log = gr.load_log(path)
    content = path.read_bytes()
    if len(content) > _LARGEST_COMPARED or not content.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n").startswith(
        b"{"
    ):
        return
    rows = damaged = lost = 0
    waiting = False
    lists: dict[str, list[Any]] = {}
    for record in _records(content):
        is_action = (
            record is not None
            and len(record) == 1
            and any(isinstance(record.get(k), dict) for k in ("index", "create"))
        )
        lost += waiting and is_action
        waiting = is_action
        damaged += record is None
        rows += not is_action
        if record is not None and not is_action:
            lists.setdefault(_text(record.get("query_id")), []).append(record.get("query_response_hit_ids"))
    lost += waiting
    same("damaged lines", log.reading["not a JSON object"], damaged)
    same("lost documents", log.reading["bulk action without a document"], lost)
    same("rows", log.reading.rows, rows + lost)
    positions = [] if log.position is None else log.position
    for search, url, position in zip(log.search, log.url, positions, strict=False):
        found = [hits for hits in lists.get(search, []) if hits is not None]
        is_listed = url and found and all(isinstance(hits, list) and url in map(_text, hits) for hits in found)
        places = [place for hits in found if is_listed for place, hit in enumerate(hits, 1) if _text(hit) == url]
        if places and position not in places:
            raise DifferenceError(f"{url!r} of search {search!r} is at {places} in the lists, not at {position}")


def _records(content: bytes) -> Iterator[dict[str, Any] | None]:
    """Yield the object on each line that is not blank, without the wrapper of an export; None for anything else."""
    text = re.sub("[\ud800-\udfff]", "�", content.decode("utf-8", "surrogateescape")).removeprefix("\ufeff")
    for line in text.split("\n"):
        if line.strip(" \t\r"):
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if isinstance(record, dict) and isinstance(record.get("_source"), dict):
                record = record["_source"]
            yield record if isinstance(record, dict) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


NDJSON = Reader("UBI bulk", _corpus, _read, share=1, short=30, make=_make, tokens=_TOKENS)
