"""RankingData: features, labels and queries, checked once and then frozen."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from glassrank.core.checks import (
    DataError,
    IntArray,
    Matrix,
    as_matrix,
    as_vector,
    as_weights,
    check_choice,
    check_length,
    read_only,
)
from glassrank.core.feature_kinds import PLAIN, FeatureKind, FeatureTable, check_codes, check_values, row_numbers
from glassrank.core.frames import make_frame
from glassrank.core.groups import Groups, group_rows
from glassrank.core.identifiers import as_identifiers
from glassrank.core.input_types import ArrayLike, Frame, Identifier, RandomState
from glassrank.core.missing_rule import missing_by_feature
from glassrank.core.numbered_features import numbered_names
from glassrank.core.randomness import random_generator
from glassrank.core.setting import setting
from glassrank.core.within_query_scaling import scale_within_queries
from glassrank.core.wording import listed
from glassrank.data.description import (
    MAX_NAMES_LISTED,
    DataDescription,
    DuplicatedDocuments,
    describe,
    sizes_in_words,
)
from glassrank.data.ranking_columns import make_ranking_columns, read_ranking_columns

MISSING = ("refuse", "keep")
DUPLICATES = ("keep", "first", "refuse")


@dataclass(frozen=True, eq=False, repr=False)
class RankingData:
    """Documents with features and relevance labels, grouped by query.

    Rows of a query need not be adjacent. Arrays are not copied if possible. A feature is a number, a yes/no value (1 or
    0) or a category, whose codes 0, 1, 2 … number the levels in its ``FeatureKind``. NaN is a missing value; with
    ``missing="refuse"``, missing values raise an error with their number and place, as infinite values and missing
    labels always do. Data without labels have ``y=None``: they can be ranked and explained, but not used for training
    or evaluation.

    >>> data = RankingData([[1.0, 0.2], [0.5, 0.9]], y=[2, 0], qid=["q1", "q1"], feature_names=["bm25", "age"])
    >>> data
    RankingData(2 rows, 1 query, 2 features)
    >>> data.pick_features(["age"]).X.tolist()
    [[0.2], [0.9]]
    """

    X: Matrix
    y: ArrayLike
    """Label of each row, higher is better; None if the documents are not judged."""
    qid: ArrayLike = None
    doc_ids: ArrayLike = None
    feature_names: ArrayLike = None
    weights: ArrayLike = None
    kinds: Sequence[FeatureKind] = field(default=(), kw_only=True)
    """Kind of each feature; empty if all features are numbers."""
    missing: str = field(default="keep", kw_only=True)
    source: str = field(default="", kw_only=True)
    """Name of the file or folder that the data were loaded from; empty for data in memory."""
    rows: IntArray | None = field(default=None, kw_only=True)
    """Numbers of the rows in the data that they were picked from, which messages state; None if these are all rows."""

    def __post_init__(self) -> None:
        check_choice("missing", self.missing, MISSING)
        X = as_matrix(self.X)
        n_rows, n_features = X.shape
        qid = np.zeros(n_rows, dtype=np.int64) if self.qid is None else as_identifiers("qid", self.qid)
        check_length("qid", qid, n_rows)
        names = _feature_names(self.feature_names, n_features)
        kinds = tuple(self.kinds) or (PLAIN,) * n_features
        check_length("kinds", kinds, n_features, per="column of X")
        check_length("rows", row_numbers(self.rows, n_rows), n_rows)
        check_values(X, names, refuse_missing=self.missing == "refuse", numbers=self.rows)
        check_codes(X, kinds, names)
        self._set("X", _freeze(X))
        self._set("kinds", kinds)
        if self.y is not None:
            self._set("y", read_only(as_vector("y", self.y, n_rows)))
        self._set("qid", read_only(qid))
        self._set("feature_names", names)
        if self.doc_ids is not None:
            doc_ids = as_identifiers("doc_ids", self.doc_ids).astype(np.str_)
            check_length("doc_ids", doc_ids, n_rows)
            self._set("doc_ids", read_only(doc_ids))
        if self.weights is not None:
            self._set("weights", read_only(as_weights("weights", self.weights, n_rows)))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        unjudged = "" if self.is_judged else ", not judged"
        return f"RankingData({sizes_in_words(self.n_rows, self.n_queries, self.n_features)}{unjudged})"

    def __len__(self) -> int:
        return self.n_rows

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def n_queries(self) -> int:
        return self.groups.n_queries

    @property
    def is_judged(self) -> bool:
        """Whether the documents have labels; either all have one, or none."""
        return self.y is not None

    def check_judged(self, purpose: str) -> None:
        """Raise an error if a purpose needs labels and there are none.

        >>> RankingData([[1.0]], y=None).check_judged("Evaluation")
        Traceback (most recent call last):
        ...
        glassrank.core.checks.DataError: Evaluation needs labels, but these data are not judged. Give the label \
