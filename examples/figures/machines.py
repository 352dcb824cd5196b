"""The machines of the figures: their elimination and their probabilities, over folds of pairs or of documents."""

from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import glassrank as gr

# The source names neither C nor γ: these are LIBSVM's default C and glassrank's default γ.
C, GAMMA = 1.0, "scale"
FOLDS = 3


ONE_ORDER = "one-orientation"


def machine(kernel: str, mode: str) -> Any:
    """Return a ranking SVM on features scaled to 0 to 1; lines are still drawn in the original units.

    ``one-orientation`` is the source's machine, LIBSVM's on pairs in one order, with the hinge loss and a bias. The
    others are odd or have scores.
    """
    if mode == ONE_ORDER:
        # The variance of differences is twice that of values, so that γ is that of the other machines.
        gamma = "scale*2" if kernel == "lrbf" else "scale"
        classifier = gr.AdditiveSVC(C, kernel=kernel, gamma=gamma, loss="hinge", cv=None, tol=1e-8)
        return make_pipeline(MinMaxScaler(), gr.PairwiseRanker(classifier, mode="difference"))
    # A loose fit would decide between weak lines by chance.
    return make_pipeline(MinMaxScaler(), gr.RankSVM(C, C_unit="pair", kernel=kernel, gamma=GAMMA, mode=mode, tol=1e-8))


def eliminate_by_pair(one: gr.RankingData, kernel: str, mode: str) -> gr.NomogramRFE:
    """Eliminate as the source does: folds consist of single pairs, so most documents are in all of them."""
    rfe = gr.NomogramRFE(machine(kernel, mode), cv=FOLDS, fold_unit="pair", length="pair-difference", random_state=0)
    return rfe.fit(one.X, one.y)


def eliminate_by_document(one: gr.RankingData, kernel: str, mode: str) -> gr.NomogramRFE:
    """Eliminate with folds that share no document, and a nested estimate."""
    rfe = gr.NomogramRFE(machine(kernel, mode), cv=FOLDS, nested=True, length="pair-difference", random_state=0)
    return rfe.fit(one.X, one.y)


def calibrate_by_pair(one: gr.RankingData, kernel: str, mode: str) -> gr.PairCalibrator:
    """Fit probabilities as the source does: every pair counts as a separate query, so folds consist of pairs."""
    better, worse = np.nonzero(one.y[:, None] > one.y)
    rows = np.column_stack([better, worse]).ravel()
    pair = np.repeat(np.arange(len(better)), 2)
    return gr.PairCalibrator(machine(kernel, mode), cv=FOLDS, random_state=0).fit(one.X[rows], one.y[rows], qid=pair)


def calibrate_by_document(one: gr.RankingData, kernel: str, mode: str) -> gr.PairCalibrator:
    """Fit probabilities to pairs of documents that were both held out."""
    return gr.PairCalibrator(machine(kernel, mode), cv=FOLDS, random_state=0).fit(one)
