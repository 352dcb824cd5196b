"""Judgement lists of every format: the same grades, and a clear error for each trap of the format."""

import json

import polars
import pytest

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.data.judgements.load_judgements import JUDGEMENT_FORMATS

EXPECTED = {("blue jeans", "d1"): 3.0, ("blue jeans", "d2"): 0.0, ("red, dress", "7"): 1.0}
RRE_QUERIES = [
    {"placeholders": {"$query": "blue jeans"}, "relevant_documents": {"d1": {"gain": 3}, "d2": {"rating": 0}}},
    {"placeholders": {"$query": "red, dress"}, "relevant_documents": {"1": [7]}},
]
RATINGS = [
    {"query": "blue jeans", "ratings": [{"docId": "d1", "rating": "3.000"}, {"docId": "d2", "rating": 0}]},
    {"query": "red, dress", "ratings": [{"docId": 7, "rating": "1"}]},
]
LISTS = {
    "quepid": 'query,docid,rating\nblue jeans,d1,3\nblue jeans,d2,0\n"red, dress",7,1',
    "quepid-ltr": "3 qid:1 # d1 blue jeans\n\n0 qid:1 # d2 blue jeans\n\n1 qid:2 # 7 red, dress\n",
    "rre": json.dumps({"index": "shop", "queries": RRE_QUERIES}),
    "workbench": json.dumps({"hits": {"hits": [{"_id": "x", "_source": {"judgmentRatings": RATINGS}}]}}),
    "csv": 'query,doc,grade\nblue jeans,d1,3.0\nblue jeans,d2,0\n"red, dress",7,1\n',
    "tsv": "rating\tdoc_id\tquery\tjudge\n3\td1\tblue jeans\tann\n0\td2\tblue jeans\tbob\n1\t7\tred, dress\tann\n",
}


def grades(found):
    return dict(zip(zip(found.query.tolist(), found.doc_ids.tolist(), strict=True), found.grades.tolist(), strict=True))


def load(folder, text, name="list.txt", **options):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return gr.load_judgements(path, **options)


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("change", ["as it is", "byte order mark", "CRLF", "format given"])
def test_every_format_gives_the_same_grades(name, change, tmp_path):
    text = LISTS[name].encode()
    if change == "CRLF":
        text = text.replace(b"\n", b"\r\n")
    if change == "byte order mark":
        text = b"\xef\xbb\xbf" + text
    found = load(tmp_path, text, format=name if change == "format given" else None)
    assert grades(found) == EXPECTED
    assert found.notes == ()


def test_every_format_is_tested():
    assert set(JUDGEMENT_FORMATS) - LISTS.keys() == {"trec", "parquet"}


def test_parquet_is_recognised_by_its_first_bytes(tmp_path):
    rows = {"query": ["blue jeans"] * 2 + ["red, dress"], "doc": ["d1", "d2", "7"], "grade": [3, 0, 1]}
    polars.DataFrame(rows).write_parquet(tmp_path / "list.data")
    assert grades(gr.load_judgements(tmp_path / "list.data")) == EXPECTED


def test_numbers_of_documents_are_text(tmp_path):
    polars.DataFrame({"query": [1, 2], "doc": [7, 8], "grade": [0.5, None]}).write_parquet(tmp_path / "a.parquet")
    found = gr.load_judgements(tmp_path / "a.parquet")
    assert grades(found) == {("1", "7"): 0.5}
    assert (found.unrated_queries, found.n_unrated) == (("2",), 1)


@pytest.mark.parametrize("header", ["query,docid,rating", "query,doc_id,rating"])
def test_quepid_rows_with_only_a_query_are_not_rated(header, tmp_path):
    found = load(tmp_path, f"{header}\nred dress\nblue,d1,2\nblue,d2,\n")
    assert grades(found) == {("blue", "d1"): 2.0}
    assert found.unrated_queries == ("red dress",)
    assert found.notes == ("1 query has no grade, such as 'red dress'.", "1 document has no grade: left out.")


def test_the_blank_that_quepid_puts_before_a_sign_is_removed(tmp_path):
    found = load(tmp_path, "query,docid,rating\n -jeans,a,1\n =1+1,b,2\n +x,c,3\n @me,d,0\n")
    assert found.query.tolist() == ["-jeans", "=1+1", "+x", "@me"]


def test_older_quepid_lines_have_a_semicolon_and_quotes(tmp_path):
    found = load(tmp_path, '3    qid:7 #    d1; "blue ""jeans""; cheap"\n')
    assert grades(found) == {('blue ""jeans""; cheap', "d1"): 3.0}


