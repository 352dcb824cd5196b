"""explain_document(): what the score of one document consists of, in numbers."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from glassrank.core.additive.categories import MISSING, level_name, short_name
from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects
from glassrank.core.checks import DataError, FloatArray
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Estimator, Frame, Identifier
from glassrank.core.setting import setting
from glassrank.data.ranking_data import RankingData, check_ranking_data
from glassrank.nomograms.adapters.effects_on_data import effects_on
from glassrank.nomograms.compared_pair import ComparedDocument, document_of, median_row, score_ranks
from glassrank.nomograms.contribution_table import contribution_table
from glassrank.nomograms.correlated_features import CORRELATED, Grouping, feature_groups
from glassrank.nomograms.explanation import MAX_ROWS
from glassrank.nomograms.group_contributions import (
    GroupContribution,
    as_reasons,
    group_columns,
    group_contributions,
    group_of,
)
from glassrank.nomograms.named_effects import with_units
from glassrank.nomograms.pair_text import GIVEN, NO_PROBABILITY, document_rows, outside_note
from glassrank.nomograms.text_columns import aligned, notation_of

INTERVAL = (0.025, 0.975)
CLASS = "class"


@dataclass(frozen=True)
class DocumentContribution:
    """What the value of one feature adds, compared with the value of the reference."""

    name: str
    unit: str
    value: float | None
    """NaN if it is missing; None for an interaction, which depends on two values."""
    reference: float | None
    """Value of the reference; None for the mean over the levels of a category."""
    contribution: float
    error: float | None
    """Bootstrap standard error of the contribution; None without samples."""
    categories: tuple[str, ...] = ()
    """Names of the values 0, 1, 2 …; empty for numbers."""


@dataclass(frozen=True, eq=False, repr=False)
class DocumentExplanation:
    """One document of a query; the contributions of the features add up to ``total`` minus ``average``.

    A ranker's document is compared with the median document of its query, because scores have a meaning within a query
    only: the total is the difference of their scores, and ``average`` is 0. A classifier's document is compared with an
    average one, whose output is ``average``: the total is the output of the document.
    """

    query: str
    document: ComparedDocument
    reference: ComparedDocument | None
    """The median document of the query; None for a classifier."""
    outcome: str
    """The class that a positive total supports; empty for a ranker."""
    features: tuple[DocumentContribution, ...]
    """In the model's order."""
    average: float
    total: float
    unit: str
    """Unit of contributions and total: ``"score"``, or ``"log-odds"`` if the model gives probabilities."""
    probability: float | None
    """P(above the reference), given that the two differ in relevance, or P(outcome); None for unit ``"score"``."""
    interval: tuple[float, float] | None
    """95 % bootstrap interval of the total; None without samples."""
    probability_interval: tuple[float, float] | None
    source: "ExplainedDocument" = field(repr=False)
    """What ``nomogram`` draws."""
    groups: tuple[GroupContribution, ...] = ()
    """Features that move together, with the sum of their contributions."""

    @property
    def reasons(self) -> tuple[DocumentContribution | GroupContribution, ...]:
        """Groups, and features that are in no group, the largest contribution first."""
        return as_reasons(self.features, self.groups)

    @property
    def by_size(self) -> tuple[DocumentContribution, ...]:
        """Features by absolute contribution, the largest first; equal ones in the model's order."""
        return tuple(sorted(self.features, key=lambda feature: -abs(feature.contribution)))

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def to_text(self, most_rows: int = MAX_ROWS) -> str:
        """Return the explanation as text for a terminal; features beyond ``most_rows`` share one line."""
        return document_text(self, most_rows)

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per feature, the largest contribution first."""
        rows = [_columns(feature) | {"group": group_of(feature.name, self.groups)} for feature in self.by_size]
        return make_frame({column: [row[column] for row in rows] for column in rows[0]}, backend)

    def to_json(self) -> str:
        """Return the whole explanation as JSON, the feature with the largest contribution first."""
        return json.dumps(
            {
                "query": self.query,
                "document": _facts(self.document),
                "reference": None if self.reference is None else _facts(self.reference),
                "outcome": self.outcome or None,
                "unit": self.unit,
                "average": self.average,
                "total": self.total,
                "interval": self.interval,
                "probability": self.probability,
                "probability_interval": self.probability_interval,
                "features": [_columns(feature) for feature in self.by_size],
                "groups": [group_columns(group) for group in self.groups],
            }
        )

    def nomogram(self, **options: Any) -> Any:
        """Draw the same document as a nomogram; the options are those of ``glassrank.nomogram``."""
        from glassrank.nomograms.figure.nomogram import nomogram

        drawn = self.source
        if self.reference is None:
            known: dict[str, Any] = {"document": drawn.row, "title": f"Nomogram of the class {self.outcome}"}
        else:
            known = {"query": drawn.query, "document": drawn.document}
        known |= {"samples": drawn.samples, "units": drawn.units, "groups": drawn.groups}
        return nomogram(drawn.model, drawn.data, **{**known, **options})


@dataclass(frozen=True, eq=False)
class ExplainedDocument:
    """The arguments of ``explain_document``, kept to draw the same document, and its row."""

    model: Any
    data: RankingData
    query: Any
    document: Any
    row: int
    samples: EffectSamples | None
    units: Mapping[str, str]
    groups: Grouping


def explain_document(
    model: Estimator,
    data: RankingData,
    *,
    query: Identifier,
    document: str | int,
    samples: EffectSamples | None = None,
    units: Mapping[str, str] | None = None,
    groups: Grouping = CORRELATED,
) -> DocumentExplanation:
    """Explain what the score of ``document`` consists of, feature by feature.

    A ranker's document is compared with the median document r of its query: feature k contributes e_k(x_k) − e_k(r_k).
    If the model gives probabilities, P(above the median document) = 1/(1 + exp(−total)). A classifier's document is
    compared with an average one: feature k contributes its effect, which is 0 at the mean, and the total is the output.
    ``samples`` of the model's effects add standard errors and a 95 % interval. ``units`` are shown by feature name.
    ``groups`` are those of ``explain_pair``; a classifier's features move together over all queries.

    >>> import glassrank as gr
    >>> X, names = [[10.0, 1.0], [0.0, 4.0], [5.0, 2.0], [6.0, 2.0]], ["clicks", "spam"]
    >>> data = gr.RankingData(X, [2, 0, 1, 1], ["q"] * 4, ["d1", "d2", "d3", "d4"], names)
    >>> model = gr.RankSVM().fit(data)
    >>> why = explain_document(model, data, query="q", document="d1")
    >>> why.reference.name, [feature.name for feature in why.by_size], bool(why.total > 0)
    ('d3', ['clicks', 'spam'], True)
    """
    check_ranking_data(data)
    place = data.row_of(query, document)
    source = ExplainedDocument(model, data, query, document, place, samples, units or {}, groups)
    made, data = effects_on(model, data, query)
    made = with_units(made, units or {})
    if made.subject == "difference":
        raise DataError(
            "A model of differences compares two documents.", remedy=f"Set {setting('against')} to the other one."
        )
    row = data.row_of(query, document)
    rows = np.flatnonzero(data.qid == data.qid[row])
    scores = made.total(data.X[rows])
    ranks = score_ranks(scores)
    own = document_of(data, row, rows, scores, ranks)
    is_class = made.subject == CLASS
    reference = None if is_class else document_of(data, median_row(rows, scores), rows, scores, ranks)
    explained = _contributions(made, own.values, None if reference is None else reference.values, samples)
    average = made.intercept if is_class else 0.0
    return _with_probability(
        DocumentExplanation(
            query=str(data.qid[row]),
            document=own,
            reference=reference,
            outcome=made.outcome if is_class else "",
            features=explained,
            average=average,
            total=average + math.fsum(feature.contribution for feature in explained),
            unit=made.unit,
            probability=None,
            interval=_interval(samples, own.values, None if reference is None else reference.values),
            probability_interval=None,
            source=source,
            groups=_groups(made, own.values, None if reference is None else reference.values, source),
        ),
        made,
    )


def _contributions(
    made: AdditiveEffects, values: FloatArray, beside: FloatArray | None, samples: EffectSamples | None
) -> tuple[DocumentContribution, ...]:
    """Return what each value adds, compared with the reference or, without one, with the average."""
    amounts = _amounts(made, values, beside)
    errors = None
    if samples is not None:
        errors = np.std([_amounts(one, values, beside) for one in samples.replicates], axis=0, ddof=1)
    references = [feature.centre for feature in made.features] if beside is None else beside.tolist()
    spread = [None] * len(amounts) if errors is None else errors.tolist()
    n_features = len(made.features)
    together = tuple(
        DocumentContribution(name, "", None, None, float(amounts[n_features + k]), spread[n_features + k])
        for k, name in enumerate(made.interaction_names)
    )
    features = tuple(
        DocumentContribution(
            feature.name,
            feature.unit,
            float(values[k]),
            references[k],
            float(amounts[k]),
            spread[k],
            feature.categories,
        )
        for k, feature in enumerate(made.features)
    )
    return features + together


def _groups(
    made: AdditiveEffects, values: FloatArray, beside: FloatArray | None, source: ExplainedDocument
) -> tuple[GroupContribution, ...]:
    samples = source.samples
    replicates = None if samples is None else [_amounts(one, values, beside) for one in samples.replicates]
    groups = feature_groups(source.groups, source.data, made.subject)
    return group_contributions(groups, made.names, _amounts(made, values, beside), replicates)


def _amounts(made: AdditiveEffects, values: FloatArray, beside: FloatArray | None) -> FloatArray:
    if beside is None:
        return made.contributions(values[None])[0]
    return made.differences(values[None], beside[None])[0]


def _interval(
    samples: EffectSamples | None, values: FloatArray, beside: FloatArray | None
) -> tuple[float, float] | None:
    """Return the 95 % interval of the total, from the percentiles of the replicates."""
    if samples is None:
        return None
    if beside is None:
        totals = [float(one.total(values[None])[0]) for one in samples.replicates]
    else:
        totals = [float(one.differences(values[None], beside[None]).sum()) for one in samples.replicates]
    low, high = np.quantile(totals, INTERVAL)
    return float(low), float(high)


def _with_probability(found: DocumentExplanation, made: AdditiveEffects) -> DocumentExplanation:
    if found.unit != "log-odds":
        return found
    ends = found.interval
    low_high = None if ends is None else made.probability(np.array(ends))
    return replace(
        found,
        probability=float(made.probability(np.array(found.total))),
        probability_interval=None if low_high is None else (float(low_high[0]), float(low_high[1])),
    )


def _columns(feature: DocumentContribution) -> dict[str, Any]:
    columns = {name: value for name, value in asdict(feature).items() if name != "categories"}
    for name in ("value", "reference"):
        value = columns[name]
        if value is None or math.isnan(value):
            columns[name] = None
        elif feature.categories and value == round(value):
            columns[name] = level_name(feature.categories, value)
    return {"feature": columns.pop("name"), **columns}


def _facts(document: ComparedDocument) -> dict[str, Any]:
    return {name: getattr(document, name) for name in ("name", "rank", "n_documents", "score", "label")}


def document_text(found: DocumentExplanation, most_rows: int) -> str:
    """Format an explanation: the document, its reference, the total, and the features by size of contribution."""
    amount = notation_of([found.total, found.average, *(feature.contribution for feature in found.features)])
    beside = "average" if found.reference is None else "median"
    columns = (("value", lambda one: _said(one, one.value)), (beside, lambda one: _said(one, one.reference)))
    lines = [_title(found), "", *_documents(found), "", *_verdict(found, amount), ""]
    lines += contribution_table(found.features, found.reasons, amount, columns, bars="− ← → +", most_rows=most_rows)
    return "\n".join(lines)


def _title(found: DocumentExplanation) -> str:
    if found.reference is None:
        return f"query {found.query}: what counts for and against the class {found.outcome}"
    return f"query {found.query}: the document against the median document of the query"


def _documents(found: DocumentExplanation) -> list[str]:
    if found.reference is None:
        return aligned([row[1:] for row in document_rows({"": found.document}, found.unit)], right={3, 4})
    return aligned(document_rows({"": found.document, "median": found.reference}), right={3, 4})


def _verdict(found: DocumentExplanation, amount: Any) -> list[str]:
    name = "total" if found.reference is None else "document − median"
    total = f"{name} = {amount(found.total, sign=True)} {found.unit}"
    if found.reference is None:
        total += f", of which {amount(found.average, sign=True)} is that of an average document"
    if found.interval is not None:
        low, high = found.interval
        total += f", 95 % interval [{amount(low, sign=True)}, {amount(high, sign=True)}]"
    outside = outside_note(found.total, found.interval)
    if found.probability is None:
        unknown = [] if found.reference is None else [NO_PROBABILITY.replace("A above B", "above the median")]
        return [total, *outside, *unknown]
    what = f"P({found.outcome})" if found.reference is None else "P(above the median)"
    probability = f"{what} = {found.probability:.3f}"
    if found.probability_interval is not None:
        low, high = found.probability_interval
        probability += f", 95 % interval [{low:.3f}, {high:.3f}]"
    return [total, probability if found.reference is None else f"{probability}, {GIVEN}", *outside]


def _said(feature: DocumentContribution, value: float | None) -> str:
    if feature.value is None:
        return ""
    if value is None:
        return "average"
    if math.isnan(value):
        return MISSING
    # The average of yes/no values is a share.
    if feature.categories and value == round(value):
        return short_name(level_name(feature.categories, value))
    return f"{value:.4g}".replace("-", "−")
