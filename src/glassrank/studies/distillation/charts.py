"""The charts of a distillation study, each from its result alone."""

from collections.abc import Callable

from glassrank.drawing.line_panels import LinePanels, Panel, PanelLine, Points
from glassrank.studies.distillation.result import DistillationResult, SpherePoint
from glassrank.studies.distillation.steps import DEFAULT_LIST

Value = Callable[[SpherePoint], float | None]
METHODS_EMPHASISED = (DEFAULT_LIST, "bm25")
NOT_DRAWN = "cross-fit"
SHARE_OF_ROOT = "share of the root set"


def radius_chart(result: DistillationResult) -> LinePanels:
    """Radius against C, by p and by the weight of the text."""
    return LinePanels(
        "Radius of the sphere against C",
        (
            _by_share(result, "By training pages p", "radius", lambda one: one.radius),
            _by_weight(result, "By weight μ of the text", "radius", lambda one: one.radius),
        ),
    )


def kept_chart(result: DistillationResult) -> LinePanels:
    """Size of the pruned set against C and p, and which pages are in it."""
    _, share, _, weight = result.default
    points = [one for one in _of_default_kernel(result) if (one.share, one.text_weight) == (share, weight)]
    lines = (
        PanelLine("training pages", [(one.C, one.kept_trained) for one in points]),
        PanelLine("all root pages", [(one.C, one.kept) for one in points], emphasised=True),
        PanelLine("other pages", [(one.C, one.kept_unseen) for one in points if one.kept_unseen is not None]),
    )
    by_origin = Panel(
        f"Which pages, p = {share:g} |R|",
        "C",
        "share accepted",
        lines,
        True,
        _prices(result),
        (0.0, 1.0),
    )
    by_share = _by_share(result, "By training pages p", SHARE_OF_ROOT, lambda one: one.kept, (0.0, 1.0))
    by_kernel = _by_kernel(result, "Other pages, by kernel", "share accepted", lambda one: one.kept_unseen)
    return LinePanels("Size of the pruned set against C, p and kernel", (by_share, by_origin, by_kernel))


def agreement_chart(result: DistillationResult) -> LinePanels:
    """How similar the rankings are with and without the sphere."""
    overlap = f"share of the top {result.k} in common"
    return LinePanels(
        "Agreement of SVDD → HITS with HITS",
        (
            _by_share(result, "With HITS, by p", overlap, lambda one: one.overlap, (0.0, 1.0)),
            _by_kernel(result, "With HITS, by kernel", overlap, lambda one: one.overlap),
            _by_kernel(result, "With HITS on the top p, by kernel", overlap, lambda one: one.overlap_top),
        ),
    )


def precision_chart(result: DistillationResult) -> LinePanels:
    """Mean precision at every rank, by candidate set; cross-fit spheres are omitted, so that lines stay readable."""
    drawn = [
        {method: curve for method, curve in one.curves.items() if NOT_DRAWN not in method} for one in result.measured
    ]
    highest = max((max(curve) for curves in drawn for curve in curves.values()), default=1.0)
    panels = tuple(
        Panel(
            f"{one.candidates.capitalize()} set",
            "k",
            "precision at k",
            [
                PanelLine(method, list(enumerate(curve, start=1)), method in METHODS_EMPHASISED)
                for method, curve in curves.items()
            ],
            y_range=(0.0, 1.05 * highest or 1.0),
            x_ticks=(1, 5, 10, 15, 20),
        )
        for one, curves in zip(result.measured, drawn, strict=True)
    )
    return LinePanels("Precision at k, mean over topics", panels)


def _by_share(
    result: DistillationResult, title: str, y_title: str, value: Value, y_range: tuple[float, float] | None = None
) -> Panel:
    _, share, _, weight = result.default
    shares = sorted({one.share for one in _of_default_kernel(result) if one.text_weight == weight})
    lines = [PanelLine(f"p = {one:g} |R|", _points(result, value, one, weight), one == share) for one in shares]
    return Panel(title, "C", y_title, lines, True, _prices(result), y_range)


def _by_weight(
    result: DistillationResult, title: str, y_title: str, value: Value, y_range: tuple[float, float] | None = None
) -> Panel:
    _, share, _, weight = result.default
    weights = sorted({one.text_weight for one in _of_default_kernel(result) if one.share == share})
    lines = [PanelLine(_weight_name(one), _points(result, value, share, one), one == weight) for one in weights]
    return Panel(title, "C", y_title, lines, True, _prices(result), y_range)


def _by_kernel(result: DistillationResult, title: str, y_title: str, value: Value) -> Panel:
    """Lines of all kernels at the default p and weight, for shares from 0 to 1."""
    default, share, _, weight = result.default
    lines = []
    for kernel in dict.fromkeys(one.kernel for one in result.sphere):
        ones = [one for one in result.sphere if (one.kernel, one.share, one.text_weight) == (kernel, share, weight)]
        points = [(one.C, y) for one in ones if (y := value(one)) is not None]
        lines.append(PanelLine(kernel, points, kernel == default))
    return Panel(title, "C", y_title, lines, True, _prices(result), (0.0, 1.0))


def _of_default_kernel(result: DistillationResult) -> list[SpherePoint]:
    return [one for one in result.sphere if one.kernel == result.default[0]]


def _weight_name(weight: float) -> str:
    return {0.0: "μ = 0, links", 1.0: "μ = 1, text"}.get(weight, f"μ = {weight:g}")


def _points(result: DistillationResult, value: Value, share: float, weight: float) -> Points:
    ones = [one for one in _of_default_kernel(result) if (one.share, one.text_weight) == (share, weight)]
    return [(one.C, y) for one in ones if (y := value(one)) is not None]


def _prices(result: DistillationResult) -> tuple[float, ...]:
    return tuple(sorted({one.C for one in result.sphere}))
