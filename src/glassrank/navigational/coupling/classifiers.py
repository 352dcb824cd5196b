"""The classifiers of a coupling study by name: the five of Lu, Peng, Li and Ahmed (2006), and a variant of one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from glassrank.core.checks import DataError, check_choice
from glassrank.navigational.decisions import Decision, EstimatorDecision, LinearDecision, RbfDecision
from glassrank.navigational.naive_bayes import NaiveBayes, read_naive_bayes
from glassrank.navigational.tree_reading import read_lightgbm_trees, read_sklearn_trees
from glassrank.selection.boosting_engines import ENGINES, LIGHTGBM, SKLEARN, boosted_classifier, fastest_engine

BOOSTING = "boosting trees"
MAX_ITERATIONS = 2000


@dataclass(frozen=True)
class ClassifierKind:
    """How a classifier of the study is created, its engine, and how its decision is read after fitting."""

    engine: str
    make: Callable[[int], Any]
    """Creates the classifier from a seed."""
    read: Callable[[Any], Decision] = EstimatorDecision
    tuned: tuple[str, ...] = ()
    """What can be tuned: C, and γ as a multiple of 1/(number of columns)."""


def _naive_bayes(seed: int) -> Any:
    return NaiveBayes()


def _categorical_naive_bayes(seed: int) -> Any:
    return NaiveBayes("categorical", prior="uniform")


def _maximum_entropy(seed: int) -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=MAX_ITERATIONS))


def _svm_linear(seed: int) -> Any:
    return make_pipeline(StandardScaler(), SVC(kernel="linear"))


def _svm_rbf(seed: int) -> Any:
    return make_pipeline(StandardScaler(), SVC())


def _boosting_trees(engine: str, seed: int) -> Any:
    return boosted_classifier(engine, random_state=seed)


def boosting_kind(engine: str) -> ClassifierKind:
    """Boosting trees of either engine, with the same settings; the engines consider different split points."""
    read = {SKLEARN: read_sklearn_trees, LIGHTGBM: read_lightgbm_trees}
    return ClassifierKind(ENGINES[engine], partial(_boosting_trees, engine), read[engine])


def read_scaled_linear(model: Any) -> Decision:
    """Read w·(x − centre)/scale + b as slopes and a constant."""
    scaler, machine = model[0], model[-1]
    slopes = np.asarray(machine.coef_[0] / scaler.scale_)
    return LinearDecision(slopes, float(machine.intercept_[0] - slopes @ scaler.mean_))


def read_rbf(model: Any) -> Decision:
    """Read support vectors and their weights; positive outputs of libsvm mean the second class."""
    scaler, machine = model[0], model[-1]
    support = np.ascontiguousarray(machine.support_vectors_)
    duals = np.ascontiguousarray(machine.dual_coef_[0])
    return RbfDecision(scaler.mean_, scaler.scale_, support, duals, float(machine._gamma), float(machine.intercept_[0]))


CLASSIFIERS: dict[str, ClassifierKind] = {
    "naive Bayes": ClassifierKind("scikit-learn MultinomialNB", _naive_bayes, read_naive_bayes),
    "maximum entropy": ClassifierKind("scikit-learn LogisticRegression", _maximum_entropy, read_scaled_linear, ("C",)),
    "SVM linear": ClassifierKind("LIBSVM, linear kernel", _svm_linear, read_scaled_linear, ("C",)),
    "SVM RBF": ClassifierKind("LIBSVM, Gaussian kernel", _svm_rbf, read_rbf, ("C", "gamma")),
    BOOSTING: boosting_kind(fastest_engine()),
    "categorical naive Bayes": ClassifierKind(
        "scikit-learn CategoricalNB, uniform prior", _categorical_naive_bayes, read_naive_bayes
    ),
}
DEFAULT_CLASSIFIERS = ("naive Bayes", "maximum entropy", "SVM linear", "SVM RBF", BOOSTING)


@dataclass(frozen=True)
class CloneFactory:
    """Returns an unfitted clone of the estimator, whatever the seed."""

    estimator: Any

    def __call__(self, seed: int) -> Any:
        return clone(self.estimator)


def chosen_classifiers(asked: Sequence[str] | Mapping[str, Any] | None) -> dict[str, ClassifierKind]:
    """Return the usual five classifiers, the named ones, or your own from a mapping of names to classifiers.

    >>> list(chosen_classifiers(["naive Bayes"]))
    ['naive Bayes']
    """
    if isinstance(asked, Mapping):
        kinds = {str(name): _own(name, estimator) for name, estimator in asked.items()}
    else:
        names = list(DEFAULT_CLASSIFIERS) if asked is None else list(dict.fromkeys(asked))
        for name in names:
            check_choice("classifiers", name, CLASSIFIERS)
        kinds = {name: CLASSIFIERS[name] for name in names}
    if not kinds:
        raise DataError(
            f"classifiers must contain at least one of {', '.join(CLASSIFIERS)}: got none.", parameter="classifiers"
        )
    return kinds


def _own(name: Any, estimator: Any) -> ClassifierKind:
    usable = not isinstance(estimator, type) and hasattr(estimator, "__sklearn_tags__") and is_classifier(estimator)
    if not usable:
        raise DataError(
            f"classifiers must be classifiers such as LogisticRegression(): {name!r} is {estimator!r}.",
            parameter="classifiers",
        )
    return ClassifierKind(type(estimator).__name__, CloneFactory(estimator))
