"""Exports of small models with numeric and odd levels: refused, or the model's scores, also far beyond training."""

import json
import math
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from glassrank.core.checks import DataError
from glassrank.core.feature_kinds import PLAIN, FeatureKind, FeatureTable
from glassrank.export.export_model import ExportedModel, export_model
from glassrank.export.formats.ltr.engine_columns import engine_values
from glassrank.ranking.feature_transformer import FeatureTransformer
from glassrank.ranking.named_rows import read_frame
from glassrank.ranking.rank_svm import RankSVM
from tests.export.evaluators import node_scores, onnx_scores, python_module
from tests.fuzz.cases import Case
from tests.fuzz.reader import DifferenceError, Reader
from tests.reference.ranklib_model import evaluate

_CASE, _NAMES, _N_ROWS = "case.json", ("price", "shop"), 60
LEVELS = (
    *("503", "0503", "-2", "0", "0.5", "1e-05", "1e+16", "1e3", "true", "nan", "NaN", "null", "inf", " 7", "7 ", "7."),
    *("a\rb", "a\r\nb", "a\n", "\t", "it's", 'say "so"', "a\\b", "\\1", "${1}", "$$", "\u202ea", "é", "e\u0301", "🙂"),
    *("\u2028", "\ufeff", "__proto__", "toString", "x" * 3_000, "7.0", "a\0b"),
)
_PASSED = (None, True, False, 503, 503.0, -2, 0, -0.0, 0.5, 1e-5, 1e16, 2.0**53, math.nan, "503.0", "503.00", "", "new")
_WIDTHS = (0.0, 0.5, 9.0, 11.0, 1e3, 1e6, 1e9)
_Documents = Sequence[tuple[float, Any]]
_FOLLOWED = 0.02  # of the change of a curve since the end of the valid range


def _corpus() -> list[Case]:
    """Return a case for each way in which a curve ends, and two levels that are refused."""
    plain = {"levels": ["501", "503"], "values": [503, 503.0, "503", "503.0", True, None], "widths": list(_WIDTHS)}
    cases = {f"{kernel} {way}": {**plain, "kernel": kernel, "way": way} for kernel in _KERNELS for way in _WAYS}
    cases["odd levels"] = {**cases["linear log"], "levels": list(LEVELS[:-2]), "values": list(_PASSED)}
    cases |= {f"level {level!r}": {**cases["linear log"], "levels": [level, "a"]} for level in LEVELS[-2:]}
    return [_written(name, content) for name, content in cases.items()]


_KERNELS, _WAYS = ("linear", "lrbf"), ("standard", "log", "quantile", "none")


def _written(name: str, content: Mapping[str, Any]) -> Case:
    return Case(name, {_CASE: json.dumps({"seed": 0, **content}).encode()})


def _make(generator: random.Random) -> Case:
    numbers = [generator.choice((1, 0.1, 1e-3)) * generator.randint(-2_000, 2_000) for _ in range(4)]
    levels = {*generator.sample(LEVELS, 4), *(str(number) for number in numbers if number % 1 or type(number) is int)}
    drawn = {"levels": sorted(levels), "values": [*numbers, *generator.sample(_PASSED, 6), *sorted(levels)]}
    drawn |= {"kernel": generator.choice(_KERNELS), "way": generator.choice(_WAYS), "seed": generator.getrandbits(32)}
    return _written("random", {**drawn, "widths": [10.0 ** generator.uniform(-2, 9) for _ in range(6)]})


def _read(folder: Path, options: Mapping[str, Any]) -> None:
    """Each format scores documents as the model does, or gives no score to the same ones."""
    given = json.loads((folder / _CASE).read_bytes())
    model, low, high = _fitted(given)
    known = FeatureTable(np.array([[low, 0.0], [high, 0.0]]), _kinds(given), _NAMES)
    prices = [end + side * width * (high - low) for width in given["widths"] for end, side in ((low, -1), (high, 1))]
    documents = [(low, shop) for shop in given["values"]] + [(price, given["levels"][0]) for price in prices]
    expected = np.array([_score(model, *document) for document in documents])
    for format_name, evaluator in _EVALUATORS.items():
        if format_name == "javascript" and shutil.which("node") is None:
            continue
        if format_name == "ranklib" and (given["kernel"], given["way"]) != ("linear", "standard"):
            continue  # steps of trees are flat where lines go on
        export = export_model(model, format_name, data=known if given["way"] == "none" else None, max_error=0.02)
        clipped = np.clip([price for price, _ in documents], *export.model.features[0].valid)
        change = expected - [_score(model, price, shop) for price, (_, shop) in zip(clipped, documents, strict=True)]
        found = np.array(evaluator(export, documents), dtype=float)
        allowed = 2.0 * np.fmax(export.bound, np.fmax(_FOLLOWED * np.abs(change), 1e-6 * np.abs(expected)))
        wrong = (np.isnan(expected) != np.isnan(found)) | (np.abs(expected - found) > allowed)
        if wrong.any():
            k = int(np.argmax(wrong))
            raise DifferenceError(f"{format_name} scores {documents[k]!r} as {found[k]}, expected {expected[k]}")


