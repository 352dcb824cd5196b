"""The registry of measures, and the parser of names such as ``ndcg@10``, ``err(4)@10`` and ``map(rel=3)``."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from glassrank.core.checks import DataError, FloatArray, IntArray
from glassrank.metrics.arithmetic import shortest
from glassrank.metrics.bpref import bpref
from glassrank.metrics.cascade import expected_reciprocal_rank, reciprocal_rank, success
from glassrank.metrics.conventions import WHOLE_LIST, Convention
from glassrank.metrics.ndcg import dcg, ndcg
from glassrank.metrics.precision import average_precision, judged_share, precision, r_precision, rbp, recall
from glassrank.metrics.ranked import RankedLists
from glassrank.metrics.risk import ranking_risk


@dataclass(frozen=True)
class Measure:
    """How a measure is computed, and which parameters its name can have."""

    meaning: str
    compute: Callable[[RankedLists, "MeasureName"], FloatArray]
    """Returns one value per query, NaN if the measure is undefined."""
    cutoff: Literal["none", "optional", "required"] = "none"
    parameters: tuple[str, ...] = ()
    """What its name can have in brackets, of ``PARAMETERS``."""
    undefined: Literal["convention", "zero", "left out"] = "left out"
    """Value of an undefined query: given by the convention; 0, unless the convention leaves it out; left out."""
    higher_is_better: bool = True
    zero_if_short: bool = False
    """Whether a convention may count a list with fewer documents than the cutoff as 0."""
    skips_unjudged: bool = False
    """Whether unjudged documents are ignored; otherwise they count as label 0."""

    def value_if_undefined(self, convention: Convention) -> float:
        """Return the value of a query for which the measure is undefined; NaN means left out of the mean."""
        if self.undefined == "left out" or convention.no_relevant is None:
            return np.nan
        return convention.no_relevant if self.undefined == "convention" else 0.0

    def form(self, name: str) -> str:
        """Return the syntax of the name, with optional parts in brackets."""
        brackets = f"[({','.join(PARAMETERS[one] for one in self.parameters)})]" if self.parameters else ""
        return name + brackets + {"none": "", "optional": "[@k]", "required": "@k"}[self.cutoff]


# The highest grade of the collection, the lowest relevant label, RBP's probability to go on, and gains by label.
PARAMETERS = {"grade": "grade", "rel": "rel=1", "p": "p=0.8", "gains": "gains={1:1,2:3}"}


@dataclass(frozen=True)
class MeasureName:
    """A parsed name of a measure: ``err(4)@10`` is err with the highest grade 4 and the cutoff 10."""

    name: str
    cutoff: int
    options: tuple[tuple[str, float], ...] = ()
    """Numbers that are given, in the order of the name."""
    gains: tuple[tuple[float, float], ...] = ()
    """Labels and their gains, which replace those of the convention."""

    @property
    def measure(self) -> Measure:
        """The measure itself."""
        return MEASURES[self.name]

    @property
    def text(self) -> str:
        """The name in lower case."""
        given = [f"{'' if key == 'grade' else key + '='}{shortest(value)}" for key, value in self.options]
        if self.gains:
            given.append(f"gains={{{','.join(f'{shortest(label)}:{shortest(gain)}' for label, gain in self.gains)}}}")
        brackets = f"({','.join(given)})" if given else ""
        return self.name + brackets + ("" if self.cutoff == WHOLE_LIST else f"@{self.cutoff}")

    def option(self, key: str, default: float) -> float:
        """Return a parameter, or the default if it is not given."""
        return dict(self.options).get(key, default)

    def having(self, key: str, value: float) -> "MeasureName":
        """Return the same name with this value of a parameter."""
        return replace(self, options=tuple((dict(self.options) | {key: value}).items()))

    def graded(self, labels: FloatArray, convention: Convention) -> "MeasureName":
        """Return the name with the highest grade, if it can only be taken from these labels."""
        highest = float(np.nanmax(labels, initial=0.0))
        known = "grade" not in self.measure.parameters or self.options or convention.highest_grade is not None
        return self if known or highest == 0 else self.having("grade", highest)

    def per_query(self, lists: RankedLists) -> FloatArray:
        """Return the value of each query, NaN for queries that are left out of the mean."""
        if "rel" in dict(self.options):
            relevant = np.where(np.isnan(lists.y), np.nan, lists.y >= self.option("rel", 1.0))
            lists = replace(lists, y=relevant)
        if self.gains:
            lists = replace(lists, y=self._gained(lists.y), convention=replace(lists.convention, gain="y"))
        values = self.measure.compute(lists, self)
        values = np.where(np.isnan(values), self.measure.value_if_undefined(lists.convention), values)
        # A query without judgements is left out under every convention.
        return np.where(lists.n_judged > 0, values, np.nan)

    def _gained(self, y: FloatArray) -> FloatArray:
        """Return the gain of each label; label 0 has the gain 0 unless it is given another."""
        gains = {0.0: 0.0} | dict(self.gains)
        unknown = [shortest(label) for label in np.unique(y[~np.isnan(y)]) if label not in gains]
        if unknown:
            raise DataError(
                f"{self.text} has no gain for the label {unknown[0]}.",
                remedy=f"Add it: {unknown[0]}:{shortest(max(gains.values()))}, with the gain that you choose.",
            )
        return np.array([gains.get(label, np.nan) for label in y.tolist()])

    def too_short(self, lengths: IntArray, convention: Convention) -> npt.NDArray[np.bool_]:
        """Return which lists count as 0 only because they are shorter than the cutoff."""
        return convention.too_short(lengths, self.cutoff) & self.measure.zero_if_short


MEASURES: dict[str, Measure] = {
    "ndcg": Measure(
        "normalised discounted cumulative gain",
        lambda lists, name: ndcg(lists, name.cutoff),
        cutoff="optional",
        parameters=("gains",),
        undefined="convention",
        zero_if_short=True,
    ),
    "dcg": Measure(
        "discounted cumulative gain",
        lambda lists, name: dcg(lists, name.cutoff),
        cutoff="optional",
        parameters=("gains",),
        undefined="zero",
        zero_if_short=True,
    ),
    "map": Measure(
        "average precision",
        lambda lists, name: average_precision(lists, name.cutoff),
        cutoff="optional",
        parameters=("rel",),
        undefined="convention",
    ),
    "p": Measure(
        "precision: relevant documents among the first k, over k",
        lambda lists, name: precision(lists, name.cutoff),
        cutoff="required",
        parameters=("rel",),
        undefined="zero",
    ),
    "recall": Measure(
        "recall: relevant documents among the first k, over all relevant documents",
        lambda lists, name: recall(lists, name.cutoff),
        cutoff="required",
        parameters=("rel",),
        undefined="zero",
    ),
    "success": Measure(
        "whether a relevant document is among the first k",
        lambda lists, name: success(lists, name.cutoff),
        cutoff="required",
        parameters=("rel",),
        undefined="zero",
    ),
    "rbp": Measure(
        "rank-biased precision of a reader who goes on to the next rank with probability p",
        lambda lists, name: rbp(lists, name.cutoff, name.option("p", 0.8)),
        cutoff="optional",
        parameters=("p", "rel"),
        undefined="zero",
    ),
    "mrr": Measure(
        "reciprocal rank of the first relevant document",
        lambda lists, name: reciprocal_rank(lists, name.cutoff),
        cutoff="optional",
        parameters=("rel",),
        undefined="zero",
    ),
    "err": Measure(
        "expected reciprocal rank",
        lambda lists, name: expected_reciprocal_rank(lists, name.cutoff, name.option("grade", np.nan)),
        cutoff="optional",
        parameters=("grade",),
        undefined="zero",
    ),
    "rprec": Measure(
        "precision at the number of relevant documents",
        lambda lists, name: r_precision(lists),
        undefined="zero",
        parameters=("rel",),
    ),
    "bpref": Measure(
        "relevant documents above judged non-relevant ones",
        lambda lists, name: bpref(lists),
        undefined="zero",
        parameters=("rel",),
        skips_unjudged=True,
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

_NAME = re.compile(r"(?P<name>[a-z_]+)(?:\((?P<options>[^()]*)\))?(?:@(?P<cutoff>[1-9]\d*))?")
_TREC_EVAL = re.compile(r"^(?:(ndcg|map)_cut|(p|recall|success))_(\d+)$")  # such as ndcg_cut_10 and P_10
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_GAIN = re.compile(rf"(-?{_NUMBER.pattern}):({_NUMBER.pattern})")


def parse_measure(text: str) -> MeasureName:
    """Parse the name of a measure, in any case, also as trec_eval writes it; invalid names cause an error.

    >>> parsed = parse_measure("ERR(4)@10")
    >>> parsed.text, parsed.measure.meaning, parsed.options, parsed.cutoff
    ('err(4)@10', 'expected reciprocal rank', (('grade', 4.0),), 10)
    """
    written = text.lower() if isinstance(text, str) else ""
    written = "mrr" if written == "recip_rank" else _TREC_EVAL.sub(r"\1\2@\3", written)
    found = _NAME.fullmatch(written)
    if found is None or found["name"] not in MEASURES:
        forms = ", ".join(measure.form(name) for name, measure in MEASURES.items())
        raise DataError(
            parameter="measure", expected=f"one of {forms} (k at least 1, parts in [] are optional)", got=text
        )
    name, measure = found["name"], MEASURES[found["name"]]
    if found["cutoff"] and measure.cutoff == "none":
        raise DataError(f"{name} does not take a cutoff: got {text!r}.", remedy=f"Write {name}.")
    if not found["cutoff"] and measure.cutoff == "required":
        raise DataError(f"{name} needs a cutoff: got {text!r}.", remedy=f"Write, for example, {name}@10.")
    cutoff = int(found["cutoff"]) if found["cutoff"] else WHOLE_LIST
    options = {} if found["options"] is None else _parse_options(name, found["options"].replace(" ", ""), text)
    gains = options.pop("gains", ())
    return MeasureName(name, cutoff, tuple(options.items()), gains)


def _parse_options(name: str, brackets: str, text: str) -> dict[str, Any]:
    """Parse what is in the brackets of a measure's name; ``text`` is the whole name for errors."""
    measure, options = MEASURES[name], dict[str, Any]()
    for option in re.split(r",(?![^{]*\})", brackets):
        key, _, value = option.rpartition("=")
        key = key or "grade"
        if key not in measure.parameters or key in options:
            called = "a grade" if key == "grade" else repr(key)
            problem = f"takes {called} once" if key in options else f"does not take {called}"
            raise DataError(f"{name} {problem}: got {text!r}.", remedy=f"Write {measure.form(name)}.")
        options[key] = _gains(value) if key == "gains" else _number(key, value)
    return options


