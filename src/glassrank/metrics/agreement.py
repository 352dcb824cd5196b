"""judge_agreement(): how far judges agree, by Krippendorff's alpha and Cohen's kappa of each pair."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np

from glassrank.core.checks import DataError, FloatArray, as_vector, check_choice
from glassrank.core.frames import make_frame
from glassrank.core.input_types import ArrayLike, Frame
from glassrank.core.wording import counted
from glassrank.drawing.text_table import align


@dataclass(frozen=True)
class PairAgreement:
    """Two judges on the units that both labelled."""

    first: str
    second: str
    n_shared: int
    equal: float | None
    """Share of the shared units with equal labels; None if they share none."""
    kappa: float | None
    """Cohen's kappa; None if they share no unit, or if both gave all shared units one and the same label."""


@dataclass(frozen=True)
class Agreement:
    """Agreement of judges, as text, table and JSON."""

    level: str
    """Level of measurement of the labels: ``"nominal"``, ``"ordinal"`` or ``"interval"``."""
    n_units: int
    """Units with at least one label."""
    n_shared: int
    """Units that at least two judges labelled; only these count."""
    alpha: float | None
    """Krippendorff's alpha: 1 if judges always agree, 0 if they agree as often as by chance. None if undefined."""
    judged: dict[str, int]
    """Judge → number of labelled units."""
    pairs: tuple[PairAgreement, ...]
    undefined: str = ""
    """Why alpha is undefined."""

    def __str__(self) -> str:
        shared = f"{self.n_shared:,} of {counted(self.n_units, 'unit')} labelled by two or more"
        value = f"{self.alpha:.3f}" if self.alpha is not None else f"undefined: {self.undefined}"
        lines = [f"{counted(len(self.judged), 'judge')}, {shared}", f"Krippendorff's alpha ({self.level}): {value}"]
        if self.pairs:
            rows = [("judges", "", "shared", "equal", "Cohen's kappa")]
            rows += [(one.first, one.second, f"{one.n_shared:,}", *_values(one)) for one in self.pairs]
            lines += ["", align(rows)]
        return "\n".join(lines)

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per pair of judges."""
        rows = [asdict(one) for one in self.pairs]
        names = list(PairAgreement.__dataclass_fields__)
        return make_frame({name: [row[name] for row in rows] for name in names}, backend)

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain values."""
        return asdict(self)

    def to_json(self) -> str:
        """Return everything as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)


def _values(pair: PairAgreement) -> tuple[str, str]:
    return tuple("undefined" if value is None else f"{value:.3f}" for value in (pair.equal, pair.kappa))  # type: ignore[return-value]


def judge_agreement(labels: Mapping[str, ArrayLike], level: str = "ordinal") -> Agreement:
    """Measure how far judges agree in the labels of the same units, NaN where a judge gave none.

        α = 1 − D_o / D_e,   D_o = Σ o_ck δ²_ck / n,   D_e = Σ n_c n_k δ²_ck / (n (n − 1))

    where o_ck is the number of pairs of labels c and k within units, each unit's pairs divided by its number of labels
    minus 1, n_c = Σ_k o_ck and n = Σ n_c (Krippendorff 2011, Computing Krippendorff's alpha-reliability). δ² of two
    different labels is 1 (``"nominal"``), (Σ_{g from c to k} n_g − (n_c + n_k) / 2)² (``"ordinal"``) or (c − k)²
    (``"interval"``). Cohen's kappa is (p_o − p_e) / (1 − p_e) with p_e = Σ_c p_c q_c, for labels without an order
    (Cohen 1960).

    >>> nan = float("nan")
    >>> found = judge_agreement({"ann": [2, 1, 0, 0], "bob": [2, 1, 1, nan], "eve": [2, nan, 0, 0]})
    >>> print(found)
    3 judges, 4 of 4 units labelled by two or more
    Krippendorff's alpha (ordinal): 0.850
    <BLANKLINE>
    judges       shared  equal  Cohen's kappa
    ann     bob  3       0.667  0.500
    ann     eve  3       1.000  1.000
    bob     eve  2       0.500  0.333
    """
    check_choice("level", level, DIFFERENCES)
    table = _table(labels)
    names, given = list(labels), ~np.isnan(table)
    n_labels = given.sum(axis=0)
    alpha, undefined = _alpha(table[:, n_labels > 1], level)
    return Agreement(
        level=level,
        n_units=int((n_labels > 0).sum()),
        n_shared=int((n_labels > 1).sum()),
        alpha=alpha,
        judged={name: int(row.sum()) for name, row in zip(names, given, strict=True)},
        pairs=tuple(_pair(names[i], names[j], table[i], table[j]) for i, j in combinations(range(len(names)), 2)),
        undefined=_no_pairs(len(names)) if not (n_labels > 1).any() else undefined,
    )


def _table(labels: Mapping[str, ArrayLike]) -> FloatArray:
    """Return judges × units."""
    if not labels:
        raise DataError("labels must name at least one judge: got none.", parameter="labels")
    rows = [as_vector(f"labels of {name!r}", own, finite=False) for name, own in labels.items()]
    for name, row in zip(labels, rows, strict=True):
        if len(row) != len(rows[0]):
            raise DataError(
                f"labels must have one entry per unit for each judge: expected {len(rows[0])}, got {len(row)} of "
                f"{name!r}.",
                parameter="labels",
                expected=len(rows[0]),
                got=len(row),
                remedy="Use NaN for units that a judge did not label.",
            )
        if np.isinf(row).any():
            raise DataError(f"labels must be finite or NaN: got infinity of {name!r}.", parameter="labels")
    return np.array(rows)


def _no_pairs(n_judges: int) -> str:
    return "only one judge" if n_judges == 1 else "no unit was labelled by two judges"


def _alpha(table: FloatArray, level: str) -> tuple[float | None, str]:
    """Return alpha of units with at least two labels, or None and the reason."""
    values = np.unique(table[~np.isnan(table)])
    counts = np.array([(table == value).sum(axis=0) for value in values], dtype=np.float64)  # values × units
    if len(values) < 2:
        return None, f"all labels are {values[0]:g}" if len(values) else ""
    weights = 1.0 / (counts.sum(axis=0) - 1.0)
    coincidences = (counts * weights) @ counts.T - np.diag(counts @ weights)
    totals = coincidences.sum(axis=0)
    squared = DIFFERENCES[level](values, totals)
    observed = (coincidences * squared).sum()
    expected = (np.outer(totals, totals) * squared).sum() / (totals.sum() - 1.0)
    return float(1.0 - observed / expected), ""


def _nominal(values: FloatArray, totals: FloatArray) -> FloatArray:
    return 1.0 - np.eye(len(values))


def _ordinal(values: FloatArray, totals: FloatArray) -> FloatArray:
    middle = np.cumsum(totals) - totals / 2.0
    return (middle[:, None] - middle) ** 2


def _interval(values: FloatArray, totals: FloatArray) -> FloatArray:
    return (values[:, None] - values) ** 2


# Level -> squared differences of the sorted values, given how often each was used
DIFFERENCES: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
}


def _pair(first: str, second: str, one: FloatArray, other: FloatArray) -> PairAgreement:
    shared = ~np.isnan(one) & ~np.isnan(other)
    a, b = one[shared], other[shared]
    if not len(a):
        return PairAgreement(first, second, 0, None, None)
    equal = float((a == b).mean())
    by_chance = float(sum((a == value).mean() * (b == value).mean() for value in np.unique(a)))
    one_label = len(np.unique([a, b])) == 1
    kappa = None if one_label else (equal - by_chance) / (1.0 - by_chance)
    return PairAgreement(first, second, len(a), equal, kappa)
