"""Stochastic gradient boosting with the same settings for both engines, scikit-learn and LightGBM."""

from importlib.util import find_spec
from typing import Any

from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from glassrank.core.checks import DataError
from glassrank.core.setting import setting

SKLEARN, LIGHTGBM = "sklearn", "lightgbm"
# Engine -> its name in tables.
ENGINES = {SKLEARN: "scikit-learn GradientBoostingClassifier", LIGHTGBM: "LightGBM"}
ROWS_PER_TREE = 0.5


def fastest_engine() -> str:
    """Return LightGBM if it is installed: on thousands of columns its histograms are many times faster."""
    return LIGHTGBM if find_spec("lightgbm") else SKLEARN


def boosted_classifier(engine: str, **settings: Any) -> Any:
    """Return an unfitted classifier: trees that minimise the Bernoulli loss, each on half of the rows.

    >>> type(boosted_classifier("sklearn", random_state=0)).__name__
    'GradientBoostingClassifier'
    """
    if engine == SKLEARN:
        return GradientBoostingClassifier(subsample=ROWS_PER_TREE, **settings)
    return _lightgbm("LGBMClassifier", settings)


def boosted_regressor(**settings: Any) -> Any:
    """Return scikit-learn's unfitted regressor: trees that minimise the squared loss, each on half of the rows."""
    return GradientBoostingRegressor(subsample=ROWS_PER_TREE, **settings)


def boosted_ranker(**settings: Any) -> Any:
    """Return LightGBM's unfitted ranker: lambdarank trees, each on half of the rows."""
    return _lightgbm("LGBMRanker", settings)


def _lightgbm(kind: str, settings: dict[str, Any]) -> Any:
    """LightGBM with scikit-learn's defaults: leaves of a single row are allowed, and importances are gains."""
    try:
        import lightgbm
    except ModuleNotFoundError as error:
        raise DataError(
            f"{setting('engine', 'lightgbm')} needs LightGBM, which is not installed.",
            remedy="Install it: pip install lightgbm.",
        ) from error
    defaults = {"n_estimators": 100, "learning_rate": 0.1, "max_depth": 3, "min_child_samples": 1}
    rows = {"subsample": ROWS_PER_TREE, "subsample_freq": 1}
    # One thread, so that the trees are the same on every machine.
    repeatable = {"n_jobs": 1, "deterministic": True, "force_col_wise": True}
    return getattr(lightgbm, kind)(importance_type="gain", verbosity=-1, **(defaults | settings), **rows, **repeatable)
