"""A table with one row per shown result and a column that says whether it was clicked."""

import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest

import glassrank as gr
from tests.cli.commands import glassrank
from tests.data.logs.files import write

DATA = os.environ.get("GLASSRANK_DATA")
HEADER = "query,search,position,url,clicked,dwell"


def wide(tmp_path, *rows, header=HEADER):
    return write(tmp_path, "shown.csv", header, *rows)


def test_each_row_is_an_impression_and_if_clicked_a_click(tmp_path):
    rows = ["zen,1,1,http://a.org/,0,", "zen,1,2,http://b.org/,1,30", "tea,2,1,http://c.org/,1,", "tea,2,2,d,0,0"]
    log = gr.load_log(wide(tmp_path, *rows), strict=True)
    assert log.reading.schema == "wide"
    assert log.reading.made == {"search": 0, "impression": 4, "click": 2}
    clicked = log.action == "click"
    assert log.url.tolist() == [
        *("http://a.org/", "http://b.org/", "http://b.org/", "http://c.org/", "http://c.org/", "d")
    ]
    assert log.search.tolist() == ["1", "1", "1", "2", "2", "2"]
    assert log.position.tolist() == [1, 2, 2, 1, 1, 2]
    assert log.dwell[clicked].tolist()[0] == 30
    assert np.isnan(log.dwell[clicked][1])
    assert np.isnan(log.dwell[~clicked]).all()


@pytest.mark.parametrize(
    ("written", "expected"),
    [("1", 1), ("0", 0), ("1.0", 1), ("true", 1), ("False", 0), (" TRUE ", 1), ("", None), ("2", None), ("yes", None)],
)
def test_clicked_is_0_or_1_and_anything_else_drops_the_row(tmp_path, written, expected):
    log = gr.load_log(wide(tmp_path, "tea,1,1,http://a.org/,0,", f"zen,2,1,http://b.org/,{written},"))
    assert log.reading["invalid click flag"] == (expected is None)
    assert log.reading.made["impression"] == 1 + (expected is not None)
    assert log.reading.made["click"] == (expected or 0)


def test_a_dwell_time_without_a_click_is_a_fault(tmp_path):
    log = gr.load_log(wide(tmp_path, "zen,1,1,http://a.org/,0,30"))
    assert log.reading["value not allowed for the action"] == 1
    assert log.dwell is None


def test_without_addresses_each_row_is_a_result_of_its_own(tmp_path):
    path = wide(tmp_path, "zen,1,0", "zen,2,1", header="query,position,clicked")
    log = gr.load_log([path, path])
    assert log.reading["row without an address (its own result)"] == 4
    assert len(set(log.url)) == 4
    assert log.url[1] == log.url[2]
    with pytest.raises(gr.DataError, match="missing address"):
        gr.load_log(wide(tmp_path, "zen,,0", "zen,http://b.org/,1", header="query,url,clicked"), strict=True)


@pytest.mark.skipif(DATA is None, reason="GLASSRANK_DATA does not name the folder of real data")
def test_the_real_result_pages_lose_only_the_dwell_times_that_cannot_be():
    path = Path(DATA, "result-pages", "pages.csv.gz")
    with gzip.open(path, "rt") as file:
        rows = list(csv.DictReader(file))
    log = gr.load_log(path, search="page", user="block", position="place")
    clicked = [row for row in rows if row["clicked"] == "1"]
    assert log.reading.made == {"search": 0, "impression": len(rows), "click": len(clicked)}
    taken = log.action == "click"
    assert log.position[taken].tolist() == [float(row["place"]) for row in clicked]
    assert log.query[taken].tolist() == [row["query"] for row in clicked]
    dwell = np.array([float(row["dwell"] or "nan") for row in clicked])
    np.testing.assert_array_equal(log.dwell[taken], np.where(dwell > 1e9, np.nan, dwell))
    assert log.reading["invalid dwell time"] == log.reading.n_faults == (dwell > 1e9).sum() > 0
    assert len(set(log.search)) == 19_935


def test_the_command_line_reads_a_wide_table(tmp_path):
    wide(tmp_path, "zen,1,1,http://a.org/,0,", "zen,1,2,http://b.org/,1,30")
    done = glassrank("intent", "results", "shown.csv", "--schema", "wide", folder=tmp_path)
    assert "shown.csv: wide, 2 rows → 0 searches, 2 impressions, 1 click" in done.err
    assert done.out.splitlines()[1:] == ["zen,zen,1,http://a.org/", "zen,zen,2,http://b.org/"]
