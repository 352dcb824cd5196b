"""LETOR text is read correctly: rows, queries, identifiers, numbering and layout."""

import gzip
import lzma

import numpy as np
import pytest
from scipy import sparse

from glassrank import DataError
from glassrank.data.letor.load_letor import load_letor


@pytest.fixture
def write(tmp_path):
    """Write texts to files; return their paths."""

    def write(*texts: str | bytes):
        paths = []
        for number, text in enumerate(texts, start=1):
            path = tmp_path / f"part{number}.txt"
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            paths.append(path)
        return paths[0] if len(paths) == 1 else paths

    return write


def test_a_line_gives_label_query_features_and_identifier(write):
    data = load_letor(write("2 qid:10 1:0.5 2:-3 #docid = 40626\n0 qid:10 1:1e2 2:.25 #docid = 11852\n"))
    assert data.X.tolist() == [[0.5, -3.0], [100.0, 0.25]]
    assert data.y.tolist() == [2.0, 0.0]
    assert data.qid.tolist() == [10, 10]
    assert data.doc_ids.tolist() == ["40626", "11852"]
    assert data.feature_names == ("feature 1", "feature 2")
    assert data.X.dtype == np.float64
    assert data.qid.dtype == np.int64


@pytest.mark.parametrize(
    "text",
    [
        "1 qid:1 1:5 2:6\n0 qid:1 1:7 2:8",
        "1 qid:1 1:5 2:6\r\n0 qid:1 1:7 2:8\r\n",
        "1\tqid:1\t1:5\t2:6\t\n0 qid:1  1:7 \t 2:8 \n",
        "\ufeff1 qid:1 1:5 2:6\n0 qid:1 1:7 2:8\n",
        "# a remark\n\n 1 qid:1 1:5 2:6\n   \n#another\n0 qid:1 1:7 2:8\n\n",
        "+1 qid:01 01:5.0 2:6.\n-0 qid:1 1:7e0 2:0.8E+1\n",
    ],
    ids=["no last line end", "CRLF", "tabs", "byte-order mark", "remarks and blank lines", "other spellings"],
)
def test_equivalent_texts_are_read_the_same(write, text):
    data = load_letor(write(text))
    assert data.X.tolist() == [[5.0, 6.0], [7.0, 8.0]]
    assert data.y.tolist() == [1.0, 0.0]
    assert data.qid.tolist() == [1, 1]
    assert data.doc_ids is None


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress], ids=["gzip", "xz"])
def test_compressed_files_are_decompressed(write, pack):
    assert load_letor(write(pack(b"1 qid:1 1:5\n"))).X.tolist() == [[5.0]]