def _score(model: Any, price: float, shop: Any) -> float:
    """Return the model's score of a document; NaN if it refuses a missing value."""
    try:
        return float(model.predict(_frame(price, shop))[0])
    except DataError:
        return math.nan


def _frame(price: float, shop: Any) -> pd.DataFrame:
    kind = object if shop is None or isinstance(shop, str) else None
    return pd.DataFrame({"price": [price], "shop": pd.Series([shop], dtype=kind)})


def _kinds(given: Mapping[str, Any]) -> tuple[FeatureKind, ...]:
    return PLAIN, FeatureKind("category", tuple(given["levels"]))


def _fitted(given: Mapping[str, Any]) -> tuple[Any, float, float]:
    """Return a model and the range of its prices."""
    rng, levels = np.random.default_rng(given["seed"]), len(given["levels"])
    codes = np.tile(np.arange(levels, dtype=float), _N_ROWS)
    price = rng.gamma(2, 3, len(codes)) if given["seed"] % 2 == 0 else rng.normal(0, 5, len(codes))
    grades = np.digitize(np.abs(price) / 5 + rng.normal(size=levels)[codes.astype(int)], [0.5, 1.5])
    if given["seed"] % 3 == 0:
        codes[::7] = np.nan
    rows = FeatureTable(np.column_stack([price, codes]), _kinds(given), _NAMES)
    ranker = RankSVM(kernel=given["kernel"])
    if given["way"] == "none":
        return ranker.fit(rows, grades), float(price.min()), float(price.max())
    model = make_pipeline(FeatureTransformer(given["way"]), ranker)
    return model.fit(rows, grades), float(price.min()), float(price.max())


def _in_python(export: ExportedModel, documents: _Documents) -> list[float]:
    score = python_module(export).score
    found = []
    for document in documents:
        try:
            found.append(score(dict(zip(_NAMES, document, strict=True))))
        except ValueError:
            found.append(math.nan)
    return found


def _in_node(export: ExportedModel, documents: _Documents) -> list[float]:
    rows = [{"price": price, "shop": None if shop != shop else shop} for price, shop in documents]
    # An array that also contains the message of an error has the numbers as texts.
    return [math.nan if "missing values" in str(score) else float(score) for score in node_scores(export, rows)]


def _in_duckdb(export: ExportedModel, documents: _Documents) -> list[float]:
    with duckdb.connect() as connection:
        connection.execute(export.files["model.sql"].decode())
        found = []
        for price, shop in documents:
            frame = _frame(price, math.nan if shop is None else shop)
            connection.register("documents", frame)
            found += connection.execute(f"SELECT {export.name}(price, shop) FROM documents").fetchall()
    return [math.nan if score is None else score for (score,) in found]


def _codes(export: ExportedModel, documents: _Documents) -> Any:
    return np.vstack([export.model.rows(read_frame(_frame(*document), ["shop"])) for document in documents])


def _in_onnx(export: ExportedModel, documents: _Documents) -> list[float]:
    return onnx_scores(export, export.model, _codes(export, documents)).tolist()


def _in_ranklib(export: ExportedModel, documents: _Documents) -> list[float]:
    codes = _codes(export, documents)
    found = evaluate(export.files["model.txt"].decode(), engine_values(export.model, codes))
    refused = [term.feature for term in export.model.terms if term.missing is None]
    return np.where(np.isnan(codes[:, refused]).any(axis=1), np.nan, found).tolist()


_EVALUATORS: dict[str, Callable[[ExportedModel, _Documents], list[float]]] = {
    "python": _in_python,
    "javascript": _in_node,
    "duckdb": _in_duckdb,
    "onnx": _in_onnx,
    "ranklib": _in_ranklib,
}
EXPORTS = Reader("exports", _corpus, _read, share=2, short=12, make=_make, mutate=lambda generator, case, others: case)
