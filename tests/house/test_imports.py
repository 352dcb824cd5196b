"""``import glassrank`` is fast, changes no global state, and needs only declared libraries."""

import ast
import importlib
import json
import re
import sys
import tomllib

import pytest

from tests.house.repository import ROOT, relative, run_python, source_files, syntax_nodes

HEAVY = {
    *("numba", "sklearn", "scipy", "duckdb", "narwhals", "vl_convert"),
    *("pandas", "polars", "pyarrow", "lightgbm", "rich", "click"),
}


def test_importing_glassrank_loads_no_heavy_library():
    loaded = run_python("import sys, glassrank; dir(glassrank); print(*{name.split('.')[0] for name in sys.modules})")
    assert "glassrank" in loaded.split()
    assert HEAVY & set(loaded.split()) == set()


# Other libraries change global state when they are loaded, so they are loaded before the first snapshot.
LOOK = """
import importlib, json, locale, logging, os, pkgutil, random, signal, sys, threading, types, warnings
import click, duckdb, narwhals, numba, numpy, rich, scipy, sklearn, threadpoolctl, vl_convert
import narwhals.stable.v2, rich.console, scipy.optimize, scipy.sparse.linalg, sklearn.model_selection, sklearn.pipeline

def state():
    legacy = numpy.random.get_state()
    return {
        "numpy's random state": (legacy[1].tolist(), legacy[2:]),
        "random's state": random.getstate(),
        "warning filters": list(warnings.filters),
        "logging": (list(logging.root.handlers), logging.root.level, logging.lastResort),
        "loggers of glassrank": [
            (name, logger.handlers, logger.level)
            for name, logger in logging.root.manager.loggerDict.items()
            if name.startswith("glassrank") and isinstance(logger, logging.Logger) and (logger.handlers or logger.level)
        ],
        "numpy's settings": (numpy.geterr(), numpy.get_printoptions()),
        "scikit-learn's settings": sklearn.get_config(),
        "numba's threads": numba.get_num_threads(),
        "native threads": [pool["num_threads"] for pool in threadpoolctl.threadpool_info()],
        "environment": dict(os.environ),
        "path": list(sys.path),
        "folder": os.getcwd(),
        "locale": locale.setlocale(locale.LC_ALL),
        "signals": [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)],
        "hooks": (sys.excepthook, sys.displayhook, sys.stdout, sys.stderr),
        "threads": threading.active_count(),
    }

def changed_by(action):
    before = state()
    action()
    after = state()
    return [name for name in before if before[name] != after[name]]

def load_every_module():
    for module in pkgutil.walk_packages(sys.modules["glassrank"].__path__, "glassrank."):
        importlib.import_module(module.name)

def disturb():
    numpy.random.seed(1)
    warnings.simplefilter("ignore")
    logging.basicConfig()

found = {"import": changed_by(lambda: importlib.import_module("glassrank")), "modules": changed_by(load_every_module)}
import glassrank
values = {name: getattr(glassrank, name) for name in glassrank.__all__}
found["hidden"] = [name for name, value in values.items() if isinstance(value, types.ModuleType)]
found["disturbance"] = changed_by(disturb)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found() -> dict[str, list[str]]:
    """The changes of global state by importing glassrank, by loading all of it, and by a planted disturbance."""
    return json.loads(run_python(LOOK))


def test_importing_glassrank_changes_no_global_state(found):
    assert found["import"] == []


def test_loading_every_module_changes_no_global_state(found):
    assert found["modules"] == []


def test_a_planted_change_of_state_is_found(found):
    assert found["disturbance"] == ["numpy's random state", "warning filters", "logging"]


def test_a_folder_of_the_same_name_hides_no_name(found):
    """Python binds an imported folder to its name in the package, which may be the name of a function."""
    assert found["hidden"] == []


IMPORT_NAMES = {"scikit-learn": "sklearn", "vl-convert-python": "vl_convert", "xgboost-cpu": "xgboost"}


def declared_imports() -> set[str]:
    """Return the top-level modules declared in pyproject.toml, including the extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [requirement for extra in project["optional-dependencies"].values() for requirement in extra]
    names = [re.match(r"[\w.-]+", requirement)[0] for requirement in [*project["dependencies"], *extras]]
    return {IMPORT_NAMES.get(name, name.replace("-", "_")) for name in names}


def test_every_library_a_module_imports_is_declared():
    allowed = declared_imports() | sys.stdlib_module_names | {"glassrank"}
    undeclared = {relative(path): imported_libraries(path) - allowed for path in source_files()}
    assert {path: names for path, names in undeclared.items() if names} == {}, "add it to pyproject.toml"


def imported_libraries(path) -> set[str]:
    """Return the top-level modules that a file imports."""
    found = set()
    for node in syntax_nodes(path.read_text()):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.split(".")[0])
    return found


def test_benchmarks_find_what_they_import_from_the_package():
    """They take minutes, so that the suite does not run them: a renamed function would go unnoticed."""
    missing = [
        (relative(script), node.module, name.name)
        for script in sorted((ROOT / "benchmarks").glob("*.py"))
        for node in ast.walk(ast.parse(script.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "glassrank"
        for name in node.names
        if not hasattr(importlib.import_module(node.module), name.name)
    ]
    assert missing == []
