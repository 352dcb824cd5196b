"""load_model and load_scorer: a file becomes a model again."""

import os
from collections.abc import Callable
from typing import TypeVar

from glassrank.core.checks import within
from glassrank.core.input_types import Estimator
from glassrank.modelfile.document import ModelDocument, check_document
from glassrank.modelfile.model_files import read_content
from glassrank.modelfile.scorer import Scorer

Made = TypeVar("Made")


def load_model(path: str | os.PathLike[str]) -> Estimator:
    """Load a model that ``save_model`` has written: the fitted estimator, with predictions equal to the last bit.

    The file is checked before anything is made of it: it is never executed, and a damaged, newer or hostile one is
    refused with the reason.

    >>> from glassrank import RankSVM, load_model, save_model
    >>> save_model(RankSVM(C=10.0).fit([[0.1], [0.4]], [0, 1]), "model.json")
    >>> load_model("model.json")
    RankSVM(C=10.0)
    """
    return _made(path, lambda document: document.model.restore())


def load_scorer(path: str | os.PathLike[str]) -> Scorer:
    """Load a saved model for ranking only: it scores documents like the model, and scikit-learn is not imported.

    >>> from glassrank import RankSVM, load_scorer, save_model
    >>> save_model(RankSVM().fit([[0.1], [0.4]], [0, 1]), "model.json", feature_names=["bm25"])
    >>> scorer = load_scorer("model.json")
    >>> scorer, scorer.feature_names, scorer.predict([[2.0], [3.0]]).round(2).tolist()
    (Scorer(RankSVM, 1 feature), ('bm25',), [1.02, 1.53])
    """
    return _made(path, Scorer)


def _made(path: str | os.PathLike[str], make: Callable[[ModelDocument], Made]) -> Made:
    document = check_document(read_content(path), str(path))
    with within(path):
        return make(document)
