"""The public LETOR and LightGBM data are read bit for bit as by scikit-learn's reader."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_svmlight_file, load_svmlight_files

from glassrank.data.letor.lightgbm_text import load_lightgbm
from glassrank.data.letor.load_letor import load_letor, save_letor


@pytest.fixture(scope="module")
def parts(real_data):
    return [real_data / "ohsumed-letor2" / f"S{number}.txt.gz" for number in range(1, 6)]


def test_ohsumed_has_the_published_counts(parts):
    data = load_letor(parts)
    assert (data.n_rows, data.n_queries, data.n_features) == (16_140, 106, 25)
    assert np.unique(data.y, return_counts=True)[1].tolist() == [11_303, 2_585, 2_252]
    assert np.unique(data.y).tolist() == [0, 1, 2]
    assert data.doc_ids[:2].tolist() == ["40626", "11852"]
    assert not (data.doc_ids == "").any()


def test_ohsumed_equals_scikit_learns_reading(parts):
    data = load_letor(parts)
    loaded = load_svmlight_files([str(part) for part in parts], query_id=True)
    X = sparse.vstack(loaded[0::3]).toarray()
    assert np.array_equal(data.X.view(np.int64), X.view(np.int64))
    assert np.array_equal(data.y, np.concatenate(loaded[1::3]))
    assert np.array_equal(data.qid, np.concatenate(loaded[2::3]))


def test_ohsumed_is_written_and_read_back_unchanged(parts, tmp_path):
    data = load_letor(parts)
    save_letor(data, tmp_path / "all.txt.gz")
    again = load_letor(tmp_path / "all.txt.gz")
    assert np.array_equal(data.X.view(np.int64), again.X.view(np.int64))
    assert np.array_equal(data.doc_ids, again.doc_ids)


@pytest.mark.parametrize(("part", "n_rows", "n_queries"), [("train", 3005, 201), ("test", 768, 50)])
def test_lightgbms_example_has_the_published_counts_and_scikit_learns_values(real_data, part, n_rows, n_queries):
    path = real_data / "lightgbm-rank" / f"rank.{part}"
    data = load_lightgbm(path)
    assert (data.n_rows, data.n_queries, data.n_features) == (n_rows, n_queries, 300)
    assert data.groups.sizes.tolist() == np.loadtxt(f"{path}.query", dtype=int).tolist()
    X, y = load_svmlight_file(str(path))
    assert sparse.issparse(data.X)
    assert np.array_equal(data.X.indices, X.indices)
    assert np.array_equal(data.X.indptr, X.indptr)
    assert np.array_equal(data.X.data.view(np.int64), X.data.view(np.int64))
    assert np.array_equal(data.y, y)
