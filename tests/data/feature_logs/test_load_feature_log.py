"""Feature logs of Solr and OpenSearch: values, queries, missing values, and a clear error for what is wrong."""

import gzip
import json
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.data.feature_logs.solr_responses import solr_documents
from tests.data.feature_logs.responses import opensearch_response, solr_response, wrapped, write_lines

STORE = {
    "features": [
        {"name": "bm25", "class": "org.apache.solr.ltr.feature.SolrFeature", "params": {"q": "{!edismax}"}},
        {"name": "price", "params": {"field": "price", "defaultValue": "-1.5"}},
        {"name": "age", "params": {"field": "age", "defaultValue": "NaN"}},
    ]
}


def table(log):
    """Return (query, document) → values, as text so that NaN is equal to NaN."""
    pairs = zip(log.query.tolist(), log.doc_ids.tolist(), strict=True)
    return dict(zip(pairs, map(str, log.X.tolist()), strict=True))


def solr(tmp_path, *responses, **options):
    return gr.load_feature_log(write_lines(tmp_path / "log.jsonl", *responses), **options)


def test_solr_values_are_the_printed_decimals(tmp_path):
    log = solr(tmp_path, solr_response({"d1": "a=1.0,b=-2.5E-4", "d2": "a=NaN,b=3.4028235E38"}))
    assert log.feature_names == ("a", "b")
    assert table(log) == {("blue jeans", "d1"): "[1.0, -0.00025]", ("blue jeans", "d2"): "[nan, 3.4028235e+38]"}
    assert (log.format, log.n_responses, log.notes) == ("solr", 1, ())


def test_the_first_equals_sign_ends_the_name(tmp_path):
    with pytest.raises(DataError, match=r"feature 'a' must be a finite number: got 'b=1\.0'"):
        solr(tmp_path, solr_response({"d1": "a=b=1.0"}))
    with pytest.raises(
        DataError,
        match=r"expected a name, an equals sign and a value between commas, got 'title'.*no comma, no equals sign",
    ):
        solr(tmp_path, solr_response({"d1": "a=1.0,title"}))


def test_opensearch_features_without_a_value_are_missing(tmp_path):
    responses = [wrapped("zen", opensearch_response({"1": {"a": 3.25, "b": None}, "2": {"a": 0.0, "b": 1}}))]
    path = write_lines(tmp_path / "log.jsonl", *responses)
    log = gr.load_feature_log(path)
    assert table(log) == {("zen", "1"): "[3.25, nan]", ("zen", "2"): "[0.0, 1.0]"}
    assert log.absent == {"b": 1}
    assert log.notes == ("1 value is not in the log ('b' 1): missing.",)
    zero = gr.load_feature_log(path, missing=0)
    assert table(zero)["zen", "1"] == "[3.25, 0.0]"
    assert zero.notes == ("1 value is not in the log ('b' 1): set to 0.",)


def test_a_printed_nan_is_not_replaced(tmp_path):
    log = solr(tmp_path, solr_response({"d1": "a=NaN,b=1.0", "d2": "b=2.0"}), sparse=True, missing=7)
    assert table(log) == {("blue jeans", "d1"): "[nan, 1.0]", ("blue jeans", "d2"): "[7.0, 2.0]"}


def test_sparse_rows_get_the_defaults_of_the_store_in_its_order(tmp_path):
    (tmp_path / "store.json").write_text(json.dumps(STORE))
    response = solr_response({"d1": "price=9.5", "d2": "age=3.0,bm25=1.5", "d3": ""})
    log = solr(tmp_path, response, sparse=True, feature_store=tmp_path / "store.json")
    assert log.feature_names == ("bm25", "price", "age")
    # bm25 has no defaultValue, for which Solr takes 0.
    assert list(table(log).values()) == ["[0.0, 9.5, nan]", "[1.5, -1.5, 3.0]", "[0.0, -1.5, nan]"]
    assert log.notes == (
        "6 values are not in the log ('age' 2, 'bm25' 2, 'price' 2): set to the defaults of the store.",
    )


def test_sparse_rows_without_a_store_have_missing_values_and_say_so(tmp_path):
    log = solr(tmp_path, solr_response({"d1": "a=1.0", "d2": "b=2.0"}), sparse=True)
    assert list(table(log).values()) == ["[1.0, nan]", "[nan, 2.0]"]
    assert log.notes == ("2 values are not in the log ('a' 1, 'b' 1): missing.",)


def test_a_feature_that_no_row_has_is_named(tmp_path):
    (tmp_path / "store.json").write_text(json.dumps(STORE["features"]))
    log = solr(
        tmp_path, solr_response({"d1": "price=9.5,bm25=1.0"}), sparse=True, feature_store=tmp_path / "store.json"
    )
    assert log.notes[-1] == "1 feature is in no row of the log, such as 'age'."


