"""The content of a model file: format, versions, feature names and the model."""

from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, ValidationError, model_validator

from glassrank import __version__
from glassrank.core.checks import DataError
from glassrank.modelfile.codec.model_part import names_of, part_class
from glassrank.modelfile.codec.values import Names, Strict, check_names, check_that, faults, remedy_of_first, shown
from glassrank.modelfile.kinds.given_curves import storable
from glassrank.modelfile.kinds.nested_models import KINDS, PairCalibratorPart, PipelinePart
from glassrank.modelfile.kinds.ranker_kinds import Ranker

FORMAT: Final = "glassrank model"
VERSION: Final = 1


class ModelDocument(Strict):
    """The content of a model file: versions, feature names in the model's order, and the model."""

    format: Literal["glassrank model"] = FORMAT
    version: Literal[1] = VERSION
    glassrank: str
    feature_names: Names
    query_scaling: Literal["minmax", "zscore"] | None = None
    """How features are scaled within each query before the model; None if they are not."""
    model: Annotated[Ranker | PairCalibratorPart | PipelinePart, Field(discriminator="kind")]

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        check_names(self.feature_names, self.model.n_features)
        seen = self.model.feature_names
        check_that(seen is None or seen == self.feature_names, "feature_names must be those of the model")
        return self


def describe_model(model: Any, feature_names: Any = None, query_scaling: Any = None) -> dict[str, Any]:
    """Return a fitted model as plain values and vectors.

    >>> from glassrank import RankSVM
    >>> described = describe_model(RankSVM().fit([[0.0], [1.0]], [0, 1]), feature_names=["bm25"])
    >>> described["model"]["kind"], described["model"]["coefficients"]
    ('RankSVM', array([0.66666667]))
    """
    model = storable(model, feature_names)
    part = part_class(model, KINDS, "This model")
    try:
        document = ModelDocument(
            glassrank=__version__,
            feature_names=_names(model, feature_names),
            query_scaling=query_scaling,
            model=part.of(model),
        )
    except ValidationError as error:
        raise DataError(
            f"This {type(model).__name__} cannot be saved: {faults(error)}.",
            remedy=remedy_of_first(error) or "Fit it again with valid parameters.",
        ) from error
    return document.model_dump(by_alias=True)


def check_document(content: dict[str, Any], place: str) -> ModelDocument:
    """Validate the content of a model file; messages start with ``place``."""
    try:
        return ModelDocument.model_validate(content)
    except ValidationError as error:
        raise DataError(f"{place}: {faults(error)}.", remedy=_remedy(content)) from error


def _remedy(content: dict[str, Any]) -> str:
    writer = content.get("glassrank")
    if isinstance(writer, str) and writer != __version__:
        return f"It was written by glassrank {shown(writer)}; this is {__version__}. Use the newer of the two."
    return "The file was changed after it was saved: save the model again."


def _names(model: Any, given: Any) -> list[str] | None:
    """Return the names that the model saw in ``fit``, or the given ones; if there are both, they must agree."""
    seen = names_of(model)
    if given is None:
        return seen
    if isinstance(given, str):
        raise DataError(
            f"feature_names must be a list of names: got the text {shown(given)}.", parameter="feature_names"
        )
    names = [str(name) for name in given]
    if seen is not None and names != seen:
        raise DataError(
            f"feature_names must be the names that the model was fitted with, {', '.join(map(repr, seen[:3]))}, …: got "
            f"{', '.join(map(repr, names[:3]))}, ….",
            parameter="feature_names",
            remedy="Omit feature_names.",
        )
    return names
