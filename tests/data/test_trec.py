"""TREC runs and qrels."""

import dataclasses
import gzip
import unicodedata

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassrank.core.checks import DataError
from glassrank.data.trec import JudgedRun, Qrels, Run, judge_run, load_qrels, load_run, save_qrels, save_run
from tests.files.bombs import gzip_of_repeated

RUN = "301 Q0 FT1 1 2.5 bm25\n301 Q0 FT2 2 1e-3 bm25\n302 Q0 FT1 1 -4 bm25\n"
QRELS = "301 0 FT1 2\n301 0 FT9 0\n303 0 FT1 1\n303 0 FT2 -2\n"


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_run_is_read_column_by_column(tmp_path):
    run = load_run(write(tmp_path / "x.run", RUN))
    assert run.qid.tolist() == ["301", "301", "302"]
    assert run.doc_ids.tolist() == ["FT1", "FT2", "FT1"]
    assert run.scores.tolist() == [2.5, 0.001, -4.0]
    assert run.tag == "bm25"
    assert repr(run) == "Run('bm25': 3 documents, 2 queries)"


def test_qrels_are_read_column_by_column(tmp_path):
    qrels = load_qrels(write(tmp_path / "qrels", QRELS))
    assert qrels.qid.tolist() == ["301", "301", "303", "303"]
    assert qrels.doc_ids.tolist() == ["FT1", "FT9", "FT1", "FT2"]
    assert qrels.labels.tolist() == [2, 0, 1, -2]
    assert qrels.labels.dtype == np.int64


def test_files_are_read_as_by_a_peer_library(tmp_path):
    run_path, qrels_path = write(tmp_path / "x.run", RUN), write(tmp_path / "qrels", QRELS)
    run, qrels = load_run(run_path), load_qrels(qrels_path)
    peer_run = [(row.query_id, row.doc_id, row.score) for row in ir_measures.read_trec_run(str(run_path))]
    peer_qrels = [(row.query_id, row.doc_id, row.relevance) for row in ir_measures.read_trec_qrels(str(qrels_path))]
    assert list(zip(run.qid, run.doc_ids, run.scores, strict=True)) == peer_run
    assert list(zip(qrels.qid, qrels.doc_ids, qrels.labels, strict=True)) == peer_qrels


@pytest.mark.parametrize(
    "text",
    [
        "301\tQ0\tFT1\t1\t2.5\tbm25\n",
        "  301   Q0 FT1 1 2.5 bm25  \r\n\r\n",
        "301 Q0 FT1 1 2.5 bm25",
        "\n\n301 Q0 FT1 1 2.5 bm25\n\n",
        "\ufeff301 0 FT1 1 2.5 bm25\n",
        gzip.compress(b"301 Q0 FT1 1 2.5 bm25\n", mtime=0),
    ],
    ids=["tabs", "spaces and crlf", "no last newline", "blank lines", "byte order mark", "gzip"],
)
def test_equivalent_run_files_are_read_the_same(tmp_path, text):
    run = load_run(write(tmp_path / "x.run", text))
    assert (run.qid.tolist(), run.doc_ids.tolist(), run.scores.tolist()) == (["301"], ["FT1"], [2.5])


def test_only_ascii_white_space_separates(tmp_path):
    run = load_run(write(tmp_path / "x.run", "301 Q0 a\u00a0b\u2028c 1 2.5 bm25\n"))
    assert run.doc_ids.tolist() == ["a\u00a0b\u2028c"]


