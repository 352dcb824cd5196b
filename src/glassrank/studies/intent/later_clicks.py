"""Train on the earlier clicks of a log, and test on the later clicks for other queries."""

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np

from glassrank.core.checks import DataError, IntArray
from glassrank.data.query_log import QueryLog
from glassrank.metrics.classification import PrecisionRecall, precision_recall_f1
from glassrank.navigational.coupling.couplings import Coupling, fit_couplings
from glassrank.navigational.coupling.fold_work import Folds
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.integrate import integrate
from glassrank.navigational.query_features import QueryFeatures
from glassrank.navigational.query_url_features import compute_features
from glassrank.studies.intent.assessment import TimeSplit


def has_times(sources: IntentSources) -> bool:
    """Return whether there is a log whose events have times."""
    return sources.log_facts is not None and "time" in sources.log_facts.columns


def split_by_time(
    sources: IntentSources,
    rows: IntArray,
    positive: IntArray,
    coupling: Coupling,
    folds: Folds,
    seed: int,
    say: Callable[[str], None],
) -> TimeSplit:
    """Divide the log at the median time of its clicks, and measure a coupling on both parts.

    In each fold, the coupling is fitted to features of the training queries from the earlier events. It is measured on
    the held-out queries twice: with features from the earlier and from the later events. Both parts contain only their
    own events, so nothing of the later part is used in training.
    """
    if not has_times(sources):
        raise DataError(
            "A split by time needs times: the log has none.", remedy="Leave it out, or give a log with times."
        )
    with TemporaryDirectory() as folder:
        time, parts = _divide(sources.clicks, Path(folder))
        made = []
        for name, clicks in zip(("earlier", "later"), parts, strict=True):
            say(f"Features of the {name} clicks")
            made.append(integrate(compute_features(_with_clicks(sources, clicks), {})))
    names = tuple(name for name in made[0].names if name in set(made[1].names))
    early, late = (_rows(one, names, rows) for one in made)
    same, later = [], []
    for train, held_out in folds:
        (fitted,) = fit_couplings(early[train], positive[train], names, [coupling], seed)
        same.append(_counts(positive[held_out], fitted(early[held_out])))
        later.append(_counts(positive[held_out], fitted(late[held_out])))
    return TimeSplit(time, tuple(same), tuple(later))


def _rows(made: QueryFeatures, names: tuple[str, ...], rows: IntArray) -> Any:
    return made.pick(names).X[rows]


def _counts(positive: IntArray, outputs: Any) -> PrecisionRecall:
    return precision_recall_f1(positive, (outputs > 0).astype(int), positive=1)


def _with_clicks(sources: IntentSources, clicks: Any) -> IntentSources:
    others = (sources.links, sources.pages, sources.language, sources.trusted_hosts, sources.last_time)
    return IntentSources(sources.results, clicks, *others, sources.engine, sources.urlmr, sources.bare_hosts)


def _divide(clicks: Any, folder: Path) -> tuple[float, tuple[Any, Any]]:
    """The median time of the clicks, the events up to it, and those after it."""
    if isinstance(clicks, QueryLog):
        time = float(np.median(clicks.time[clicks.action == "click"]))
        return time, (clicks.pick_rows(clicks.time <= time), clicks.pick_rows(clicks.time > time))
    if not isinstance(clicks, str | os.PathLike):
        raise DataError(
            f"A split by time needs a QueryLog or a file written by clean_log: got {type(clicks).__name__}."
        )
    with duckdb.connect() as connection:
        log = connection.read_parquet(os.fspath(clicks))
        (time,) = log.filter("action = 'click'").aggregate("median(time)").fetchone() or (0.0,)
        paths = folder / "earlier.parquet", folder / "later.parquet"
        for path, sign in zip(paths, ("<=", ">"), strict=True):
            log.filter(f"time {sign} {time!r}").write_parquet(str(path))
    return float(time), paths
