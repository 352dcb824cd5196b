"""Numbers in another notation never become a category without a word, and neither do missing values."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import glassrank as gr
from glassrank import DataError, RankingData
from tests.cli.commands import glassrank

NOTATIONS = {
    "decimal comma": ["0,5", "1,5", "2,5", ""],
    "thousands": ["1,100", "2,300", "950"],
    "Swiss": ["1’234.50", "12’000", "7"],
    "narrow spaces": ["1\u202f234", "22\u202f000"],
    "underscores": ["1_000", "7"],
    "dollars": ["$3", "-$2", "$-1.50"],
    "euros": ["3,99 €", "12 €", "1.234,50 €"],
    "code": ["EUR 3", "EUR 4"],
    "per cent": ["5%", "12.5 %"],
    "minus": ["−5", "3"],
    "unit": ["2 kg", "3.5 kg"],
    "other digits": ["٣", "٤"],
}
CATEGORIES = {
    "units": ["2 kg", "500 g", "1 l"],
    "codes": ["5a", "7b", "A4"],
    "dates": ["01.02.2024", "2024-01", "12:30"],
    "ranges": ["1-5", "6-10", "1/2"],
    "few numbers": ["5 stars", "new", "sale", "used"],
}
MAKERS = {
    "csv": lambda frame, folder: from_file(frame, folder / "a.csv"),
    "tsv": lambda frame, folder: from_file(frame, folder / "a.tsv"),
    "parquet": lambda frame, folder: from_file(frame, folder / "a.parquet"),
    "pandas": lambda frame, folder: lambda **options: RankingData.from_frame(frame.to_pandas(), **options),
    "polars": lambda frame, folder: lambda **options: RankingData.from_frame(frame, **options),
    "duckdb": lambda frame, folder: (
        lambda **options: RankingData.from_frame(duckdb.connect().from_arrow(frame.to_arrow()), **options)
    ),
}


def from_file(frame, path):
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    else:
        frame.write_csv(path, separator="," if path.suffix == ".csv" else "\t")
    return lambda **options: gr.load_data(path, **options)


def reader(make, values, folder):
    n_rows = len(values)
    frame = pl.DataFrame({"qid": ["q"] * n_rows, "label": [row % 2 for row in range(n_rows)], "f": values})
    return MAKERS[make](frame, folder)


@pytest.mark.parametrize("values", NOTATIONS.values(), ids=NOTATIONS)
@pytest.mark.parametrize("make", MAKERS)
def test_numbers_in_another_notation_are_an_error_with_line_value_and_remedy(make, values, tmp_path):
    read = reader(make, values, tmp_path)
    with pytest.raises(DataError) as caught:
        read()
    place = f"{tmp_path}/a.{make}:2: " if make in ("csv", "tsv") else "row 0: "
    assert str(caught.value).startswith(f"{tmp_path}/a.parquet: {place}" if make == "parquet" else place)
    assert f"column 'f' contains numbers in another notation, such as {values[0]!r}" in str(caught.value)
    assert "Convert them to plain numbers such as 1234.5" in str(caught.value)
    assert read(categorical=["f"]).kinds[0].levels == tuple(sorted({value for value in values if value}))
    with pytest.raises(DataError, match="There is no feature column"):
        read(exclude=["f"])


@pytest.mark.parametrize("values", CATEGORIES.values(), ids=CATEGORIES)
@pytest.mark.parametrize("make", MAKERS)
def test_other_text_with_digits_is_a_category(make, values, tmp_path):
    assert reader(make, values, tmp_path)().kinds[0].levels == tuple(sorted(values))


def test_a_few_words_do_not_hide_another_notation(tmp_path):
    with pytest.raises(DataError, match=r"a\.csv:3: column 'f' contains numbers in another notation, such as '0,5'"):
        reader("csv", ["n/a", *["0,5", "1,5"] * 10], tmp_path)()
    assert reader("csv", ["n/a", "sale", "0,5", "1,5"], tmp_path)().kinds[0].is_category


def test_a_saved_category_that_looks_like_numbers_warns(tmp_path):
    data = reader("polars", ["$3", "$5", "$3"], tmp_path)(categorical=["f"])
    with pytest.warns(UserWarning, match="text does not show that 'f' is a category"):
        gr.save_data(data, tmp_path / "b.csv")


@pytest.mark.parametrize("values", [["nan", "NaN", ""], ["", None, ""], ["-nan", "nan", "nan"]])
@pytest.mark.parametrize("make", MAKERS)
def test_a_column_of_missing_values_only_is_no_category_of_nan(make, values, tmp_path):
    data = reader(make, values, tmp_path)()
    assert data.kinds[0].name == "number"
    assert np.isnan(data.X).all()
    assert reader(make, ["NA", "-", "NA"], tmp_path)(missing_values=["NA", "-"]).kinds[0].name == "number"


EMPTY = "qid,label,a,empty,nan\n" + "".join(
    f"{q},{row % 2},{row % 2 + q * row / 99},,nan\n" for q in range(6) for row in range(5)
)


def test_a_column_without_values_is_left_out_of_training_with_a_note(tmp_path):
    (tmp_path / "a.csv").write_text(EMPTY)
    said = glassrank("data", "info", "a.csv", folder=tmp_path)
    assert "without any value, so left out of training: empty, nan" in said.out
    said = glassrank("train", "a.csv", "--output", "m.json", folder=tmp_path)
    assert said.err.startswith("Left out empty, nan: no row of the training data has a value.\n")
    assert gr.load_model(tmp_path / "m.json").feature_names_in_.tolist() == ["a"]
    # The model ranks tables with the column and without it.
    assert glassrank("rank", "m.json", "a.csv", folder=tmp_path).code == 0


def test_a_study_leaves_it_out_with_a_warning(tmp_path):
    (tmp_path / "a.csv").write_text(EMPTY)
    data = gr.load_data(tmp_path / "a.csv")
    known = pd.read_csv(tmp_path / "a.csv").fillna(1.0)
    test = RankingData.from_frame(known.assign(qid=[f"t{query}" for query in known.qid]))
    with pytest.warns(UserWarning, match=r"^Left out empty, nan: no row of the training data has a value\.$") as caught:
        found = gr.study(data, test=test, folder=tmp_path / "study", tune=0)
    assert gr.load_model(tmp_path / "study" / "model.json").feature_names_in_.tolist() == ["a"]
    assert found.main.n_queries == 6
    assert caught[0].filename == __file__
