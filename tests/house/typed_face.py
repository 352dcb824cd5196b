"""What a type checker knows about the public names. mypy reads this file; nothing runs it.

A line with ``type: ignore`` must be an error, because mypy reports unused ignores. ``test_typed_face.py`` reverses
each claim and expects an error for every one.
"""

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import glassrank as gr
from glassrank.core.additive.effects import AdditiveEffects
from glassrank.studies.ranking.result import StudyResult

X = np.zeros((4, 2))
y = np.array([0, 1, 0, 1])
qid = np.array(["a", "a", "b", "b"])

# A class is the class, and fit returns the estimator.
ranker = gr.RankSVM(kernel="lrbf")
assert_type(ranker, gr.RankSVM)
assert_type(ranker.fit(X, y, qid=qid), gr.RankSVM)
assert_type(ranker.fit(X, y, qid=qid).predict(X), npt.NDArray[np.float64])
assert_type(ranker.rank(X, qid=qid), npt.NDArray[np.int64])
assert_type(gr.RankSVMCV().fit(X, y, qid=qid).coef_, npt.NDArray[np.float64])
assert_type(gr.PairCalibrator(ranker).fit(X, y, qid=qid).predict(X), npt.NDArray[np.float64])
assert_type(gr.NomogramRFE(ranker).fit(X, y, qid=qid).predict(X), npt.NDArray[Any])
assert_type(gr.AdditiveSVC().fit(X, y).predict_proba(X), npt.NDArray[np.float64])


class Cautious(gr.RankSVM):
    """An estimator derived by a user."""


assert_type(Cautious().fit(X, y, qid=qid), Cautious)

# A function has its signature.
data = gr.load_letor("train.txt")
assert_type(data, gr.RankingData)
assert_type(gr.study(data, folder="out"), StudyResult)
assert_type(gr.effects(ranker), AdditiveEffects)
assert_type(gr.evaluate(y, X[:, 0], qid=qid)["map"], float)
assert_type(gr.__version__, str)

# Misspelt names and arguments, and arguments of the wrong type.
misspelt = gr.RankSVN  # type: ignore[attr-defined]
gr.RankSVM(kernl="lrbf")  # type: ignore[call-arg]
gr.RankSVM(kernel=3)  # type: ignore[arg-type]
ranker.fit(X, y, quid=qid)  # type: ignore[call-arg]
gr.study(data, valdi=data)  # type: ignore[call-arg]
gr.study("train.txt")  # type: ignore[arg-type]
gr.load_letor()  # type: ignore[call-arg]
