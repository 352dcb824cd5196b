"""Loads the features that Solr, OpenSearch or Elasticsearch have logged, from saved responses."""

import math
import os
from typing import Any

from glassrank.core.checks import DataError, check_choice
from glassrank.core.setting import setting
from glassrank.data.feature_logs.feature_log import FeatureLog
from glassrank.data.feature_logs.log_rows import LogRows
from glassrank.data.feature_logs.opensearch_responses import is_opensearch, opensearch_documents, opensearch_error
from glassrank.data.feature_logs.response_files import SavedResponse, Source, find_files, saved_responses
from glassrank.data.feature_logs.solr_responses import is_solr, solr_documents, solr_error, store_defaults

# Engine → how its responses are recognised, why one has no complete result, and their documents
_ENGINES: dict[str, tuple[Any, Any, Any]] = {
    "solr": (is_solr, solr_error, solr_documents),
    "opensearch": (is_opensearch, opensearch_error, opensearch_documents),
}
LOG_FORMATS = tuple(_ENGINES)


def load_feature_log(
    source: Source,
    format: str | None = None,  # noqa: A002
    *,
    query_parameter: str = "q",
    query_from_name: bool = False,
    document: str | None = None,
    field: str | None = None,
    sparse: bool = False,
    feature_store: str | os.PathLike[str] | None = None,
    missing: float | str = "keep",
) -> FeatureLog:
    """Load logged features from responses of Solr (``"solr"``), or of OpenSearch or Elasticsearch (``"opensearch"``).

    ``source`` is a file with a response, or with one per line (JSON lines), a folder of such files, a pattern such as
    ``"log/*.json"``, or a list of these. The query of a response is that of a wrapper ``{"query": …, "response": …}``
    around it, or else the parameter ``query_parameter`` in the header of Solr's response. With ``query_from_name``, it
    is the name of the file, without the suffix and percent-decoded.

    ``document`` is the field that identifies a document; by default ``id`` in Solr and ``_id`` elsewhere. ``field``
    names the field with the features in Solr, by default ``[features]``, and elsewhere the log, if there are several.

    All documents must have the same features. In Solr's sparse format, features with their default value are left out:
    with ``sparse``, they get the defaults of ``feature_store``, the file of the store that Solr returns; without a
    store, they are missing. In OpenSearch, features that do not match are missing. A number for ``missing`` replaces
    all values that the log does not contain.

    Values are the decimals that the engine has printed; as float32, they are the engine's own. A response with an error
    or a partial result is an error, and so are infinite values and different values for the same query and document.

    >>> import json
    >>> docs = [{"id": "d1", "[features]": "bm25=7.5,price=9.99"}, {"id": "d2", "[features]": "bm25=1.25,price=NaN"}]
    >>> response = {"responseHeader": {"status": 0, "params": {"q": "zen"}}, "response": {"docs": docs}}
    >>> with open("zen.json", "w") as file:
    ...     json.dump(response, file)
    >>> log = load_feature_log("zen.json")
    >>> log.query.tolist(), log.feature_names, log.X.tolist()
    (['zen', 'zen'], ('bm25', 'price'), [[7.5, 9.99], [1.25, nan]])
    """
    if format is not None:
        check_choice("format", format, LOG_FORMATS)
    fill = _fill(missing)
    defaults = None if feature_store is None else store_defaults(feature_store)
    files, others = find_files(source)
    rows = LogRows(sparse, defaults)
    for response in saved_responses(files, query_parameter, query_from_name):
        engine = _engine(response, format or rows.engine)
        _refuse_solr_options(engine, sparse, feature_store)
        rows.engine = engine
        rows.begin(response.query)
        for one in _ENGINES[engine][2](response.content, document, field, response.place):
            rows.add(one, response)
    return rows.finish(fill, tuple(map(str, others)))


def _fill(missing: float | str) -> float | None:
    if missing == "keep":
        return None
    is_number = isinstance(missing, int | float) and not isinstance(missing, bool)
    if not is_number or not math.isfinite(float(missing)):
        which = setting("fill", python="missing")
        raise DataError(f"{which} must be 'keep' or a finite number: got {missing!r}.", got=missing)
    return float(missing)


def _engine(response: SavedResponse, expected: str | None) -> str:
    engine = next((name for name, (is_this, _, _) in _ENGINES.items() if is_this(response.content)), None)
    if engine is None or (expected is not None and engine != expected):
        what = "a response of a search engine" if expected is None else f"a response of {expected}"
        names = ", ".join(map(repr, list(response.content)[:8])) or "nothing"
        raise DataError(f"{response.place}: expected {what}, got an object with {names}.")
    problem = _ENGINES[engine][1](response.content)
    if problem:
        raise DataError(f"{response.place}: {problem}.", remedy="Correct the request, and log the query again.")
    return engine


def _refuse_solr_options(engine: str, sparse: bool, feature_store: object) -> None:
    if engine != "solr" and (sparse or feature_store is not None):
        which = setting("sparse") if sparse else setting("feature_store")
        raise DataError(
            f"{which} is for Solr: the responses are of {engine}, which lists every feature.",
            remedy=(
                "Omit it",
                f"set the value of features that do not match: {setting('fill', 0, python='missing=0')}",
            ),
        )
    if feature_store is not None and not sparse:
        raise DataError(
            f"{setting('feature_store')} gives the defaults of features that a sparse log leaves out: the log is not "
            "said to be sparse.",
            parameter="feature_store",
            remedy=(f"Use {setting('sparse', True)}", "omit it"),
        )
