"""nomogram(): two documents of one query overlaid on an additive model."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from glassrank.core.checks import DataError, check_choice, check_finite, check_positive
from glassrank.core.effects import AdditiveEffects
from glassrank.data.files import write_atomically
from glassrank.data.ranking_data import RankingData
from glassrank.drawing.page import Section, build_page, figure
from glassrank.drawing.render import PICTURE_FORMATS, render, to_svg
from glassrank.drawing.theme import LIGHT, PAGE, THEMES, Theme
from glassrank.nomograms.effects import effects
from glassrank.nomograms.layout import Layout, lay_out
from glassrank.nomograms.pair import ComparedPair, compare_pair
from glassrank.nomograms.specification import pair_specification

MOST_ROWS = 20
CAPTION = (
    "Every feature is a line; the two dots are the documents’ values, and the segment between them is what the "
    "feature adds to the difference of scores. The segments add up to the total exactly."
)


@dataclass(frozen=True, eq=False, repr=False)
class Nomogram:
    """A drawn comparison of documents A and B; ``save`` it, or let a notebook show it."""

    effects: AdditiveEffects
    pair: ComparedPair
    layout: Layout
    title: str

    def __str__(self) -> str:
        amount = self.layout.amounts
        difference = amount(self.pair.difference, sign=True)
        lines = [f"{self.title}: {self.pair.a.name} (A) − {self.pair.b.name} (B) = {difference} {self.effects.unit}"]
        lines += [f"  {amount(bar.contribution, sign=True):>9}  {bar.label}" for bar in self.layout.bars]
        return "\n".join(lines)

    __repr__ = __str__

    def specification(self, theme: Theme = LIGHT) -> dict[str, Any]:
        """The Vega specification behind every form of the picture."""
        return pair_specification(self.layout, self.pair, self.effects.unit, self.title, theme)

    @cached_property
    def page_svg(self) -> str:
        """SVG whose colours are the page's CSS variables, for embedding in HTML."""
        return to_svg(self.specification(PAGE))

    def save(self, path: str | Path, theme: str = "light") -> Path:
        """Write .html (follows the reader's light or dark scheme), .svg, .png or .pdf in the named theme."""
        path = Path(path)
        check_choice("theme", theme, THEMES)
        check_choice("suffix", path.suffix, [".html", *PICTURE_FORMATS])
        if path.suffix == ".html":
            content = build_page(self.title, [Section("", figure(self.page_svg, CAPTION))]).encode()
        else:
            content = render(self.specification(THEMES[theme]), path.suffix)
        write_atomically(path, content)
        return path

    def _repr_svg_(self) -> str:
        return to_svg(self.specification())


def nomogram(
    model: Any,
    data: RankingData,
    *,
    query: Any,
    document: str | int,
    against: str | int,
    title: str = "Ranking nomogram",
    units: Mapping[str, str] | None = None,
    most_rows: int = MOST_ROWS,
) -> Nomogram:
    """Draw why ``document`` (A) stands above or below ``against`` (B) in a query.

    Each feature is a line whose length is the range of its effect over the values in ``data``; the segment between
    the two dots is what the feature adds to the difference of scores, and the segments add up to it exactly. The
    ``most_rows`` longest features are drawn; all others share one entry. ``units`` by feature name, such as
    ``{"Freshness": "days"}``, stand beside the names.

    >>> import glassrank as gr
    >>> data = gr.simulate_ranking(20, 10, random_state=0).data
    >>> model = gr.RankSVM(C=1e-3).fit(data.X, data.y, qid=data.qid)
    >>> picture = gr.nomogram(model, data, query=data.qid[0], document=0, against=1)
    >>> bool(abs(picture.pair.difference - model.decide_pairs(data.X[:1], data.X[1:2])[0]) < 1e-9)
    True
    """
    check_positive("most_rows", most_rows, whole=True)
    if data.missing == "keep":
        check_finite("X", data.X, "A line has no place for a missing value: fill it first.")
    model_effects = _named(effects(model, data.X), model, data, units or {})
    pair = compare_pair(model_effects, data, query, document, against)
    lengths = model_effects.lengths(data.X, data.groups)
    return Nomogram(model_effects, pair, lay_out(model_effects, lengths, pair, most_rows), title)


def _named(model_effects: AdditiveEffects, model: Any, data: RankingData, units: Mapping[str, str]) -> AdditiveEffects:
    """Effects under the data's feature names, with units; a model that knows names must know the same ones."""
    known = tuple(getattr(model, "feature_names_in_", data.feature_names))
    if known != data.feature_names:
        k, (expected, got) = next(
            (k, names) for k, names in enumerate(zip(known, data.feature_names, strict=True)) if names[0] != names[1]
        )
        raise DataError(f"Feature {k} is {expected!r} to the model and {got!r} in the data. Order the data's columns.")
    named = zip(model_effects.features, data.feature_names, strict=True)
    features = tuple(replace(feature, name=name, unit=units.get(name, "")) for feature, name in named)
    return replace(model_effects, features=features)
