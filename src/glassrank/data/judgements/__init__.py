"""Judgement lists of search teams: Quepid, RRE, the Search Relevance Workbench, TREC qrels and plain tables."""
