"""Similarity of pages by their words and by co-citation."""

from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.distillation.candidates import Candidates
from glassrank.distillation.similarity_kernels import composite_kernel
from glassrank.text.weighting import unit_rows


def page_kernel(candidates: Candidates, text_weight: float) -> FloatArray:
    """Return K = μ K_text + (1 − μ) K_cocitation of the candidates, each kernel with a diagonal of ones."""
    return composite_kernel(candidates.unit_grams, weights=[text_weight, 1.0 - text_weight], unit_diagonal=False)


def word_vectors(candidates: Candidates) -> Any:
    """Return the vectors whose products are the text kernel: candidates × terms."""
    return candidates.prepared.index.tfidf(candidates.pages)


def citation_vectors(candidates: Candidates) -> Any:
    """Return the vectors whose products are the co-citation kernel: candidates × pages of the collection."""
    return unit_rows(candidates.citations.T.tocsr())


def centre(vectors: Any, alpha: FloatArray) -> FloatArray:
    """Return the sphere's centre Σ αᵢ φ(xᵢ) in one of the two spaces."""
    return np.asarray(alpha @ vectors).ravel()
