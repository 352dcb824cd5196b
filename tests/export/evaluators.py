"""Scores of exported models, from the programs that people run them with."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
import numpy as np
import pytest

from glassrank.core.feature_kinds import UNSEEN

NOBODY = 65534
UNKNOWN = "a level that training did not have"


def values(form, X):
    """The used features of each row by name: levels as texts, None if missing."""
    return [{form.features[k].name: _value(form.features[k], row[k]) for k in form.used} for row in X]


def _value(feature, value):
    if np.isnan(value):
        return None
    if not feature.kind.is_category:
        return float(value)
    return UNKNOWN if value == UNSEEN else feature.kind.levels[int(value)]


def python_scores(exported, rows):
    """Scores by the Python module."""
    module = python_module(exported)
    return np.array([module.score(row) for row in rows])


def python_module(exported):
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(exported.name, None))
    exec(exported.files["model.py"].decode(), module.__dict__)
    return module


def node_scores(exported, rows):
    """Scores by the JavaScript module in Node; the message of an error instead of a score."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    with tempfile.TemporaryDirectory() as folder:
        exported.save(folder)
        (Path(folder) / "rows.json").write_text(json.dumps(rows))
        (Path(folder) / "run.mjs").write_text(RUN)
        done = subprocess.run(["node", "run.mjs"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return np.array(json.loads(done.stdout))


RUN = """
import { readFileSync } from "node:fs";
import { score } from "./model.mjs";
const attempt = (row) => { try { return score(row); } catch (error) { return error.message; } };
console.log(JSON.stringify(JSON.parse(readFileSync("rows.json", "utf8")).map(attempt)));
"""


def onnx_scores(exported, form, X):
    """Scores by onnxruntime: the used features as one matrix, levels as codes."""
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    session = runtime.InferenceSession(exported.files["model.onnx"], providers=["CPUExecutionProvider"])
    dtype = np.float64 if exported.written.kind == "double" else np.float32
    return session.run(["score"], {"features": X[:, list(form.used)].astype(dtype)})[0].astype(float)


def duckdb_scores(exported, form, rows):
    """Scores by the macro in DuckDB, called as the usage says; NaN for NULL."""
    with duckdb.connect() as connection:
        connection.execute(exported.files["model.sql"].decode())
        connection.execute(f"CREATE TABLE documents (place INTEGER, {_columns(form)})")
        for start in range(0, len(rows), 500):
            part = [[start + place, *row.values()] for place, row in enumerate(rows[start : start + 500])]
            marks = ", ".join(["(" + ", ".join("?" * len(part[0])) + ")"] * len(part))
            connection.execute(f"INSERT INTO documents VALUES {marks}", [value for row in part for value in row])
        found = connection.execute(_query(exported)).fetchall()
    return np.array([np.nan if score is None else score for (score,) in found])


def _columns(form):
    kinds = {True: "TEXT", False: "DOUBLE PRECISION"}
    return ", ".join(f'"{form.features[k].name}" {kinds[form.features[k].kind.is_category]}' for k in form.used)


def _query(exported):
    """The query of the usage, with the scores alone and in the order of the rows."""
    query = exported.usage.splitlines()[-1].strip()
    return query.replace("SELECT *, ", "SELECT ").partition(" ORDER BY ")[0] + " ORDER BY place"


class PostgreSQL:
    """A server of its own in a temporary folder, without a port."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, *statements):
        """Run statements, and return what psql prints."""
        command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "test", "postgres"]
        done = subprocess.run(command, input="\n".join(statements), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def scores(self, exported, form, rows):
        """Scores by the function, called as the usage says; NaN for NULL."""
        copied = "\n".join("\t".join([str(place), *map(_copied, row.values())]) for place, row in enumerate(rows))
        printed = self.run(
            exported.files["model.sql"].decode(),
            f"CREATE TEMPORARY TABLE documents (place INTEGER, {_columns(form)});",
            f"COPY documents FROM STDIN;\n{copied}\n\\.",
            f"{_query(exported)};",
        )
        return np.array([float(line or "nan") for line in printed.splitlines()])


def _copied(value):
    if value is None:
        return "\\N"
    if not isinstance(value, str):
        return repr(value)
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


@contextmanager
def postgresql_server():
    """Start PostgreSQL, which refuses to be root, and stop it in the end."""
    found = [shutil.which(name) for name in ("initdb", "postgres", "psql", *(["setpriv"] if os.getuid() == 0 else []))]
    if None in found:
        pytest.skip("PostgreSQL is not installed: initdb, postgres, psql")
    folder = tempfile.mkdtemp(prefix="glassrank-postgresql-")
    user = []
    if os.getuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
        user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    data = f"{folder}/data"
    subprocess.run(
        [*user, "initdb", "-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
        check=True,
        capture_output=True,
    )
    server = subprocess.Popen(
        [*user, "postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-F"], stderr=subprocess.DEVNULL
    )
    try:
        made = PostgreSQL(folder)
        for _ in range(100):
            with suppress(AssertionError):
                made.run("SELECT 1;")
                break
            time.sleep(0.1)
        yield made
    finally:
        server.send_signal(signal.SIGINT)  # a fast shutdown
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)
