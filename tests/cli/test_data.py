"""``glassrank data``: what it prints, writes and refuses."""

import json

import numpy as np
import pytest

from glassrank.data.load_data import load_data
from glassrank.simulation.ranking import simulate_ranking
from tests.cli.commands import glassrank


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with simulated data, and the same simulation in memory."""
    folder = tmp_path_factory.mktemp("data")
    done = glassrank("data", "simulate", "sim.csv", "--queries", 8, "--documents", 12, "--seed", 5, folder=folder)
    assert done.code == 0, done.err
    return folder


@pytest.fixture(scope="module")
def simulated():
    return simulate_ranking(8, 12, random_state=5)


def assert_same(first, second):
    assert np.array_equal(first.X, second.X)
    assert np.array_equal(first.y, second.y)
    assert first.qid.tolist() == second.qid.tolist()
    assert first.doc_ids.tolist() == second.doc_ids.tolist()
    assert first.feature_names == second.feature_names


def test_simulate_writes_what_the_library_simulates(folder, simulated):
    assert_same(load_data(folder / "sim.csv"), simulated.data)


def test_simulate_reports_on_stderr_that_the_data_are_simulated(tmp_path):
    done = glassrank("data", "simulate", "a.tsv", "--queries", 3, folder=tmp_path)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("Simulated ranking data (seed 0), not measured on any search engine\n")
    assert "Wrote a.tsv: " in done.err


def test_quiet_prints_no_notes(tmp_path):
    done = glassrank("data", "simulate", "a.csv", "--queries", 3, "--quiet", folder=tmp_path)
    assert (done.code, done.out, done.err) == (0, "", "")
    done = glassrank("data", "convert", "a.csv", "b.parquet", "-q", folder=tmp_path)
    assert (done.code, done.out, done.err) == (0, "", "")


def test_simulate_numbers_the_queries_of_letor(tmp_path):
    assert glassrank("data", "simulate", "a.txt.gz", "--queries", 3, folder=tmp_path).code == 0
    data = load_data(tmp_path / "a.txt.gz")
    assert data.groups.ids.tolist() == [1, 2, 3]
    assert np.array_equal(data.X, simulate_ranking(3, random_state=0).data.X)


def test_info_prints_the_description_of_each_file(folder, simulated):
    done = glassrank("data", "info", "sim.csv", "sim.csv", folder=folder)
    found = simulated.data.describe()
    described = f"sim.csv\n{found}\n\n{found.features}\n"
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{described}\n{described}"


def test_info_as_json_has_one_entry_per_file(folder, simulated):
    done = glassrank("data", "info", "--json", "sim.csv", folder=folder)
    (entry,) = json.loads(done.out)
    assert entry == {"file": "sim.csv"} | json.loads(simulated.data.describe().to_json())
    assert entry["n_queries"] == 8


def test_info_counts_missing_values(tmp_path):
    (tmp_path / "holes.csv").write_text("qid,label,bm25,age\n1,1,0.5,\n1,0,,\n")
    (entry,) = json.loads(glassrank("data", "info", "--json", "holes.csv", folder=tmp_path).out)
    assert entry["n_missing"] == 3


def test_info_reads_tables_with_other_columns(tmp_path):
    (tmp_path / "odd.csv").write_text("q,rel,title,bm25,age\n1,2,some words,3,0\n1,0,,1,0\n")
    columns = ["--query-column", "q", "--label-column", "rel", "--feature", "bm25", "--feature", "age"]
    done = glassrank("data", "info", "odd.csv", "--json", *columns, folder=tmp_path)
    (entry,) = json.loads(done.out)
    assert (entry["n_features"], entry["n_pairs"]) == (2, 1)
    assert entry["constant_features"] == ["age"]


def test_an_error_names_the_options_of_this_command(tmp_path):
    (tmp_path / "odd.csv").write_text("q,rel,bm25\n1,2,3\n")
    (tmp_path / "odd.dat").write_text("q rel bm25\n")
    assert "--query-column, --label-column" in glassrank("data", "info", "odd.csv", folder=tmp_path).err
    assert "Set --from to one of 'letor'" in glassrank("data", "info", "odd.dat", folder=tmp_path).err


def test_column_options_are_refused_for_other_formats(folder):
    done = glassrank("data", "info", "sim.txt", "--query-column", "q", folder=folder)
    assert done.code == 2
    assert "--query-column is for tables (csv, tsv, parquet), and sim.txt is not named like one." in done.err


@pytest.mark.parametrize("name", ["a.tsv", "a.parquet", "a.csv.gz", "a.tsv.xz"])
def test_convert_keeps_everything_in_a_table(name, folder, simulated, tmp_path):
    done = glassrank("data", "convert", folder / "sim.csv", name, folder=tmp_path)
    assert (done.code, done.out) == (0, "")
    assert done.err == f"Wrote {name}: {simulated.data.n_rows} rows, 8 queries, 18 features.\n"
    assert_same(load_data(tmp_path / name), simulated.data)


def test_convert_accepts_formats_by_name(folder, simulated, tmp_path):
    (tmp_path / "input").write_bytes((folder / "sim.csv").read_bytes())
    done = glassrank("data", "convert", "input", "output", "--from", "csv", "--to", "tsv", folder=tmp_path)
    assert done.code == 0, done.err
    assert_same(load_data(tmp_path / "output", "tsv"), simulated.data)


def test_convert_to_letor_and_back_renames_the_queries_only(folder, simulated, tmp_path):
    done = glassrank("data", "convert", folder / "sim.csv", "a.txt", "--number-queries", folder=tmp_path)
    assert done.err.startswith("Queries are numbered in order of appearance: q1 is now 1.\n")
    assert glassrank("data", "convert", "a.txt", "b.csv", folder=tmp_path).code == 0
    back = load_data(tmp_path / "b.csv")
    assert np.array_equal(back.X, simulated.data.X)
    assert back.feature_names == simulated.data.feature_names
    assert [f"q{query}" for query in back.qid] == simulated.data.qid.tolist()


def test_convert_keeps_missing_values(tmp_path):
    (tmp_path / "holes.csv").write_text("qid,label,bm25,age\n1,1,0.5,\n1,0,,2\n")
    assert glassrank("data", "convert", "holes.csv", "holes.txt", folder=tmp_path).code == 0
    X = load_data(tmp_path / "holes.txt", missing="keep").X
    assert np.array_equal(X, [[0.5, np.nan], [np.nan, 2.0]], equal_nan=True)


def test_convert_to_letor_refuses_named_queries_with_a_remedy(folder, tmp_path):
    done = glassrank("data", "convert", folder / "sim.csv", "a.txt", folder=tmp_path)
    assert done.code == 1
    assert "needs whole numbers as queries: got 'q1'. Save a table, or number them: --number-queries" in done.err
    assert not (tmp_path / "a.txt").exists()


def test_convert_to_letor_refuses_weights_with_a_remedy(tmp_path):
    (tmp_path / "a.csv").write_text("qid,label,weight,bm25\n1,1,0.5,3\n1,0,2,1\n")
    done = glassrank("data", "convert", "a.csv", "a.txt", folder=tmp_path)
    assert done.code == 1
    assert "LETOR text cannot store weights. Save a table, or drop them: --drop-weights" in done.err
    assert glassrank("data", "convert", "a.csv", "a.txt", "--drop-weights", folder=tmp_path).code == 0
    assert load_data(tmp_path / "a.txt").weights is None


@pytest.mark.parametrize("command", [["convert", "a.csv", "b.csv"], ["simulate", "b.csv", "--queries", 2]], ids=str)
def test_nothing_is_overwritten_without_force(command, tmp_path):
    (tmp_path / "a.csv").write_text("qid,label,bm25\n1,1,3\n1,0,1\n")
    (tmp_path / "b.csv").write_text("precious\n")
    done = glassrank("data", *command, folder=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert done.err == "Error: b.csv already exists. Choose another name, or overwrite it with --force.\n"
    assert (tmp_path / "b.csv").read_text() == "precious\n"
    assert glassrank("data", *command, "--force", folder=tmp_path).code == 0
    assert (tmp_path / "b.csv").read_text().startswith("qid,")


@pytest.mark.parametrize("command", [["convert", "sim.csv", "a.xlsx"], ["simulate", "a.xlsx"]], ids=str)
def test_a_file_name_without_a_known_suffix_is_bad_usage(command, folder):
    done = glassrank("data", *command, folder=folder)
    assert done.code == 2
    assert "expected the suffix .txt, .letor, .csv, .tsv, .parquet" in done.err
    assert "--to" in done.err


def test_real_files_are_counted_as_other_tools_count_them(real_data):
    """The expected counts are from wc, cut and sort."""
    files = [real_data / "lightgbm-rank" / "rank.train", real_data / "ohsumed-letor2" / "S1.txt.gz"]
    lightgbm, ohsumed = json.loads(glassrank("data", "info", "--json", *files, folder=real_data).out)
    assert (lightgbm["n_rows"], lightgbm["n_queries"]) == (3005, 201)
    assert (ohsumed["n_rows"], ohsumed["n_queries"], ohsumed["n_features"]) == (2570, 21, 25)


def test_converting_a_category_of_numbers_to_text_warns_and_parquet_keeps_it(tmp_path):
    (tmp_path / "a.csv").write_text("qid,label,size,x\n1,1,38,0.5\n1,0,40,\n")
    options = ["--categorical", "size", "--quiet"]
    assert glassrank("data", "convert", "a.csv", "a.parquet", *options, folder=tmp_path).err == ""
    done = glassrank("data", "info", "a.parquet", "--json", folder=tmp_path)
    assert json.loads(done.out)[0]["levels_by_category"] == {"size": 2}
    done = glassrank("data", "convert", "a.parquet", "b.csv", folder=tmp_path)
    assert done.code == 0
    assert done.err.splitlines() == [
        "Warning: b.csv: text does not show that 'size' is a category. Save it as Parquet, which stores the kinds, or "
        "load it with categorical=['size'] (--categorical).",
        "Wrote b.csv: 2 rows, 1 query, 2 features.",
    ]


def test_names_of_letor_features_are_read_from_a_file(tmp_path):
    (tmp_path / "a.txt").write_text("2 qid:1 1:7.5 2:30\n0 qid:1 1:1.25 2:2\n")
    (tmp_path / "names.txt").write_text("2 <b>age</b>\n1 BM25\n")
    named = ["--feature-names", "names.txt"]
    assert glassrank("data", "convert", "a.txt", "b.csv", *named, folder=tmp_path).code == 0
    assert (tmp_path / "b.csv").read_text().splitlines()[0] == "qid,label,BM25,<b>age</b>"
    trained = glassrank("train", "a.txt", "--output", "m.json", "--no-calibrate", *named, folder=tmp_path)
    assert trained.code == 0, trained.err
    assert json.loads((tmp_path / "m.json").read_text())["feature_names"] == ["BM25", "<b>age</b>"]
    unnamed = glassrank("rank", "m.json", "a.txt", folder=tmp_path)
    assert (unnamed.code, "name them with --feature-names" in unnamed.err) == (1, True)
    assert len(glassrank("rank", "m.json", "a.txt", *named, folder=tmp_path).out.split()) == 2


def test_a_table_needs_no_file_of_names(folder):
    done = glassrank("data", "info", "sim.csv", "--feature-names", "names.txt", folder=folder)
    assert (done.code, done.out) == (2, "")
    assert "--feature-names is for LETOR and LightGBM files, and sim.csv is a table." in done.err


def test_excluded_columns_are_left_out(tmp_path):
    (tmp_path / "a.csv").write_text("qid,label,bm25,title\n1,1,0.5,7\n1,0,0.25,x\n")
    (entry,) = json.loads(glassrank("data", "info", "--json", "a.csv", "--exclude", "title", folder=tmp_path).out)
    assert entry["n_features"] == 1


def test_info_shows_as_many_features_as_asked(folder):
    for rows, lines in [("3", 5), ("all", 19), ("ALL", 19)]:
        table = glassrank("data", "info", "sim.csv", "--rows", rows, folder=folder).out.partition("\n\n")[2]
        assert len(table.splitlines()) == lines
        assert max(map(len, table.splitlines())) <= 80
    done = glassrank("data", "info", "sim.csv", "--rows", "0", folder=folder)
    assert (done.code, "'0' is not a positive whole number or all" in done.err) == (2, True)
