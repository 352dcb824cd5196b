"""The source documents, each with its tables and figures: the one list that driver, pages and tests use."""

from experiments.papers import pairwise_transform, svdd

PAPERS = (pairwise_transform.PAPER, svdd.PAPER)