def test_qrels_keep_identifiers_without_a_query_file(tmp_path):
    assert grades(load(tmp_path, "301 0 d1 2\n301 0 d2 0\n")) == {("301", "d1"): 2.0, ("301", "d2"): 0.0}


@pytest.mark.parametrize(
    "queries",
    [
        "301 blue jeans\n302\tred dress\n",
        "topic,query\n301,blue jeans\n302,red dress\n",
        "query\tqid\nblue jeans\t301\nred dress\t302\n",
    ],
)
def test_a_query_file_gives_the_texts_of_qrels(queries, tmp_path):
    (tmp_path / "queries").write_text(queries)
    found = load(tmp_path, "301 0 d1 2\n302 0 d1 0\n", queries=tmp_path / "queries")
    assert grades(found) == {("blue jeans", "d1"): 2.0, ("red dress", "d1"): 0.0}


def test_documents_of_an_rre_group_belong_to_all_its_queries(tmp_path):
    queries = [{"placeholders": {"$query": text}} for text in ("tv", "television")]
    group = {"name": "g", "queries": queries, "relevant_documents": {"2": ["a", "b"], "0.5": ["c"]}}
    found = load(tmp_path, json.dumps({"topics": [{"query_groups": [group]}]}))
    assert grades(found) == {(q, d): g for q in ("tv", "television") for d, g in (("a", 2.0), ("b", 2.0), ("c", 0.5))}


def test_equal_grades_are_merged_and_counted(tmp_path):
    found = load(tmp_path, "query,doc,grade\nzen,a,2\n zen ,a,2.0\nzen,b,1\n")
    assert grades(found) == {("zen", "a"): 2.0, ("zen", "b"): 1.0}
    assert found.n_merged == 1


# The lower median of 1, 3 and 2 is 2.
@pytest.mark.parametrize(("rule", "used"), [("median", 2.0), ("highest", 3.0), ("lowest", 1.0)])
def test_a_rule_decides_between_unequal_grades(rule, used, tmp_path):
    text = "query,doc,grade\nzen,a,1\nzen,a,3\nzen,a,2\nzen,b,0\n"
    found = load(tmp_path, text, conflict=rule)
    assert grades(found)["zen", "a"] == used
    assert found.conflicts == (("zen", "a", (1.0, 3.0, 2.0), used),)
    assert f"the {rule} counts, such as {used:g} of 1, 3, 2 for 'a' ('zen')" in str(found)


def test_unequal_grades_are_an_error_that_names_both_lines(tmp_path):
    with pytest.raises(DataError, match=r"list.txt:4: document 'a' has the grade 1 .* but 2 at .*list.txt:2") as error:
        load(tmp_path, "query,doc,grade\nzen,a,2\n\nzen,a,1\n")
    assert "conflict='median'" in error.value.remedy


def test_json_that_names_a_document_twice_is_an_error(tmp_path):
    text = (
        '{"queries": [{"placeholders": {"$query": "a"}, "relevant_documents": {"d": {"gain": 1}, "d": {"gain": 2}}}]}'
    )
    with pytest.raises(DataError, match="has the name 'd' twice"):
        load(tmp_path, text)


