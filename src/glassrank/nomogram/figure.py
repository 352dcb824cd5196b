"""nomogram(): two documents of one query overlaid on an additive model."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from glassrank.core.checks import check_choice
from glassrank.core.effects import AdditiveEffects
from glassrank.data.files import write_atomically
from glassrank.data.ranking_data import RankingData
from glassrank.drawing.page import Section, build_page
from glassrank.drawing.render import PICTURE_FORMATS, render, to_svg
from glassrank.drawing.theme import LIGHT, PAGE, THEMES, Theme
from glassrank.nomogram.effects import effects
from glassrank.nomogram.layout import Layout, lay_out
from glassrank.nomogram.numbers import number
from glassrank.nomogram.pair import ComparedPair, compare_pair
from glassrank.nomogram.specification import pair_specification

MOST_ROWS = 20


@dataclass(frozen=True, eq=False)
class Nomogram:
    """A drawn comparison of documents A and B; ``save`` it, or let a notebook show it."""

    effects: AdditiveEffects
    pair: ComparedPair
    layout: Layout
    title: str

    def __str__(self) -> str:
        difference = number(self.pair.difference, self.layout.decimals, sign=True)
        lines = [f"{self.title}: {self.pair.a.name} (A) − {self.pair.b.name} (B) = {difference} {self.effects.unit}"]
        decimals = self.layout.decimals
        lines += [f"  {number(bar.contribution, decimals, sign=True):>9}  {bar.label}" for bar in self.layout.bars]
        return "\n".join(lines)

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
            content = build_page(self.title, [Section("", self.page_svg)]).encode()
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
    model_effects = _named(effects(model, data.X), data, units or {})
    pair = compare_pair(model_effects, data, query, document, against)
    lengths = model_effects.lengths(data.X, data.groups)
    return Nomogram(model_effects, pair, lay_out(model_effects, lengths, pair, most_rows), title)


def _named(model_effects: AdditiveEffects, data: RankingData, units: Mapping[str, str]) -> AdditiveEffects:
    """Effects under the data's feature names, with units: a model trained on a bare array knows numbers only."""
    named = zip(model_effects.features, data.feature_names, strict=True)
    features = tuple(replace(feature, name=name, unit=units.get(name, "")) for feature, name in named)
    return replace(model_effects, features=features)
