"""Tune C and γ of a classifier by cross-validation on its training rows."""

from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV

from glassrank.core.checks import FloatArray, IntArray
from glassrank.navigational.coupling.classifiers import ClassifierKind
from glassrank.navigational.coupling.fold_work import stratified_folds

CS = (0.1, 1.0, 10.0)
GAMMA_FACTORS = (0.25, 1.0, 4.0)
FOLDS = 3


def fit_tuned(
    kind: ClassifierKind, X: FloatArray, positive: IntArray, seed: int, groups: Any = None
) -> tuple[Any, dict[str, float]]:
    """Fit a classifier with the C and γ of the highest average precision on held-out thirds of the rows.

    Rows of a group stay in one third. Average precision does not depend on a threshold, which is chosen later. γ is
    1/4, 1 or 4 divided by the number of columns, which are standardised. The first of equally good settings is chosen.
    A classifier without such settings, or too few rows of a class, are fitted as they are.

    >>> from glassrank.navigational.coupling.classifiers import CLASSIFIERS
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 3)), np.repeat([0, 1], 30)
    >>> sorted(fit_tuned(CLASSIFIERS["SVM RBF"], X, y, 0)[1]), fit_tuned(CLASSIFIERS["naive Bayes"], X, y, 0)[1]
    (['C', 'gamma'], {})
    """
    estimator = kind.make(seed)
    n_folds = min(FOLDS, int(np.bincount(positive, minlength=2).min()))
    if not kind.tuned or n_folds < 2:
        return estimator.fit(X, positive), {}
    values = {"C": CS, "gamma": tuple(factor / X.shape[1] for factor in GAMMA_FACTORS)}
    machine = estimator.steps[-1][0]
    grid = {f"{machine}__{name}": values[name] for name in kind.tuned}
    folds = stratified_folds(n_folds, positive, seed, groups)
    if any(len(set(positive[rows].tolist())) < 2 for fold in folds for rows in fold):
        return estimator.fit(X, positive), {}
    search = GridSearchCV(estimator, grid, scoring="average_precision", cv=folds).fit(X, positive)
    found = {name.rpartition("__")[2]: float(value) for name, value in search.best_params_.items()}
    return search.best_estimator_, found
