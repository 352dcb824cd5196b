"""Columns of many levels as a sparse matrix: the same pairs, the same machine."""

import numpy as np
import pytest
from scipy import sparse

from glassrank.core.feature_kinds import PLAIN, FeatureKind, FeatureTable
from glassrank.ranking.rank_svm import RankSVM


@pytest.fixture(scope="module", params=[0.0, 0.15], ids=["known", "missing"])
def table(request):
    """Two numbers and a category of 60 levels, of which some are rare, in 30 queries."""
    rng = np.random.default_rng(0)
    n = 900
    levels = np.minimum(rng.geometric(0.05, n), 60) - 1.0
    effect = rng.normal(size=60)
    X = np.column_stack([rng.normal(size=(n, 2)), levels])
    y = np.digitize(X[:, 0] + effect[levels.astype(int)] + rng.normal(size=n), [-1.0, 1.0])
    X[rng.random(n) < request.param, 2] = np.nan
    kinds = (PLAIN, PLAIN, FeatureKind("category", tuple(f"level {k}" for k in range(60))))
    return FeatureTable(X, kinds, ("a", "b", "c")), y, np.repeat(np.arange(30), 30)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge", "logistic"])
def test_the_sparse_machine_is_that_of_the_centred_columns(loss, table):
    X, y, qid = table
    model = RankSVM(5.0, loss=loss, tol=1e-9).fit(X, y, qid=qid)
    dense = RankSVM(5.0, loss=loss, tol=1e-9).fit(model.feature_map_(X.values), y, qid=qid)
    np.testing.assert_allclose(model.coef_, dense.coef_, atol=1e-4 if loss == "hinge" else 1e-6)
    assert model.objective_ == pytest.approx(dense.objective_, rel=1e-8)
    assert model.duality_gap_ <= 1e-9 * model.objective_


def test_differences_of_rows_are_those_of_the_centred_columns(table):
    X, y, qid = table
    columns = RankSVM().fit(X, y, qid=qid).feature_map_
    found = columns.for_pairs(X.values)
    assert sparse.issparse(found)
    expected = columns(X.values)
    np.testing.assert_allclose(np.diff(found.toarray(), axis=0), np.diff(expected, axis=0), atol=1e-12)


def test_few_levels_stay_dense(table):
    X, y, qid = table
    few = FeatureTable(np.where(X.values < 58, X.values, 0.0) % 4, X.kinds, X.names)
    columns = RankSVM().fit(few, y, qid=qid).feature_map_
    assert isinstance(columns.for_pairs(few.values), np.ndarray)


def test_curves_beside_many_levels_stay_dense(table):
    X, y, qid = table
    columns = RankSVM(kernel="lrbf").fit(X, y, qid=qid).feature_map_
    assert isinstance(columns.for_pairs(X.values), np.ndarray)
