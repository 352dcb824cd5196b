"""The values that a caller passes for a category have the effects that they have in the model."""

import json
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import pytest

import glassrank as gr
from glassrank.core.feature_kinds import PLAIN, FeatureKind, FeatureTable
from tests.export.evaluators import node_scores, onnx_scores, postgresql_server, python_module

# Numbers, truth values, texts that look like them, line ends and other invisible characters.
LEVELS = (
    *("501", "502", "503", "0503", "-2", "0", "0.5", "1e-05", "1e+16", "9007199254740994", "1e3", "true", "false"),
    *("nan", "NaN", "null", "None", "inf", " 503", "503 ", "x\ry", "x\r\ny", "x\ny", "x\r", "\t", "it's", 'a"b', "\\1"),
    *("é", "e\u0301", "🙂", "\u202etxt", "\ufeff", "\u2028", "$$", "' || chr(13) || '", "__proto__", "toString"),
    "long " * 2_000,
)
PRICE = 5.0
NUMBERS = (503, 503.0, 504, -2, -2.0, 0, -0.0, 0.5, 1e-5, 1e16, 9007199254740994.0, True, False)
TEXTS = ("503.0", "503.00", "503.", "503.0\n", "-2.0", "True", "0.50", "")
OF_NUMPY = (np.int64(503), np.float32(503), np.float32(0.5), np.float64(1e16), np.bool_(True), Decimal("503.00"))
WHOLE = "INTEGER", "BIGINT", "REAL", "DOUBLE PRECISION", "NUMERIC(9, 2)"
IN_BOTH = {f"CAST(503 AS {kind})": 503 for kind in WHOLE} | {
    "true": True,
    "CAST(1e-5 AS DOUBLE PRECISION)": 1e-5,
    "CAST(0.5 AS REAL)": 0.5,
    "CAST('503.0' AS TEXT)": "503",
    "CAST('nan' AS TEXT)": "nan",
    "CAST('' AS TEXT)": None,
    "CAST(NULL AS INTEGER)": None,
}
IN_DUCKDB = IN_BOTH | {
    "CAST(503 AS HUGEINT)": 503,
    "CAST('503' AS ENUM ('503'))": "503",
    "CAST(-0.0 AS DOUBLE)": 0,
    "CAST('nan' AS DOUBLE)": None,
}
IN_POSTGRESQL = IN_BOTH | {
    "CAST('503' AS CHAR(3))": "503",
    "NULLIF(CAST(CAST('NaN' AS REAL) AS TEXT), 'NaN')": None,
}


@pytest.fixture(scope="module")
def ranker():
    rng = np.random.default_rng(0)
    codes = np.tile(np.arange(len(LEVELS), dtype=float), 40)
    price = rng.gamma(2, 3, len(codes))
    grades = np.digitize(np.log1p(price) + rng.normal(size=len(LEVELS))[codes.astype(int)], [1.0, 2.0, 3.0])
    codes[::50] = np.nan
    kinds = (PLAIN, FeatureKind("category", LEVELS))
    rows = FeatureTable(np.column_stack([price, codes]), kinds, ("price", "shop"))
    return gr.RankSVM().fit(rows, grades, qid=np.repeat(np.arange(40), len(LEVELS)))


@pytest.fixture(scope="module")
def in_the_model(ranker):
    """The model's own score of a value, read from a data frame of that type."""

    def score(value):
        kind = object if isinstance(value, (str, Decimal)) or value is None else None
        column = pd.Series([value], dtype=kind)
        return ranker.predict(pd.DataFrame({"price": [PRICE], "shop": column})).item()

    return score


@pytest.fixture(scope="module")
def by_level(ranker):
    """The model's own score of each level, of an unseen one and of a missing value; all are different."""
    kinds, codes = (PLAIN, FeatureKind("category", LEVELS)), np.array([*range(len(LEVELS)), np.nan])
    rows = FeatureTable(np.column_stack([np.full(len(codes), PRICE), codes]), kinds, ("price", "shop"))
    scores = dict(zip([*LEVELS, None], ranker.predict(rows).tolist(), strict=True))
    assert len(set(scores.values())) == len(scores)
    return scores


@pytest.fixture(scope="module")
def postgresql():
    with postgresql_server() as server:
        yield server


def documents(values):
    return [{"price": PRICE, "shop": value} for value in values]


def test_the_python_module_reads_values_as_the_model_does(ranker, in_the_model, by_level):
    score = python_module(gr.export_model(ranker, "python")).score
    for value in (*NUMBERS, *TEXTS, *OF_NUMPY[:5], None, float("nan")):
        assert score({"price": PRICE, "shop": value}) == pytest.approx(in_the_model(value), rel=1e-12), value
    assert score({"price": PRICE, "shop": OF_NUMPY[5]}) == pytest.approx(by_level["503"], rel=1e-12)
    for level, expected in by_level.items():
        assert score({"price": PRICE, "shop": level}) == pytest.approx(expected, rel=1e-12), level
    with pytest.raises(ValueError, match=r"shop must be a text, a number or a boolean: got b'503'"):
        score({"price": PRICE, "shop": b"503"})


