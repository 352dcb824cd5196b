"""The source documents, each with its tables and figures: the one list that driver, pages and tests use."""

from experiments.papers import elmrank, navigational, pairwise_transform, ranking_nomograms, svdd

PAPERS = (ranking_nomograms.PAPER, navigational.PAPER, svdd.PAPER, pairwise_transform.PAPER, elmrank.PAPER)