column: label=....
        """
        if not self.is_judged:
            raise DataError(
                f"{purpose} needs labels, but these data are not judged.",
                remedy=f"Give the label column: {setting('label_column', python='label=...')}.",
            )

    @property
    def table(self) -> Any:
        """The features with their kinds and names, for estimators; a sparse matrix is returned as it is."""
        if sparse.issparse(self.X):
            return self.X
        return FeatureTable(self.X, tuple(self.kinds), self.feature_names, rows=self.rows)

    @cached_property
    def groups(self) -> Groups:
        """Rows grouped by query, with queries in order of first appearance."""
        return group_rows(self.qid, self.n_rows)

    def describe(self) -> DataDescription:
        """Count rows, queries, labels, comparable pairs and useless features."""
        self.check_judged("A description")
        return describe(self.table, self.y, self.groups, self.feature_names, self.weights, self.duplicates)

    @cached_property
    def duplicates(self) -> DuplicatedDocuments:
        """The rows whose document has an earlier row in the same query."""
        return DuplicatedDocuments.of(self.doc_ids, self.qid, self.groups, self.rows)

    def settle_duplicates(self, duplicates: str) -> "RankingData":
        """Return all rows (``"keep"``) or the ``"first"`` of each document, or ``"refuse"`` several by an error."""
        check_choice("duplicates", duplicates, DUPLICATES)
        if duplicates == "refuse":
            self.duplicates.refuse()
        if duplicates == "first" and self.duplicates:
            return self.pick_rows(np.delete(np.arange(self.n_rows), self.duplicates.rows))
        return self

    def pick_rows(self, rows: ArrayLike) -> "RankingData":
        """Return these rows (indices or a mask), in the order given."""
        rows = self._known_rows(rows)
        return replace(
            self,
            X=self.X[rows],
            y=None if self.y is None else self.y[rows],
            qid=self.qid[rows],
            doc_ids=None if self.doc_ids is None else self.doc_ids[rows],
            weights=None if self.weights is None else self.weights[rows],
            rows=row_numbers(self.rows, self.n_rows)[rows],
        )

    def _known_rows(self, rows: Any) -> Any:
        chosen = np.asarray(rows)
        if chosen.dtype.kind == "b":
            check_length("The mask of rows", chosen, self.n_rows, per="row")
        elif len(chosen) and (
            chosen.dtype.kind not in "iu" or chosen.min() < -self.n_rows or chosen.max() >= self.n_rows
        ):
            raise DataError(f"Rows must be whole numbers below {self.n_rows} or a mask: got {listed(chosen, 3)}.")
        return chosen if len(chosen) else chosen.astype(np.int64)

    def counted(self) -> "RankingData":
        """Return the rows with positive weight, weighted with mean 1, or unweighted if all weights are equal.

        These are the rows that a fit uses. Only the ratios of the weights matter to a study or a selection.

        >>> found = RankingData([[1.0], [2.0], [3.0]], y=[1, 0, 2], weights=[0.0, 2.0, 6.0]).counted()
        >>> found.y.tolist(), found.weights.tolist()
        ([0.0, 2.0], [0.5, 1.5])
        """
        if self.weights is None:
            return self
        rows = np.flatnonzero(self.weights)
        if len(rows) == 0:
            raise DataError(f"The weights of all {self.n_rows} rows are zero: there is nothing to learn from.")
        found = self if len(rows) == self.n_rows else self.pick_rows(rows)
        equal = bool((found.weights == found.weights[0]).all())
        return replace(found, weights=None if equal else found.weights / found.weights.mean())

    def pick_queries(self, queries: ArrayLike) -> "RankingData":
        """Return the rows of these queries, in their original order."""
        return self.pick_rows(np.flatnonzero(np.isin(self.qid, self._known_queries(queries))))

    def _known_queries(self, queries: Any) -> Any:
        """Convert query identifiers to the type in the data, or raise an error for unknown ones."""
        asked = as_identifiers("queries", np.atleast_1d(queries)).astype(np.str_)
        unknown = ~np.isin(asked, self.groups.ids.astype(np.str_))
        if unknown.any():
            known = listed(self.groups.ids, 3)
            raise DataError(f"There is no query {asked[unknown][0]}; the {self.n_queries} queries begin with {known}.")
        return asked if self.qid.dtype.kind == "U" else asked.astype(np.int64)

    def query_index(self, query: Identifier) -> int:
        """Return the position of a query among the queries; 7 and "7" are the same query."""
        found = self._query_places.get(str(query))
        return int(np.flatnonzero(self.groups.ids == self._known_queries(query)[0])[0]) if found is None else found

    @cached_property
    def _query_places(self) -> dict[str, int]:
        return {str(query): place for place, query in enumerate(self.groups.ids)}

    def pick_features(self, features: Sequence[str | int]) -> "RankingData":
        """Return the data with these features (names or column numbers from 0), in the order given."""
        columns = [self.feature_index(feature) for feature in features]
        if columns == list(range(self.n_features)):
            return self
        return replace(
            self,
            X=self.X[:, columns],
            feature_names=[self.feature_names[column] for column in columns],
            kinds=[self.kinds[column] for column in columns],
        )

    def without_empty_features(self, tell: Callable[[str], object]) -> "RankingData":
        """Return the data without the features that have no value in any row; ``tell`` is told which."""
        counts = missing_by_feature(self.X, self.feature_names)
        empty = [name for name, count in counts.items() if count == self.n_rows]
        if not empty:
            return self
        if len(empty) == self.n_features:
            raise DataError("No feature has a value.", remedy="Check the feature columns.")
        tell(f"Left out {listed(empty, MAX_NAMES_LISTED)}: no row of the training data has a value.")
        return self.pick_features([name for name in self.feature_names if name not in empty])

    def feature_index(self, feature: str | int) -> int:
        """Return the column number of a feature given by name or by number from 0."""
        if isinstance(feature, str):
            if feature not in self._feature_places:
                known = listed(self.feature_names, 3)
                raise DataError(f"There is no feature {feature!r}; the {self.n_features} features begin with {known}.")
            return self._feature_places[feature]
        if not isinstance(feature, (int, np.integer)) or not 0 <= feature < self.n_features:
            raise DataError(f"Feature numbers run from 0 to {self.n_features - 1}: got {feature}.")
        return int(feature)

    @cached_property
    def _feature_places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.feature_names)}

    def row_of(self, query: Identifier, document: str | int) -> int:
        """Return the row of a document, given by its id or by its position in the query (a whole number from 0)."""
        rows = self.groups.rows(self.query_index(query))
        if isinstance(document, (int, np.integer)):
            if not 0 <= document < len(rows):
                raise DataError(f"Query {query!r} has documents 0 to {len(rows) - 1}: got {document}.")
            return int(rows[document])
        if self.doc_ids is None:
            raise DataError("The data have no document ids: give a document by its position in the query, from 0.")
        found = rows[self.doc_ids[rows] == document]
        if len(found) != 1:
            known = listed(self.doc_ids[rows], 3)
            raise DataError(f"Query {query!r} must have one document {document!r}: got {len(found)} among {known}.")
        return int(found[0])

    def split(self, *shares: float, random_state: RandomState = None) -> tuple["RankingData", ...]:
        """Split by query into parts with these shares; a single share gives that part and the rest.

        >>> data = RankingData(np.eye(4), y=[1, 0, 1, 0], qid=[1, 1, 2, 2])
        >>> train, test = data.split(0.5, random_state=0)
        >>> train.n_queries, test.n_queries
        (1, 1)
        """
        if len(shares) == 1:
            shares = (shares[0], 1.0 - shares[0])
        if min(shares, default=0.0) <= 0 or not np.isclose(sum(shares), 1.0):
            given = ", ".join(f"{share:g}" for share in shares) or "none"
            raise DataError(f"shares must be positive and add up to 1: got {given}.", parameter="shares", got=given)
        if self.n_queries < len(shares):
            need = f"expected at least {len(shares)} queries, got {self.n_queries}"
            raise DataError(f"A split by query needs a query for each part: {need}.")
        shuffled = random_generator(random_state).permutation(self.n_queries)
        ends = np.cumsum(_part_sizes(shares, self.n_queries))
        of_row = self.groups.of_row
        return tuple(self.pick_rows(np.flatnonzero(np.isin(of_row, part))) for part in np.split(shuffled, ends[:-1]))

    def scaled(self, method: str) -> "RankingData":
        """Scale each feature within each query: ``"minmax"`` to [0, 1], or ``"zscore"``."""
        scaled = scale_within_queries(self.X, self.groups, method)
        categories = [kind.is_category for kind in self.kinds]
        X = np.where(categories, self.X, scaled) if any(categories) else scaled
        # Scaled yes/no values are numbers.
        kinds = [kind if kind.is_category else PLAIN for kind in self.kinds]
        return replace(self, X=X, kinds=kinds)

    @classmethod
    def from_frame(
        cls,
        frame: Frame,
        *,
        qid: str | None = "qid",
        label: str | None = "label",
        document: str | None = "auto",
        weight: str | None = "auto",
        features: Sequence[str] | None = None,
        categorical: Sequence[str] = (),
        missing: str = "keep",
        missing_values: Sequence[str] = (),
        exclude: Sequence[str] = (),
        split: str | None = None,
        part: str | None = None,
        duplicates: str = "keep",
    ) -> "RankingData":
        """Make RankingData from a pandas or Polars frame (eager or lazy), an Arrow table or a DuckDB relation.

        ``qid``, ``label``, ``document`` and ``weight`` are column names. With ``"auto"``, documents come from column
        ``doc_id``, row weights from ``weight`` and labels from ``label``, if it exists; with None there are none. Data
        without labels, whose ``y`` is None, can be ranked and explained. ``qid=None`` makes all rows one query.
        ``features`` lists the feature columns; the default is every remaining column. Columns in ``exclude`` are not
        read at all, whatever they contain. Both accept patterns such as ``"S_*"``, and ranges of columns such as
        ``"MW..logP"`` or ``"MW.."``.

        With ``split`` and ``part``, only the rows with the value ``part`` in the column ``split`` are taken, such as
        ``split="set", part="train"``. Levels of categories are those of the whole table. With ``qid=None``, each part
        is one query, named after the part.

        Feature columns are numbers, booleans or text, which is a category; ``categorical`` lists columns that are
        categories although they contain numbers. A null, a NaN and an empty text are missing values, and so are the
        texts ``missing_values``, such as ``["NA"]``, in columns of numbers. If a document has several rows in a query,
        ``duplicates="first"`` keeps the first, and ``"refuse"`` is an error.

        >>> import polars
        >>> frame = polars.DataFrame({"qid": [1, 1], "label": [2, 0], "bm25": [3.5, 1.25], "doc_id": ["d1", "d2"]})
        >>> data = RankingData.from_frame(frame)
        >>> data.feature_names, data.X.tolist(), data.doc_ids.tolist()
        (('bm25',), [[3.5], [1.25]], ['d1', 'd2'])
        """
        columns = read_ranking_columns(
            frame, qid, label, document, weight, features, categorical, missing_values, exclude, split, part
        )
        return cls(**columns, missing=missing).settle_duplicates(duplicates)

    def to_frame(self, backend: str | None = None) -> Frame:
        """Return a data frame with the columns qid, doc_id, label and weight, if present, and the features.

        >>> data = RankingData([[0.5], [0.1]], y=[1, 0], qid=[7, 7], feature_names=["bm25"])
        >>> data.to_frame("polars").columns
        ['qid', 'label', 'bm25']
        """
        return make_frame(self.table_columns(), backend)

    def table_columns(self) -> dict[str, Any]:
        """Return the columns of a table as arrays, features last."""
        others = {"qid": self.qid, "doc_id": self.doc_ids, "label": self.y, "weight": self.weights}
        return make_ranking_columns(self.X, self.kinds, self.feature_names, **others)


def check_ranking_data(data: object, name: str = "data") -> None:
    """Raise an error for an argument that is not RankingData, with the ways to make it.

    >>> check_ranking_data([[0.5]], "train")
    Traceback (most recent call last):
    ...
    glassrank.core.checks.DataError: train must be RankingData: got list. Make it from a data frame with \
