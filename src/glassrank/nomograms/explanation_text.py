"""How the explanation of a pair prints itself in a terminal."""

import math
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from glassrank.drawing.text_bars import signed_bar
from glassrank.nomograms.numbers import Notation, notation_for

if TYPE_CHECKING:
    from glassrank.nomograms.explanation import FeatureContribution, PairExplanation

NEVER = "–"
GIVEN = "given that the two differ in relevance"
NO_PROBABILITY = "P(A above B) is not known: wrap the ranker in PairCalibrator and fit that to get it."


def pair_text(explanation: "PairExplanation", most_rows: int) -> str:
    """Two documents, the verdict, and the features with the largest contribution first."""
    amount = _notation([explanation.total, *(feature.contribution for feature in explanation.features)])
    shown = explanation.by_size[:most_rows]
    lines = [f"query {explanation.query}: why A stands {_relation(explanation.total)} B", ""]
    lines += _documents(explanation)
    lines += ["", *_verdict(explanation, amount), ""]
    lines += _features(shown, amount)
    rest = explanation.by_size[most_rows:]
    if rest:
        together = amount(math.fsum(feature.contribution for feature in rest), sign=True)
        count = f"{len(rest)} more {'feature' if len(rest) == 1 else 'features'}"
        lines.append(f"{together.rjust(len('contribution'))}  from {count}")
    note = f"tie: the nearest value of this one feature at which the order would turn; {NEVER} where no value does."
    return "\n".join([*lines, note])


def _relation(total: float) -> str:
    return "above" if total > 0 else "below" if total < 0 else "level with"


def _documents(explanation: "PairExplanation") -> list[str]:
    pair = (("A", explanation.a), ("B", explanation.b))
    rows = [("", "document", "rank", "score", "judgement")]
    for place, one in pair:
        rows.append(
            (
                place,
                one.name,
                f"{one.rank} of {one.n_documents}",
                f"{one.score:.4f}".replace("-", "−"),
                f"{one.label:g}",
            )
        )
    return _aligned(rows, right={3, 4})


def _verdict(explanation: "PairExplanation", amount: Notation) -> list[str]:
    total = f"A − B = {amount(explanation.total, sign=True)} {explanation.unit}"
    if explanation.interval is not None:
        low, high = explanation.interval
        total += f", 95 % interval [{amount(low, sign=True)}, {amount(high, sign=True)}]"
    if explanation.probability is None:
        return [total, NO_PROBABILITY]
    probability = f"P(A above B) = {explanation.probability:.3f}"
    if explanation.probability_interval is not None:
        low, high = explanation.probability_interval
        probability += f", 95 % interval [{low:.3f}, {high:.3f}]"
    return [total, f"{probability}, {GIVEN}"]


def _features(shown: "tuple[FeatureContribution, ...]", amount: Notation) -> list[str]:
    largest = max((abs(feature.contribution) for feature in shown), default=0.0)
    with_errors = any(feature.error is not None for feature in shown)
    rows: list[tuple[str, ...]] = [
        ("contribution", "error", "B ← → A", "feature", "A", "B", "tie if A were", "tie if B were")
    ]
    for feature in shown:
        values = [_value(feature, value) for value in (feature.value_a, feature.value_b)]
        flips = [_value(feature, value) for value in (feature.flip_a, feature.flip_b)]
        error = "" if feature.error is None else f"± {amount(feature.error)}"
        contribution = amount(feature.contribution, sign=True)
        # What rounds to 0 has neither sign nor bar.
        bar = signed_bar(feature.contribution if contribution[0] in "+−" else 0.0, largest)
        name = f"{feature.name} ({feature.unit})" if feature.unit else feature.name
        rows.append((contribution, error, bar, name, *values, *flips))
    if not with_errors:
        rows = [(row[0], *row[2:]) for row in rows]
    first_value = 4 if with_errors else 3
    return _aligned(rows, right={0, *range(first_value, first_value + 4)}, centred={2 if with_errors else 1})


def _value(feature: "FeatureContribution", value: float | None) -> str:
    if value is None:
        return NEVER
    return feature.categories[int(value)] if feature.categories else f"{value:.4g}".replace("-", "−")


def _notation(amounts: list[float]) -> Notation:
    """Three places of the largest amount, and at least two decimals while numbers are small."""
    largest = max(abs(amount) for amount in amounts)
    if largest == 0 or not math.isfinite(largest):
        return Notation(2)
    return notation_for(largest, 10.0 ** (math.floor(math.log10(largest)) - 2))


def _aligned(rows: list[Any], right: set[int], centred: Collection[int] = ()) -> list[str]:
    """Cells under one another, two spaces between columns; numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    ways = [str.rjust if k in right else str.center if k in centred else str.ljust for k in range(len(widths))]
    cells = ([way(cell, width) for way, cell, width in zip(ways, row, widths, strict=True)] for row in rows)
    return ["  ".join(row).rstrip() for row in cells]
