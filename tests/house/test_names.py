"""The public face: one sorted table of names, each found, documented and shown by an example."""

import doctest
import importlib
import inspect
import re

import pytest

import glassrank
from tests.house.repository import DOCS, PACKAGE, run_python

NAMES = sorted(glassrank._HOMES)


def test_the_table_of_names_is_sorted():
    assert list(glassrank._HOMES) == NAMES


def test_all_and_dir_list_every_name_in_order():
    assert glassrank.__all__ == sorted([*NAMES, "__version__"])
    assert dir(glassrank) == glassrank.__all__


def test_a_star_import_brings_every_name():
    namespace = {}
    exec("from glassrank import *", namespace)
    assert set(glassrank.__all__) <= set(namespace)


def test_an_unknown_name_is_refused_with_the_names_there_are():
    with pytest.raises(AttributeError, match="no attribute 'RankSVN'") as error:
        _ = glassrank.RankSVN
    assert all(name in str(error.value) for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_comes_from_the_module_that_defines_it(name):
    home = glassrank._HOMES[name]
    value = getattr(glassrank, name)
    assert (PACKAGE / (home.replace(".", "/") + ".py")).is_file()
    assert value.__module__ == f"glassrank.{home}"
    assert getattr(glassrank, name) is value


def test_a_folder_of_the_same_name_hides_no_name():
    """Python binds an imported folder to its name in the package, where a function of that name may belong."""
    script = """
import importlib, pkgutil, types, glassrank
for module in pkgutil.walk_packages(glassrank.__path__, "glassrank."):
    importlib.import_module(module.name)
print(*[name for name in glassrank.__all__ if isinstance(getattr(glassrank, name), types.ModuleType)], end="")
"""
    assert run_python(script) == ""


@pytest.mark.parametrize("name", NAMES)
def test_a_name_has_a_docstring_that_says_what_it_is(name):
    value = getattr(glassrank, name)
    assert value.__doc__
    # A dataclass without a docstring gets its signature instead.
    assert not value.__doc__.startswith(f"{name}(")
    summary = inspect.getdoc(value).split("\n\n")[0]
    assert summary.endswith((".", ":")), f"the summary of {name} is no sentence: {summary!r}"


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("Error")])
def test_a_name_is_shown_by_an_example_that_runs(name):
    examples = doctest.DocTestFinder(exclude_empty=True).find(getattr(glassrank, name), name)
    assert any(found.examples for found in examples), f"{name} has no >>> example"


@pytest.mark.parametrize("name", NAMES)
def test_a_name_stands_in_the_reference(name):
    entry = f"::: glassrank.{glassrank._HOMES[name]}.{name}"
    assert entry in (DOCS / "reference/python.md").read_text().splitlines(), (
        f"docs/reference/python.md lacks the line {entry!r}"
    )


def test_the_reference_shows_public_names_and_after_them_their_results():
    names = (DOCS / "reference/python.md").read_text().partition("## Results")[0]
    listed = re.findall(r"^::: glassrank\.(\S+)\.(\w+)$", names, re.M)
    assert sorted((name, home) for home, name in listed) == sorted(glassrank._HOMES.items())


@pytest.mark.parametrize("entry", re.findall(r"^::: (\S+)", (DOCS / "reference/python.md").read_text(), re.M))
def test_an_entry_of_the_reference_exists_and_explains_itself(entry):
    module, _, name = entry.rpartition(".")
    value = getattr(importlib.import_module(module), name)
    assert value.__module__ == module
    assert value.__doc__
    assert not value.__doc__.startswith(f"{name}(")