def test_the_javascript_module_reads_values_as_the_model_does(ranker, in_the_model, by_level):
    export, values = gr.export_model(ranker, "javascript"), (*NUMBERS, *TEXTS, None)
    expected = [in_the_model(value) for value in values]
    np.testing.assert_allclose(node_scores(export, documents(values)), expected, rtol=1e-12)
    np.testing.assert_allclose(node_scores(export, documents(by_level)), list(by_level.values()), rtol=1e-12)
    (refused,) = node_scores(export, documents([["503"]]))
    assert refused == "shop must be a text, a number or a boolean: got 503."


def test_duckdb_reads_columns_of_every_type_as_the_model_does(ranker, in_the_model, by_level, tmp_path):
    export = gr.export_model(ranker, "duckdb")
    export.save(tmp_path)
    with duckdb.connect() as connection:
        # As users read files: with the line ends of their system.
        connection.execute((tmp_path / "model.sql").read_text(encoding="utf-8"))
        for shown, value in IN_DUCKDB.items():
            (found,) = connection.execute(f"SELECT {export.name}({PRICE}, {shown})").fetchone()
            assert found == pytest.approx(in_the_model(value), rel=1e-12), shown
        for level, expected in by_level.items():
            (found,) = connection.execute(f"SELECT {export.name}({PRICE}, ?)", [level]).fetchone()
            assert found == pytest.approx(expected, rel=1e-12), level
        doubles = pd.DataFrame({"price": PRICE, "shop": [503.0, 0.5, 1e-5, 1e16, 9007199254740994.0, np.nan, 7.0]})
        found = connection.execute(f"SELECT {export.name}(price, shop) FROM doubles").fetchnumpy()
    np.testing.assert_allclose(next(iter(found.values())), ranker.predict(doubles), rtol=1e-12)


def test_postgresql_reads_columns_of_every_type_as_the_model_does(ranker, in_the_model, by_level, postgresql, tmp_path):
    export = gr.export_model(ranker, "postgresql")
    call = export.usage.splitlines()[-1].split("*, ")[1].split(" AS score")[0]
    export.save(tmp_path)
    postgresql.run((tmp_path / "model.sql").read_text(encoding="utf-8"))
    for shown, value in IN_POSTGRESQL.items():
        found = postgresql.run(f"SELECT {call} FROM (SELECT 5.0::FLOAT8 AS price, {shown} AS shop) AS documents;")
        assert float(found) == pytest.approx(in_the_model(value), rel=1e-12), shown
    found = postgresql.scores(export, export.model, documents(by_level))
    np.testing.assert_allclose(found, list(by_level.values()), rtol=1e-12)


@pytest.mark.parametrize("format_name", ["opensearch", "elasticsearch"])
def test_a_query_of_an_engine_asks_for_exactly_one_level(ranker, format_name):
    export = gr.export_model(ranker, format_name, definitions={"price": "price", "shop": "shop"})
    features = json.loads(export.files["features.json"])["featureset"]["features"]
    queries = [one["template"] for one in features if isinstance(one["template"], dict)]
    filters = [one["constant_score"]["filter"] for one in queries if "constant_score" in one]
    asked = [found["term"]["shop"]["value"] for found in filters if "term" in found]
    assert sorted(asked) == sorted(set(asked)) == sorted(LEVELS)


def test_a_number_that_is_no_code_of_a_level_has_no_score_in_a_graph(ranker, by_level):
    export = gr.export_model(ranker, "onnx")
    codes = np.array([2.0, -1.0, -2.0, -503.0, len(LEVELS), 503.0, 1e300])
    found = onnx_scores(export, export.model, np.column_stack([np.full(len(codes), PRICE), codes]))
    assert found[0] == pytest.approx(by_level["503"], rel=1e-12)
    assert np.isnan(found).tolist() == [False, False, True, True, True, True, True]


@pytest.mark.parametrize("format_name", ["python", "javascript", "duckdb", "postgresql", "onnx", "solr", "ranklib"])
@pytest.mark.parametrize(
    ("level", "fault"), [("a\0b", "contains a null character"), ("\ud800", "half of a surr"), ("7.0", "read as '7'")]
)
def test_a_level_that_no_caller_can_pass_is_refused_with_its_feature(level, fault, format_name):
    codes = np.tile([[0.0], [1.0]], (30, 1))
    model = gr.RankSVM().fit(FeatureTable(codes, (FeatureKind("category", (level, "c")),), ("shop",)), codes[:, 0])
    with pytest.raises(gr.DataError, match=f"of 'shop' .*{fault}") as refusal:
        gr.export_model(model, format_name)
    assert repr(level) in str(refusal.value)
    assert "Rename the level" in str(refusal.value)