@pytest.mark.parametrize(
    ("text", "difference"),
    [
        ("a=1.0,c=2.0", "has no 'b' and has 'c' in addition"),
        ("a=1.0", "has no 'b'"),
        ("a=1.0,b=2.0,c=3.0", "has 'c' in addition"),
    ],
)
def test_features_that_change_are_an_error_that_names_both(text, difference, tmp_path):
    responses = [solr_response({"d1": "a=1.0,b=2.0"}), solr_response({"d1": text}, q="zen")]
    message = rf"jsonl:2, document 'd1'.* of .*jsonl:1: the document {difference}\."
    with pytest.raises(DataError, match=message) as error:
        solr(tmp_path, *responses)
    assert "sparse=True" in error.value.remedy


def test_the_order_of_features_may_change(tmp_path):
    log = solr(tmp_path, solr_response({"d1": "a=1.0,b=2.0", "d2": "b=3.0,a=4.0"}))
    assert log.X.tolist() == [[1.0, 2.0], [4.0, 3.0]]


def test_equal_rows_are_merged_and_unequal_rows_are_an_error(tmp_path):
    first, again = solr_response({"d1": "a=NaN,b=1.0"}), solr_response({"d1": "b=1.0,a=NaN", "d2": "a=1.0,b=1.0"})
    log = solr(tmp_path, first, again)
    assert (len(log), log.n_merged) == (2, 1)
    assert log.notes == ("1 row repeats another with the same values: merged.",)
    with pytest.raises(DataError, match=r"jsonl:2: document 'd1' of query 'blue jeans'.*'b' is 2.0, and was 1.0"):
        solr(tmp_path, first, solr_response({"d1": "a=NaN,b=2.0"}))


def test_the_query_is_that_of_the_wrapper_the_header_or_the_file(tmp_path):
    features = {"d1": "a=1.0"}
    assert solr(tmp_path, wrapped(" zen ", solr_response(features))).query.tolist() == ["zen"]
    chosen = solr_response(features, q="{!ltr}", params={"q": "{!ltr}", "text": "tao"})
    assert solr(tmp_path, chosen, query_parameter="text").query.tolist() == ["tao"]
    (tmp_path / "c%2B%2B book.json").write_text(json.dumps(solr_response(features, q=None)))
    log = gr.load_feature_log(tmp_path / "c%2B%2B book.json", query_from_name=True)
    assert log.query.tolist() == ["c++ book"]


@pytest.mark.parametrize("q", [None, "*:*", "{!edismax v=$t}", "  ", ["a", "b"]])
def test_what_is_no_query_text_is_refused(q, tmp_path):
    with pytest.raises(DataError, match="query") as error:
        solr(tmp_path, solr_response({"d1": "a=1.0"}, q=q))
    assert "query_parameter=..." in error.value.remedy
    assert "query_from_name=True" in error.value.remedy


def test_folders_patterns_and_lists_are_read_in_order(tmp_path):
    for name in ("b", "a"):
        (tmp_path / f"{name}.json").write_text(json.dumps(solr_response({name: "x=1.0"}), indent=2))
    (tmp_path / "c.json.gz").write_bytes(gzip.compress(json.dumps(solr_response({"c": "x=1.0"})).encode()))
    (tmp_path / "notes.txt").write_text("nothing")
    log = gr.load_feature_log(tmp_path)
    assert log.doc_ids.tolist() == ["a", "b", "c"]
    assert log.notes == (f"1 file is not JSON by name and not read, such as {tmp_path / 'notes.txt'}.",)
    assert gr.load_feature_log(str(tmp_path / "[ab].json")).doc_ids.tolist() == ["a", "b"]
    assert gr.load_feature_log([tmp_path / "b.json", tmp_path / "a.json"]).doc_ids.tolist() == ["b", "a"]


def test_a_query_without_documents_is_counted(tmp_path):
    log = solr(tmp_path, solr_response({"d1": "a=1.0"}), solr_response({}, q="no such thing"))
    assert log.empty_queries == ("no such thing",)
    assert str(log).splitlines() == [
        "1 document, 1 query, 1 feature in 2 responses",
        "1 query has no document, such as 'no such thing'.",
    ]