def test_the_rank_is_not_used(tmp_path):
    run = load_run(write(tmp_path / "x.run", "1 Q0 a 2 5.0 t\n1 Q0 b 1 4.0 t\n"))
    assert run.scores.tolist() == [5.0, 4.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": the file is empty: expected lines of 6 columns"),
        ("\n \n", ": the file is empty"),
        ("301 Q0 FT1 1 2.5\n", r":1: expected 6 columns \(query, Q0, document, rank, score, tag\), got 5"),
        ("\n301 Q0 FT1 1 2.5 my tag\n", ":2: expected 6 columns .* got 7"),
        (RUN + "301 Q0 FT2 9 0.5 bm25\n", r":4: document 'FT2' appears in query '301' already, at .*:2\. Keep one"),
        (RUN + "303 Q0 FT2 9 high bm25\n", ":4: the score must be a finite number: got 'high'"),
        (RUN + "303 Q0 FT2 9 nan bm25\n", ":4: the score must be a finite number: got 'nan'"),
        (RUN + "303 Q0 FT2 9 1e999 bm25\n", ":4: the score must be a finite number: got '1e999'"),
        (RUN + "303 Q0 FT2 9 1_0 bm25\n", ":4: the score must be a finite number: got '1_0'"),
        (RUN + "303 Q0 FT2 0.5 1 bm25\n", ":4: the rank must be a whole number up to 2⁵³: got '0.5'"),
        (RUN + "303 Q0 FT2 9 1 pl2\n", ":4: the tag is 'pl2', but 'bm25' on line 1: expected one run per file"),
        (b"301 Q0 FT1 1 2.5 t\n301 Q0 F\xe9 2 1 t\n", ":2: expected UTF-8 text, got the byte 0xe9"),
        (b"301 Q0 FT1 1 2.5 t\n301 Q0 F\0 2 1 t\n", ":2: expected UTF-8 text, got the byte 0x00"),
    ],
)
def test_a_faulty_run_is_rejected_with_its_line(tmp_path, text, message):
    path = write(tmp_path / "x.run", text)
    with pytest.raises(DataError, match=message) as error:
        load_run(path)
    assert str(error.value).startswith(f"{path}:")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r": the file is empty: expected lines of 4 columns \(query, iteration, document, label\)"),
        (RUN, ":1: expected 4 columns .* got 6"),
        (QRELS + "301 0 FT1 1\n", r":5: document 'FT1' appears in query '301' already, at .*:1\."),
        (QRELS + "301 0 FT5 0.5\n", ":5: the label must be a whole number up to 2⁵³: got '0.5'"),
        (QRELS + "301 0 FT5 -9007199254740993\n", ":5: the label must be a whole number up to 2⁵³: got '-900719"),
        (QRELS + f"301 0 FT5 {'9' * 400}\n", f":5: the label must be a whole number up to 2⁵³: got '{'9' * 39}…'"),
        (QRELS + f"301 0 FT5 {'9' * 5000}\n", f":5: the label must be a whole number up to 2⁵³: got '{'9' * 39}…'"),
        (QRELS + "301 0 FT5 good\n", ":5: the label must be a whole number up to 2⁵³: got 'good'"),
        (QRELS + "301 0 FT5 ١\n", ":5: the label must be a whole number up to 2⁵³: got '١'"),
    ],
)
def test_faulty_qrels_are_rejected_with_their_line(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        load_qrels(write(tmp_path / "qrels", text))


def test_a_missing_file_is_rejected(tmp_path):
    for load in (load_run, load_qrels):
        with pytest.raises(DataError, match="there is no such file"):
            load(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: Run([1, 1], ["a", "a"], [1, 2]),
            "position 1: document 'a' appears in query '1' already, at position 0",
        ),
        (lambda: Run([1, 1], ["a"], [1, 2]), "doc_ids must have one entry per entry of qid: expected 2, got 1"),
        (lambda: Run([1, 1], ["a", "b"], [1]), "scores must have one entry per entry of qid: expected 2, got 1"),
        (lambda: Run([1, 1], ["a", "b"], [1, np.nan]), "scores has 1 value that is not finite"),
        (lambda: Qrels([1], ["a"], [0.5]), "labels must be whole numbers, as in TREC files: got 0.5 at position 0"),
        (lambda: Qrels([1, 2], ["a", None], [1, 0]), "doc_ids is missing"),
    ],
)
def test_containers_check_their_arguments(call, message):
    with pytest.raises(DataError, match=message):
        call()


def test_containers_are_frozen():
    run, qrels = Run([1], ["a"], [0.5]), Qrels([1], ["a"], [1])
    with pytest.raises(dataclasses.FrozenInstanceError):
        run.tag = "other"
    for array in (run.qid, run.doc_ids, run.scores, qrels.qid, qrels.doc_ids, qrels.labels):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[0]


def test_containers_convert_to_tables():
    assert Run([1], ["a"], [0.5]).to_frame("polars").rows() == [("1", "a", 0.5)]
    assert Qrels([1], ["a"], [2]).to_frame("polars").rows() == [("1", "a", 2)]
    judged = judge_run(Run([1], ["a"], [0.5]), Qrels([1], ["a"], [2]))
    assert judged.to_frame("polars").columns == ["qid", "doc_id", "label", "score"]
    assert len(judged) == 1


def test_a_run_is_saved_best_first_and_ties_by_descending_document(tmp_path):
    run = Run([7, 8, 7, 7], ["a", "x", "c", "b"], [1.0, 9.0, 1.0, 3.0], tag="mine")
    save_run(run, tmp_path / "x.run")
    assert (tmp_path / "x.run").read_text() == (
        "7 Q0 b 1 3.0 mine\n7 Q0 c 2 1.0 mine\n7 Q0 a 3 1.0 mine\n8 Q0 x 1 9.0 mine\n"
    )


# Any text but NUL, which NumPy drops at the end of a text; often with what is encoded and what looks like it.
LETTERS = st.sampled_from(" \t\n%20a") | st.characters(exclude_categories=["Cs"], exclude_characters="\0")
NAMES = st.text(LETTERS, min_size=1, max_size=5)
PAIRS = st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=12, unique=True).filter(
    lambda pairs: all(not alike(column) for column in zip(*pairs, strict=True))
)


