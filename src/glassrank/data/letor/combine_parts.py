"""Combines parsed texts into one RankingData."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from glassrank.core.checks import DataError, FloatArray, Matrix
from glassrank.core.numbered_features import numbered_name
from glassrank.core.setting import setting
from glassrank.data.letor.letor_rules import LetorRules
from glassrank.data.letor.letor_text import LetorText
from glassrank.data.letor.line_kernel import fill_dense
from glassrank.data.letor.names_file import NamesFile
from glassrank.data.ranking_data import RankingData

LAYOUTS = ("auto", "dense", "csr")
# Below a third of stored values, CSR takes less than half the memory of a dense matrix.
_DENSE_SHARE = 1 / 3


def combine(
    texts: Sequence[LetorText],
    rules: LetorRules,
    layout: str = "auto",
    *,
    qid: Any = None,
    weights: Any = None,
    feature_names: Sequence[str] | NamesFile | None = None,
) -> RankingData:
    """Concatenate the rows of the texts."""
    first = _first_number(texts, rules)
    n_features = _count_features(texts, rules, first)
    if isinstance(feature_names, NamesFile):
        if rules.n_features is None and not all(_is_full(text, n_features) for text in texts):
            # Lines omit zeros, so the last features may be 0 in all of them.
            n_features = max(n_features, len(feature_names.names))
        feature_names.check(first, n_features)
        feature_names = feature_names.names
    if feature_names is None:
        names = _merge_names(texts)
        feature_names = [names.get(number, numbered_name(number)) for number in range(first, first + n_features)]
    return RankingData(
        _matrix(texts, first, n_features, layout),
        _joined([text.labels for text in texts]),
        _joined([text.qids for text in texts]) if qid is None else qid,
        _document_ids(texts),
        feature_names,
        weights,
        missing=rules.missing,
    )


def _first_number(texts: Sequence[LetorText], rules: LetorRules) -> int:
    """Return the number of the first feature, 0 or 1, on which the texts must agree."""
    if rules.zero_based != "auto":
        return rules.lowest
    numbered = [(text, text.number_range[0]) for text in texts if text.number_range is not None]
    from_zero = [text.path for text, lowest in numbered if lowest == 0]
    others = [text.path for text, lowest in numbered if lowest > 0]
    if from_zero and others:
        raise DataError(
            f"{from_zero[0]} has a feature 0 and {others[0]} has none: expected files that all count from 0 or all "
            "from 1.",
            remedy=(f"Pass {setting('zero_based', True)} if both count from 0", "renumber the features of one of them"),
        )
    return 0 if from_zero else 1


def _count_features(texts: Sequence[LetorText], rules: LetorRules, first: int) -> int:
    if rules.n_features is not None:
        return int(rules.n_features)
    highest = [text.number_range[1] for text in texts if text.number_range is not None]
    if not highest:
        raise DataError(
            f"{texts[0].path}: expected <feature>:<value> pairs, got lines without any.",
            remedy=(
                "Check that this is the right file",
                f"pass {setting('number_of_features', python='n_features')} to allow it",
            ),
        )
    return max(highest) - first + 1


def _merge_names(texts: Sequence[LetorText]) -> Mapping[int, str]:
    names: dict[int, str] = {}
    for text in texts:
        for number, name in text.names.items():
            if names.setdefault(number, name) != name:
                raise DataError(
                    f"{text.path}: feature {number} is named {name!r}, but {names[number]!r} in an earlier file.",
                    remedy=("Correct one of the files", f"pass {setting('feature_names')}"),
                )
    return names


def _matrix(texts: Sequence[LetorText], first: int, n_features: int, layout: str) -> Matrix:
    n_rows = sum(text.n_rows for text in texts)
    n_stored = sum(len(text.values) for text in texts)
    if layout == "dense" or (layout == "auto" and n_stored >= _DENSE_SHARE * n_rows * n_features):
        return _dense(texts, first, n_rows, n_features)
    indices = _joined([text.columns for text in texts]) - np.int32(first)
    row_sizes = _joined([np.diff(text.row_starts) for text in texts])
    return sparse.csr_matrix(
        (_joined([text.values for text in texts]), indices, np.append(0, np.cumsum(row_sizes))), (n_rows, n_features)
    )


def _dense(texts: Sequence[LetorText], first: int, n_rows: int, n_features: int) -> FloatArray:
    if len(texts) == 1 and _is_full(texts[0], n_features):
        return texts[0].values.reshape(n_rows, n_features)
    try:
        X = np.zeros((n_rows, n_features))
    except MemoryError as error:
        raise DataError(
            f"A dense matrix of {n_rows:,} rows × {n_features:,} features does not fit into memory.",
            remedy=(f"Pass {setting('layout', 'csr')}", "split the file by queries"),
        ) from error
    start = 0
    for text in texts:
        rows = X[start : start + text.n_rows]
        if _is_full(text, n_features):
            rows[:] = text.values.reshape(rows.shape)
        else:
            fill_dense(rows, text.columns, text.values, text.row_starts, first)
        start += text.n_rows
    return X


def _is_full(text: LetorText, n_features: int) -> bool:
    """Return whether every line lists every feature; the numbers of a line increase, so counting is enough."""
    return len(text.values) == text.n_rows * n_features


def _document_ids(texts: Sequence[LetorText]) -> npt.NDArray[Any] | None:
    if all(text.doc_ids is None for text in texts):
        return None
    return _joined([np.full(text.n_rows, "") if text.doc_ids is None else text.doc_ids for text in texts])


def _joined(arrays: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
