"""NavigationalClassifier in a model file."""

from dataclasses import asdict
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import FiniteFloat, PlainValidator, model_validator

from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.core.setting import setting
from glassrank.modelfile.codec.model_part import RankerPart, fitted_value
from glassrank.modelfile.codec.parameters import Seed, folds
from glassrank.modelfile.codec.values import Count, FloatVector, Names, Strict, check_size, shown
from glassrank.modelfile.kinds.class_labels import LabelsPart
from glassrank.modelfile.kinds.navigational_class import ClassModelPart, Share, as_coupling, without_nan
from glassrank.modelfile.kinds.observed_values import ObservedPart
from glassrank.modelfile.kinds.steps.step_part import as_dense
from glassrank.navigational.feature_settings import FeatureSettings
from glassrank.navigational.features.log_extent import LogExtent


def _offered(value: Any) -> Any:
    """Validate the parameter ``coupling``: a named grid, one coupling or several; JSON turns tuples into lists."""
    if value is None or value == "every":
        return value
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], (list, tuple)):
        return [as_coupling(one) for one in value]
    return as_coupling(value)


def _threshold(value: Any) -> Any:
    if value == "f1" or (type(value) is float and 0.0 < value < 1.0):
        return value
    raise DataError(f"expected 'f1' or a number above 0 and below 1, got {shown(value)}")


def _workers(value: Any) -> Any:
    if value is not None and type(value) is not int:
        raise DataError(f"expected None or a whole number, got {shown(value)}")
    return value


class NavigationalParameters(Strict):
    """Parameters of ``NavigationalClassifier``."""

    coupling: Annotated[Any, PlainValidator(_offered)]
    cv: Annotated[Any, folds()]
    threshold: Annotated[Any, PlainValidator(_threshold)]
    precision: Share | None
    tune: bool = False
    """Files of older versions have none."""
    nested: bool
    n_jobs: Annotated[Any, PlainValidator(_workers)]
    random_state: Seed


class FeatureSettingsPart(Strict):
    """Language, trusted hosts and form of ``urlmr`` with which the training features were computed."""

    language: str | None
    trusted_hosts: Names
    urlmr: Literal["bare", "literal"] = "bare"
    """Files of older versions have none."""

    @classmethod
    def of(cls, settings: FeatureSettings) -> Self:
        """Extract the settings."""
        hosts = None if settings.trusted_hosts is None else list(settings.trusted_hosts)
        return cls.model_validate({"language": settings.language, "trusted_hosts": hosts, "urlmr": settings.urlmr})

    def restore(self) -> FeatureSettings:
        """Rebuild the settings."""
        hosts = None if self.trusted_hosts is None else tuple(self.trusted_hosts)
        return FeatureSettings(self.language, hosts, self.urlmr)


class TrainingLogPart(Strict):
    """Size and period of the log with which the training features were computed."""

    n_events: Count
    n_queries: Count
    first_time: FiniteFloat | None
    last_time: FiniteFloat | None


class NavigationalPart(RankerPart):
    """A fitted ``NavigationalClassifier``: the models of its classes; of two classes, the model of the second."""

    kind: Literal["NavigationalClassifier"] = "NavigationalClassifier"
    parameters: NavigationalParameters
    observed: ObservedPart
    classes: LabelsPart
    class_models: list[ClassModelPart]
    nested_scores: list[FiniteFloat | None] | None
    """None for a fold in which no coupling could be chosen."""
    medians: FloatVector
    feature_settings: FeatureSettingsPart | None = None
    """None in files of older versions, and if the features were not computed by glassrank."""
    training_log: TrainingLogPart | None = None
    """None in files of older versions, and without a log."""

    @model_validator(mode="before")
    @classmethod
    def _of_older_file(cls, content: Any) -> Any:
        """Older files, always of two classes, have the values of the only model beside those of the classifier."""
        if not isinstance(content, dict) or "class_models" in content or "training" not in content:
            return content
        training = content["training"]
        own = {name: content[name] for name in ClassModelPart.model_fields if name in content}
        others = {name: value for name, value in content.items() if name not in own and name != "training"}
        return {**others, "class_models": [{**own, **training} if isinstance(training, dict) else own]}

    @model_validator(mode="after")
    def _models_fit(self) -> Self:
        n_classes = len(self.classes.labels)
        check_size("class_models", self.class_models, 1 if n_classes == 2 else n_classes, "class, one for two classes")
        for model in self.class_models:
            model.check_features(self.n_features)
        check_size("medians", self.medians, self.n_features, "feature")
        self.observed.check_features(self.n_features)
        return self

    @classmethod
    def estimator_class(cls) -> type:
        from glassrank.navigational.navigational_classifier import NavigationalClassifier

        return NavigationalClassifier

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """Extract everything that a fitted classifier needs to predict, to be explained and to be fitted again."""
        models = fitted_value(estimator, "class_models_")
        nested = getattr(estimator, "nested_scores_", None)
        settings = getattr(estimator, "feature_settings_", None)
        log = getattr(estimator, "training_log_", None)
        return cls(
            **cls._common_fields(estimator),
            observed=ObservedPart.of(estimator),
            classes=LabelsPart.of(estimator.classes_),
            class_models=[ClassModelPart.of(model) for model in models],
            nested_scores=None if nested is None else without_nan(nested),
            medians=estimator.medians_,
            feature_settings=None if settings is None else FeatureSettingsPart.of(settings),
            training_log=None if log is None else TrainingLogPart(**asdict(log)),
        )

    def restore(self) -> Any:
        """Rebuild the fitted classifier."""
        optional: dict[str, Any] = {}
        if self.feature_settings is not None:
            optional |= {"feature_settings_": self.feature_settings.restore()}
        if self.training_log is not None:
            optional |= {"training_log_": LogExtent(**self.training_log.model_dump())}
        if self.nested_scores is not None:
            from glassrank.navigational.coupling.class_model import mean_known

            scores = np.array(self.nested_scores, dtype=np.float64)
            optional |= {"nested_scores_": scores, "nested_score_": mean_known(scores)}
        return self._make(
            self.parameters,
            classes_=self.classes.restore(),
            class_models_=tuple(model.restore() for model in self.class_models),
            medians_=self.medians,
            observed_values_=self.observed.restore(),
            **optional,
        )

    @property
    def is_additive(self) -> bool:
        """Whether the score is a sum of one function per feature: no, a query is no document."""
        return False

    def score(self, X: Matrix) -> FloatArray:
        """Score each row of X like ``NavigationalClassifier.decision_function``, for two classes."""
        if len(self.class_models) > 1:
            raise DataError(
                f"The model has {len(self.class_models)} classes and no single score: expected a model that scores.",
                remedy=f"Predict the classes with glassrank intent predict, or load it with {setting('load_model')}.",
            )
        (model,) = self.class_models
        return model.log_odds(as_dense(X)) - model.log_odds_cut