def alike(names):
    """Return whether two names are written alike: one with blanks, and one that looks like its encoding."""
    return len({encoded(name) for name in names}) < len(set(names))


def encoded(name):
    """White space, control characters and percent signs as percent-encoded UTF-8, if there are any of the first two."""

    def is_unwritable(letter):
        return letter.isspace() or unicodedata.category(letter) == "Cc"

    if not any(map(is_unwritable, name)):
        return name
    return "".join(
        "".join(f"%{byte:02X}" for byte in letter.encode()) if letter == "%" or is_unwritable(letter) else letter
        for letter in name
    )


@given(PAIRS, st.data())
@settings(deadline=None)
def test_runs_and_qrels_round_trip(tmp_path_factory, pairs, data):
    folder = tmp_path_factory.mktemp("trec")
    scores = data.draw(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=len(pairs), max_size=len(pairs))
    )
    labels = data.draw(st.lists(st.integers(-3, 5), min_size=len(pairs), max_size=len(pairs)))
    qid, doc_ids = zip(*pairs, strict=True)
    save_run(Run(qid, doc_ids, scores, tag="t"), folder / "x.run.gz")
    save_qrels(Qrels(qid, doc_ids, labels), folder / "qrels.xz")
    run, qrels = load_run(folder / "x.run.gz"), load_qrels(folder / "qrels.xz")
    back = dict(zip(zip(run.qid.tolist(), run.doc_ids.tolist(), strict=True), run.scores.tolist(), strict=True))
    assert {pair: score.hex() for pair, score in back.items()} == {
        pair: score.hex() for pair, score in zip(pairs, scores, strict=True)
    }
    assert list(zip(qrels.qid, qrels.doc_ids, qrels.labels, strict=True)) == [
        (*pair, label) for pair, label in zip(pairs, labels, strict=True)
    ]


def test_names_with_blanks_are_encoded_and_marked(tmp_path):
    run = Run(["new york", "7", "7"], ["a%20b", "c d", "a%20b"], [1.0, 3.0, 2.0], tag="my run")
    save_run(run, tmp_path / "x.run")
    assert (tmp_path / "x.run").read_text() == (
        "new%20york %query%tag a%20b 1 1.0 my%20run\n"
        "7 %document%tag c%20d 1 3.0 my%20run\n"
        "7 %tag a%20b 2 2.0 my%20run\n"
    )
    assert load_run(tmp_path / "x.run").tag == "my run"
    save_qrels(Qrels(["7", "7", "50% off"], ["a\tb", "x", "\u00a0%41"], [1, 0, 2]), tmp_path / "qrels")
    assert (tmp_path / "qrels").read_text() == (
        "7 %document a%09b 1\n7 0 x 0\n50%25%20off %query%document %C2%A0%2541 2\n"
    )


def test_files_of_other_tools_are_read_as_they_are(tmp_path):
    run = load_run(write(tmp_path / "x.run", "a%20b Q0 http://x/%20%41 1 2 t%09\na%20b % %zz 2 1 t%09\n"))
    assert (run.qid.tolist(), run.doc_ids.tolist(), run.tag) == (["a%20b"] * 2, ["http://x/%20%41", "%zz"], "t%09")
    qrels = load_qrels(write(tmp_path / "qrels", "a%20b 0 x%20y 1\na %other%query b%20c 1\n"))
    assert (qrels.qid.tolist(), qrels.doc_ids.tolist()) == (["a%20b", "a"], ["x%20y", "b%20c"])


def test_trec_eval_reads_the_encoded_files(tmp_path):
    """Queries and documents keep one spelling in all lines, so that ir-measures joins runs and judgements by it."""
    pairs = [("new york", "a b"), ("new york", "c"), ("7", "a b"), ("7", "x%20y")]
    qid, documents = zip(*pairs, strict=True)
    save_run(Run(qid, documents, [1.0, 2.0, 2.0, 1.0]), tmp_path / "x.run")
    save_qrels(Qrels(qid, documents, [1, 0, 1, 0]), tmp_path / "qrels")
    peers = ir_measures.read_trec_qrels(str(tmp_path / "qrels")), ir_measures.read_trec_run(str(tmp_path / "x.run"))
    values = {found.query_id: found.value for found in ir_measures.iter_calc([ir_measures.RR], *peers)}
    assert values == {"new%20york": 0.5, "7": 1.0}


@pytest.mark.parametrize("text", ["a%2", "a%zz", "plain", "a%41b", "a%20b%", "%FF%20", "a%20%c2%a0"])
def test_a_mark_without_its_encoding_is_rejected(text, tmp_path):
    path = write(tmp_path / "qrels", f"7 0 x 1\n7 %document {text} 1\n")
    with pytest.raises(DataError, match=r"qrels:2: '.*' is marked as percent-encoded, but is not encoded"):
        load_qrels(path)


