"""check_export(): are the scores of a running search engine those of the model file?"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from glassrank.core.checks import BoolArray, DataError, FloatArray, check_positive
from glassrank.core.feature_kinds import FeatureKind, FeatureTable
from glassrank.core.wording import counted
from glassrank.data.live_engine.engine_client import EngineClient
from glassrank.export.export_folder import Bundle, read_bundle
from glassrank.export.formats.ltr.engine_columns import decoded_value
from glassrank.export.formats.rounding import SINGLE
from glassrank.export.live_requests import REQUESTS, RankedDocument, RerankRequest

COARSE = 0.05  # share of pairs in another order above which an export is too coarse to be called like the model


class NamedScorer(Protocol):
    """A loaded model that scores documents and knows its features, such as the result of ``load_scorer``."""

    @property
    def feature_names(self) -> tuple[str, ...] | None: ...

    @property
    def kinds(self) -> tuple[FeatureKind, ...]: ...

    def predict(self, X: Any) -> FloatArray: ...


@dataclass(frozen=True)
class LiveCheck:
    """How the scores of an engine compare with those of the model on the features that the engine has logged."""

    url: str
    model: str
    n_documents: int
    largest: float
    """Largest difference of a score."""
    document: str
    """Document with the largest difference."""
    bound: float
    """Largest difference that the export promises."""
    n_beyond: int
    """Documents with a value outside the range for which the promise holds; they are not compared."""
    n_pairs: int
    n_close: int
    """Pairs whose scores differ by at most twice the bound, so that they may swap."""
    n_swapped: int
    """Other pairs that the engine orders differently."""
    n_close_swapped: int = 0
    """Close pairs that the engine orders differently, which the export allows."""

    @property
    def passed(self) -> bool:
        """Whether all compared scores are within the bound and no pair is ordered differently that must not be."""
        return self.largest <= self.bound and self.n_swapped == 0

    def __str__(self) -> str:
        lines = [
            f"{self.model} at {self.url}: {counted(self.n_documents, 'document')}",
            f"Largest difference of a score: {self.largest:.3g} ({self.document!r}); the export promises "
            f"{self.bound:.3g}",
            f"Pairs in another order: {self.n_swapped:,} of {self.n_pairs:,}; {self.n_close:,} more are so close that "
            f"they may swap, and {self.n_close_swapped:,} of them do",
        ]
        if self.n_beyond:
            beyond = counted(self.n_beyond, "document has", "documents have")
            lines.append(f"{beyond} values far beyond those of the training data: not compared, as nothing is promised")
        return "\n".join([*lines, self._verdict()])

    def _verdict(self) -> str:
        if not self.passed:
            return (
                "The engine does NOT rank like the model. Check that the folder is an export of this model file, and "
                "that the engine has the files of this folder."
            )
        if self.n_close_swapped <= COARSE * self.n_pairs:
            return "The engine ranks like the model."
        return (
            f"The engine keeps what the export promises, but that is little: {self.n_close_swapped / self.n_pairs:.0%} "
            "of the pairs are in another order. Export the model again with a smaller error."
        )

    def to_json(self) -> str:
        """Return the figures as JSON."""
        return json.dumps({**asdict(self), "passed": self.passed})


def check_export(
    scorer: NamedScorer,
    folder: str | os.PathLike[str],
    url: str,
    query: str,
    *,
    rows: int = 100,
    text_parameter: str = "text",
    parameters: Mapping[str, str] | None = None,
    document: str | None = None,
    timeout: float = 60.0,
) -> LiveCheck:
    """Compare the scores of a running engine with those of the model, for the best documents of a query.

    Asks the engine to rank with the model of the export in ``folder`` and to log its features, scores these with
    ``scorer`` and compares. Nothing is written to the engine. ``query`` is in the engine's own language: the parameter
    q of Solr, or the query of OpenSearch as text or JSON. The features receive its text as ``text_parameter`` unless
    ``parameters`` contain that. Credentials are taken from the environment variables ``GLASSRANK_ENGINE_USER`` and
    ``GLASSRANK_ENGINE_PASSWORD``, or ``GLASSRANK_ENGINE_API_KEY``.

    >>> from glassrank import RankSVM, check_export, export_model, load_scorer, save_model
    >>> model = RankSVM().fit([[0.1], [0.4]], [0, 1])
    >>> save_model(model, "model.json", feature_names=["bm25"])
    >>> folder = export_model(model, "solr", feature_names=["bm25"]).save("ship")
    >>> check_export(load_scorer("model.json"), folder, "http://127.0.0.1:9/solr/shop", "blue")  # not running
    Traceback (most recent call last):
    ...
    glassrank.data.live_engine.engine_client.EngineRequestError: http://127.0.0.1:9/solr/shop/select: the engine ...
    """
    check_positive("rows", rows, whole=True)
    bundle = read_bundle(folder)
    if bundle.format not in REQUESTS:
        known = ", ".join(map(repr, REQUESTS))
        raise DataError(f"{folder} is an export to {bundle.format!r}, which is no search engine: expected {known}.")
    request = RerankRequest(
        bundle.name, query, int(rows), {text_parameter: query, **(parameters or {})}, document or "id"
    )
    found = REQUESTS[bundle.format](EngineClient(url, timeout), request)
    if not found:
        raise DataError(f"{url} returned no document for the query {query!r}.", remedy="Choose another query.")
    table = logged_table(scorer, bundle, found)
    return _compared(url, bundle, found, scorer.predict(table), table)


def logged_table(scorer: NamedScorer, bundle: Bundle, found: Sequence[RankedDocument]) -> FeatureTable:
    """Return the logged features as the model takes them; those that the engine does not supply are 0."""
    names = scorer.feature_names or tuple(bundle.names)
    foreign = [name for name in bundle.names if name not in names]
    if foreign:
        raise DataError(
            f"The export {bundle.name} is of another model: it has the feature {foreign[0]!r}, which this model does "
            "not have.",
            remedy="Choose the model file that was exported, or export this one.",
        )
    values = np.zeros((len(found), len(names)))
    for k, (name, kind) in enumerate(zip(names, scorer.kinds, strict=True)):
        if name in bundle.names:
            own, n_levels = bundle.names[name], len(kind.levels) if kind.is_category else 0
            values[:, k] = [decoded_value(own, n_levels, one.columns, bundle.stand_ins.get(own)) for one in found]
    return FeatureTable(values, scorer.kinds, tuple(names))


def _compared(
    url: str, bundle: Bundle, found: Sequence[RankedDocument], scores: FloatArray, table: FeatureTable
) -> LiveCheck:
    """Compare the documents whose values are all in the ranges for which the export promises something."""
    inside = _inside(bundle, table)
    if not inside.any():
        raise DataError(
            f"{url}: all {counted(len(found), 'document')} have values far beyond those of the training data, for "
            "which the export promises nothing.",
            remedy=("Check that the engine computes the features as it did for training", "choose another query"),
        )
    kept = [one for one, is_inside in zip(found, inside.tolist(), strict=True) if is_inside]
    given = np.array([one.score for one in kept])
    expected = bundle.factor * scores[inside] - bundle.constant
    differences = np.abs(given - expected)
    worst = int(np.argmax(np.where(np.isnan(differences), np.inf, differences)))
    ahead = expected[:, None] - expected[None, :]
    before = np.triu(np.ones(ahead.shape, dtype=bool), k=1)
    close = np.abs(ahead) <= 2.0 * bundle.bound
    order = np.sign(given[:, None] - given[None, :])
    swapped = before & ~close & (order != np.sign(ahead))
    close_swapped = before & close & (order * np.sign(ahead) < 0)
    return LiveCheck(
        url,
        bundle.name,
        len(found),
        float(differences[worst]),
        kept[worst].document,
        bundle.bound,
        int((~inside).sum()),
        int(before.sum()),
        int((before & close).sum()),
        int(swapped.sum()),
        int(close_swapped.sum()),
    )


def _inside(bundle: Bundle, table: FeatureTable) -> BoolArray:
    """Return which documents have no value beyond the ranges for which the bound holds."""
    inside = np.ones(len(table.values), dtype=bool)
    for k, (name, kind) in enumerate(zip(table.names, table.kinds, strict=True)):
        if name in bundle.names and not kind.levels:
            low, high = bundle.valid[bundle.names[name]]
            # Engines keep values in single precision, which may round the end of a range beyond it.
            inside &= ~((table.values[:, k] < _rounded(low, -1)) | (table.values[:, k] > _rounded(high, 1)))
    return inside


def _rounded(end: float, sign: int) -> float:
    """Return the end of a range, moved outwards by the unit of single precision."""
    return end + sign * SINGLE * abs(end)
