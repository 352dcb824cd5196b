"""Histograms as small SVG drawings inside pages: of one column of a table, and of counts with their numbers."""

from collections.abc import Sequence
from html import escape

from glassrank.drawing.marks import drawable

SMALL_WIDTH, SMALL_HEIGHT, BAR_GAP = 112, 22, 1
WIDTH, HEIGHT, GAP = 376, 96, 2
MARGIN = 16  # for the numbers of the first and the last limit
TOP, BOTTOM = 16, 20  # room for the numbers above the columns, and for the labels below them


def small_histogram(labels: Sequence[str], counts: Sequence[int], says: str) -> str:
    """Return bars over a base line; each bar names its bin and count in a tooltip, and ``says`` describes them all."""
    step = SMALL_WIDTH / max(len(counts), 1)
    width = min(step, SMALL_WIDTH / 8)
    bars = []
    for place, (label, count) in enumerate(zip(labels, counts, strict=True)):
        # Also a single value in a million is seen.
        height = max(1.0, (SMALL_HEIGHT - 2) * count / max(counts)) if count else 0.0
        x = place * step + (step - width) / 2
        bars.append(
            f'<rect x="{x:.2f}" y="{SMALL_HEIGHT - 1 - height:.1f}" width="{width - BAR_GAP:.2f}" '
            f'height="{height:.1f}"><title>{_text(label)}: {count:,}</title></rect>'
        )
    return (
        f'<svg class="histogram" viewBox="0 0 {SMALL_WIDTH} {SMALL_HEIGHT}" width="{SMALL_WIDTH}" '
        f'height="{SMALL_HEIGHT}" role="img" aria-label="{_text(says)}">{"".join(bars)}'
        f'<path d="M0 {SMALL_HEIGHT - 0.5}H{SMALL_WIDTH}"/></svg>'
    )


def count_columns(counts: Sequence[int], names: Sequence[str], says: str) -> str:
    """Return a column for each count, with the count above it.

    ``names`` are one for each column, below it, or one more: the limits between the columns.
    """
    step, base = WIDTH / max(len(counts), 1), HEIGHT - BOTTOM
    columns = []
    for place, count in enumerate(counts):
        height = (base - TOP) * count / max(1, *counts)
        columns.append(
            f'<rect x="{place * step + GAP / 2:.2f}" y="{base - height:.1f}" width="{step - GAP:.2f}" '
            f'height="{height:.1f}"/><text x="{(place + 0.5) * step:.2f}" y="{base - height - 4:.1f}">{count:,}</text>'
        )
    shift = 0.0 if len(names) > len(counts) else 0.5
    below = "".join(
        f'<text x="{(place + shift) * step:.2f}" y="{HEIGHT - 4}">{_text(name)}</text>'
        for place, name in enumerate(names)
    )
    return (
        f'<svg class="columns-chart" viewBox="{-MARGIN} 0 {WIDTH + 2 * MARGIN} {HEIGHT}" role="img" '
        f'aria-label="{_text(says)}">{"".join(columns)}{below}<path d="M0 {base + 0.5}H{WIDTH}"/></svg>'
    )


def _text(words: str) -> str:
    return escape(drawable(words))
