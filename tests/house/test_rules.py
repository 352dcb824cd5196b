"""House rules that a machine can check."""

import ast
import re
import subprocess

import numpy as np
import pytest

import glassrank
from tests.house.repository import (
    PACKAGE,
    ROOT,
    clean_environment,
    module_name,
    relative,
    source_files,
    syntax_nodes,
    syntax_tree,
)

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
REQUIREMENTS = sorted((ROOT / "requirements").glob("*.txt"))


def test_a_file_stays_under_800_lines():
    lengths = {relative(path): len(path.read_text().splitlines()) for path in source_files()}
    assert {path: lines for path, lines in lengths.items() if lines >= 800} == {}


def test_nine_of_ten_functions_stay_under_30_lines():
    nodes = (node for path in source_files() for node in syntax_nodes(path.read_text()))
    lengths = [node.end_lineno - node.lineno + 1 for node in nodes if isinstance(node, FUNCTIONS)]
    assert np.percentile(lengths, 90) < 30


def test_the_package_raises_exceptions_and_catches_them_by_name():
    faults = {relative(path): rule_faults(path.read_text()) for path in source_files()}
    assert {path: found for path, found in faults.items() if found} == {}


@pytest.mark.parametrize(
    "source",
    [
        "assert x > 0",
        "try:\n    f()\nexcept:\n    pass",
        "try:\n    f()\nexcept Exception:\n    pass",
        "try:\n    f()\nexcept (OSError, BaseException):\n    pass",
        "x = 1  # TODO later",
        "# FIXME",
    ],
)
def test_a_planted_fault_is_found(source):
    assert len(rule_faults(source)) == 1


def rule_faults(source: str) -> list[str]:
    """Report where source text asserts, catches everything, or contains unfinished work."""
    faults = [
        f"line {number}: unfinished work"
        for number, line in enumerate(source.splitlines(), start=1)
        if re.search(r"\b(TODO|FIXME|XXX)\b", line)
    ]
    for node in syntax_nodes(source):
        if isinstance(node, ast.Assert):
            faults.append(f"line {node.lineno}: assert vanishes under python -O")
        elif isinstance(node, ast.ExceptHandler) and catches_everything(node):
            faults.append(f"line {node.lineno}: catches everything")
    return faults


def catches_everything(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    return any(isinstance(n, ast.Name) and n.id in {"Exception", "BaseException"} for n in ast.walk(handler.type))


def test_modules_and_their_public_functions_and_classes_have_docstrings():
    silent = []
    for path in source_files():
        tree = syntax_tree(path.read_text())
        public = [n for n in tree.body if isinstance(n, (*FUNCTIONS, ast.ClassDef)) and not n.name.startswith("_")]
        silent += [f"{module_name(path)}.{node.name}" for node in public if not ast.get_docstring(node)]
        if not ast.get_docstring(tree):
            silent.append(module_name(path))
    assert silent == []


@pytest.mark.parametrize("path", REQUIREMENTS, ids=relative)
def test_every_pinned_requirement_has_a_hash(path):
    entries = re.split(r"\n(?=\S)", path.read_text().replace("\\\n", " ").strip())
    pins = [entry for entry in entries if not entry.startswith("#")]
    assert pins
    assert [pin for pin in pins if not re.match(r"[\w.\[\]-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", pin)] == []


@pytest.mark.parametrize("path", [*REQUIREMENTS, *sorted((ROOT / "requirements").glob("*.in"))], ids=relative)
def test_requirements_name_no_index_and_no_host(path):
    assert re.findall(r"--(?:extra-)?index-url|--find-links|--trusted-host|https?:|@ ", path.read_text()) == []


def test_the_version_is_the_newest_entry_of_the_changelog():
    newest = re.search(r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert newest[1] == glassrank.__version__


@pytest.mark.parametrize("target", ["help", "demo", "test", "explore", "coverage", "check", "bench", "docs", "clean"])
def test_make_has_the_target(target):
    done = subprocess.run(
        ["make", "-n", target], cwd=ROOT, env=clean_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_script_that_make_runs_exists():
    recipe = (ROOT / "Makefile").read_text()
    modules = re.findall(r"python -m (glassrank[\w.]*)", recipe)
    scripts = re.findall(r"\$\(BIN\)/python ([\w/]+\.py)", recipe)
    tools = re.findall(r"^\t@?(tools/[\w-]+)", recipe, re.M)
    paths = [PACKAGE.parent / f"{module.replace('.', '/')}.py" for module in modules]
    paths += [ROOT / name for name in scripts + tools]
    assert [relative(path) for path in paths if not path.is_file()] == []