def _number(key: str, text: str) -> float:
    value, limit = float(text) if _NUMBER.fullmatch(text) else np.nan, 1.0 if key == "p" else np.inf
    if not 0.0 < value < limit:
        raise DataError(parameter=key, expected=f"a number above 0{' and below 1' if key == 'p' else ''}", got=text)
    return value


def _gains(text: str) -> tuple[tuple[float, float], ...]:
    found = [_GAIN.fullmatch(part) for part in text[1:-1].split(",")]
    gains = {float(one[1]): float(one[2]) for one in found if one}
    if text[:1] + text[-1:] != "{}" or len(gains) < len(found):
        raise DataError(parameter="gains", expected="gains by label such as {1:1,2:3}", got=text)
    return tuple(gains.items())


def parse_measures(measures: Any) -> tuple[MeasureName, ...]:
    """Parse the names of one or several measures."""
    names = [measures] if isinstance(measures, str) else measures
    if not isinstance(names, Iterable):
        raise DataError(parameter="measures", expected="a name or a sequence of names such as 'ndcg@10'", got=measures)
    parsed = tuple({name.text: name for name in map(parse_measure, names)}.values())
    if not parsed:
        raise DataError("measures is empty: name at least one, such as 'ndcg@10'.", parameter="measures")
    return parsed
