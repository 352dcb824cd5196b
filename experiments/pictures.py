"""Writes the pictures of the documentation: ``python -m experiments.pictures docs/pictures``."""

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from glassrank.core.checks import FloatArray
from glassrank.core.frames import make_frame
from glassrank.data.ranking_data import RankingData
from glassrank.distillation.distill import distill
from glassrank.distillation.figure.neighbourhood_chart import NeighbourhoodChart
from glassrank.nomograms.bootstrap_effects import bootstrap_effects
from glassrank.nomograms.figure.nomogram import Nomogram, nomogram
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.rank_svm import RankSVM
from glassrank.simulation.ranking import SimulatedRanking, simulate_ranking
from glassrank.simulation.web.simulate_web import simulate_web

N_QUERIES, DOCUMENTS_PER_QUERY, SIGNALS = 300, 30, 12
N_RESAMPLES = 60
KINDS = {"news": 0.9, "shop": -1.1, "forum": -0.2, "encyclopaedia": 0.6}


@dataclass(frozen=True)
class Gallery:
    """Pictures from simulated data, which say so in their titles."""

    seed: int = 0

    @cached_property
    def simulated(self) -> SimulatedRanking:
        return simulate_ranking(N_QUERIES, DOCUMENTS_PER_QUERY, n_noise=121, random_state=self.seed)

    def data(self, n_features: int) -> RankingData:
        return self.simulated.data.pick_features(list(range(n_features)))

    def curves(self) -> Any:
        """A ranker whose effects are curves, with probabilities."""
        ranker = make_pipeline(StandardScaler(), RankSVM(kernel="lrbf", gamma=0.05, C=1e-3, C_unit="pair"))
        return PairCalibrator(ranker, random_state=self.seed)

    def pair(self, **options: Any) -> Nomogram:
        """Why A ranks above B, with intervals."""
        data = self.data(SIGNALS)
        model = self.curves().fit(data.X, data.y, qid=data.qid)
        samples = bootstrap_effects(model, data.X, data.y, data.qid, n_resamples=N_RESAMPLES, random_state=self.seed)
        query, a, b = _telling_documents(data, model.predict(data.X))
        title = "Why A ranks above B (simulated data)"
        return self._drawn(model, data, query=query, document=a, against=b, samples=samples, title=title, **options)

    def one_document(self) -> Nomogram:
        data = self.data(SIGNALS)
        model = self.curves().fit(data.X, data.y, qid=data.qid)
        query, a, _ = _telling_documents(data, model.predict(data.X))
        return self._drawn(
            model, data, query=query, document=a, title="One document beside the median (simulated data)"
        )

    def differences(self) -> Nomogram:
        """The form of the first ranking nomograms: one dot per feature, at A − B."""
        data = self.data(SIGNALS)
        ranker = make_pipeline(StandardScaler(), RankSVM(C=1e-3, C_unit="pair", mode="difference"))
        model = PairCalibrator(ranker, random_state=self.seed).fit(data.X, data.y, qid=data.qid)
        query, a, b = _telling_documents(data, model.predict(data.X))
        title = "Differences of two documents (simulated data)"
        return self._drawn(model, data, query=query, document=a, against=b, align="zero", title=title)

    def many(self, n_features: int) -> Nomogram:
        data = self.data(n_features)
        ranker = make_pipeline(StandardScaler(), RankSVM(C=1e-3, C_unit="pair"))
        model = PairCalibrator(ranker, random_state=self.seed).fit(data.X, data.y, qid=data.qid)
        query, a, b = _telling_documents(data, model.predict(data.X))
        title = f"{n_features} features (simulated data)"
        return self._drawn(model, data, query=query, document=a, against=b, title=title)

    def classifier(self) -> Nomogram:
        """A row of a table with a column of categories."""
        table, wanted = _pages(np.random.default_rng(self.seed), 600)
        numbers = ["age", "words", "links"]
        columns = make_column_transformer((OneHotEncoder(), ["kind"]), (StandardScaler(), numbers))
        model = make_pipeline(columns, LogisticRegression()).fit(table, wanted)
        units = {"age": "days"}
        return nomogram(model, table, document=7, units=units, title="A page and its class (simulated data)")

    def neighbourhood(self) -> NeighbourhoodChart:
        """Hubs and authorities of one topic of a simulated web."""
        web = simulate_web(12, 180, 2400, random_state=self.seed)
        return distill(
            web.collection, web.topics[0].query, "svdd", candidates="base", quantile=0.9, random_state=0
        ).chart()

    def _drawn(self, model: Any, data: RankingData, **options: Any) -> Nomogram:
        units = {name: unit for name, unit in self.simulated.units.items() if name in data.feature_names}
        return nomogram(model, data, units=units, **options)


def _telling_documents(data: RankingData, scores: FloatArray) -> tuple[Any, int, int]:
    """In the query with the most documents: the third in the model's order, and one four places below."""
    query = max(range(data.n_queries), key=lambda number: len(data.groups.rows(number)))
    rows = data.groups.rows(query)
    order = np.argsort(-scores[rows], kind="stable")
    return data.groups.ids[query], int(order[2]), int(order[6])


def _pages(rng: np.random.Generator, n_rows: int) -> tuple[Any, Any]:
    """Pages with a kind, and whether a reader wanted them."""
    kinds = rng.choice(list(KINDS), n_rows)
    age, words, links = rng.gamma(2.0, 60.0, n_rows), rng.lognormal(6.5, 0.7, n_rows), rng.poisson(6, n_rows)
    worth = 0.8 - age / 100 + 0.08 * links + np.array([KINDS[kind] for kind in kinds])
    wanted = np.where(rng.random(n_rows) < 1 / (1 + np.exp(-worth)), "wanted", "unwanted")
    columns = {"kind": kinds.tolist(), "age": np.round(age), "words": np.round(words), "links": links}
    return make_frame(columns, "pandas"), wanted


def write_pictures(folder: str | Path) -> list[Path]:
    """Draw every kind of picture into the folder, from simulated data."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    gallery = Gallery()
    pair = gallery.pair()
    pictures: dict[str, Nomogram | NeighbourhoodChart] = {
        "nomogram": pair,
        "nomogram-folded": gallery.pair(lines="folded"),
        "nomogram-one-document": gallery.one_document(),
        "nomogram-differences": gallery.differences(),
        "nomogram-classifier": gallery.classifier(),
        "nomogram-25-features": gallery.many(25),
        "nomogram-136-features": gallery.many(136),
        "distillation": gallery.neighbourhood(),
    }
    written = [picture.save(folder / f"{name}.png") for name, picture in pictures.items()]
    return [*written, pair.save(folder / "nomogram-dark.png", theme="dark")]


if __name__ == "__main__":
    for path in write_pictures(sys.argv[1]):
        print(path)
