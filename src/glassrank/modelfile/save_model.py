"""save_model: save a fitted model to a file."""

import os
import warnings
from collections.abc import Sequence

from glassrank.core.input_types import Estimator
from glassrank.modelfile.document import describe_model
from glassrank.modelfile.model_files import write_content


def save_model(
    model: Estimator,
    path: str | os.PathLike[str],
    *,
    feature_names: Sequence[str] | None = None,
    query_scaling: str | None = None,
) -> None:
    """Save a fitted model as versioned JSON, with long vectors in an ``.npz`` file next to it.

    You can save all rankers of glassrank (``PairwiseRanker`` if its estimator is a linear model of scikit-learn),
    ``AdditiveSVC``, ``NavigationalClassifier``, scikit-learn's linear models and naive Bayes classifiers of two
    classes, a ``PairCalibrator`` around one of them, and a ``Pipeline`` that ends in one of them. Its steps are those
    whose effects can be read: ``FeatureTransformer``, and scikit-learn's scalers, imputers, transforms, encoders,
    selectors by a statistic and ``ColumnTransformer``. Rankers of LightGBM and XGBoost whose trees have one or two
    features each are saved as ``AdditiveRanker``, which needs neither library.

    The file contains the parameters, the fitted attributes, the names of the features and the version of glassrank,
    but no code. It contains training data only if the model needs them: the rows of ``KernelLeastSquaresRanker`` and
    the names of the queries that an ``ELMRank`` has seen. An older file is replaced completely or not at all.

    Parameters
    ----------
    model
        A fitted model.
    path
        Path of the file, which ends in ``.json``.
    feature_names
        Names of the features, for a model that was fitted to arrays; ``glassrank rank`` finds features by name, and
        saving a model without names warns. A model that was fitted to ``RankingData`` or to a data frame knows them.
    query_scaling
        ``"minmax"`` or ``"zscore"`` if the model was fitted to features that were scaled within each query, as by
        ``RankingData.scaled``. ``glassrank rank``, ``explain`` and ``nomogram`` then scale documents in the same way.

    Examples
    --------
    >>> from glassrank import RankSVM, load_model, save_model
    >>> model = RankSVM().fit([[0.1, 3.0], [0.4, 1.0], [0.9, 2.0]], [0, 1, 2])
    >>> save_model(model, "model.json", feature_names=["bm25", "age"])
    >>> bool((load_model("model.json").predict([[0.5, 2.0]]) == model.predict([[0.5, 2.0]])).all())
    True
    """
    document = describe_model(model, feature_names, query_scaling)
    if document["feature_names"] is None:
        warnings.warn(
            "The model is saved without feature names: it can only take the columns of a table by position, and ranks "
            "wrongly if their order differs. Fit it to data with feature names, or give save_model the feature_names.",
            stacklevel=2,
        )
    write_content(document, path)
