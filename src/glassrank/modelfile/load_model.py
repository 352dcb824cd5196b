"""load_model, load_scorer and read_model: load a model from a file."""

import os
from collections.abc import Callable
from typing import TypeVar

from glassrank.core.checks import within
from glassrank.core.input_types import Estimator
from glassrank.modelfile.document import ModelDocument, check_document
from glassrank.modelfile.model_files import read_content
from glassrank.modelfile.saved_model import SavedModel
from glassrank.modelfile.scorer import Scorer

Loaded = TypeVar("Loaded")


def load_model(path: str | os.PathLike[str]) -> Estimator:
    """Load a fitted model that ``save_model`` has written; its predictions are bitwise equal to the original's.

    The file is validated before the model is built, and nothing in it is executed. Damaged files, malicious files and
    files of a newer version cause an error.

    >>> from glassrank import RankSVM, load_model, save_model
    >>> save_model(RankSVM(C=10.0).fit([[0.1], [0.4]], [0, 1]), "model.json")
    >>> load_model("model.json")
    RankSVM(C=10.0)
    """
    return _load(path, lambda document: document.model.restore())


def load_scorer(path: str | os.PathLike[str]) -> Scorer:
    """Load a saved model for ranking only, without importing scikit-learn.

    >>> from glassrank import RankSVM, load_scorer, save_model
    >>> save_model(RankSVM().fit([[0.1], [0.4]], [0, 1]), "model.json", feature_names=["bm25"])
    >>> scorer = load_scorer("model.json")
    >>> scorer, scorer.feature_names, scorer.predict([[2.0], [3.0]]).round(2).tolist()
    (Scorer(RankSVM, 1 feature), ('bm25',), [1.02, 1.53])
    """
    return _load(path, Scorer)


def read_model(path: str | os.PathLike[str]) -> SavedModel:
    """Read and check a model file of any kind, without building the estimator.

    >>> from glassrank import RankSVM, save_model
    >>> save_model(RankSVM().fit([[0.1], [0.4]], [0, 1]), "model.json", feature_names=["bm25"])
    >>> saved = read_model("model.json")
    >>> saved, saved.scores_documents, saved.restore()
    (SavedModel(RankSVM, 1 feature), True, RankSVM())
    """
    return _load(path, SavedModel)


def _load(path: str | os.PathLike[str], build: Callable[[ModelDocument], Loaded]) -> Loaded:
    document = check_document(read_content(path), str(path))
    with within(path):
        return build(document)
