"""Small random and damaged logs, and the features of a module next to the twin's."""

import random

import numpy as np

from glassrank.navigational.features.log import click_features as click
from glassrank.navigational.features.log import log_features as log
from glassrank.navigational.features.log.click_features import click_features
from glassrank.navigational.features.log.log_features import log_features
from glassrank.navigational.features.log.log_summary import summarise_log
from glassrank.navigational.features.log.summed_log import asked_of
from glassrank.navigational.features.sources import IntentSources
from tests.navigational.features.random_worlds import addresses, containers, some_clicks, some_results
from tests.reference.navigational import features

COLUMNS = ("time", "user", "session", "search", "position", "dwell")


def log_world(seed, searches=25, n_queries=3):
    """Results and a log in the twin's format."""
    rng = random.Random(seed)
    urls = addresses(rng, 8)
    results = some_results(rng, urls[:-1], length=5, n_queries=n_queries)
    return {"results": results, "clicks": some_clicks(rng, urls, results, searches)}


def without(world, *columns):
    """The same log without some columns."""
    return {**world, "clicks": [{k: v for k, v in event.items() if k not in columns} for event in world["clicks"]]}


def without_kinds(world, *actions):
    """The same log without some kinds of events."""
    return {**world, "clicks": [event for event in world["clicks"] if event["action"] not in actions]}


def found_by(module, world, **options):
    """Features of a module by (query_id, rank) and name, None if missing; ``options`` go to IntentSources."""
    sources = IntentSources(**{**containers(world), **options})
    return by_row(sources, module.compute(sources))


def found_in(clicks, world, engine="duckdb", part=10**6):
    """Click and log features from a file or table instead of the world's own log."""
    sources = IntentSources(containers({"results": world["results"]})["results"])
    summary = summarise_log(clicks, asked_of(sources), engine, part=part)
    return by_row(sources, click_features(summary, sources.results.rank) | log_features(summary))


def twin_of_log(world):
    """The twin's click and log features."""
    click_side, log_side = twin_of(click, world), twin_of(log, world)
    return {row: values | log_side[row] for row, values in click_side.items()}


def by_row(sources, columns):
    """Columns of features by (query_id, rank) and name."""
    rows = zip(sources.results.query_id, sources.results.rank.tolist(), strict=True)
    return {
        (query_id, int(rank)): {name: None if np.isnan(v[row]) else float(v[row]) for name, v in columns.items()}
        for row, (query_id, rank) in enumerate(rows)
    }


def twin_of(module, world):
    """The twin's values of a module's features."""
    names = {feature.name for feature in module.FEATURES}
    every = features(**world)
    return {(str(q), rank): {n: v for n, v in values.items() if n in names} for (q, rank), values in every.items()}


def wrong(found, expected, tolerance=1e-9):
    """Return the cells that differ, and the features that only one of them has."""
    cells = []
    for row, values in expected.items():
        if set(found[row]) != set(values):
            return [("features", set(found[row]) ^ set(values))]
        cells += [
            (*row, name, value, found[row][name])
            for name, value in values.items()
            if not _same(value, found[row][name], tolerance)
        ]
    return cells if set(found) == set(expected) else [("rows", set(found) ^ set(expected))]


def _same(one, other, tolerance):
    if one is None or other is None:
        return one is other
    return abs(one - other) <= tolerance * max(1.0, abs(one))
