"""The tools that fetch, start and stop engines, on Solr."""

import subprocess
import sys
import urllib.request
from urllib.error import URLError

import pytest

from tests.house.repository import ROOT
from tools.engines import node
from tools.engines.__main__ import main
from tools.engines.catalogue import ENGINES
from tools.engines.jars import checksums, fetch

pytestmark = pytest.mark.engine
SOLR = ENGINES["solr"]


@pytest.mark.parametrize("name", ENGINES)
def test_fetched_jars_are_the_recorded_ones(java_and_maven, name):
    recorded = dict(reversed(line.split()) for line in ENGINES[name].checksums.read_text().splitlines())
    assert checksums(fetch(ENGINES[name])) == recorded


def test_a_started_server_answers_until_it_is_stopped(java_and_maven, tmp_path, monkeypatch):
    jars = fetch(SOLR)
    monkeypatch.setenv("GLASSRANK_ENGINES", str(tmp_path))
    (tmp_path / jars.name).symlink_to(jars)
    report = command("start")
    started = node.recorded(SOLR)
    assert report.startswith(f"solr: {started.url} (process {started.pid}, log ")
    with urllib.request.urlopen(f"{started.url}/glassrank/select?q=*:*") as answer:
        assert answer.status == 200
    assert command("start") == f"solr is running already at {started.url} (process {started.pid})."
    assert command("stop") == f"solr: stopped process {started.pid}"
    with pytest.raises(URLError):
        urllib.request.urlopen(started.url)
    assert command("status") == "solr: not running"


def command(action):
    """Run the tool as a process of its own: a server is started by one process and stopped by another."""
    tool = [sys.executable, "-m", "tools.engines", action, "solr"]
    done = subprocess.run(tool, cwd=ROOT, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip()


def test_an_unknown_engine_is_named_with_the_known_ones(capsys):
    with pytest.raises(SystemExit):
        main(["start", "sphinx"])
    assert f"unknown engine 'sphinx': the engines are {', '.join(ENGINES)}" in capsys.readouterr().err
