"""LinkScores: the scores of every page by link analysis, and how the iteration ended."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray, IntArray, check_choice, check_positive, read_only
from glassrank.core.frames import make_frame
from glassrank.core.input_types import Frame
from glassrank.core.links.hubs_and_authorities import gap_of, reinforce
from glassrank.core.links.link_sums import LinkSums
from glassrank.core.setting import setting
from glassrank.core.wording import counted
from glassrank.distillation.score_ties import score_steps

NOT_SIMPLE = 1e-9
SHOWN = 5
KINDS = ("authority", "hub")


@dataclass(frozen=True, eq=False, repr=False)
class LinkScores:
    """Scores of each page by its links; it can be printed, and gives a table and the best pages.

    >>> import glassrank as gr
    >>> print(gr.hits([[0, 1, 1], [0, 0, 1], [0, 0, 0]]))
    HITS: 3 pages, 3 links, converged after 3 passes (change ...), gap 0.85
      authorities  2 (0.851), 1 (0.526)
      hubs         0 (0.851), 1 (0.526)
    """

    method: str
    authority_scores: FloatArray
    hub_scores: FloatArray | None
    """None if the method has no hub scores."""
    n_links: int
    iterations: int
    """Passes over all links."""
    change: float
    """L1 change of the scores in the last iteration."""
    converged: bool
    _find_gap: Callable[[], float] | None = None

    def __post_init__(self) -> None:
        for name in ("authority_scores", "hub_scores"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, read_only(getattr(self, name)))

    @cached_property
    def gap(self) -> float:
        """1 − λ₂/λ₁ of a whole iteration, for HITS 1 − (σ₂/σ₁)²; NaN without links or for a method without iteration.

        Near 0, the leading eigenvalue is not simple: the uniform start decides how parts of the graph share the scores.
        """
        return np.nan if self._find_gap is None else self._find_gap()

    def order(self, by: str = "authority") -> IntArray:
        """Return the pages from best to worst; scores that agree to 9 digits of the largest keep the pages' order."""
        return np.argsort(-score_steps(self._scores(by)), kind="stable")

    def top(self, k: int = 10, by: str = "authority") -> IntArray:
        """Return the best ``k`` pages, without pages of score 0."""
        check_positive("k", k, whole=True)
        best = self.order(by)[:k]
        return best[self._scores(by)[best] > 0.0]

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with one row per page."""
        columns: dict[str, Any] = {"page": np.arange(len(self.authority_scores)), "authority": self.authority_scores}
        if self.hub_scores is not None:
            columns["hub"] = self.hub_scores
        return make_frame(columns, backend)

    def _scores(self, by: str) -> FloatArray:
        check_choice("by", by, KINDS)
        if by == "authority":
            return self.authority_scores
        if self.hub_scores is None:
            raise DataError(
                f"{self.method} has no hub scores.", remedy=(f"Pass {setting('by', 'authority')}", "use hits()")
            )
        return self.hub_scores

    def __str__(self) -> str:
        lines = [self._facts(), *self._listed()]
        if self.gap < NOT_SIMPLE:
            lines.append("  The leading eigenvalue is not simple: the scores depend on the uniform start.")
        return "\n".join(lines)

    __repr__ = __str__

    def _facts(self) -> str:
        facts = [counted(len(self.authority_scores), "page"), counted(self.n_links, "link")]
        if self.iterations:
            verdict = "converged" if self.converged else "NOT converged"
            passes = counted(self.iterations, "pass", "passes")
            facts.append(f"{verdict} after {passes} (change {self.change:.0e})")
        if not np.isnan(self.gap):
            facts.append(f"gap {self.gap:.2g}")
        return f"{self.method}: {', '.join(facts)}"

    def _listed(self) -> list[str]:
        kinds = KINDS if self.hub_scores is not None else KINDS[:1]
        names = {"authority": "authorities", "hub": "hubs"}
        lines = []
        for kind in kinds:
            best = [f"{page} ({self._scores(kind)[page]:.3g})" for page in self.top(SHOWN, kind)]
            lines.append(f"  {names[kind]:<11}  {', '.join(best) or 'none'}")
        return lines


def reinforced(method: str, links: LinkSums, n_links: int, tol: float, max_iter: int) -> LinkScores:
    """Return hubs and authorities that reinforce each other over weighted links."""
    found = reinforce(links, tol, max_iter)
    return LinkScores(
        method,
        found.authority,
        found.hub,
        n_links,
        found.n_iterations,
        found.change,
        found.change < tol,
        partial(gap_of, links, found),
    )


def warn_unless_converged(scores: LinkScores, tol: float) -> LinkScores:
    """Warn if the iteration stopped early, and say what to do about it."""
    if not scores.converged:
        # Imported here: scikit-learn takes a second to load, and link analysis does not need it.
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"{scores.method} stopped after {counted(scores.iterations, 'pass', 'passes')} over the links with a "
            f"change of {scores.change:.1e}, above tol = {tol:g}. Raise max_iter, or tol.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return scores
