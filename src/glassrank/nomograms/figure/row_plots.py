"""The drawn row of each feature, at a given place and scale."""

from dataclasses import dataclass

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.checks import FloatArray
from glassrank.nomograms.figure.lines import Line
from glassrank.nomograms.figure.overlay import Overlay
from glassrank.nomograms.figure.rows import Plotter, Row, Scale, level_counts, row_height, value_notation


@dataclass(frozen=True, eq=False)
class RowPlots:
    """Draws the row of any feature: its line, the documents on it, and the distribution of the observed values."""

    lines: tuple[Line, ...]
    observed: FloatArray
    overlay: Overlay
    samples: EffectSamples | None

    def plotter(self, k: int, top: float, scale: Scale) -> Plotter:
        """Return what converts values of a feature to positions."""
        values = self.observed[:, k]
        return Plotter(self.lines[k], scale, top, level_counts(self.lines[k], values), self.overlay.values[:, k])

    def row(self, k: int, number: int, top: float, scale: Scale) -> Row:
        """Draw one row."""
        line, values, plotter = self.lines[k], self.observed[:, k], self.plotter(k, top, scale)
        ticks = plotter.ticks()
        errors = None if self.samples is None else self.samples.curve_errors(k, line.values)
        return Row(
            k=k,
            number=number,
            line=line,
            top=top,
            height=row_height(line),
            y=plotter.y,
            x_start=plotter.start,
            x_end=plotter.start + scale.pixels * line.range,
            line_ends=plotter.ends(),
            missing=plotter.missing(),
            more=plotter.more,
            ticks=ticks,
            curve=plotter.curve(),
            band="" if errors is None else plotter.band(errors),
            hills=plotter.hills(values),
            stems=plotter.stems(values),
            notation=value_notation(line, whole=line.feature.whole),
            values=self.overlay.values[:, k],
            dots=tuple(plotter.start + scale.pixels * float(e - line.lowest) for e in self.overlay.effects[:, k]),
            contribution=float(self.overlay.contributions[k]),
        )
