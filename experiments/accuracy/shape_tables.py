"""The comparison of shapes on one data set, as tables in Markdown."""

from collections.abc import Iterator
from dataclasses import dataclass

from experiments.accuracy.verdicts import Tested

NAMES = {"map": "MAP", "ndcg@10": "NDCG@10", "misranking": "misranking, lower is better"}


@dataclass(frozen=True)
class Compared:
    """All rankers on one data set."""

    data: str
    convention: str
    tests: dict[str, dict[str, list[Tested]]]
    """By measure and baseline: one row for each ranker."""
    chosen: dict[str, list[str]]
    """Settings by ranker, one for each fit."""
    cpu_seconds: dict[str, float]
    """By ranker: all fits, with every setting that was tried."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for measure, by_baseline in self.tests.items():
            for baseline, rows in by_baseline.items():
                title = f"{self.data}: {NAMES[measure]}, convention `{self.convention}`, against {baseline}"
                yield f"{title}:\n"
                yield from _table(self._cells(rows))
                yield ""
        yield f"{self.data}: settings chosen:\n"
        numbers = range(1, 1 + len(next(iter(self.chosen.values()))))
        header = ["ranker", *(["setting"] if len(numbers) == 1 else [f"fold {number}" for number in numbers]), "CPU s"]
        rows = [[ranker, *own, f"{self.cpu_seconds[ranker]:.1f}"] for ranker, own in self.chosen.items()]
        yield from _table([header, *rows])
        yield ""

    def _cells(self, rows: list[Tested]) -> list[list[str]]:
        header = ["ranker", "mean", "95 % interval", "difference", "95 % interval", "Holm p", "detectable", "verdict"]
        table = [header]
        for row in rows:
            cells = [row.system, _number(row.mean), f"{_number(row.low)} to {_number(row.high)}"]
            cells += [""] * 4 if row.difference is None else _difference(row)
            table.append([*cells, row.verdict])
        if any(row.detectable is not None for row in rows):
            return table
        place = header.index("detectable")
        return [cells[:place] + cells[place + 1 :] for cells in table]


def _difference(row: Tested) -> list[str]:
    interval = f"{_signed(row.difference_low)} to {_signed(row.difference_high)}"
    detectable = "" if row.detectable is None else _number(row.detectable)
    return [_signed(row.difference), interval, _number(row.adjusted_p_value), detectable]


def _number(value: float) -> str:
    """Four digits without the zero before the point.

    >>> _number(0.04567), _number(1.0)
    ('.0457', '1')
    """
    return "1" if value == 1.0 else f"{value:.4f}".removeprefix("0")


def _signed(value: float) -> str:
    return ("−" if value < 0 else "+") + _number(abs(value))


def _table(rows: list[list[str]]) -> Iterator[str]:
    """Rows of a table in Markdown; the first one is the header."""
    shown = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    for row in [shown[0], ["---"] * len(shown[0]), *shown[1:]]:
        yield f"| {' | '.join(row)} |"
