"""Scores of documents by a saved model of any kind, also one that only compares two documents."""

import warnings
from dataclasses import replace

from glassrank.core.checks import FloatArray
from glassrank.data.ranking_data import RankingData
from glassrank.modelfile.foreign_model import ForeignModel
from glassrank.modelfile.saved_model import SavedModel
from glassrank.modelfile.scorer import Scorer


def score_documents(saved: SavedModel | ForeignModel, data: RankingData) -> FloatArray:
    """Return a score for each document, by which higher ranks first within each query.

    The data have the model's features, in its order.
    A model that only compares two documents ranks them as its ``rank`` does, by wins minus losses. The score is then
    the number of documents of the query that rank below.

    >>> import glassrank as gr
    >>> from glassrank.modelfile.load_model import read_model
    >>> data = gr.RankingData([[0.5], [0.1], [0.9]], y=[1, 0, 2])
    >>> gr.save_model(gr.RankSVM(kernel="lrbf", mode="difference").fit(data), "pairs.json")
    >>> score_documents(read_model("pairs.json"), data).tolist()
    [1.0, 0.0, 2.0]
    """
    if isinstance(saved, ForeignModel):
        return saved.scores(data)
    if saved.scores_documents:
        # A model without names takes the features by position, as the caller has decided.
        return Scorer(saved.document).predict(data if saved.feature_names else replace(data, feature_names=None))
    # Imported here, because scikit-learn takes seconds to load, and models that score documents do not need it.
    from glassrank.ranking.any_ranker import list_scores

    with warnings.catch_warnings():
        # The caller has matched the features to the model by name.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return list_scores(saved.restore(), saved.scaled(data).table, data.groups)
