"""``glassrank data join`` and ``log-features``: files, notes, and errors in the words of the command line."""

import json
import math

import pytest

import glassrank as gr
from tests.cli.commands import glassrank
from tests.data.feature_logs.responses import opensearch_response, solr_response, wrapped, write_lines
from tests.data.live_engine.engine_server import as_json, serving

RATINGS = "query,docid,rating\nblue jeans,d1,3\nblue jeans,d2,0\nblue jeans,d9,1\nred dress\n"
RESPONSES = [
    solr_response({"d1": "bm25=7.5,price=9.5", "d2": "bm25=1.25,price=NaN", "d3": "bm25=0.0,price=1.0"}),
    solr_response({"d1": "bm25=2.0,price=9.5"}, q="tao"),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ratings.csv").write_text(RATINGS)
    write_lines(tmp_path / "log.jsonl", *RESPONSES)
    return tmp_path


def test_join_writes_a_table_and_names_what_does_not_match(folder):
    done = glassrank("data", "join", "ratings.csv", "log.jsonl", "train.csv", "--mismatches", "m.csv", folder=folder)
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines() == [
        "ratings.csv: 3 documents, 1 query",
        "1 query has no grade, such as 'red dress'.",
        "log.jsonl: 4 documents, 2 queries, 2 features in 2 responses",
        "2 documents judged and logged",
        "1 document is judged but not logged, such as 'd9' ('blue jeans').",
        "2 documents are logged but not judged, such as 'd3' ('blue jeans'): left out.",
        "Wrote train.csv: 2 rows, 1 query, 2 features.",
    ]
    assert (folder / "train.csv").read_text().splitlines() == [
        "qid,doc_id,label,bm25,price",
        "blue jeans,d1,3.0,7.5,9.5",
        "blue jeans,d2,0.0,1.25,",
    ]
    assert (folder / "m.csv").read_text().splitlines() == [
        "problem,query,doc_id",
        "not logged,blue jeans,d9",
        "not judged,blue jeans,d3",
        "not judged,tao,d1",
    ]


@pytest.mark.parametrize("name", ["train.parquet", "train.tsv.gz", "train.txt"])
def test_join_writes_every_format_and_keeps_missing_values(name, folder):
    numbered = ["--number-queries"] if name.endswith(".txt") else []
    done = glassrank("data", "join", "ratings.csv", "log.jsonl", name, *numbered, "-q", folder=folder)
    assert (done.code, done.err) == (0, "")
    data = gr.load_data(folder / name)
    assert data.y.tolist() == [3.0, 0.0]
    assert data.doc_ids.tolist() == ["d1", "d2"]
    assert data.X[0].tolist() == [7.5, 9.5]
    assert math.isnan(data.X[1, 1])


def test_join_prints_json(folder):
    done = glassrank("data", "join", "ratings.csv", "log.jsonl", "train.csv", "--json", "-q", folder=folder)
    found = json.loads(done.out)
    assert (found["n_rows"], found["not_logged"]) == (2, [["blue jeans", "d9"]])


def test_join_reads_folders_and_fills_values(folder):
    (folder / "log").mkdir()
    (folder / "log" / "blue jeans.json").write_text(
        json.dumps(opensearch_response({"d1": {"bm25": 7.5, "age": None}, "d2": {"bm25": 0.5, "age": 2.0}}))
    )
    options = ["--log-format", "opensearch", "--query-from-name", "--fill", "0"]
    done = glassrank("data", "join", "ratings.csv", "log", "train.csv", *options, folder=folder)
    assert "1 value is not in the log ('age' 1): set to 0." in done.err
    assert (folder / "train.csv").read_text().splitlines()[1:] == [
        "blue jeans,d1,3.0,7.5,0.0",
        "blue jeans,d2,0.0,0.5,2.0",
    ]


def test_a_file_is_not_overwritten_without_force(folder):
    (folder / "train.csv").write_text("mine")
    done = glassrank("data", "join", "ratings.csv", "log.jsonl", "train.csv", folder=folder)
    assert (done.code, (folder / "train.csv").read_text()) == (1, "mine")
    assert "overwrite it with --force" in done.err
    assert glassrank("data", "join", "ratings.csv", "log.jsonl", "train.csv", "--force", folder=folder).code == 0


def engine(request):
    documents = request.json()["query"]["bool"]["filter"][0]["terms"]["_id"]
    return as_json(opensearch_response({one: {"bm25": 1.5} for one in documents if one != "d9"}, log="glassrank"))


def test_log_features_writes_a_log_that_join_reads(folder):
    options = ["--engine", "opensearch", "--features", "shop", "--judgements", "ratings.csv", "--parameter", "site=x=y"]
    with serving(engine) as server:
        done = glassrank("data", "log-features", f"{server.url}/shop", "new.jsonl", *options, folder=folder)
    assert done.code == 0, done.err
    assert done.out.splitlines()[1:] == [
        "1 judged document was not returned by the engine, such as 'd9' ('blue jeans')."
    ]
    assert server.received[0].json()["query"]["bool"]["filter"][1]["sltr"]["params"] == {
        "text": "blue jeans",
        "site": "x=y",
    }
    assert glassrank("data", "join", "ratings.csv", "new.jsonl", "new.csv", folder=folder).code == 0


@pytest.mark.parametrize("given", [["site"], ["=x"], ["a=1", "a=2"]])
def test_a_wrong_parameter_is_bad_usage(given, folder):
    options = ["--engine", "solr", "--features", "shop", "--judgements", "ratings.csv"]
    options += [word for one in given for word in ("--parameter", one)]
    done = glassrank("data", "log-features", "http://127.0.0.1:1/", "new.jsonl", *options, folder=folder)
    assert (done.code, "--parameter" in done.err) == (2, True)


def test_the_formats_of_the_options_are_those_of_the_library():
    from glassrank.cli.engine_logs.join_log import LOG_FORMATS
    from glassrank.cli.engine_logs.judgement_options import JUDGEMENT_FORMATS, RULES
    from glassrank.data.feature_logs import load_feature_log
    from glassrank.data.judgements import load_judgements

    assert (LOG_FORMATS, JUDGEMENT_FORMATS) == (load_feature_log.LOG_FORMATS, load_judgements.JUDGEMENT_FORMATS)
    assert RULES == load_judgements.RULES


def test_a_wrapped_log_needs_no_header(folder):
    write_lines(folder / "w.jsonl", wrapped("blue jeans", opensearch_response({"d1": {"a": 1.0}, "d2": {"a": 2.0}})))
    done = glassrank("data", "join", "ratings.csv", "w.jsonl", "w.csv", "-q", folder=folder)
    assert (done.code, done.err) == (0, "")
