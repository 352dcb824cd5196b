"""Imports point down, and core knows neither files nor scikit-learn."""

import ast
import re

import pytest

import glassrank
from tests.house.layers import ROW_OF, core_faults, layer_faults
from tests.house.repository import DOCS, PACKAGE, package_name, relative, source_files

HOMES = {"RankSVM": "ranking.ranksvm", "RankingData": "data.ranking_data"}
IN_FOLDERS = [path for path in source_files() if path.parent != PACKAGE]


@pytest.mark.parametrize("path", IN_FOLDERS, ids=relative)
def test_imports_point_down(path):
    assert layer_faults(path.read_text(), package_name(path), glassrank._HOMES) == []


@pytest.mark.parametrize("path", sorted((PACKAGE / "core").glob("*.py")), ids=relative)
def test_core_uses_no_files_no_screen_and_no_scikit_learn(path):
    assert core_faults(path.read_text()) == []


def test_every_folder_has_its_row():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders <= set(ROW_OF)
    assert {path.relative_to(PACKAGE).parts[0] for path in IN_FOLDERS} == folders


def test_the_architecture_page_puts_every_folder_into_its_row():
    table = re.findall(r"^\| (\d+) \| `(\w+)` \|", (DOCS / "architecture.md").read_text(), re.M)
    folders = [path.parent.name for path in PACKAGE.glob("*/__init__.py")]
    rows = sorted({ROW_OF[folder] for folder in folders})
    assert sorted(table) == sorted((str(rows.index(ROW_OF[folder]) + 1), folder) for folder in folders)


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("*/__init__.py")), ids=relative)
def test_a_folder_itself_imports_nothing(path):
    """So that using one module never loads its neighbours."""
    imports = (ast.Import, ast.ImportFrom)
    assert [node.lineno for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, imports)] == []


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("glassrank.core", "from glassrank.data.ranking_data import RankingData"),
        ("glassrank.core", "import glassrank.metrics.evaluate as e"),
        ("glassrank.core", "from ..data import ranking_data"),
        ("glassrank.core.kernels", "from ...data import ranking_data"),
        ("glassrank.metrics", "from glassrank.data.ranking_data import RankingData"),
        ("glassrank.drawing", "from glassrank.text.tokens import tokens"),
        ("glassrank.data", "def read():\n    from glassrank.ranking.ranksvm import RankSVM"),
        ("glassrank.data", "if True:\n    try:\n        import glassrank.cli.main\n    finally:\n        pass"),
        ("glassrank.data", "from glassrank import RankSVM"),
        ("glassrank.data", "from glassrank import cli"),
        ("glassrank.data", "from .. import study"),
        ("glassrank.data", "import_module('glassrank.ranking.ranksvm')"),
        ("glassrank.data", "HOMES = {'fit': 'glassrank.ranking.ranksvm:fit'}"),
        ("glassrank.data", "import_module(f'glassrank.ranking.{name}')"),
        ("glassrank.reports", "from glassrank.studies.jobs import run"),
        ("glassrank.cli", "from glassrank.app.server import serve"),
        ("glassrank.data", "import glassrank\nmodel = glassrank.RankSVM()"),
        ("glassrank.data", "import glassrank as gr\nmodel = gr.RankSVM()"),
        ("glassrank.data", "import glassrank as gr\nmodel = getattr(gr, name)"),
        ("glassrank.data", "import_module(f'glassrank.{name}')"),
        ("glassrank.data", "from glassrank.utilities import helper"),
    ],
)
def test_a_planted_upward_or_sideways_import_is_found(package, source):
    assert len(layer_faults(source, package, HOMES)) == 1


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("glassrank.data", "from glassrank.core.checks import DataError"),
        ("glassrank.data", "from .ranking_data import RankingData"),
        ("glassrank.data", "from ..core import checks"),
        ("glassrank.ranking", "from glassrank import RankingData, __version__"),
        ("glassrank.core", "import glassrank\nversion = glassrank.__version__"),
        ("glassrank.cli", "COMMANDS = {'demo': 'glassrank.cli.demo'}\nimport_module(f'glassrank.cli.{name}')"),
        ("glassrank.cli", "from glassrank.studies.demo import run\nfrom glassrank.reports.page import write"),
        ("glassrank.core", '"""Prose about glassrank.data.ranking_data stays prose."""\nimport numpy as np'),
    ],
)
def test_imports_downwards_and_within_a_folder_are_free(package, source):
    assert layer_faults(source, package, HOMES) == []


@pytest.mark.parametrize(
    "source",
    [
        "import sklearn",
        "from sklearn.base import BaseEstimator",
        "def late():\n    import sklearn.utils",
        "import_module('sklearn.base')",
        "from pathlib import Path",
        "print('done')",
        "open('file.txt')",
        "path.read_text()",
        "np.loadtxt(path)",
        "sys.stderr.write('…')",
    ],
)
def test_a_planted_file_print_or_scikit_learn_in_core_is_found(source):
    assert len(core_faults(source)) == 1
