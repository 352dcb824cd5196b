"""save_model: a fitted model becomes a file."""

import os
from collections.abc import Sequence

from glassrank.core.input_types import Estimator
from glassrank.modelfile.document import describe_model
from glassrank.modelfile.model_files import write_content


def save_model(model: Estimator, path: str | os.PathLike[str], *, feature_names: Sequence[str] | None = None) -> None:
    """Save a fitted model as versioned JSON; long vectors go to an ``.npz`` file beside it.

    Models are all rankers of glassrank and ``AdditiveSVC``, a ``PairCalibrator`` around one of them, and scikit-learn's
    ``Pipeline`` of ``StandardScaler``, ``MinMaxScaler``, ``MaxAbsScaler`` or ``RobustScaler`` steps before one of them;
    a ``PairwiseRanker`` around a linear estimator of scikit-learn. The file holds the parameters, what ``fit`` has set,
    the names of the features and the version of glassrank, and no code. It holds no training data, but for those
    without which a model could not go on: the rows of ``KernelLeastSquaresRanker``, which scores by them, and the names
    of the queries that an ``ELMRank`` has seen. It takes the place of an older one whole or not at all.

    Parameters
    ----------
    model
        A fitted model.
    path
        Where to save it; usually ``.json``.
    feature_names
        Names of the features, for a model that was fitted to arrays, which have none; ``glassrank rank`` finds features
        by name. A model that was fitted to a data frame knows its names.

    Examples
    --------
    >>> from glassrank import RankSVM, load_model, save_model
    >>> model = RankSVM().fit([[0.1, 3.0], [0.4, 1.0], [0.9, 2.0]], [0, 1, 2])
    >>> save_model(model, "model.json", feature_names=["bm25", "age"])
    >>> bool((load_model("model.json").predict([[0.5, 2.0]]) == model.predict([[0.5, 2.0]])).all())
    True
    """
    write_content(describe_model(model, feature_names), path)
