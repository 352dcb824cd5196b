"""Several rows of one document in a query: counted and named, and left out or refused on demand."""

import json

import pytest

import glassrank as gr
from tests.cli.commands import glassrank
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here

FOUND = (
    "3 rows repeat a document of their query: 'a<b>' of query q1 (row 2), 'd0' of query q2 (row 5), "
    "'d0' of query q2 (row 6)"
)


@pytest.fixture
def folder(tmp_path):
    rows = [("q1", "a<b>"), ("q1", "d1"), ("q1", "a<b>"), ("q2", "d0"), ("q2", "d1"), ("q2", "d0"), ("q2", "d0")]
    rows += [(f"q{query}", f"d{document}") for query in range(3, 9) for document in range(4)]
    lines = [f"{q},{d},{row % 3},{row % 3 + row % 2 / 2},{row % 4}" for row, (q, d) in enumerate(rows)]
    (tmp_path / "t.csv").write_text("\n".join(["qid,doc_id,label,x,z", *lines]) + "\n")
    no_ids = [",".join(line.split(",")[::2]) for line in lines]
    (tmp_path / "no-ids.csv").write_text("\n".join(["qid,label,z", *no_ids, *no_ids[:2]]) + "\n")
    return tmp_path


def test_info_counts_and_names_them(folder):
    assert f"\nduplicated documents: {FOUND}\n" in glassrank("data", "info", "t.csv", "-q", folder=folder).out
    (found,) = json.loads(glassrank("data", "info", "t.csv", "-q", "--json", folder=folder).out)
    assert (found["n_duplicates"], found["duplicates"]) == (3, FOUND)


def test_identical_rows_without_document_ids_are_no_duplicated_documents(folder):
    found = glassrank("data", "info", "no-ids.csv", "--duplicates", "refuse", folder=folder)
    assert (found.code, found.err) == (0, "")
    assert "duplicate" not in found.out


def test_letor_lines_without_an_id_are_no_duplicates_of_each_other(folder):
    lines = ["1 qid:1 1:0.5", "0 qid:1 1:0.25", "2 qid:1 1:1 #docid = d1", "0 qid:1 1:0 #docid = d1"]
    (folder / "t.txt").write_text("\n".join(lines) + "\n")
    assert gr.load_data(folder / "t.txt").duplicates.rows.tolist() == [3]


def test_train_and_study_name_them_and_the_report_counts_them(folder):
    trained = glassrank("train", "t.csv", "--output", "m.json", folder=folder)
    assert (trained.code, trained.err) == (0, f"t.csv: {FOUND}.\nWrote m.json.\n")
    studied = glassrank("study", "t.csv", "--tune", 0, "--C", 1, folder=folder)
    assert studied.code == 0, studied.err
    assert f"t.csv: {FOUND}.\n" in studied.err
    page = (folder / "t-study" / "report.html").read_text(encoding="utf-8")
    assert "Duplicated documents" in page
    assert "&#x27;a&lt;b&gt;&#x27; of query q1 (row 2)" in page or "'a&lt;b&gt;' of query q1 (row 2)" in page


@pytest.mark.parametrize("command", [["train", "--output", "m.json"], ["study", "--tune", 0], ["data", "info"]])
def test_they_are_refused_on_demand_and_the_remedy_works(folder, command):
    refused = glassrank(*command, "t.csv", "--duplicates", "refuse", folder=folder)
    assert (refused.code, refused.out) == (1, "")
    remedy = "Remove them, or keep the first row of each document with --duplicates first."
    assert refused.err == f"Error: t.csv: {FOUND}. {remedy}\n"
    followed = glassrank(*command, "t.csv", "--duplicates", "first", folder=folder)
    assert followed.code == 0, followed.err
    assert f"t.csv: {FOUND}. Only the first row of each is kept.\n" in followed.err


def test_the_first_row_of_each_document_is_kept(folder):
    kept = [row for row in range(31) if row not in (2, 5, 6)]
    every, first = (gr.load_data(folder / "t.csv", duplicates=rule) for rule in ("keep", "first"))
    assert first.X.tolist() == every.X[kept].tolist()
    assert first.rows.tolist() == kept
    assert len(first.duplicates) == 0
    frame = every.to_frame("polars")
    assert gr.RankingData.from_frame(frame, duplicates="first").y.tolist() == every.y[kept].tolist()
    with pytest.raises(gr.DataError, match=r"t\.csv: 3 rows repeat .* with duplicates='first'"):
        gr.load_data(folder / "t.csv", duplicates="refuse")


def test_blocks_are_not_searched_for_them(folder):
    assert glassrank("data", "partition", "t.csv", "--output", "blocks", "-q", folder=folder).code == 0
    refused = glassrank("train", "blocks", "--output", "m.json", "--duplicates", "first", folder=folder)
    assert (refused.code, "--duplicates is for files, and blocks is a folder" in refused.err) == (2, True)
