"""The texts in a nomogram: one set for each kind of overlay, and the facts beside a line."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from glassrank.core.additive.effects import AdditiveEffects, FeatureEffect
from glassrank.core.column_transforms import LogTransform, QuantileTransform
from glassrank.nomograms.figure.arrangement import Arrangement
from glassrank.nomograms.figure.layout import Layout
from glassrank.nomograms.figure.lines import GROUP, TOGETHER, Line
from glassrank.nomograms.figure.overlay import CLASS, DIFFERENCE, PAIR, REFERENCE, Overlay
from glassrank.nomograms.figure.rows import Row
from glassrank.nomograms.pair_text import GIVEN, ONE_ORDER


@dataclass(frozen=True)
class OverlayWords:
    """The texts of one kind of picture."""

    letters: tuple[str, ...]
    """Text before each dot's value, and at the head of its flip column."""
    says: tuple[str, ...]
    """What a screen reader calls each dot."""
    probability: str
    given: str
    total: str
    subtotal: str
    heading: str
    lower: str
    upper: str
    lowers: str
    """The same of several features."""
    uppers: str
    key: str
    """What rows are sorted by."""
    below: str
    above: str
    tie: str
    segment: str
    """Sentence about the segments, for "How to read"."""
    two_sided: bool
    """Whether negative contributions favour a document of their own."""
    start: str = "Equal documents"
    """Name of the row for the part of the total that no feature adds, and what it is."""
    start_note: str = "the output for two documents with the same values"
    caution: str = ""
    """Sentence about a property of the model that readers do not expect."""


def words_for(overlay: Overlay, effects: AdditiveEffects) -> OverlayWords:
    """Return the texts of a picture of this kind."""
    words = _WORDS[overlay.kind](effects.unit, effects.outcome or "positive class")
    return words if effects.antisymmetric else replace(words, caution=ONE_ORDER)


def _pair_words(unit: str, outcome: str) -> OverlayWords:
    return OverlayWords(
        letters=("A", "B"),
        says=("Document A", "Document B"),
        probability="P(A above B)",
        given=GIVEN,
        total="Total difference",
        subtotal=f"{unit}, A − B",
        heading=f"Added to A − B, {unit}",
        lower="favours B",
        upper="favours A",
        lowers="favour B",
        uppers="favour A",
        key="contribution to A − B",
        below="B above A",
        above="A above B",
        tie="A and B tie",
        segment="Thick piece: what the feature adds to A − B, in the colour of the document it favours. Longest first.",
        two_sided=True,
    )


def _difference_words(unit: str, outcome: str) -> OverlayWords:
    return replace(
        _pair_words(unit, outcome),
        letters=("A − B",),
        says=("A minus B",),
        segment="Dot: A’s value minus B’s. Thick piece: what it adds, in the colour of the document it favours.",
    )


def reference_words(unit: str, outcome: str) -> OverlayWords:
    """Return the texts of one document against a reference."""
    return OverlayWords(
        letters=("A",),
        says=("Document A",),
        probability="P(above the reference)",
        given=GIVEN,
        total="Total",
        subtotal=f"{unit}, A − reference",
        heading=f"Added to A − reference, {unit}",
        lower="lowers A",
        upper="raises A",
        lowers="lower A",
        uppers="raise A",
        key="distance from the reference",
        below="below the reference",
        above="above the reference",
        tie="level with the reference",
        segment="Thick piece: from the reference (vertical stroke) to A, what the feature adds.",
        two_sided=False,
    )


def _class_words(unit: str, outcome: str) -> OverlayWords:
    return OverlayWords(
        letters=("",),
        says=("Value",),
        probability=f"P({outcome})",
        given="",
        total="Total",
        subtotal=unit,
        heading=f"Added to the {unit}",
        lower="against",
        upper="for",
        lowers="against",
        uppers="for",
        key="distance from the mean",
        below=f"not {outcome}",
        above=outcome,
        tie="undecided",
        segment="Thick piece: from the average (vertical stroke) to the row’s value, what the feature adds.",
        two_sided=False,
        start="Average row",
        start_note="the output of a row whose effects are all 0",
    )


_WORDS = {PAIR: _pair_words, DIFFERENCE: _difference_words, REFERENCE: reference_words, CLASS: _class_words}


