"""Curves as steps, for engines that know only trees."""

from dataclasses import replace

import numpy as np

from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.export.curve_tables import tabulate_steps
from glassrank.export.export_form import CurveTerm, ExportModel, LineTerm, StepTerm, Term

MAX_STEPS = 20_000


STEPS_SHARE = 0.95  # of the allowed error is for steps; the rest is for rounding


def stepped(model: ExportModel) -> ExportModel:
    """Return the model with steps in place of lines and curves, which leave a rest of the tolerance for rounding."""
    allowed = STEPS_SHARE * model.tolerance
    wanted = [term for term in model.terms if isinstance(term, (LineTerm, CurveTerm))]
    left = allowed - model.error
    if wanted and left <= 0:
        raise DataError(
            f"The tables of the curves already have an error of {model.error:.2g}, and steps add to it: expected less "
            f"than {allowed:.2g} in all.",
            remedy=f"Raise {setting('max_error')}.",
        )
    terms = tuple(_as_steps(model, term, left / len(wanted)) if term in wanted else term for term in model.terms)
    return replace(model, terms=terms)


def _as_steps(model: ExportModel, term: Term, allowed: float) -> Term:
    feature = model.features[term.feature]
    low, high = feature.valid
    if feature.kind.levels:
        return StepTerm(term.feature, term.missing, np.array([0.5]), term.of_known(np.array([low, high])))
    if isinstance(term, CurveTerm):
        # Steps follow a curve beyond the valid range unless it goes further there than inside, such as a line.
        inside, knots = term.within((low, high)).values, term.knots
        if np.ptp(np.append(inside[0], term.values[knots < low])) <= np.ptp(inside):
            low = min(low, knots[0])
        if np.ptp(np.append(inside[-1], term.values[knots > high])) <= np.ptp(inside):
            high = max(high, knots[-1])
    thresholds, levels, error = tabulate_steps(term, low, high, allowed, feature.name, MAX_STEPS)
    return StepTerm(term.feature, term.missing, thresholds, levels, term.error + error)
