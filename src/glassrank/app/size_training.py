"""Models of other sizes are trained when a page first needs them: in the background, each only once."""

from urllib.parse import quote

from fastapi import Request

from glassrank.app.background import Background, waiting_part
from glassrank.studies.views.saved_study import SavedStudy


def is_trained(request: Request, saved: SavedStudy, n_features: int) -> bool:
    """Return whether the model with this many features is there; training starts if it is not."""
    background: Background = request.app.state.background
    known = saved.has_model(n_features)
    return known or background.result((saved, n_features), lambda: saved.model_with(n_features)) is not None


def training_part(name: str, n_features: int) -> str:
    """Return what a page shows while the model is trained."""
    return waiting_part(f"/api/studies/{quote(name, safe='')}/sizes/{n_features}", "The model is being trained.")