FAULTS = {
    "nothing": ("", "list.txt: the file is empty"),
    "blanks": (" \n\n", "list.txt: the file is empty"),
    "HTML": ("<html><body>502</body></html>", "not a judgement list of a known format"),
    "unknown JSON": ("[]", "neither topics"),
    "truncated JSON": ('{"queries": [{"placeh', "ends too early"),
    "Latin-1": ("query,doc,grade\nzen,a,1\nbär,a,2\n".encode("latin-1"), "list.txt:3: expected UTF-8"),
    "a negative grade": ("query,docid,rating\nzen,a,-1\n", "list.txt:2: a grade must not be negative: got -1"),
    "a negative label": ("301 0 d1 -2\n", "must not be negative: got -2"),
    "a word": ("query,docid,rating\nzen,a,good\n", "list.txt:2: a grade must be a finite number: got 'good'"),
    "a word in a table": ("query,doc,grade\nzen,a,good\n", "list.txt:2: column 'grade' must contain numbers"),
    "infinity": ("query,doc,grade\nzen,a,inf\n", "list.txt:2: a grade must be a finite number: got inf"),
    "NaN in text": ("query,docid,rating\nzen,a,NaN\n", "a grade must be a finite number: got 'NaN'"),
    "no grade at all": ("query,docid,rating\nzen\ntao\n", "contains no grade: 2 queries, 0 documents"),
    "no document": ("query,docid,rating\nzen,,3\n", "list.txt:2: the grade 3 belongs to no document"),
    "no query": ("query,doc,grade\n,a,3\n", "list.txt:2: the query is empty"),
    "two fields": (
        "query,docid,rating\nzen,a\n",
        "list.txt:2: expected .* and a rating, got 2 fields",
    ),
    "an open quote": ('query,docid,rating\n"zen,a,1\n', "expected CSV"),
    "a semicolon": (
        "query;doc;grade\nzen;a;1\n",
        ":1: the delimiter looks like ';': the header is",
    ),
    "two columns": ("query,doc,docid,grade\nzen,a,a,1\n", "need one column 'doc_id' or .*got 2 such columns"),
    "a NUL": ("query,docid,rating\nzen,a\0b,1\n", "without NUL"),
    "features": ("3 qid:7 1:0.5 # d1 zen\n", "A file with features is LETOR text"),
    "two texts": ("3 qid:7 # d1 zen\n3 qid:7 # d2 tao\n", "list.txt:2: qid:7 is 'tao', but 'zen'"),
    "no text": ("3 qid:7 # d1\n", "list.txt:1: expected a grade"),
    "a qrels line": ("301 0 d1 2\n301 0 d2\n", "list.txt:2: expected 4 columns"),
    "several lists": ('{"hits": {"hits": [{}, {}]}}', "expected one judgement list, got 2"),
    "a rating that is a list": (
        '{"judgmentRatings": [{"query": "a", "ratings": [{"docId": "d", "rating": [1]}]}]}',
        "a grade must be a finite number",
    ),
    "a rating that is true": (
        '{"judgmentRatings": [{"query": "a", "ratings": [{"docId": "d", "rating": true}]}]}',
        "a grade must be a finite number: got True",
    ),
    "a document that is a list": (
        '{"judgmentRatings": [{"query": "a", "ratings": [{"docId": ["d"], "rating": 1}]}]}',
        "must be text or a whole number",
    ),
    "no placeholder": ('{"queries": [{"relevant_documents": {}}]}', r'placeholders\["\$query"\]'),
    "two gains": (
        '{"queries": [{"placeholders": {"$query": "a"}, "relevant_documents": {"d": {"gain": 1, "rating": 2}}}]}',
        "expected either gain or rating",
    ),
    "deep JSON": ("[" * 100_000, "nested too deeply|ends too early"),
    "a lone surrogate": (
        '{"judgmentRatings": [{"query": "\\ud800", "ratings": [{"docId": "d", "rating": 1}]}]}',
        "can be written as UTF-8",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_reported_with_its_place(name, tmp_path):
    text, message = FAULTS[name]
    with pytest.raises(DataError, match=message):
        load(tmp_path, text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"queries": "q.txt"}, "queries gives the texts of queries in TREC qrels.*'quepid'"),
        ({"grade": "stars"}, "grade=... names a column of a table"),
        ({"format": "rre"}, "expected JSON"),
        ({"format": "excel"}, "format must be one of 'quepid', 'quepid-ltr'"),
        ({"conflict": "mean"}, "conflict must be one of 'median', 'highest', 'lowest', 'error'"),
        ({"format": "csv", "grade": "stars"}, "need one column 'stars': got none among 'query', 'docid', 'rating'"),
    ],
)
def test_options_without_effect_are_refused(options, message, tmp_path):
    with pytest.raises(DataError, match=message):
        load(tmp_path, "query,docid,rating\nzen,a,1\n", **options)


def test_a_query_without_a_text_is_named(tmp_path):
    (tmp_path / "queries").write_text("301 zen\n")
    with pytest.raises(DataError, match="there is no query '302'"):
        load(tmp_path, "301 0 a 1\n302 0 a 1\n", queries=tmp_path / "queries")


def test_the_frame_has_query_document_and_grade(tmp_path):
    frame = load(tmp_path, LISTS["csv"]).to_frame("polars")
    assert frame.columns == ["query", "doc_id", "grade"]
    assert frame.rows()[2] == ("red, dress", "7", 1.0)


def test_judgements_made_by_hand_are_checked():
    with pytest.raises(DataError, match="Document 'a' appears in query 'zen' twice"):
        gr.Judgements(["zen", "zen "], ["a", "a"], [1, 2])
    with pytest.raises(DataError, match="must not be negative"):
        gr.Judgements(["zen"], ["a"], [-1])