def test_other_fields_can_identify_documents_and_contain_the_features(tmp_path):
    response = {"responseHeader": {"params": {"q": "zen"}}, "response": {"docs": [{"sku": 17, "f": "a=1.0"}]}}
    assert table(solr(tmp_path, response, document="sku", field="f")) == {("zen", "17"): "[1.0]"}
    hits = opensearch_response({"1": {"a": 1.0}})
    hits["hits"]["hits"][0]["fields"] |= {"sku": ["x7"]}
    hits["hits"]["hits"][0]["fields"]["_ltrlog"][0]["other"] = [{"name": "b", "value": 2.0}]
    log = solr(tmp_path, wrapped("zen", hits), document="sku", field="other")
    assert (log.feature_names, table(log)) == (("b",), {("zen", "x7"): "[2.0]"})


@pytest.mark.parametrize("change", ["byte order mark", "CRLF"])
def test_marks_and_line_ends_do_not_matter(change, tmp_path):
    text = json.dumps(solr_response({"d1": "a=1.0"}), indent=1).encode()
    text = b"\xef\xbb\xbf" + text if change == "byte order mark" else text.replace(b"\n", b"\r\n")
    (tmp_path / "log.json").write_bytes(text)
    assert len(gr.load_feature_log(tmp_path / "log.json")) == 1


def test_hostile_names_are_kept(tmp_path):
    names = ["", "ü", "日本", "a b", "x' OR 1", "\x1b[2J"]
    text = ",".join(f"{name}=1.0" for name in names[1:])
    assert solr(tmp_path, solr_response({"d1": text})).feature_names == tuple(names[1:])
    with pytest.raises(DataError, match="a feature has no name"):
        solr(tmp_path, solr_response({"d1": "=1.0"}))


ERROR = {"responseHeader": {"status": 400}, "error": {"msg": "undefined field id", "code": 400}}
FAULTS = {
    "nothing": ("", "the file is empty: expected JSON"),
    "blanks": (" \n", "the file is empty: expected JSON"),
    "an error page": ("<html><head><title>Error 404", "expected JSON, got markup: '<html><head>.*error page"),
    "XML": ('<?xml version="1.0"?>\n<response>', "got markup"),
    "truncated": (json.dumps(solr_response({"d1": "a=1.0"}))[:-20], "the JSON ends too early.*incomplete"),
    "truncated in a line": (
        f'{json.dumps(solr_response({"d1": "a=1.0"}))}\n{{"query": ',
        "log.json:2: .*ends too early",
    ),
    "not JSON": ("{'responseHeader': 1}", "log.json:1: expected JSON"),
    "Latin-1": (b'{"query": "b\xe4r", "response": {}}', "log.json:1: expected UTF-8 text, got the byte 0xe4"),
    "a list": ("[1, 2]", "expected a JSON object, got a list"),
    "an error of Solr": (json.dumps(wrapped("zen", ERROR)), "Solr reports: undefined field id"),
    "an error of OpenSearch": (
        json.dumps(wrapped("zen", {"error": {"reason": "no such index"}, "status": 404})),
        "the engine reports: no such index",
    ),
    "a partial result": (json.dumps(solr_response({}, partialResults=True)), "the result is partial"),
    "a time-out": (json.dumps(wrapped("zen", opensearch_response({}) | {"timed_out": True})), "the result is partial"),
    "a failed shard": (json.dumps(wrapped("zen", opensearch_response({}) | {"_shards": {"failed": 1}})), "partial"),
    "no documents": (json.dumps(solr_response({})), "no document with features: 1 response of 1 query"),
    "infinity": (
        json.dumps(solr_response({"d1": "a=Infinity"})),
        "feature 'a' must be a finite number: got 'Infinity'",
    ),
    "infinite JSON": (
        '{"query": "zen", "response": {"hits": {"hits": [{"_id": "1", "fields": {"_ltrlog": [{"f": '
        '[{"name": "a", "value": -Infinity}]}]}}]}}}',
        "feature 'a' must be a finite number: got '-inf'",
    ),
    "a huge number": (
        json.dumps(wrapped("zen", opensearch_response({"1": {"a": 10**400}}))),
        "feature 'a' must be a finite number",
    ),
    "a number with too many digits": ('{"query": ' + "9" * 5000 + "}", "expected JSON"),
    "true": (json.dumps(wrapped("zen", opensearch_response({"1": {"a": True}}))), "got 'True'"),
    "no features": (
        json.dumps({"responseHeader": {"params": {"q": "zen"}}, "response": {"docs": [{"id": "1"}]}}),
        r"document '1' has no field '\[features\]'.*Add \[features\] to the parameter fl",
    ),
    "no identifier": (
        json.dumps({"responseHeader": {"params": {"q": "zen"}}, "response": {"docs": [{"sku": "1"}]}}),
        "there is no field 'id': the fields are 'sku'",
    ),
    "a document that is a list": (
        json.dumps({"responseHeader": {"params": {"q": "zen"}}, "response": {"docs": [{"id": ["1"]}]}}),
        "must be text or a whole number",
    ),
    "no log": (json.dumps(wrapped("zen", {"hits": {"hits": [{"_id": "1"}]}})), "has no _ltrlog: expected one log"),
    "two features of one name": (json.dumps(solr_response({"d1": "a=1.0,a=2.0"})), "feature 'a' appears twice"),
    "something else": (json.dumps(wrapped("zen", {"results": []})), "expected a response of a search engine, got"),
    "a response that is text": ('{"query": "zen", "response": "x"}', "expected a response .an object., got str"),
    "two engines": (
        json.dumps(solr_response({"d1": "a=1.0"})) + "\n" + json.dumps(wrapped("zen", opensearch_response({}))),
        "log.json:2: expected a response of solr",
    ),
    "deep": ("[" * 100_000, "nested too deeply|ends too early"),
    "a NUL": (json.dumps(solr_response({"a\0b": "a=1.0"})), "without NUL"),
    "a surrogate": (json.dumps(wrapped("\ud800", solr_response({"a": "a=1.0"}))), "written as UTF-8"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_reported_with_its_place(name, tmp_path):
    text, message = FAULTS[name]
    (tmp_path / "log.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DataError, match=message):
        gr.load_feature_log(tmp_path / "log.json")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "vespa"}, "format must be one of 'solr', 'opensearch'"),
        ({"format": "opensearch"}, "expected a response of opensearch"),
        ({"missing": "zero"}, "missing must be 'keep' or a finite number"),
        ({"missing": math.inf}, "missing must be 'keep' or a finite number"),
        ({"feature_store": "store.json"}, "gives the defaults .* Use sparse=True, or omit it"),
    ],
)
def test_a_wrong_option_is_refused(options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "store.json").write_text(json.dumps(STORE))
    with pytest.raises(DataError, match=message):
        solr(tmp_path, solr_response({"d1": "a=1.0"}), **options)