def rows_in_words(layout: Layout, arrangement: Arrangement, words: OverlayWords) -> str:
    """Say in which order the rows are, and how much of the sum they make up.

    The key names what is compared: contributions to A − B, distances from a reference, or lengths.
    """
    key = "length" if layout.options.by_length else words.key
    orders = {"name": "Rows sorted by name", "model": "Rows in the model’s order", "length": "Longest line first"}
    order = orders.get(layout.options.order, f"Largest {key} first")
    n_rows = len(arrangement.shown)
    if n_rows == len(layout.candidates):
        all_of_them = "all features" if all(line.own for line in layout.lines) else "all"
        return f"{order}; {all_of_them} have a row"
    share = f"{100 * arrangement.share:.0f} %"
    if n_rows == 0:
        return f"{order}; none is large enough for a row"
    shown = "the row shown makes" if n_rows == 1 else f"the {n_rows} rows shown make"
    return f"{order}; {shown} up {share} of the sum of all"


HOLLOW_MARK = "Hollow mark: missing values, and how often they occur."
GREY_FIELD = (
    "Grey field: what two features add together, beyond their own lines. Stronger grey is more, alike in all fields; "
    "the strip is the key."
)
MERGED = "Fields of more than 8 × 6 cells are merged where values are rare."
GROUP_TICKS = "Group: its ticks are the share of documents with a lower sum."
INSIDE = "Inside: signs are not meaningful on their own; trust the sum."


def marks_in_words(rows: Sequence[Row]) -> list[str]:
    """Return a sentence for each kind of row or mark that needs one."""
    maps = [row.line.map for row in rows if row.line.map is not None]
    merged = any(axis.merged and axis.edges for drawn in maps for axis in (drawn.across, drawn.up))
    kinds = {
        HOLLOW_MARK: any(row.missing is not None for row in rows),
        GREY_FIELD: bool(maps),
        MERGED: merged,
        GROUP_TICKS: any(row.kind == GROUP for row in rows),
    }
    return [sentence for sentence, shown in kinds.items() if shown]


def how_to_read(words: OverlayWords, unit: str, *, boxes: bool, bands: bool) -> list[str]:
    """Return one sentence for each thing that every picture shows."""
    where = "line or curve" if boxes else "line"
    lines = [
        f"Find a value on a feature’s {where}; read its points straight up.",
        words.segment,
    ]
    if bands:
        lines.append("Pale bands and thin whiskers: 95 % intervals.")
    lines.append("Grey hills: how often the values occur.")
    if words.caution:
        lines.append(f"{words.caution}.")
    tie = "P is 0.5" if unit == "log-odds" else "the total is 0"
    lines.append(f"Tie if changed to: the value of that one feature at which {tie}, all else equal.")
    return lines


SCALES = {LogTransform: "log", QuantileTransform: "quantiles"}
DIRECTIONS = {1: "only rises", -1: "only falls"}


def facts_of(line: Line, *, constant: bool, all_named: bool) -> list[str]:
    """Return what is said beside a line, the most important fact first."""
    if line.kind == GROUP:
        return [f"{len(line.members)} that move together"]
    if line.kind == TOGETHER:
        return ["two together"]
    return _facts_of_feature(line.feature, constant=constant, all_named=all_named)


def _facts_of_feature(feature: FeatureEffect, *, constant: bool, all_named: bool) -> list[str]:
    """Return what is said beside a feature's line.

    >>> from glassrank.core.additive.effects import LinearCurve
    >>> made = FeatureEffect("price", LinearCurve(-1.0), 1.0, 9.0, 5.0, direction=-1, whole=True)
    >>> _facts_of_feature(made, constant=False, all_named=True)
    ['only falls', 'whole numbers']
    """
    if feature.categories:
        return [] if all_named else [f"{len(feature.categories):,} levels"]
    held = "held at 0" if constant and feature.direction else DIRECTIONS.get(feature.direction, "")
    whole = "whole numbers" if feature.whole and not constant else ""
    return [fact for fact in (_scale(feature.curve), held, whole) if fact]


def _scale(curve: Any) -> str:
    """Return the transform of the values before the model sees them, if it changes the scale of the line."""
    while curve is not None:
        found = SCALES.get(type(getattr(curve, "function", None)))
        if found:
            return found
        curve = getattr(curve, "curve", None)
    return ""
