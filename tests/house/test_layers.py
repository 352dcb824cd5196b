"""Imports point down, and core uses neither files nor scikit-learn."""

import ast
import re
from collections import Counter, defaultdict

import pytest

import glassrank
from tests.house.layers import ROW_OF, core_faults, inner_faults, layer_faults
from tests.house.repository import (
    DOCS,
    PACKAGE,
    module_name,
    package_name,
    relative,
    source_files,
    syntax_nodes,
    syntax_tree,
)

HOMES = {"RankSVM": "ranking.ranksvm", "RankingData": "data.ranking_data"}
IN_FOLDERS = [path for path in source_files() if path.parent != PACKAGE]
MAX_FILES = 25
# Folders whose files may share names, because files with the same name have the same role in each: commands and what
# they run, estimators and their model files, the parts of each study.
PARALLEL = (
    {"ranking", "navigational", "nomograms", "modelfile/kinds", "modelfile/kinds/steps"},
    {"studies/ranking", "studies/distillation", "studies/intent", "cli"},
    {"cli", "cli/topics", "metrics", "distillation", "studies"},
    # A page of the app is named after what it shows.
    {"app/pages", "cli", "cli/models", "metrics", "nomograms/figure", "simulation", "studies", "studies/intent"},
)


def test_imports_point_down():
    faults = {
        relative(path): layer_faults(path.read_text(), package_name(path), glassrank._HOMES) for path in IN_FOLDERS
    }
    assert {path: found for path, found in faults.items() if found} == {}


def test_no_modules_and_no_sub_folders_import_each_other_in_a_circle():
    modules = {module_name(path) for path in source_files()}
    imports = {module_name(path): known_imports(path, modules) for path in IN_FOLDERS}
    assert inner_faults(imports) == []


def known_imports(path, modules):
    """Return the modules of the package that a file imports; ``from folder import module`` counts as the module."""
    found = set()
    for node in syntax_nodes(path.read_text()):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names} & modules
            found |= names or {node.module}
    return (found & modules) - {"glassrank"}


def test_core_uses_no_files_no_screen_and_no_scikit_learn():
    faults = {relative(path): core_faults(path.read_text()) for path in sorted((PACKAGE / "core").rglob("*.py"))}
    assert {path: found for path, found in faults.items() if found} == {}


def test_no_folder_has_too_many_files():
    sizes = Counter(path.parent for path in source_files())
    assert {relative(folder): n for folder, n in sizes.items() if n > MAX_FILES} == {}


def test_only_parallel_folders_have_files_with_the_same_name():
    folders = defaultdict(set)
    for path in IN_FOLDERS:
        if path.stem != "__init__":
            folders[path.stem].add(path.parent.relative_to(PACKAGE).as_posix())
    assert {n: found for n, found in folders.items() if len(found) > 1 and not any(found <= p for p in PARALLEL)} == {}


def test_no_two_classes_share_a_name():
    homes = defaultdict(list)
    for path in source_files():
        for node in syntax_tree(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(relative(path))
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_every_folder_is_in_a_row():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders <= set(ROW_OF)
    assert {path.relative_to(PACKAGE).parts[0] for path in IN_FOLDERS} == folders


def test_the_architecture_page_puts_every_folder_into_its_row():
    table = re.findall(r"^\| (\d+) \| `(\w+)` \|", (DOCS / "reference/architecture.md").read_text(), re.M)
    folders = [path.parent.name for path in PACKAGE.glob("*/__init__.py")]
    rows = sorted({ROW_OF[folder] for folder in folders})
    assert sorted(table) == sorted((str(rows.index(ROW_OF[folder]) + 1), folder) for folder in folders)


def test_a_folder_itself_imports_nothing():
    """Using one module must not load its neighbours."""
    imports = (ast.Import, ast.ImportFrom)
    nodes = {relative(path): syntax_nodes(path.read_text()) for path in IN_FOLDERS if path.name == "__init__.py"}
    assert [name for name, found in nodes.items() if any(isinstance(node, imports) for node in found)] == []


@pytest.mark.parametrize(
    ("imports", "fault"),
    [
        ({"glassrank.data.a": ["glassrank.data.b"], "glassrank.data.b": ["glassrank.data.a"]}, "circle of modules"),
        (
            {
                "glassrank.data.web.a": ["glassrank.data.logs.b"],
                "glassrank.data.logs.b": [],
                "glassrank.data.logs.c": ["glassrank.data.web.d"],
                "glassrank.data.web.d": [],
            },
            "circle inside glassrank.data",
        ),
        (
            {
                "glassrank.data.web.a": ["glassrank.data.shared"],
                "glassrank.data.shared": ["glassrank.data.logs.b"],
                "glassrank.data.logs.b": [],
            },
            "glassrank.data.shared is shared by sub-folders",
        ),
    ],
)
def test_a_planted_circle_or_shared_module_that_reaches_down_is_found(imports, fault):
    assert any(found.startswith(fault) for found in inner_faults(imports))


def test_a_module_above_its_sub_folders_may_import_them():
    imports = {"glassrank.data.load": ["glassrank.data.web.a"], "glassrank.data.web.a": ["glassrank.data.shared"]}
    assert inner_faults(imports | {"glassrank.data.shared": []}) == []


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
        ("glassrank.simulation", "from glassrank.studies.jobs import run"),
        ("glassrank.app", "from glassrank.cli.main import main"),
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
        ("glassrank.cli", "from glassrank.studies.demo import run\nfrom glassrank.app.server import serve"),
        ("glassrank.core", '"""Prose about glassrank.data.ranking_data stays prose."""\nimport numpy as np'),
    ],
)
def test_imports_downwards_and_within_a_folder_are_allowed(package, source):
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