RankingData.from_frame, from arrays with RankingData(X, y, qid), or from a file with load_data.
    """
    if not isinstance(data, RankingData):
        raise DataError(
            f"{name} must be RankingData: got {type(data).__name__}.",
            parameter=name,
            expected="RankingData",
            got=type(data).__name__,
            remedy=(
                "Make it from a data frame with RankingData.from_frame",
                "from arrays with RankingData(X, y, qid)",
                "from a file with load_data",
            ),
        )


def _feature_names(names: Any, n_features: int) -> tuple[str, ...]:
    if names is None:
        return numbered_names(n_features)
    result = tuple(str(name) for name in names)
    check_length("feature_names", result, n_features, per="column of X")
    repeated = min((name for name, times in Counter(result).items() if times > 1), default=None)
    if repeated is not None:
        raise DataError(
            f"feature_names must be unique: {repeated!r} appears {result.count(repeated)} times.",
            parameter="feature_names",
        )
    return result


def _part_sizes(shares: tuple[float, ...], n_queries: int) -> Any:
    """Return the numbers of queries nearest to the shares, at least 1 per part; the largest part absorbs the rest."""
    sizes = np.maximum(1, np.round(np.array(shares) * n_queries)).astype(int)
    while sizes.sum() != n_queries:
        sizes[np.argmax(sizes)] += 1 if sizes.sum() < n_queries else -1
    return sizes


def _freeze(X: Matrix) -> Matrix:
    if sparse.issparse(X):
        parts = (read_only(X.data), read_only(X.indices), read_only(X.indptr))
        return sparse.csr_matrix(parts, shape=X.shape, copy=False)
    return read_only(X)
