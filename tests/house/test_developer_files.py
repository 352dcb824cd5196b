"""Files for developers are correct: hooks, citation, security policy, settings of test runs."""

import re
import subprocess
import tomllib

import pytest
import yaml
from hypothesis import settings

import glassrank
from tests.house.repository import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())


def test_hooks_are_local_and_need_no_network():
    assert [repository["repo"] for repository in HOOKS] == ["local"]
    # Any other language would make pre-commit install something first.
    assert {hook["language"] for hook in HOOKS[0]["hooks"]} == {"system"}


def test_hooks_run_the_tools_of_make_check():
    recipe = re.search(r"^check:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.M)[1]
    checked = {re.sub(r" --check| \.$", "", line) for line in re.findall(r"\$\(BIN\)/(.*)", recipe)}
    assert {hook["entry"].removeprefix(".venv/bin/") for hook in HOOKS[0]["hooks"]} == checked


def test_the_citation_has_this_version_title_and_licence_and_no_invented_author():
    assert CITATION["version"] == glassrank.__version__
    assert CITATION["license"] == PROJECT["project"]["license"]
    assert CITATION["authors"] == PROJECT["project"]["authors"]
    assert set(CITATION["keywords"]) == set(PROJECT["project"]["keywords"])
    # The fields that version 1.2.0 of the format requires.
    assert {"cff-version", "message", "title", "authors"} <= set(CITATION)


def test_no_page_contains_an_address_of_a_person():
    pages = [ROOT / name for name in ("SECURITY.md", "CITATION.cff", "CONTRIBUTING.md", "CHANGELOG.md")]
    assert [page.name for page in pages if re.search(r"[\w.+-]+@[\w-]+\.\w+", page.read_text())] == []


def test_the_security_page_lists_supported_versions_and_excludes_pickles():
    page = (ROOT / "SECURITY.md").read_text()
    assert re.findall(r"^## (.*)", page, re.M)[:3] == [
        "Supported versions",
        "Reporting a problem",
        "What glassrank promises",
    ]
    assert "never a pickle" in page


def test_no_file_of_the_package_imports_a_module_that_loads_code_from_data():
    """SECURITY.md promises that models and data are never read by anything that can run code."""
    unsafe = re.compile(
        r"^\s*(?:import|from) (?:pickle|dill|cloudpickle|marshal|shelve)\b|joblib\.load|allow_pickle=True", re.M
    )
    found = [path.name for path in (ROOT / "src").rglob("*.py") if unsafe.search(path.read_text())]
    assert found == []


def test_property_tests_repeat_by_default_and_explore_on_request():
    repeatable, explore = settings.get_profile("repeatable"), settings.get_profile("explore")
    assert repeatable.derandomize
    assert not explore.derandomize
    assert explore.max_examples > repeatable.max_examples


def test_coverage_excludes_only_kernels():
    kernels, types = PROJECT["tool"]["coverage"]["report"]["exclude_also"]
    assert types == "if TYPE_CHECKING:"
    decorators = ["@njit(cache=True)", "@reordering_njit", "@finite_njit"]
    assert [line for line in decorators if not re.search(kernels, line)] == []
    others = ["from numba import njit", "reordering_njit = njit(cache=True)", "@property", "@absent_if(reason)"]
    assert [line for line in others if re.search(kernels, line)] == []


def test_the_top_folder_contains_nothing_but_the_project():
    """Examples in docstrings write files where they run; a careless ``git add`` would keep them."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    folders = {"benchmarks", "docs", "examples", "experiments", "requirements", "src", "tests", "tools", ".ci"}
    files = {
        ".gitignore",
        ".pre-commit-config.yaml",
        "CITATION.cff",
        "LICENSE",
        "Makefile",
        "mkdocs.yml",
        "pyproject.toml",
    }
    pages = {"CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"}
    assert {name.partition("/")[0] for name in listed.stdout.splitlines()} == folders | files | pages
