"""What ``glassrank intent train`` reports about the classifier that it trained."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from glassrank.core.wording import listed

if TYPE_CHECKING:
    from glassrank.navigational.coupling.class_model import ClassModel
    from glassrank.studies.intent.model import IntentModel

MAX_SHOWN = 8


def training_facts(trained: "IntentModel") -> dict[str, Any]:
    """Return what was chosen, tried and measured as plain values; with more than two classes, of each class."""
    fitted, selected = trained.classifier, trained.selected()
    measure = "F1" if fitted.precision is None else f"recall at a precision of {fitted.precision:g}"
    models = dict(zip(trained.modelled, fitted.class_models_, strict=True))
    own = {name: _facts_of(model, selected[name]) for name, model in models.items()}
    nested, folds = getattr(fitted, "nested_score_", None), getattr(fitted, "nested_scores_", None)
    shared = {
        "measure": measure,
        "nested_f1": _known(nested),
        "nested_folds": None if folds is None else [_known(score) for score in folds.tolist()],
        "log": None if trained.training_log is None else asdict(trained.training_log),
    }
    return {**(own[trained.modelled[0]] if len(own) == 1 else {"classes": own}), **shared}


def _facts_of(model: "ClassModel", selected: tuple[str, ...]) -> dict[str, Any]:
    tried = model.cv_results
    return {
        "coupling": str(model.coupling),
        "threshold": model.threshold,
        "tried": [
            {"coupling": str(one), "value": _known(value)}
            for one, value in zip(tried["coupling"], tried["value"].tolist(), strict=True)
        ],
        "tuned": dict(model.tuned or {}),
        "selected": list(selected),
    }


def training_text(found: dict[str, Any]) -> str:
    """Return the facts as text."""
    from glassrank.navigational.features.log_extent import LogExtent

    lines = []
    if "classes" not in found:
        lines += _lines_of("navigational", found, found["measure"])
    for name, own in found.get("classes", {}).items():
        lines += [f"{name} against all others:", *(f"  {line}" for line in _lines_of(name, own, found["measure"]))]
    if found["nested_folds"] is not None:
        nested = _nested("macro-F1" if "classes" in found else "F1", found["nested_f1"], found["nested_folds"])
        lines.insert(len(lines) if "classes" in found else -2, nested)
    if found["log"] is not None:
        lines.append(f"log: {LogExtent(**found['log'])}")
    return "\n".join(lines)


def _lines_of(name: str, own: dict[str, Any], measure: str) -> list[str]:
    best = max(one["value"] for one in own["tried"] if one["value"] is not None)
    return [
        own["coupling"],
        *([f"tuned: {', '.join(f'{key} = {value:g}' for key, value in own['tuned'].items())}"] if own["tuned"] else []),
        f"{measure} on held-out queries: {best:.3f}{_optimistic(len(own['tried']))}",
        f"{name} if P > {own['threshold']:.3f}",
        f"features used: {listed(own['selected'], MAX_SHOWN)}",
    ]


def _known(value: float | None) -> float | None:
    """Return None instead of NaN, which JSON does not support."""
    return None if value is None or value != value else value


def _nested(measure: str, mean: float | None, folds: list[float | None]) -> str:
    """The nested measure, and the number of folds in which no threshold reaches the precision."""
    lost = folds.count(None)
    why = f" (for {lost} of {len(folds)} folds, no threshold reaches the precision on the others)" if lost else ""
    return f"{measure} with the choice inside each fold: {'unknown' if mean is None else f'{mean:.3f}'}{why}"


def _optimistic(n_tried: int) -> str:
    chosen = f"as the best of {n_tried}" if n_tried > 1 else "at the best threshold"
    return f" (optimistic, {chosen})"
