"""Reads LETOR files (SVMlight text with queries) into RankingData."""

import os
from collections.abc import Iterable, Sequence

import numpy as np

from glassrank.core.checks import DataError, check_choice, within
from glassrank.data.letor.combine_parts import LAYOUTS, combine
from glassrank.data.letor.letor_rules import LetorRules
from glassrank.data.letor.letor_text import LetorText, parse_text
from glassrank.data.letor.names_file import FeatureNames, read_names_file, rules_for
from glassrank.data.letor.save_letor import save_letor
from glassrank.data.ranking_data import RankingData
from glassrank.files.atomic_files import read_bytes

__all__ = ["load_letor", "save_letor"]

_Path = str | os.PathLike[str]


def load_letor(
    paths: _Path | Iterable[_Path],
    *,
    n_features: int | None = None,
    zero_based: bool | str = "auto",
    layout: str = "auto",
    missing: str = "keep",
    feature_names: FeatureNames | None = None,
    duplicates: str = "keep",
) -> RankingData:
    """Read LETOR text (``<label> qid:<number> <feature>:<value> … #docid = <id>``), plain or compressed (gzip, xz).

    Several files are concatenated; they must not share a query. A line must list its features in increasing order;
    features that it does not list are 0. Anything else raises an error with file, line and column.

    Parameters
    ----------
    paths
        One path or several.
    n_features
        Number of features; by default given by the highest feature number.
    zero_based
        Whether feature numbers start at 0; "auto" means yes if the files contain a feature 0.
    layout
        "dense", "csr", or "auto": dense if the files contain at least a third of all values.
    missing
        "refuse" or "keep" NaN values.
    feature_names
        Names to use instead of the names and numbers in the files: a list, or the path of a text file with one name
        per line, or with a feature number and a name per line.
    duplicates
        "keep", "first" or "refuse": what to do if a document has several rows in a query.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("train.txt").write_text("2 qid:1 1:0.5 2:3 #docid = d7\\n0 qid:1 1:0.25 2:1 #docid = d9\\n")
    >>> data = load_letor("train.txt")
    >>> data
    RankingData(2 rows, 1 query, 2 features)
    >>> data.X.tolist(), data.doc_ids.tolist()
    ([[0.5, 3.0], [0.25, 1.0]], ['d7', 'd9'])
    """
    names = read_names_file(feature_names)
    rules = rules_for(names, LetorRules(n_features, zero_based, missing))
    check_choice("layout", layout, LAYOUTS)
    files = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not files:
        raise DataError("load_letor needs at least one path: got an empty list.")
    texts = [parse_text(read_bytes(name), os.fspath(name), rules) for name in files]
    _check_shared_queries(texts)
    data = combine(texts, rules, layout, feature_names=names)
    with within(", ".join(os.fspath(name) for name in files)):
        return data.settle_duplicates(duplicates)


def _check_shared_queries(texts: Sequence[LetorText]) -> None:
    """Raise an error for a query in two files, whose rows would be compared with each other."""
    file_of: dict[int, str] = {}
    for text in texts if len(texts) > 1 else ():
        queries = np.unique(text.qids).tolist()
        shared = next((query for query in queries if query in file_of), None)
        if shared is not None:
            raise DataError(
                f"qid:{shared} is in {file_of[shared]} and in {text.path}: expected each query in one file only.",
                remedy="Renumber the queries of one file, or load the files separately.",
            )
        file_of.update(dict.fromkeys(queries, text.path))
