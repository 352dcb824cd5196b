"""The demo: simulate, take the best single feature as baseline, train, measure, draw."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.core.groups import comparable_pairs
from glassrank.data.ranking_data import RankingData
from glassrank.data.simulate import SimulatedRanking, simulate_ranking
from glassrank.metrics.compare import Comparison, compare
from glassrank.nomogram.effects import effects
from glassrank.nomogram.figure import Nomogram, nomogram
from glassrank.ranking.rank_svm import RankSVM
from glassrank.ranking.single_feature import BestSingleFeature
from glassrank.report.ranking_page import FeatureLine, RankingReport

MEASURE = "ndcg@10"
CONVENTION = "standard"
MODEL_NAME = "RankSVM, linear"
C = 1e-3
SAY_NOTHING: Callable[[str], None] = lambda message: None  # noqa: E731


@dataclass(frozen=True, eq=False)
class DemoResult:
    """What the demo found, and where its page is."""

    report: RankingReport
    path: Path

    def __str__(self) -> str:
        report = self.report
        return (
            f"{report.title}\n"
            f"  {report.baseline.name:<32} {MEASURE.upper()} {report.baseline.mean:.4f}\n"
            f"  {report.model.name:<32} {MEASURE.upper()} {report.model.mean:.4f}\n"
            f"  {report.verdict} (convention “{CONVENTION}”, held-out queries)\n"
            f"Report: {self.path}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values, for JSON."""
        report = self.report
        return {
            "simulated": True,
            "measure": MEASURE,
            "convention": CONVENTION,
            "baseline": {"name": report.baseline.name, "value": report.baseline.mean},
            "model": {"name": report.model.name, "value": report.model.mean},
            "p_value": report.p_value,
            "report": str(self.path),
        }


def run_demo(
    folder: str | Path, *, n_queries: int = 400, seed: int = 0, progress: Callable[[str], None] = SAY_NOTHING
) -> DemoResult:
    """Run the demo and write ``report.html`` into the folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    progress("Simulating documents and judgements")
    simulated = simulate_ranking(n_queries, 40, random_state=seed)
    train, test = simulated.data.split(0.5, random_state=seed)
    progress("Choosing the best single feature")
    baseline = BestSingleFeature(MEASURE, CONVENTION).fit(train.X, train.y, qid=train.qid)
    progress("Training a ranking SVM on all features")
    model = RankSVM(C=C).fit(train.X, train.y, qid=train.qid)
    progress("Measuring both on held-out queries")
    baseline_name = f"best single feature: {train.feature_names[baseline.feature_]}"
    scores = {baseline_name: baseline.predict(test.X), MODEL_NAME: model.predict(test.X)}
    comparison = compare(
        scores, test.y, qid=test.qid, measure=MEASURE, baseline=baseline_name, convention=CONVENTION, random_state=seed
    )
    progress("Drawing the nomogram and the report")
    picture = _telling_pair(model, baseline, test, simulated)
    report = _report(simulated, train, test, model, comparison, picture, seed)
    return DemoResult(report, report.save(folder / "report.html"))


def _telling_pair(
    model: RankSVM, baseline: BestSingleFeature, test: RankingData, simulated: SimulatedRanking
) -> Nomogram:
    """A pair that the model orders rightly and the baseline wrongly: the model's top document, the baseline's top one.

    Of all queries, the one where the model's first document is judged best, and the baseline's first one worst.
    """
    learned, single = model.predict(test.X), baseline.predict(test.X)
    best: tuple[float, int, int, int] = (-np.inf, 0, 0, 1)
    for query in range(test.n_queries):
        rows = test.groups.rows(query)
        a, b = int(rows[np.argmax(learned[rows])]), int(rows[np.argmax(single[rows])])
        gain = float(test.y[a] - test.y[b])
        if a != b and gain > best[0]:
            best = (gain, query, a, b)
    _, query, a, b = best
    return nomogram(
        model,
        test,
        query=test.groups.ids[query],
        document=str(test.doc_ids[a]),
        against=str(test.doc_ids[b]),
        title="Ranking nomogram (simulated data)",
        units=simulated.units,
    )


def _report(
    simulated: SimulatedRanking,
    train: RankingData,
    test: RankingData,
    model: RankSVM,
    comparison: Comparison,
    picture: Nomogram,
    seed: int,
) -> RankingReport:
    pair = picture.pair
    n_pairs = int(comparable_pairs(train.y, train.groups).sum())
    baseline, contender, difference, p_value = _contenders(comparison)
    return RankingReport(
        title="glassrank demo: simulated data",
        lead=f"On {test.n_queries} held-out simulated queries the ranking SVM reaches {MEASURE.upper()} "
        f"{contender.mean:.3f}, the best single feature {baseline.mean:.3f}.",
        facts={
            "Training": f"{train.n_queries:,} queries, {train.n_rows:,} documents",
            "Held out": f"{test.n_queries:,} queries, {test.n_rows:,} documents",
            "Features": f"{train.n_features}",
            "Pairs learned from": f"{n_pairs:,}, none listed",
            "Certified gap": f"{model.duality_gap_ / model.objective_:.0e} of the objective, {model.n_iter_} Newton steps",
        },
        measure=MEASURE,
        convention=CONVENTION,
        baseline=baseline,
        model=contender,
        verdict=f"Against the best single feature the model is {comparison.verdicts[MODEL_NAME]}.",
        difference=difference,
        p_value=p_value,
        nomogram=picture,
        why=f"In query {pair.query} the model puts {pair.a.name} (judged {pair.a.label:g}) first, the best single feature "
        f"{pair.b.name} (judged {pair.b.label:g}).",
        features=_feature_lines(model, test, simulated),
        reproduce=f"glassrank demo --folder demo --queries {simulated.data.n_queries} --seed {seed}",
    )


def _feature_lines(model: RankSVM, test: RankingData, simulated: SimulatedRanking) -> tuple[FeatureLine, ...]:
    lengths = effects(model).lengths(test.X, test.groups)
    lines = [
        FeatureLine(
            name, simulated.units.get(name, ""), float(lengths[k]), float(model.coef_[k]), _role(simulated, name)
        )
        for k, name in enumerate(test.feature_names)
    ]
    return tuple(sorted(lines, key=lambda line: -line.length))


def _role(simulated: SimulatedRanking, name: str) -> str:
    effect = simulated.true_effects[name]
    return f"repeats {effect.repeats}" if effect.repeats else effect.role