@pytest.mark.parametrize(
    ("comment", "identifier"),
    [
        ("#docid = GX029-35-5894638 inc = 0.0119 prob = 0.139", "GX029-35-5894638"),
        ("# docid=7", "7"),
        ("#docid\t=\t7", "7"),
        ("# 1A", "1A"),
        ("#  zen buddhism \t", "zen buddhism"),
        ("#docids = 7", "docids = 7"),
        ("#docid 7", "docid 7"),
        ("#docid =", ""),
        ("#", ""),
        ("# #7", "#7"),
        ("#docid = grün", "grün"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_the_comment_names_the_document(write, comment, identifier, end):
    assert load_letor(write(f"1 qid:1 1:5 {comment}{end}")).doc_ids.tolist() == [identifier]


def test_a_comment_may_follow_a_number_without_a_blank(write):
    data = load_letor(write("1#a\n", "1 qid:3#b\n", "1 qid:4 1:2#c\n")[1:])
    assert data.doc_ids.tolist() == ["b", "c"]
    assert data.X.tolist() == [[0.0], [2.0]]


def test_a_line_without_comment_among_lines_with_one_has_an_empty_identifier(write):
    assert load_letor(write("1 qid:1 1:5 # a\n0 qid:1 1:5\n")).doc_ids.tolist() == ["a", ""]


def test_features_that_a_line_does_not_list_are_zero(write):
    data = load_letor(write("1 qid:1 1:5 3:7\n0 qid:1 2:6 3:8\n0 qid:1\n"), layout="dense")
    assert data.X.tolist() == [[5.0, 0.0, 7.0], [0.0, 6.0, 8.0], [0.0, 0.0, 0.0]]


def test_rows_of_a_query_need_not_be_adjacent(write):
    data = load_letor(write("1 qid:1 1:5\n1 qid:2 1:6\n0 qid:1 1:7\n"))
    assert data.n_queries == 2
    assert data.groups.rows(0).tolist() == [0, 2]


def test_queries_can_be_any_64_bit_whole_numbers(write):
    text = "".join(f"1 qid:{query} 1:5\n" for query in (-(2**63), -1, 0, 2**63 - 1))
    assert load_letor(write(text)).qid.tolist() == [-(2**63), -1, 0, 2**63 - 1]


def test_a_feature_0_makes_the_numbering_start_at_0(write):
    path = write("1 qid:1 0:5 1:6\n0 qid:1 1:7\n")
    data = load_letor(path)
    assert data.X.tolist() == [[5.0, 6.0], [0.0, 7.0]]
    assert data.feature_names == ("feature 0", "feature 1")
    with pytest.raises(DataError, match=r"part1.txt:1:9: feature numbers must start at 1: got 0. Pass zero_based=True"):
        load_letor(path, zero_based=False)


def test_zero_based_can_be_set(write):
    data = load_letor(write("1 qid:1 1:5 2:6\n"), zero_based=True)
    assert data.X.tolist() == [[0.0, 5.0, 6.0]]
    assert data.feature_names == ("feature 0", "feature 1", "feature 2")


def test_the_number_of_features_can_be_set(write):
    path = write("1 qid:1 1:5 3:6\n")
    assert load_letor(path, n_features=4, layout="dense").X.tolist() == [[5.0, 0.0, 6.0, 0.0]]
    with pytest.raises(DataError, match=r"part1.txt:1:13: feature number 3 is too large: expected 0 to 2 for 2 fea"):
        load_letor(path, n_features=2)
    assert load_letor(write("1 qid:1\n"), n_features=2).X.shape == (1, 2)


def test_a_feature_0_and_a_feature_n_do_not_fit_into_n_features(write):
    with pytest.raises(DataError, match=r"part1.txt:2:9: feature number 3 is too large: expected 0 to 2"):
        load_letor(write("1 qid:1 0:5\n0 qid:1 3:6\n"), n_features=3)


def test_a_third_of_stored_values_decides_the_layout(write):
    a_third, less = "1 qid:1 3:5\n", "1 qid:1 4:5\n"
    assert not sparse.issparse(load_letor(write(a_third)).X)
    assert sparse.issparse(load_letor(write(less)).X)
    assert not sparse.issparse(load_letor(write(less), layout="dense").X)
    assert load_letor(write(a_third), layout="csr").X.toarray().tolist() == [[0.0, 0.0, 5.0]]


def test_csr_stores_the_values_in_the_file_including_zeros(write):
    X = load_letor(write("1 qid:1 1:0 4:5\n0 qid:1 2:-0.0\n"), layout="csr").X
    assert X.indices.tolist() == [0, 3, 1]
    assert X.indptr.tolist() == [0, 2, 3]
    assert np.signbit(X.data).tolist() == [False, False, True]


def test_missing_values_are_kept_or_rejected(write):
    path = write("1 qid:1 1:5 2:NaN\n")
    with pytest.raises(DataError, match=r"part1.txt:1:15: the value of feature 2 is missing: got 'NaN'. .*='keep'"):
        load_letor(path, missing="refuse")
    data = load_letor(path)
    assert np.isnan(data.X).tolist() == [[False, True]]
    assert data.missing == "keep"


def test_several_files_are_concatenated(write):
    texts = "1 qid:1 1:5\n0 qid:1 1:6 # a\n", "2 qid:2 1:7 2:8 3:9\n", "0 qid:3 1:1 2:2 3:3 # long name\n"
    data = load_letor(write(*texts))
    assert data.X.tolist() == [[5, 0, 0], [6, 0, 0], [7, 8, 9], [1, 2, 3]]
    assert data.qid.tolist() == [1, 1, 2, 3]
    assert data.doc_ids.tolist() == ["", "a", "", "long name"]
    csr = load_letor(iter(write(*texts)), layout="csr").X
    assert csr.toarray().tolist() == data.X.tolist()
    assert csr.has_canonical_format


def test_files_that_share_a_query_are_rejected(write):
    with pytest.raises(DataError, match=r"qid:2 is in .*part1.txt and in .*part3.txt: expected each query in"):
        load_letor(write("1 qid:1 1:5\n1 qid:2 1:5\n", "1 qid:3 1:5\n", "1 qid:2 1:5\n"))


def test_files_with_different_numbering_are_rejected(write):
    paths = write("1 qid:1 1:5 2:6\n", "1 qid:2 0:5 1:6\n")
    with pytest.raises(DataError, match=r"part2.txt has a feature 0 and .*part1.txt has none: .* Pass zero_based=True"):
        load_letor(paths)
    assert load_letor(paths, zero_based=True).X.tolist() == [[0, 5, 6], [5, 6, 0]]


def test_an_empty_list_of_files_is_rejected():
    with pytest.raises(DataError, match="at least one path"):
        load_letor([])


def test_comment_lines_at_the_top_name_the_features(write):
    text = "# judged in spring\n# feature 1 = bm25 of title\r\n\n #feature 3=age\n1 qid:1 1:5 2:6\n# feature 2 = late\n"
    data = load_letor(write(text), layout="dense")
    assert data.feature_names == ("bm25 of title", "feature 2", "age")
    assert data.X.tolist() == [[5.0, 6.0, 0.0]]
    assert load_letor(write(text), feature_names=["a", "b", "c"]).feature_names == ("a", "b", "c")


def test_the_names_of_several_files_are_merged(write):
    data = load_letor(write("# feature 1 = a\n1 qid:1 1:5\n", "# feature 1 = a\n# feature 2 = b\n1 qid:2 1:5\n"))
    assert data.feature_names == ("a", "b")
    with pytest.raises(DataError, match=r"part2.txt: feature 1 is named 'b', but 'a' in an earlier file"):
        load_letor(write("# feature 1 = a\n1 qid:1 1:5\n", "# feature 1 = b\n1 qid:2 1:5\n"))


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"layout": "full"}, "layout must be one of 'auto', 'dense', 'csr': got 'full'"),
        ({"zero_based": "yes"}, "zero_based must be one of 'auto', True, False: got 'yes'"),
        ({"missing": "drop"}, "missing must be one of 'refuse', 'keep': got 'drop'"),
        ({"n_features": 0}, "n_features must be a whole number from 1 to 2,147,483,647, or None: got 0"),
        ({"n_features": 2.5}, "n_features must be a whole number .*: got 2.5"),
        ({"feature_names": ["a", "b"]}, "feature_names must have one entry per column of X: expected 1, got 2"),
    ],
)
def test_options_are_checked(write, option, message):
    with pytest.raises(DataError, match=message):
        load_letor(write("1 qid:1 1:5\n"), **option)
