"""Feature logs and judgement lists, compared with short readers made of Python's json and csv."""

import csv
import io
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from glassrank.data.feature_logs.load_feature_log import load_feature_log
from glassrank.data.judgements.load_judgements import load_judgements
from tests.data.feature_logs.responses import opensearch_response, solr_response, wrapped
from tests.fuzz.cases import Case, odd_files, text_bombs
from tests.fuzz.reader import Reader, same

_LOG, _LIST = "log.jsonl", "ratings.csv"
_LOG_TOKENS = (
    b'"',
    b",",
    b"=",
    b"NaN",
    b"Infinity",
    b'"[features]"',
    b"bm25=1.0",
    b"1E400",
    b"\\ud800",
    b"null",
    b"\n",
)
_LIST_TOKENS = (b",", b'"', b"\n", b"zen,a,1\n", b"-1", b"inf", b"\r", b"\xef\xbb\xbf", b"qid:1 # a zen", b"{", b"\0")


def _lines(*values: dict[str, Any]) -> bytes:
    return "".join(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values).encode()


def _log_corpus() -> list[Case]:
    solr = solr_response({"d1": "bm25=7.5,price=1.0E-4", "d2": "bm25=NaN,price=9.0"}, q="zen")
    hits = opensearch_response({"d1": {"bm25": 7.5, "price": None}, "d2": {"bm25": 0.0, "price": 1}})
    deep = b'{"query": ' + b"[" * 200_000
    return [
        Case("Solr", {_LOG: _lines(solr, solr_response({"ü": "price=2.0,bm25=-0.0"}, q="tao"))}),
        Case("OpenSearch", {_LOG: _lines(wrapped("zen", hits), wrapped("tao", hits))}),
        Case("deep", {_LOG: deep}, is_base=False),
        Case("digits", {_LOG: b'{"query": ' + b"9" * 100_000 + b"}"}, is_base=False),
        *text_bombs(_LOG, _lines(solr), _lines(solr)),
        *odd_files(_LOG),
    ]


def _make_log(generator: random.Random) -> Case:
    documents = {
        f"d{number}": f"bm25={generator.gauss(0, 10 ** generator.randint(-5, 30))!r},price={number}.0"
        for number in range(generator.randint(1, 5))
    }
    return Case("Solr", {_LOG: _lines(solr_response(documents, q="zen")) * generator.randint(1, 2)})


def _read_log(folder: Path, options: Mapping[str, Any]) -> None:
    log = load_feature_log(folder / _LOG)
    ours = {
        (query, document): repr(dict(sorted(zip(log.feature_names, row.tolist(), strict=True))))
        for query, document, row in zip(log.query.tolist(), log.doc_ids.tolist(), log.X, strict=True)
    }
    same("log", ours, _naive_log((folder / _LOG).read_bytes()))


def _naive_log(content: bytes) -> dict[tuple[str, str], str]:
    found = {}
    text = content.decode("utf-8-sig")
    try:
        values = [json.loads(line) for line in text.split("\n") if line.strip()]
    except ValueError:
        values = [json.loads(text)]
    for value in values:
        is_wrapped = "query" in value and "response" in value
        response = value["response"] if is_wrapped else value
        query = value["query"] if is_wrapped else response["responseHeader"]["params"]["q"]
        if "hits" in response:
            rows = {
                hit["_id"]: {one["name"]: one.get("value") for one in next(iter(hit["fields"]["_ltrlog"][0].values()))}
                for hit in response["hits"]["hits"]
            }
        else:
            rows = {
                doc["id"]: dict(piece.split("=", 1) for piece in doc["[features]"].split(","))
                for doc in response["response"]["docs"]
            }
        for document, features in rows.items():
            numbers = {name: float("nan" if one is None else one) for name, one in features.items()}
            found[query.strip(), str(document)] = repr(dict(sorted(numbers.items())))
    return found


def _list_corpus() -> list[Case]:
    rows = b'query,docid,rating\nblue jeans,d1,3\n"red, dress",d2,0.5\n -x,d3,0\nhats\n'
    return [
        Case("Quepid", {_LIST: rows}),
        Case("LTR", {_LIST: b"3 qid:1 # d1 blue jeans\n0 qid:2 # d1 red dress\n"}),
        Case("table", {_LIST: b"query,doc,grade\nzen,a,1\nzen,b,0\n"}),
        Case("RRE", {_LIST: b'{"queries": [{"placeholders": {"$query": "zen"}, "relevant_documents": {"3": ["a"]}}]}'}),
        Case("deep", {_LIST: b"[" * 200_000}, is_base=False),
        *text_bombs(_LIST, b"query,docid,rating\n", b"zen,a,1\n"),
        *odd_files(_LIST),
    ]


def _make_list(generator: random.Random) -> Case:
    rows = [f"q{number % 3},d{number},{generator.randint(0, 40) / 8}\n" for number in range(generator.randint(1, 8))]
    return Case("Quepid", {_LIST: ("query,docid,rating\n" + "".join(rows)).encode()})


def _read_list(folder: Path, options: Mapping[str, Any]) -> None:
    found = load_judgements(folder / _LIST)
    content = (folder / _LIST).read_bytes()
    if content.lower().startswith(b"query,docid,rating\n"):
        ours = zip(found.query.tolist(), found.doc_ids.tolist(), found.grades.tolist(), strict=True)
        rows = [row for row in csv.reader(io.StringIO(content.decode(), newline="")) if len(row) == 3][1:]
        theirs = {(query.strip(), document): float(grade) for query, document, grade in rows if grade.strip()}
        same("judgements", {(query, document): grade for query, document, grade in ours}, theirs)


FEATURE_LOG = Reader("feature log", _log_corpus, _read_log, share=3, make=_make_log, tokens=_LOG_TOKENS)
JUDGEMENTS = Reader("judgements", _list_corpus, _read_list, share=3, make=_make_list, tokens=_LIST_TOKENS)
