"""Columns that are left out of a table."""

import polars
import pytest

from glassrank.core.checks import DataError
from glassrank.data.load_data import load_data
from glassrank.data.ranking_data import RankingData

BROKEN = "qid,label,doc_id,weight,bm25,size,title\n1,1,a,1,0.5,12,x\n1,0,b,0,0.25,large,y\n"


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "frame"])
def test_excluded_columns_are_not_read_whatever_they_contain(suffix, tmp_path):
    rows = [line.split(",") for line in BROKEN.splitlines()]
    (tmp_path / "a.tsv").write_text(BROKEN.replace(",", "\t"))
    (tmp_path / "a.csv").write_text(BROKEN)
    frame = polars.DataFrame({"qid": [1, 1], "label": [1, 0], "doc_id": ["a", "b"], "weight": [1, 0]}).with_columns(
        bm25=polars.Series([0.5, 0.25]), size=polars.Series([[1], [2]]), title=polars.Series([b"x", b"\xff"])
    )
    frame.write_parquet(tmp_path / "a.parquet")
    exclude = ["size", "title"]
    if suffix == "frame":
        data = RankingData.from_frame(frame, exclude=exclude)
    else:
        data = load_data(tmp_path / f"a.{suffix}", exclude=exclude)
    assert rows[0][4:5] == list(data.feature_names)
    assert (data.X.tolist(), data.doc_ids.tolist(), data.weights.tolist()) == ([[0.5], [0.25]], ["a", "b"], [1, 0])


def test_excluding_the_usual_column_of_documents_or_weights_leaves_them_out(tmp_path):
    (tmp_path / "a.csv").write_text(BROKEN)
    data = load_data(tmp_path / "a.csv", exclude=["doc_id", "weight", "size", "title"])
    assert (data.doc_ids, data.weights, data.feature_names) == (None, None, ("bm25",))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"exclude": ["sise"]},
            r"exclude must name columns: there is no column 'sise'; the columns are 'qid', 'label'",
        ),
        ({"exclude": ["label"]}, r"Column 'label' is excluded, and also used as .* Omit one of the two\."),
        ({"exclude": ["bm25"], "features": ["bm25"]}, r"Column 'bm25' is excluded, and also used as"),
        ({"exclude": ["size", "title", "bm25"]}, r"There is no feature column"),
        ({"exclude": "size"}, r"exclude must be a list: got the string 'size'\. Use exclude=\['size'\]\."),
        ({"exclude": ["title"]}, r"column 'size' contains numbers and text.*leave it out: exclude=\['size'\]\."),
    ],
)
def test_wrong_exclusions_are_refused(options, message, tmp_path):
    (tmp_path / "a.csv").write_text(BROKEN)
    with pytest.raises(DataError, match=message):
        load_data(tmp_path / "a.csv", **options)
