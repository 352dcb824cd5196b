"""Tables of numbers, yes/no values and categories with missing values, as lists and as RankingData."""

from dataclasses import dataclass, replace

import numpy as np

from glassrank import RankingData
from glassrank.core.feature_kinds import BOOLEAN, CATEGORY, NUMBER, FeatureKind

NAMES = ("price", "age", "in stock", "brand", "site")
KINDS = (NUMBER, NUMBER, BOOLEAN, CATEGORY, CATEGORY)


@dataclass(frozen=True)
class MixedTable:
    """Rows of values (None is missing; a level is its name) with labels, queries and weights."""

    rows: list
    y: list
    qid: list
    weights: list | None = None
    names: tuple = NAMES
    kinds: tuple = KINDS

    @property
    def categories(self):
        return [kind == CATEGORY for kind in self.kinds]

    @property
    def data(self):
        """The table as RankingData; the levels of a category are those of this table, sorted."""
        kinds, columns = [], []
        for kind, values in zip(self.kinds, zip(*self.rows, strict=True), strict=True):
            levels = sorted({value for value in values if value is not None}) if kind == CATEGORY else []
            codes = {level: float(code) for code, level in enumerate(levels)}
            columns.append([np.nan if value is None else codes.get(value, value) for value in values])
            kinds.append(FeatureKind(kind, tuple(levels)))
        X = np.array(columns, dtype=float).T
        return RankingData(X, self.y, self.qid, feature_names=self.names, weights=self.weights, kinds=kinds)

    def pick(self, rows):
        weights = None if self.weights is None else [self.weights[i] for i in rows]
        return replace(
            self,
            rows=[self.rows[i] for i in rows],
            y=[self.y[i] for i in rows],
            qid=[self.qid[i] for i in rows],
            weights=weights,
        )

    def features(self, places):
        return replace(
            self,
            rows=[[row[k] for k in places] for row in self.rows],
            names=tuple(self.names[k] for k in places),
            kinds=tuple(self.kinds[k] for k in places),
        )


def simulated(seed=0, n_rows=40, n_queries=4, missing=0.2, weighted=False):
    """Simulate a table: price, in stock and site have missing values, age and brand have none."""
    rng = np.random.default_rng(seed)
    price, age = rng.normal(size=n_rows), rng.normal(2.0, 1.5, size=n_rows)
    stock = (rng.random(n_rows) < 0.6).astype(float)
    brand = rng.choice(["acme", "bolt", "cog", "dot"], size=n_rows, p=[0.45, 0.35, 0.1, 0.1])
    site = rng.choice(["news", "shop", "wiki"], size=n_rows)
    worth = {"acme": 0.5, "bolt": -0.5, "cog": 1.0, "dot": 0.0, "news": -0.6, "shop": 0.8, "wiki": 0.1}
    gone = rng.random((3, n_rows)) < missing
    useful = np.where(gone[0], -0.8, price) - 0.3 * age**2 + np.where(gone[1], 0.5, stock)
    useful = useful + [worth[b] + (0.3 if g else worth[s]) for b, s, g in zip(brand, site, gone[2], strict=True)]
    useful = useful + 0.7 * rng.normal(size=n_rows)
    y = np.searchsorted(np.quantile(useful, [0.4, 0.75]), useful).astype(float)
    columns = [price.tolist(), age.tolist(), stock.tolist(), brand.tolist(), site.tolist()]
    for k, absent in zip((0, 2, 4), gone, strict=True):
        columns[k] = [None if a else value for value, a in zip(columns[k], absent, strict=True)]
    weights = rng.choice([0.5, 1.0, 3.0], size=n_rows).tolist() if weighted else None
    qid = rng.integers(n_queries, size=n_rows).tolist()
    return MixedTable([list(row) for row in zip(*columns, strict=True)], y.tolist(), qid, weights)


NEW_ROWS = [
    [0.3, 1.0, 1.0, "acme", "shop"],
    [None, 2.5, None, "cog", None],
    [None, -1.0, 0.0, "never seen", "wiki"],
    [-0.7, 4.0, 1.0, "dot", "never seen"],
    [0.0, 2.0, None, "bolt", "news"],
]