def test_names_that_a_trec_file_cannot_store_are_rejected(tmp_path):
    path = tmp_path / "x.run"
    for run in (Run([""], ["a"], [1.0]), Run([1], [""], [1.0]), Run([1], ["a"], [1.0], tag="")):
        with pytest.raises(DataError, match="must not be empty in a TREC file"):
            save_run(run, path)
    with pytest.raises(DataError, match="doc_ids must not be empty in a TREC file"):
        save_qrels(Qrels([1], [""], [1]), path)
    with pytest.raises(DataError, match=r"doc_ids must differ .*: 'a b' and 'a%20b' are both written as 'a%20b'\."):
        save_qrels(Qrels([1, 1], ["a b", "a%20b"], [1, 0]), path)
    assert not path.exists()


def test_the_join_contains_every_retrieved_or_judged_document(tmp_path):
    judged = judge_run(load_run(write(tmp_path / "x.run", RUN)), load_qrels(write(tmp_path / "qrels", QRELS)))
    rows = list(
        zip(judged.qid.tolist(), judged.doc_ids.tolist(), judged.y.tolist(), judged.scores.tolist(), strict=True)
    )
    assert [(qid, doc) for qid, doc, _, _ in rows] == [
        ("301", "FT1"),
        ("301", "FT2"),
        ("301", "FT9"),
        ("303", "FT1"),
        ("303", "FT2"),
    ]
    assert np.array_equal(judged.y, [2, np.nan, 0, 1, -2], equal_nan=True)
    assert np.array_equal(judged.scores, [2.5, 0.001, np.nan, np.nan, np.nan], equal_nan=True)
    assert judged.unjudged_queries == ("302",)
    assert judged.unretrieved_queries == ("303",)
    assert repr(judged) == (
        "JudgedRun(5 documents, 2 queries: 1 judged and retrieved, 1 not judged, 3 not retrieved, 1 query left out)"
    )


@given(
    st.dictionaries(st.tuples(st.sampled_from("qrs"), st.sampled_from("abcd")), st.floats(-5, 5), min_size=1),
    st.dictionaries(st.tuples(st.sampled_from("qrs"), st.sampled_from("abcd")), st.integers(-1, 3), min_size=1),
)
@settings(deadline=None)
def test_the_join_equals_a_full_outer_join_over_judged_queries(run, qrels):
    queries = {query for query, _ in qrels}
    expected = {pair for pair in run.keys() | qrels.keys() if pair[0] in queries}
    if not queries & {query for query, _ in run}:
        with pytest.raises(DataError, match="share no query"):
            joined(run, qrels)
        return
    judged = joined(run, qrels)
    rows = zip(judged.qid.tolist(), judged.doc_ids.tolist(), judged.y.tolist(), judged.scores.tolist(), strict=True)
    found = {(query, doc): (label, score) for query, doc, label, score in rows}
    assert len(judged) == len(found)
    assert found.keys() == expected
    for pair, (label, score) in found.items():
        assert label == qrels[pair] if pair in qrels else np.isnan(label)
        assert score == run[pair] if pair in run else np.isnan(score)


def joined(run: dict, qrels: dict) -> JudgedRun:
    return judge_run(
        Run([query for query, _ in run], [doc for _, doc in run], list(run.values())),
        Qrels([query for query, _ in qrels], [doc for _, doc in qrels], list(qrels.values())),
    )


def test_numbers_match_their_text_in_the_join():
    judged = judge_run(Run([301], ["a"], [1.0]), Qrels(["301"], ["a"], [1]))
    assert judged.y.tolist() == [1.0]


def test_a_run_for_other_queries_is_rejected():
    with pytest.raises(DataError, match=r"share no query: the run has '1', '2', '3' and 1 more, the judgements '0001'"):
        judge_run(Run([1, 2, 3, 4], ["a"] * 4, [1.0] * 4), Qrels(["0001"], ["a"], [1]))


@pytest.mark.parametrize("load", [load_run, load_qrels])
def test_a_bomb_is_refused_at_its_first_wrong_line(tmp_path, load):
    """A line without end, and one document again and again: 200 MiB in 200 kB of gzip."""
    starts = {load_run: b"301 Q0 d1 1 2.5 bm25\n", load_qrels: b"301 0 d1 1\n"}
    bombs = {b"x": "longer than 2,000,000 bytes", starts[load]: "appears in query '301'"}
    for piece, message in bombs.items():
        (tmp_path / "bomb.gz").write_bytes(gzip_of_repeated(piece * (2**20 // len(piece)), 200))
        with pytest.raises(DataError, match=message):
            load(tmp_path / "bomb.gz")
