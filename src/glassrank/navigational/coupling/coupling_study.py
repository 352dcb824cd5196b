"""CouplingStudy: couple every selector with every classifier, with selection within each fold."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d

from glassrank.core.checks import DataError, FloatArray, IntArray, check_length, check_positive
from glassrank.core.input_types import ArrayLike, Estimator, RandomState
from glassrank.core.numbered_features import numbered_names
from glassrank.core.progress import Progress
from glassrank.core.randomness import random_seed
from glassrank.metrics.classification import PrecisionRecall
from glassrank.navigational.coupling.classifiers import BOOSTING, ClassifierKind, chosen_classifiers
from glassrank.navigational.coupling.coupling_result import Coupled, CouplingResult, Shares
from glassrank.navigational.coupling.fold_work import (
    Fold,
    FoldTask,
    Runner,
    Step,
    StepStore,
    best_columns,
    class_codes,
    stratified_folds,
)
from glassrank.navigational.coupling.selectors import Selector, chosen_selectors, fitted_selectors, places_of
from glassrank.navigational.feature import CATEGORIES
from glassrank.navigational.preparation import MARK, Preparation
from glassrank.navigational.query_features import GROUP_OF, OPERATOR_GROUPS
from glassrank.navigational.row_groups import groups_of

ALL = "all"
CURVE = (25, 50, 100, 200, 400, 800, ALL)


class CouplingStudy(BaseEstimator):
    """Couple every feature selector with every classifier, and measure F1 by cross-validation.

    In each fold, missing values are filled and constant columns dropped based on the training rows. Each selector ranks
    the columns once, and each classifier is trained on the best ``n_features`` of each ranking and on all columns, and
    measured on the held-out rows. After Lu, Peng, Li and Ahmed, "Coupling feature selection and machine learning
    methods for navigational query identification" (2006), sections 5 and 6.

    Parameters
    ----------
    n_features : int
        Number of columns that each selector selects; if fewer are distinct in every fold, all of these. Columns that
        are identical in the training rows are merged before selection and count once.
    cv : int
        Number of folds, stratified by class.
    selectors : names, mapping of names to selectors, or None
        Default: information gain, SVM weights, boosting influence, combined (the last two in turn), nomogram. As the
        paper defines them, there are also presence information gain (whether f ≠ 0) and hinge SVM weights.
    classifiers : names, mapping of names to classifiers, or None
        Default: naive Bayes, maximum entropy, SVM linear, SVM RBF, boosting trees. There is also categorical naive
        Bayes, with a uniform prior. Boosted trees, also those of the selectors, use LightGBM if it is installed and
        scikit-learn otherwise; the result names the engine.
    curve : numbers of features, and "all"
        Points of figure 3. Numbers above the number of columns are left out; () draws no curve.
    curve_classifier : name or None
        Classifier of figure 3. Default: boosting trees, as in the paper, or else the last classifier.
    n_jobs : int or None
        Number of parallel joblib jobs (folds × selectors). The result does not depend on it.
    random_state : int, numpy generator or None
        Random seed for folds and boosting.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Labels. The second, such as 1 for navigational, is the positive class.
    result_ : CouplingResult
        The paper's tables and figure 3. Print it, or use ``to_frame``, ``to_json`` and ``chart``.

    Examples
    --------
    >>> import numpy as np
    >>> from glassrank.navigational.coupling.coupling_study import CouplingStudy
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(120, 6)), rng.integers(0, 2, 120)
    >>> X[:, 2] += 3 * y
    >>> study = CouplingStudy(1, selectors=["SVM weights"], classifiers=["maximum entropy"], curve=()).fit(X, y)
    >>> study.result_["SVM weights", "maximum entropy"].f1 > 0.85, dict(study.result_.kept["SVM weights"])
    (True, {'feature 3': 5})
    """

    def __init__(
        self,
        n_features: int = 50,
        cv: int = 5,
        selectors: Sequence[str] | Mapping[str, Estimator] | None = None,
        classifiers: Sequence[str] | Mapping[str, Estimator] | None = None,
        curve: Sequence[int | str] = CURVE,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        *,
        curve_classifier: str | None = None,
    ) -> None:
        self.n_features = n_features
        self.cv = cv
        self.selectors = selectors
        self.classifiers = classifiers
        self.curve = curve
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.curve_classifier = curve_classifier

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        feature_names: Sequence[str] | None = None,
        categories: Sequence[str] | None = None,
        *,
        groups: ArrayLike | None = None,
        store: StepStore | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Study features of queries (``QueryFeatures``, or an array with names) and labels of two classes.

        Rows of the same group, such as equal query texts, stay in one fold; ``QueryFeatures`` define their own groups.
        Finished steps are written to ``store`` and read from it, so an interrupted study resumes where it stopped.
        ``progress`` is called with the number of finished steps, their total and the name of the last.
        """
        selectors, classifiers = chosen_selectors(self.selectors), chosen_classifiers(self.classifiers)
        follow = self._check_parameters(classifiers)
        rows = LabelledRows.of(X, y, feature_names, categories, groups)
        self.classes_ = rows.classes
        folds = self._folds(rows)
        prepared = [fold.preparation for fold in folds]
        minimum = min(one.n_columns for one in prepared)
        n_features = min(self.n_features, minimum)
        work = _Work(folds, selectors, classifiers, n_features, self._sizes(minimum), follow)
        runner = Runner(self.n_jobs, store, progress, work.n_steps)
        places = work.rank(runner)
        coupled, curve = work.couple(runner, places, [one.n_columns for one in prepared])
        self.result_ = _described(rows, self.n_features, work, prepared, places, coupled, curve)
        return self

    def _check_parameters(self, classifiers: Mapping[str, ClassifierKind]) -> str:
        check_positive("n_features", self.n_features, whole=True)
        for size in self.curve:
            if size != ALL:
                check_positive("curve", size, whole=True)
        follow = self.curve_classifier
        if follow is None:
            return BOOSTING if BOOSTING in classifiers else list(classifiers)[-1]
        if follow not in classifiers:
            raise DataError(parameter="curve_classifier", expected=f"one of {', '.join(classifiers)}", got=follow)
        return follow

    def _sizes(self, minimum: int) -> list[int]:
        """Numbers of columns on the curve; 0 means all of them."""
        return [0 if size == ALL else int(size) for size in self.curve if size == ALL or int(size) < minimum]

    def _folds(self, rows: "LabelledRows") -> list[Fold]:
        seed = random_seed(self.random_state)
        return [
            Fold(number, rows.X, rows.positive, train, held_out, rows.names, seed)
            for number, (train, held_out) in enumerate(stratified_folds(self.cv, rows.positive, seed, rows.groups))
        ]


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Checked input: features of queries, their classes, and the names of the features."""

    X: FloatArray
    positive: IntArray
    classes: Any
    names: tuple[str, ...]
    categories: tuple[str, ...] | None
    groups: ArrayLike | None

    @classmethod
    def of(
        cls,
        X: Any,
        y: Any,
        names: Sequence[str] | None,
        categories: Sequence[str] | None,
        groups: ArrayLike | None,
    ) -> "LabelledRows":
        """Check the input; names and categories come from ``QueryFeatures``, and names from a data frame."""
        if hasattr(X, "categories") and hasattr(X, "names"):
            names, categories = names or X.names, categories or X.categories
        groups, X = groups_of(X, groups), getattr(X, "X", X)
        if names is None:
            names = list(X.columns) if hasattr(X, "columns") else None
        X = check_array(X, dtype="float64", ensure_all_finite="allow-nan", ensure_min_samples=2)
        y = column_or_1d(y)
        check_length("y", y, len(X))
        check_classification_targets(y)
        classes = np.unique(y)
        if len(classes) != 2:
            raise DataError(
                f"y must have two classes, such as 1 for navigational and 0: got {len(classes)}.",
                parameter="y",
                got=len(classes),
            )
        names = numbered_names(X.shape[1]) if names is None else list(names)
        check_length("feature_names", names, X.shape[1], "column of X")
        _check_different([str(name) for name in names])
        if categories is not None:
            check_length("categories", categories, X.shape[1], "column of X")
            categories = tuple(map(str, categories))
        return cls(X, class_codes(y, classes), classes, tuple(map(str, names)), categories, groups)


def _check_different(names: list[str]) -> None:
    """Check that names of features and of indicators of missing values are unique: columns are counted by name."""
    columns = Counter([*names, *(f"{name}{MARK}" for name in names)])
    for name, count in columns.items():
        if count > 1:
            raise DataError(
                f"feature_names must be unique, including the indicators of missing values (name{MARK}): {name!r} "
                f"occurs {count} times. Rename one of them."
            )


@dataclass(frozen=True, eq=False)
class _Work:
    """The steps of a study: first the rankings, then the couplings that use them."""

    folds: list[Fold]
    selectors: dict[str, Selector]
    classifiers: dict[str, ClassifierKind]
    n_features: int
    sizes: list[int]
    follow: str

    @property
    def n_steps(self) -> int:
        return len(self.folds) * (len(fitted_selectors(self.selectors)) + len(self.selectors) + 1)

    def rank(self, runner: Runner) -> list[dict[str, IntArray]]:
        """Ranks of the columns of each fold by selector; each selector is fitted once per fold."""
        fitted = fitted_selectors(self.selectors)
        steps = [
            Step.ranking(fold, number, name, kind.make)
            for fold in self.folds
            for number, (name, kind) in enumerate(fitted.items())
        ]
        found = runner.run(steps)
        by_fold = [found[first : first + len(fitted)] for first in range(0, len(found), len(fitted))]
        return [places_of(self.selectors, dict(zip(fitted, own, strict=True))) for own in by_fold]

    def couple(
        self, runner: Runner, places: list[dict[str, IntArray]], n_columns: list[int]
    ) -> tuple[list[Coupled], list[Coupled]]:
        """All couplings, and the points of the curve."""
        asked, everything = self._asked(), [FoldTask(name, kind, 0) for name, kind in self.classifiers.items()]
        steps = []
        for fold, own in zip(self.folds, places, strict=True):
            steps += [
                Step.coupling(fold, number, f"{name} coupled", own[name], asked)
                for number, name in enumerate(self.selectors)
            ]
            steps.append(Step.coupling(fold, len(self.selectors), "all features", None, everything))
        done = len(self.folds) * len(fitted_selectors(self.selectors))
        counts = runner.run(steps, done)
        per_fold = len(self.selectors) + 1
        found: list[Coupled] = []
        for number, name in enumerate(self.selectors):
            found += _over_folds(name, asked, counts[number::per_fold])
        whole = _over_folds(None, everything, counts[per_fold - 1 :: per_fold], float(np.mean(n_columns)))
        n_selected = len(self.classifiers)
        table = [one for first in range(0, len(found), len(asked)) for one in found[first : first + n_selected]]
        return table + whole, self._curve(found, whole)

    def _asked(self) -> list[FoldTask]:
        """The tasks of table 4, then the points of the curve that are not in it."""
        table = [FoldTask(name, kind, self.n_features) for name, kind in self.classifiers.items()]
        more = [size for size in self.sizes if size not in (0, self.n_features)]
        return table + [FoldTask(self.follow, self.classifiers[self.follow], size) for size in more]

    def _curve(self, found: list[Coupled], whole: list[Coupled]) -> list[Coupled]:
        wanted = [one for one in found if one.classifier == self.follow and one.n_features in self.sizes]
        return wanted + [one for one in whole if one.classifier == self.follow and 0 in self.sizes]


def _over_folds(
    selector: str | None, asked: list[FoldTask], counts: list[list[PrecisionRecall]], n_columns: float | None = None
) -> list[Coupled]:
    return [
        Coupled(
            selector,
            one.classifier,
            float(one.n_features if n_columns is None else n_columns),
            tuple(of_fold[place] for of_fold in counts),
        )
        for place, one in enumerate(asked)
    ]


def _described(
    rows: LabelledRows,
    n_asked: int,
    work: _Work,
    prepared: list[Preparation],
    places: list[dict[str, IntArray]],
    coupled: list[Coupled],
    curve: list[Coupled],
) -> CouplingResult:
    n_features = work.n_features
    top = {
        name: [one.pick(best_columns(own[name], n_features)) for one, own in zip(prepared, places, strict=True)]
        for name in work.selectors
    }
    operators = [name.rpartition("|")[2] for name in rows.names]
    groups = [GROUP_OF[one] for one in operators] if set(operators) <= set(GROUP_OF) else None
    return CouplingResult(
        outcome=str(rows.classes[1]),
        n_rows=len(rows.X),
        n_positive=int(rows.positive.sum()),
        n_features=n_features,
        n_columns=tuple(one.n_columns for one in prepared),
        n_constant=tuple(one.n_constant for one in prepared),
        n_copies=tuple(one.n_copies for one in prepared),
        n_asked=n_asked,
        selectors=engines_of(work.selectors),
        classifiers=engines_of(work.classifiers),
        coupled=tuple(coupled),
        curve=tuple(curve),
        by_category=None if rows.categories is None else _shares(top, rows.categories, CATEGORIES),
        by_operator=None if groups is None else _shares(top, groups, tuple(OPERATOR_GROUPS)),
        kept={name: _kept(folds, rows.names) for name, folds in top.items()},
        copies=_copies([one for folds in top.values() for one in folds], rows.names),
    )


def engines_of(kinds: Mapping[str, Selector | ClassifierKind]) -> dict[str, str]:
    """Return the engine of each selector or classifier."""
    return {name: kind.engine for name, kind in kinds.items()}


def _shares(top: dict[str, list[Preparation]], of_feature: Sequence[str], known: tuple[str, ...]) -> Shares:
    """Share of each group among the selected columns, mean over folds; an indicator counts as its feature.

    A column that stands for several identical ones counts once, in equal parts for the group of each.
    """
    groups = [one for one in known if one in set(of_feature)] + sorted(set(of_feature) - set(known))
    return {
        name: {
            group: float(np.mean([np.mean([_part_of(ks, of_feature, group) for ks in _members(one)]) for one in folds]))
            for group in groups
        }
        for name, folds in top.items()
    }


def _members(fold: Preparation) -> list[list[int]]:
    """The features of each column: its own, and those of its copies."""
    copies = fold.copies or ((),) * fold.n_columns
    return [
        [int(source), *(k if k >= 0 else -1 - k for k in own)] for source, own in zip(fold.sources, copies, strict=True)
    ]


def _part_of(features: list[int], of_feature: Sequence[str], group: str) -> float:
    return sum(of_feature[k] == group for k in features) / len(features)


def _copies(folds: list[Preparation], names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Column → the columns that are identical to it in every fold that selects it."""
    found: dict[str, tuple[str, ...]] = {}
    for fold in folds:
        own = fold.copied_names(names)
        for name in fold.names(names):
            copies = own.get(name, ())
            found[name] = tuple(one for one in found.get(name, copies) if one in copies)
    return {name: copies for name, copies in found.items() if copies}


def _kept(folds: list[Preparation], names: tuple[str, ...]) -> dict[str, int]:
    """The number of folds that select each column; ties stay in the order of the data."""
    counted = Counter(name for fold in folds for name in fold.names(names))
    place = {name: k for k, name in enumerate([*names, *(f"{name}{MARK}" for name in names)])}
    return dict(sorted(counted.items(), key=lambda item: (-item[1], place[item[0]])))