def test_options_of_solr_are_refused_for_opensearch(tmp_path):
    with pytest.raises(DataError, match=r"sparse is for Solr.*missing=0"):
        solr(tmp_path, wrapped("zen", opensearch_response({"1": {"a": 1.0}})), sparse=True)


def test_a_feature_that_the_store_does_not_have_is_an_error(tmp_path):
    (tmp_path / "store.json").write_text(json.dumps(STORE))
    with pytest.raises(DataError, match="feature 'new' is not in the feature store"):
        solr(tmp_path, solr_response({"d1": "new=1.0"}), sparse=True, feature_store=tmp_path / "store.json")


@pytest.mark.parametrize(
    ("store", "message"),
    [
        ("{}", "expected the features of a Solr feature store"),
        ('[{"class": "x"}]', "feature 0 has no name"),
        ('[{"name": "a"}, {"name": "a"}]', "feature 'a' appears twice"),
        ('[{"name": "a", "params": {"defaultValue": "none"}}]', "feature 'a' must be a finite number"),
    ],
)
def test_a_wrong_store_is_refused(store, message, tmp_path):
    (tmp_path / "store.json").write_text(store)
    with pytest.raises(DataError, match=message):
        solr(tmp_path, solr_response({"d1": "a=1.0"}), sparse=True, feature_store=tmp_path / "store.json")


def java_text(value: np.float32) -> str:
    """Write a float as Java's Float.toString does: decimals from 1E-3 to 1E7, otherwise in scientific notation."""
    if np.isnan(value):
        return "NaN"
    size = abs(value)
    if size == 0 or np.float32(1e-3) <= size < np.float32(1e7):
        return np.format_float_positional(value, unique=True, trim="0")
    mantissa, exponent = np.format_float_scientific(value, unique=True, trim="0").split("e")
    return f"{mantissa}E{int(exponent)}"


names = st.text(st.characters(exclude_characters=",=", exclude_categories=["Cs"]), min_size=1, max_size=8)
floats = st.floats(width=32, allow_infinity=False)


@settings(deadline=None)
@given(st.dictionaries(names, floats, max_size=6))
@example({"a": 1e-45, "b": -0.0, "c": 3.4028234663852886e38, "d": math.nan})
def test_the_text_of_features_gives_back_names_and_floats(features):
    values = {name: np.float32(value if value == value else math.nan) for name, value in features.items()}
    text = ",".join(f"{name}={java_text(value)}" for name, value in values.items())
    (found,) = solr_documents(solr_response({"d1": text}), None, None, "log")
    assert found.names == tuple(features)
    # As float32, the printed decimals are the engine's own values, bit for bit.
    assert np.array(found.values, dtype=np.float32).tobytes() == np.array([*values.values()], np.float32).tobytes()
