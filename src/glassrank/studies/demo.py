"""The demo: simulate, take the best single feature as baseline, train, measure, draw."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.data.ranking_data import RankingData
from glassrank.data.simulate import SimulatedRanking, simulate_ranking
from glassrank.metrics.compare import compare
from glassrank.metrics.comparison import Comparison
from glassrank.nomograms.effects import effects
from glassrank.nomograms.figure import Nomogram, nomogram
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.single_feature import BestSingleFeature
from glassrank.reports.ranking_page import FeatureLine, RankingReport

MEASURE = "ndcg@10"
CONVENTION = "standard"
MODEL = "linear RankSVM"
DOCUMENTS_PER_QUERY = 40
C = 1e-3

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class DemoResult:
    """What the demo found, and where its page is."""

    report: RankingReport
    path: Path

    def __str__(self) -> str:
        comparison = self.report.comparison
        lines = [self.report.title]
        lines += [f"  {system.name:<36} {MEASURE.upper()} {system.mean:.4f}" for system in comparison.systems]
        verdict = comparison[MODEL].verdict
        lines.append(
            f"  {verdict}, paired test over {comparison.n_queries} held-out queries, convention “{CONVENTION}”"
        )
        return "\n".join([*lines, f"Report: {self.path}"])

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values, for JSON."""
        comparison = self.report.comparison
        return {
            "simulated": True,
            "measure": comparison.measure,
            "convention": comparison.convention,
            "systems": {system.name: system.mean for system in comparison.systems},
            "baseline": comparison.baseline,
            "verdict": comparison[MODEL].verdict,
            "report": str(self.path),
        }


def run_demo(folder: str | Path, *, n_queries: int, seed: int, progress: Progress) -> DemoResult:
    """Run the demo and write ``report.html`` into the folder; ``progress`` is told each step."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    progress("Simulating documents and judgements")
    simulated = simulate_ranking(n_queries, DOCUMENTS_PER_QUERY, random_state=seed)
    train, test = simulated.data.split(0.5, random_state=seed)
    progress("Choosing the best single feature")
    baseline = BestSingleFeature(MEASURE, CONVENTION).fit(train.X, train.y, qid=train.qid)
    progress("Training a ranking SVM on all features")
    model = RankSVM(C=C).fit(train.X, train.y, qid=train.qid)
    progress("Measuring both on held-out queries")
    comparison = _compare(model, baseline, test, seed)
    progress("Drawing the nomogram and the report")
    picture = _telling_pair(model, baseline, test, simulated)
    report = RankingReport(
        title=f"glassrank demo: simulated data (seed {seed})",
        facts=_facts(train, test, model),
        comparison=comparison,
        model=MODEL,
        nomogram=picture,
        why=_why(picture),
        features=_feature_lines(model, test, simulated),
        reproduce=f"glassrank demo --queries {n_queries} --seed {seed}",
    )
    return DemoResult(report, report.save(folder / "report.html"))


def _compare(model: RankSVM, baseline: BestSingleFeature, test: RankingData, seed: int) -> Comparison:
    name = f"{test.feature_names[baseline.feature_]}, best single feature"
    systems = {name: baseline.predict(test.X), MODEL: model.predict(test.X)}
    return compare(systems, test.y, qid=test.qid, measure=MEASURE, convention=CONVENTION, random_state=seed)


def _telling_pair(
    model: RankSVM, baseline: BestSingleFeature, test: RankingData, simulated: SimulatedRanking
) -> Nomogram:
    """The model's first document (A) against the baseline's (B), in the query where A is judged most above B."""
    learned, single = model.predict(test.X), baseline.predict(test.X)
    firsts = [(rows[np.argmax(learned[rows])], rows[np.argmax(single[rows])]) for rows in _rows_by_query(test)]
    telling = [(a, b) for a, b in firsts if a != b]
    if not telling:
        # Both agree on every first document: the model's first two of the longest list will do.
        rows = max(_rows_by_query(test), key=len)
        telling = [tuple(rows[np.argsort(-learned[rows], kind="stable")[:2]])]
    a, b = max(telling, key=lambda pair: test.y[pair[0]] - test.y[pair[1]])
    return nomogram(
        model,
        test,
        query=test.qid[a],
        document=str(test.doc_ids[a]),
        against=str(test.doc_ids[b]),
        title="Ranking nomogram (simulated data)",
        units=simulated.units,
    )


def _rows_by_query(data: RankingData) -> list[Any]:
    return [data.groups.rows(query) for query in range(data.n_queries)]


def _facts(train: RankingData, test: RankingData, model: RankSVM) -> dict[str, str]:
    gap = f"{model.duality_gap_ / model.objective_:.0e} of the objective"
    return {
        "Training": f"{train.n_queries:,} queries, {train.n_rows:,} documents",
        "Held out": f"{test.n_queries:,} queries, {test.n_rows:,} documents",
        "Features": f"{train.n_features:,}",
        "Pairs learned from": f"{model.n_pairs_:,}, none listed",
        "Certified gap": f"{gap} after {model.n_iter_} Newton steps",
    }


def _why(picture: Nomogram) -> str:
    a, b = picture.pair.a, picture.pair.b
    return (
        f"In query {picture.pair.query} the model puts {a.name} (judged {a.label:g}) first, and {b.name} (judged "
        f"{b.label:g}), the first by the best single feature, {b.rank} of {b.n_documents}."
    )


def _feature_lines(model: RankSVM, test: RankingData, simulated: SimulatedRanking) -> tuple[FeatureLine, ...]:
    lengths = effects(model).lengths(test.X, test.groups)
    lines = []
    for k in np.argsort(-lengths, kind="stable"):
        name = test.feature_names[k]
        truth, unit = simulated.true_effects[name], simulated.units.get(name)
        role = f"repeats {truth.repeats}" if truth.repeats else truth.role
        lines.append(FeatureLine(f"{name}, {unit}" if unit else name, float(lengths[k]), float(model.coef_[k]), role))
    return tuple(lines)
