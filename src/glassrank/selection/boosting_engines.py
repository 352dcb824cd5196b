"""Stochastic gradient boosting with the same settings by either engine: scikit-learn's trees or LightGBM's."""

from importlib.util import find_spec
from typing import Any

from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from glassrank.core.checks import DataError
from glassrank.core.setting import setting

SKLEARN, LIGHTGBM = "sklearn", "lightgbm"
# How tables name an engine.
ENGINES = {SKLEARN: "scikit-learn GradientBoostingClassifier", LIGHTGBM: "LightGBM"}
ROWS_PER_TREE = 0.5


def quicker_engine() -> str:
    """LightGBM where it is installed: on thousands of columns its histograms are many times quicker."""
    return LIGHTGBM if find_spec("lightgbm") else SKLEARN


def boosted_classifier(engine: str, **settings: Any) -> Any:
    """Trees that minimise the Bernoulli loss, each on half of the rows, not fitted yet.

    >>> type(boosted_classifier("sklearn", random_state=0)).__name__
    'GradientBoostingClassifier'
    """
    if engine == SKLEARN:
        return GradientBoostingClassifier(subsample=ROWS_PER_TREE, **settings)
    return _lightgbm("LGBMClassifier", settings)


def boosted_regressor(**settings: Any) -> Any:
    """Trees that minimise the squared loss, each on half of the rows, by scikit-learn, not fitted yet."""
    return GradientBoostingRegressor(subsample=ROWS_PER_TREE, **settings)


def boosted_ranker(**settings: Any) -> Any:
    """Trees that learn by lambdarank, each on half of the rows, by LightGBM, not fitted yet."""
    return _lightgbm("LGBMRanker", settings)


def _lightgbm(kind: str, settings: dict[str, Any]) -> Any:
    """LightGBM with scikit-learn's defaults: leaves of a single row are allowed, and gains are what features earn."""
    try:
        import lightgbm
    except ModuleNotFoundError as error:
        raise DataError(
            f"{setting('engine', 'lightgbm')} needs LightGBM, and it is not installed.",
            remedy="Install it: pip install lightgbm.",
        ) from error
    defaults = {"n_estimators": 100, "learning_rate": 0.1, "max_depth": 3, "min_child_samples": 1}
    rows = {"subsample": ROWS_PER_TREE, "subsample_freq": 1}
    # One thread: the same trees on every machine.
    repeatable = {"n_jobs": 1, "deterministic": True, "force_col_wise": True}
    return getattr(lightgbm, kind)(importance_type="gain", verbosity=-1, **(defaults | settings), **rows, **repeatable)
