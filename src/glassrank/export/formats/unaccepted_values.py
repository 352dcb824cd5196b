"""Notes on values that the model does not accept, and the place where it is exported to does."""

from collections.abc import Collection

from glassrank.core.wording import listed
from glassrank.export.export_form import ExportModel, LevelTerm


def unaccepted_notes(model: ExportModel, *, missing: str, level: str, handled: Collection[str] = ()) -> tuple[str, ...]:
    """Return a note for missing values and one for new levels, each with the names of the features.

    ``missing`` and ``level`` say what becomes of such a value. Missing values of the features in ``handled`` do not
    occur.
    """
    if model.layer is not None:
        refused = [] if model.layer.fill is not None else [feature.name for feature in model.features]
    else:
        refused = [model.name_of(term) for term in model.terms if term.missing is None]
    refused = [name for name in refused if name not in handled]
    complete = [model.name_of(term) for term in model.terms if isinstance(term, LevelTerm) and term.unseen is None]
    notes = [
        (refused, f"Training had no missing values of {listed(refused)}. {missing}"),
        (complete, f"Training had all levels of {listed(complete)}. {level}"),
    ]
    return tuple(text for names, text in notes if names)
