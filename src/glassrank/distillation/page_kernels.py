"""Similarity of pages by their words and by co-citation."""

from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray
from glassrank.distillation.candidates import Candidates
from glassrank.distillation.options import Options
from glassrank.distillation.similarity_kernels import composite_kernel, normalise_kernel
from glassrank.text.weighting import unit_rows


def page_kernel(candidates: Candidates, options: Options) -> FloatArray:
    """Return K = μ K_text + (1 − μ) K_cocitation of the candidates, with raw parts or parts of unit diagonal."""
    weights = [options.text_weight, 1.0 - options.text_weight]
    return composite_kernel(kernel_parts(candidates, options), weights=weights, unit_diagonal=False)


def kernel_parts(candidates: Candidates, options: Options) -> tuple[FloatArray, FloatArray]:
    """Return K_text and K_cocitation of the candidates."""
    if options.kernel == "unit":
        return candidates.unit_grams
    words, cited = candidates.raw_grams
    if options.unit_text_rows:
        # A page without words is an empty row: unlike in a unit kernel, it is not similar even to itself.
        words = normalise_kernel(words, empty=0.0)
    return words, cited


def word_vectors(candidates: Candidates, options: Options) -> Any:
    """Return the vectors whose products are the text kernel: candidates × terms."""
    return candidates.prepared.index.tfidf(candidates.pages, unit=options.unit_text_rows)


def citation_vectors(candidates: Candidates, options: Options) -> Any:
    """Return the vectors whose products are the co-citation kernel: candidates × pages of the collection."""
    rows = candidates.citations.T.tocsr()
    return unit_rows(rows) if options.kernel == "unit" else rows


def centre(vectors: Any, alpha: FloatArray) -> FloatArray:
    """Return the sphere's centre Σ αᵢ φ(xᵢ) in one of the two spaces."""
    return np.asarray(alpha @ vectors).ravel()
