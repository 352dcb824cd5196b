"""Jokes for users: learnt from half of a user's ratings, with the ratings of other users as features."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars
from sklearn.linear_model import Ridge

import glassrank as gr
from experiments.accuracy.effort import Effort
from experiments.accuracy.verdicts import Tested, compare_over_queries

FEWEST_RATINGS, FEWEST_DIFFERENT = 100, 20
N_REFERENCE, N_TUNING = 300, 100


@dataclass(frozen=True)
class Ratings:
    """Features of the jokes, and the users to choose settings with and to measure."""

    features: np.ndarray
    """Jokes × reference users, standardised."""
    tuning: np.ndarray
    """Users × jokes; NaN where a user has not rated."""
    test: np.ndarray


def load_ratings(path: Path) -> Ratings:
    """Jester: 300 users describe the jokes, 100 choose settings, the rest are measured.

    Only users with 100 ratings or more are taken. Some give one and the same rating nearly always, so that there is
    nothing to rank: users with fewer than 20 different ratings are left out.
    """
    columns = {"user": "userId", "item": "jokeId"}
    fewest = {"min_ratings": FEWEST_RATINGS, "min_different": FEWEST_DIFFERENT}
    return _divide(gr.load_ratings(path, reference_users=N_REFERENCE, random_state=0, **columns, **fewest), N_TUNING)


def simulate_ratings() -> Ratings:
    """Simulated users with three tastes each; one rating in ten is missing."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 40)) + rng.normal(size=(60, 40))
    users, items = np.nonzero(rng.random(table.shape) >= 0.1)
    frame = polars.DataFrame({"user": users + 10, "item": items + 10, "rating": table[users, items]})
    return _divide(gr.load_ratings(frame, reference_users=30, random_state=0), 10)


def _divide(tasks: gr.RatingTasks, n_tuning: int) -> Ratings:
    """Divide the users in the random order whose first ones are the reference users."""
    names = np.unique([*tasks.reference_users, *tasks.data.groups.ids])
    order = np.random.default_rng(0).permutation(len(names))[len(tasks.reference_users) :]
    place = {item: column for column, item in enumerate(tasks.items.doc_ids.tolist())}
    row = {user: number for number, user in enumerate(names[order].tolist())}
    table = np.full((len(row), len(place)), np.nan)
    data = tasks.data
    table[[row[user] for user in data.qid.tolist()], [place[item] for item in data.doc_ids.tolist()]] = data.y
    X = tasks.items.X
    return Ratings((X - X.mean(axis=0)) / X.std(axis=0), table[:n_tuning], table[n_tuning:])


class MeanOfUsers:
    """Ranks jokes by the mean of all reference users: the same for everybody, nothing learnt."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> "MeanOfUsers":
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X.mean(axis=1)


def _candidates(n_features: int, effort: Effort) -> dict[str, list]:
    """By ranker: functions of the seed that make a model, one for each setting to choose from."""
    widths = (0.1 / n_features, 1.0 / n_features)
    return {
        "mean of reference users": [lambda seed: MeanOfUsers()],
        "ridge": [lambda seed, a=a: Ridge(a) for a in 10.0 ** np.arange(0.0, 5.5, 0.5)],
        "kernel least squares": [
            lambda seed, a=a, g=g: gr.KernelLeastSquaresRanker(a, gamma=g)
            for g in widths
            for a in 10.0 ** np.arange(-4.0, 0.5, 0.5)
        ],
        "RankSVM linear": [lambda seed, C=C: gr.RankSVM(C) for C in 10.0 ** np.arange(-4.0, 0.5, 0.5)],
        "ELMRank": [
            lambda seed, a=a: gr.ELMRank(effort.n_nodes, alpha=a, random_state=seed)
            for a in 10.0 ** np.arange(-3.0, 2.5, 0.5)
        ],
    }


def rank_jokes(ratings: Ratings, effort: Effort, report: Callable[[str], None]) -> dict[str, np.ndarray]:
    """Misranking over each user's held-out jokes: by ranker, one row per seed and one column per test user.

    A ranker has one setting for all users: that of the least mean misranking over the tuning users.
    """
    found = {}
    for name, candidates in _candidates(ratings.features.shape[1], effort).items():
        report(name)
        best = candidates[0]
        if len(candidates) > 1:
            best = min(candidates, key=lambda make: _misranking(make, ratings.features, ratings.tuning, seed=0).mean())
        found[name] = np.array(
            [_misranking(best, ratings.features, ratings.test, seed) for seed in range(1, effort.n_splits + 1)]
        )
    return found


def _misranking(make: Callable, features: np.ndarray, users: np.ndarray, seed: int) -> np.ndarray:
    """Of each user: learnt from a random half of the jokes the user has rated, measured on the other half."""
    rng, y, scores, qid = np.random.default_rng(seed), [], [], []
    for number, own in enumerate(users):
        rated = rng.permutation(np.flatnonzero(~np.isnan(own)))
        train, test = np.array_split(rated, 2)
        scores.append(make(seed).fit(features[train], own[train]).predict(features[test]))
        y.append(own[test])
        qid.append(np.full(len(test), number))
    columns = np.concatenate(y), np.concatenate(scores)
    return gr.evaluate(*columns, qid=np.concatenate(qid), measures=["misranking"]).per_query["misranking"]


def tests_of(data: str, found: dict[str, np.ndarray]) -> list[Tested]:
    """Every ranker against ridge regression, paired over the users."""
    return compare_over_queries(data, "misranking", found, "ridge", lower_is_better=True)
