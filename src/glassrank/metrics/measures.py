"""The registry of measures, and the parser of names such as ``ndcg@10`` and ``err(4)@10``."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.metrics.bpref import bpref
from glassrank.metrics.cascade import expected_reciprocal_rank, reciprocal_rank
from glassrank.metrics.conventions import WHOLE_LIST, Convention
from glassrank.metrics.ndcg import ndcg
from glassrank.metrics.precision import average_precision, judged_share, precision, r_precision, recall
from glassrank.metrics.ranked import RankedLists
from glassrank.metrics.risk import ranking_risk


@dataclass(frozen=True)
class Measure:
    """How a measure is computed, and which parameters its name can have."""

    meaning: str
    compute: Callable[[RankedLists, "MeasureName"], FloatArray]
    """Returns one value per query, NaN if the measure is undefined."""
    cutoff: Literal["none", "optional", "required"] = "none"
    takes_grade: bool = False
    undefined: Literal["convention", "zero", "left out"] = "left out"
    """Value of an undefined query: given by the convention; 0, unless the convention leaves it out; left out."""
    higher_is_better: bool = True
    zero_if_short: bool = False
    """Whether a convention may count a list with fewer documents than the cutoff as 0."""

    def value_if_undefined(self, convention: Convention) -> float:
        """Return the value of a query for which the measure is undefined; NaN means left out of the mean."""
        if self.undefined == "left out" or convention.no_relevant is None:
            return np.nan
        return convention.no_relevant if self.undefined == "convention" else 0.0

    def form(self, name: str) -> str:
        """Return the syntax of the name, with optional parts in brackets."""
        grade = "[(grade)]" if self.takes_grade else ""
        return name + grade + {"none": "", "optional": "[@k]", "required": "@k"}[self.cutoff]


@dataclass(frozen=True)
class MeasureName:
    """A parsed name of a measure: ``err(4)@10`` is err with the highest grade 4 and the cutoff 10."""

    text: str
    """The name in lower case."""
    measure: Measure
    cutoff: int
    grade: float | None

    def per_query(self, lists: RankedLists) -> FloatArray:
        """Return the value of each query, NaN for queries that are left out of the mean."""
        values = self.measure.compute(lists, self)
        values = np.where(np.isnan(values), self.measure.value_if_undefined(lists.convention), values)
        # A query without judgements is left out under every convention.
        return np.where(lists.n_judged > 0, values, np.nan)

    def too_short(self, lengths: IntArray, convention: Convention) -> npt.NDArray[np.bool_]:
        """Return which lists count as 0 only because they are shorter than the cutoff."""
        return convention.too_short(lengths, self.cutoff) & self.measure.zero_if_short


MEASURES: dict[str, Measure] = {
    "ndcg": Measure(
        "normalised discounted cumulative gain",
        lambda lists, name: ndcg(lists, name.cutoff),
        cutoff="optional",
        undefined="convention",
        zero_if_short=True,
    ),
    "map": Measure(
        "average precision",
        lambda lists, name: average_precision(lists, name.cutoff),
        cutoff="optional",
        undefined="convention",
    ),
    "p": Measure(
        "precision: relevant documents among the first k, over k",
        lambda lists, name: precision(lists, name.cutoff),
        cutoff="required",
        undefined="zero",
    ),
    "recall": Measure(
        "recall: relevant documents among the first k, over all relevant documents",
        lambda lists, name: recall(lists, name.cutoff),
        cutoff="required",
        undefined="zero",
    ),
    "mrr": Measure(
        "reciprocal rank of the first relevant document",
        lambda lists, name: reciprocal_rank(lists, name.cutoff),
        cutoff="optional",
        undefined="zero",
    ),
    "err": Measure(
        "expected reciprocal rank",
        lambda lists, name: expected_reciprocal_rank(lists, name.cutoff, name.grade),
        cutoff="optional",
        takes_grade=True,
        undefined="zero",
    ),
    "rprec": Measure(
        "precision at the number of relevant documents",
        lambda lists, name: r_precision(lists),
        undefined="zero",
    ),
    "bpref": Measure(
        "relevant documents above judged non-relevant ones",
        lambda lists, name: bpref(lists),
        undefined="zero",
    ),
    "judged": Measure(
        "share of judged documents among the first k retrieved",
        lambda lists, name: judged_share(lists, name.cutoff),
        cutoff="optional",
    ),
    "tau_b": Measure(
        "Kendall's tau b between labels and scores",
        lambda lists, name: lists.concordance.tau_b,
    ),
    "tau": Measure(
        "(P − Q)/(P + Q) of P concordant and Q discordant pairs",
        lambda lists, name: lists.concordance.tau,
    ),
    "pair_accuracy": Measure(
        "share of comparable pairs in the correct order, ties in score count half",
        lambda lists, name: lists.concordance.pair_accuracy,
    ),
    "misranking": Measure(
        "1 − pair accuracy",
        lambda lists, name: 1.0 - lists.concordance.pair_accuracy,
        higher_is_better=False,
    ),
    "risk": Measure(
        "least-squares ranking risk over pairs",
        lambda lists, name: ranking_risk(lists),
        higher_is_better=False,
    ),
}

_NAME = re.compile(r"(?P<name>[a-z_]+)(?:\((?P<grade>\d+(?:\.\d+)?)\))?(?:@(?P<cutoff>[1-9]\d*))?")


def parse_measure(text: str) -> MeasureName:
    """Parse the name of a measure, in any case; invalid names cause an error.

    >>> parsed = parse_measure("ERR(4)@10")
    >>> parsed.text, parsed.measure.meaning, parsed.grade, parsed.cutoff
    ('err(4)@10', 'expected reciprocal rank', 4.0, 10)
    """
    found = _NAME.fullmatch(text.lower()) if isinstance(text, str) else None
    if found is None or found["name"] not in MEASURES:
        forms = ", ".join(measure.form(name) for name, measure in MEASURES.items())
        raise DataError(
            parameter="measure", expected=f"one of {forms} (k at least 1, parts in [] are optional)", got=text
        )
    name, measure = found["name"], MEASURES[found["name"]]
    if found["grade"] and not measure.takes_grade:
        raise DataError(f"{name} does not take a grade: got {text!r}.", remedy=f"Write {measure.form(name)}.")
    if found["cutoff"] and measure.cutoff == "none":
        raise DataError(f"{name} does not take a cutoff: got {text!r}.", remedy=f"Write {name}.")
    if not found["cutoff"] and measure.cutoff == "required":
        raise DataError(f"{name} needs a cutoff: got {text!r}.", remedy=f"Write, for example, {name}@10.")
    cutoff = int(found["cutoff"]) if found["cutoff"] else WHOLE_LIST
    return MeasureName(found[0], measure, cutoff, float(found["grade"]) if found["grade"] else None)


def parse_measures(measures: Any) -> tuple[MeasureName, ...]:
    """Parse the names of one or several measures."""
    names = [measures] if isinstance(measures, str) else measures
    if not isinstance(names, Iterable):
        raise DataError(parameter="measures", expected="a name or a sequence of names such as 'ndcg@10'", got=measures)
    parsed = tuple({name.text: name for name in map(parse_measure, names)}.values())
    if not parsed:
        raise DataError("measures is empty: name at least one, such as 'ndcg@10'.", parameter="measures")
    return parsed
