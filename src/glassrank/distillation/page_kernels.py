"""How alike pages are: by their words, and by who cites them together."""

from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.distillation.candidates import Candidates
from glassrank.distillation.similarity_kernels import composite_kernel
from glassrank.text.weighting import unit_rows


def page_kernel(candidates: Candidates, text_weight: float) -> FloatArray:
    """K = μ K_text + (1 − μ) K_cocitation of the candidates, each kernel with a diagonal of ones."""
    return composite_kernel(candidates.unit_grams, weights=[text_weight, 1.0 - text_weight], unit_diagonal=False)


def word_vectors(candidates: Candidates) -> Any:
    """Candidates × terms: the vectors whose products are the text kernel."""
    return candidates.prepared.index.tfidf(candidates.pages)


def citation_vectors(candidates: Candidates) -> Any:
    """Candidates × pages of the collection: the vectors whose products are the co-citation kernel."""
    return unit_rows(candidates.citations.T.tocsr())


def centre(vectors: Any, alpha: FloatArray) -> FloatArray:
    """The sphere's centre Σ αᵢ φ(xᵢ) in one of the two spaces."""
    return np.asarray(alpha @ vectors).ravel()
