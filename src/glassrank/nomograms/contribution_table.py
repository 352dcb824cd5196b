"""The table of contributions in printed explanations of a pair or of one document."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from glassrank.core.wording import counted
from glassrank.drawing.numbers import Notation
from glassrank.drawing.text_bars import signed_bar
from glassrank.nomograms.group_contributions import TRUST_THE_SUM, GroupContribution
from glassrank.nomograms.text_columns import aligned

Column = tuple[str, Callable[[Any], str]]
"""Header of a column, and its text for a feature; groups have none."""


def contribution_table(
    features: Sequence[Any],
    reasons: Sequence[Any],
    amount: Notation,
    columns: Sequence[Column],
    *,
    bars: str,
    most_rows: int,
) -> list[str]:
    """Return lines of a table: the reasons with the largest contributions, members below their group, and the rest.

    ``bars`` is the header of the bars.
    """
    shown, rest = reasons[:most_rows], reasons[most_rows:]
    largest = max((abs(reason.contribution) for reason in shown), default=0.0)
    by_name = {feature.name: feature for feature in features}
    rows: list[tuple[str, ...]] = [("contribution", "error", bars, "feature", *(header for header, _ in columns))]
    for reason in shown:
        if isinstance(reason, GroupContribution):
            together = f"{reason.name} ({len(reason.members)} together)"
            rows.append((*_amounts(reason, amount, largest), together, *("" for _ in columns)))
            members = sorted((by_name[name] for name in reason.members), key=lambda one: -abs(one.contribution))
            rows += [_member(one, amount, columns) for one in members]
        else:
            cells = (text(reason) for _, text in columns)
            rows.append((*_amounts(reason, amount, largest), _name(reason), *cells))
    lines = _aligned(rows, with_errors=any(reason.error is not None for reason in shown))
    if rest:
        together = amount(math.fsum(reason.contribution for reason in rest), sign=True)
        count = sum(len(reason.members) if isinstance(reason, GroupContribution) else 1 for reason in rest)
        lines.append(f"{together.rjust(len('contribution'))}  from {counted(count, 'more feature')}")
    if any(isinstance(reason, GroupContribution) for reason in shown):
        lines.append(TRUST_THE_SUM)
    return lines


def _amounts(reason: Any, amount: Notation, largest: float) -> tuple[str, str, str]:
    """Return contribution, error and bar; a contribution that rounds to 0 has neither a sign nor a bar."""
    contribution = amount(reason.contribution, sign=True)
    error = "" if reason.error is None else f"± {amount(reason.error)}"
    return contribution, error, signed_bar(reason.contribution if contribution[0] in "+−" else 0.0, largest)


def _member(feature: Any, amount: Notation, columns: Sequence[Column]) -> tuple[str, ...]:
    """Return the row of a group's member, whose amount has no column of its own because the group's includes it."""
    own = f"· {_name(feature)} {amount(feature.contribution, sign=True)}"
    return ("", "", "", own, *(text(feature) for _, text in columns))


def _name(feature: Any) -> str:
    return f"{feature.name} ({feature.unit})" if feature.unit else str(feature.name)


def _aligned(rows: list[tuple[str, ...]], *, with_errors: bool) -> list[str]:
    if not with_errors:
        rows = [(row[0], *row[2:]) for row in rows]
    first_value = 4 if with_errors else 3
    return aligned(rows, right={0, *range(first_value, len(rows[0]))}, centred={2 if with_errors else 1})
