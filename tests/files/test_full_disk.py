"""A full disk reaches a caller in Python as the package's own error, with the system's or DuckDB's as its cause."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from glassrank import save_table, simulate_ranking
from tests.house.repository import clean_environment

# Each writes, beside its result or on the way to it.
OPERATIONS = {
    "save a CSV file": "save_table(DATA, 'o.csv')",
    "save a Parquet file": "save_table(DATA, 'o.parquet')",
    "save a packed file": "save_table(DATA, 'o.csv.gz')",
    "load a CSV file": "load_table('d.csv')",
    "load a packed Parquet file": "load_table('d.parquet.gz')",
    "save LETOR text": "save_data(replace(DATA, qid=DATA.groups.of_row), 'o.txt')",
    "save a model": "save_model(MODEL, 'o.json')",
    "load a log": "load_log('log.csv')",
    "clean a log": "clean_log('log.csv', 'o.log.parquet')",
    "keep a collection": "open_collection('site', folder='kept')",
    "cache a collection": "open_collection('site')",
    "score links": "score_links('links.csv', engine='duckdb')",
    "study": "study(DATA, folder='study', tune=0)",
    "save a chart": "nomogram(MODEL, DATA, query=DATA.qid[0], document=DATA.doc_ids[0]).save('o.svg')",
}
# Files may not grow beyond this many bytes: a disk that is full from the beginning, or half-way.
RUN = """
import json, resource, sys
from dataclasses import replace
from glassrank import *
from glassrank import DataError
from glassrank.studies.ranking.study import RESAMPLES
RESAMPLES["linear"] = 4
operations = json.load(open(sys.argv[1]))
DATA = load_table("d.parquet")
MODEL = RankSVM().fit(DATA.X, DATA.y, qid=DATA.qid)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
for name, operation in operations.items():
    try:
        eval(operation)
        found = "done"
    except DataError as error:
        found = f"DataError by {type(error.__cause__).__module__}.{type(error.__cause__).__name__}"
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    print(f"{name}: {found}", flush=True)
"""
CAUSES = ("DataError by builtins.OSError", "DataError by _duckdb.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What is read: tables of documents, a log, pages and links."""
    folder = tmp_path_factory.mktemp("disk")
    data = simulate_ranking(20, 10, random_state=0).data
    for name in ("d.csv", "d.parquet"):
        save_table(data, folder / name)
    (folder / "d.parquet.gz").write_bytes(gzip.compress((folder / "d.parquet").read_bytes()))
    (folder / "log.csv").write_text("query,action,url\n" + "zen,click,http://zen.org/\n" * 2_000)
    (folder / "site").mkdir()
    for number in range(60):
        (folder / "site" / f"{number}.html").write_text(f"<title>{number}</title><a href='{number + 1}.html'>next</a>")
    links = "".join(f"http://a{number % 50}/,http://b{number % 71}/\n" for number in range(5_000))
    (folder / "links.csv").write_text(f"source,target\n{links}")
    (folder / "operations.json").write_text(json.dumps(OPERATIONS))
    return folder


@pytest.mark.parametrize("size", [0, 20_000])
def test_what_cannot_be_written_is_refused_in_the_package_s_own_words(size, folder):
    cache = folder / f"cache-{size}"
    done = subprocess.run(
        [sys.executable, "-c", RUN, "operations.json", str(size)],
        cwd=folder,
        env=clean_environment(XDG_CACHE_HOME=str(cache), OPENBLAS_NUM_THREADS="1"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    assert list(found) == list(OPERATIONS)
    wrong = {name: said for name, said in found.items() if said != "done" and not said.startswith(CAUSES)}
    assert not wrong
    assert size or "done" not in found.values()
    leftovers = [path for path in Path(folder).rglob("*") if path.suffix in (".tmp", ".lock", ".building")]
    assert leftovers == []
