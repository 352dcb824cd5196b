"""The public names: one sorted table; each name can be imported, is documented and has an example."""

import doctest
import importlib
import inspect
import re

import pytest

import glassrank
from tests.house.repository import DOCS, PACKAGE

NAMES = sorted(glassrank._HOMES)


def test_the_table_of_names_is_sorted():
    assert list(glassrank._HOMES) == NAMES


def test_all_and_dir_list_every_name_in_order():
    assert glassrank.__all__ == sorted([*NAMES, "__version__"])
    assert dir(glassrank) == glassrank.__all__


def test_a_star_import_imports_every_name():
    namespace = {}
    exec("from glassrank import *", namespace)
    assert set(glassrank.__all__) <= set(namespace)


def test_an_unknown_name_is_refused_with_the_known_names():
    with pytest.raises(AttributeError, match="no attribute 'RankSVN'") as error:
        _ = glassrank.RankSVN
    assert all(name in str(error.value) for name in NAMES)


def test_a_name_comes_from_the_module_that_defines_it():
    elsewhere = [
        name
        for name, home in glassrank._HOMES.items()
        if not (PACKAGE / (home.replace(".", "/") + ".py")).is_file()
        or getattr(glassrank, name).__module__ != f"glassrank.{home}"
    ]
    assert elsewhere == []


def test_a_name_is_the_same_object_every_time():
    assert [name for name in NAMES if getattr(glassrank, name) is not getattr(glassrank, name)] == []


def has_docstring(value) -> bool:
    """Whether a value has its own docstring; a dataclass without one gets its signature instead."""
    return bool(value.__doc__) and not value.__doc__.startswith(f"{value.__name__}(")


def test_a_name_has_a_docstring_that_begins_with_a_sentence():
    assert [name for name in NAMES if not has_docstring(getattr(glassrank, name))] == []
    summaries = {name: inspect.getdoc(getattr(glassrank, name)).split("\n\n")[0] for name in NAMES}
    assert {name: text for name, text in summaries.items() if not text.endswith((".", ":"))} == {}


def test_a_name_has_an_example():
    """The examples run in test_docstrings."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    shown = {name: finder.find(getattr(glassrank, name), name) for name in NAMES if not name.endswith("Error")}
    assert [name for name, found in shown.items() if not any(test.examples for test in found)] == []


def test_a_name_is_listed_in_the_reference():
    lines = (DOCS / "reference/python.md").read_text().splitlines()
    entries = [f"::: glassrank.{home}.{name}" for name, home in glassrank._HOMES.items()]
    assert [entry for entry in entries if entry not in lines] == []


def test_the_reference_lists_public_names_and_then_their_results():
    names = (DOCS / "reference/python.md").read_text().partition("## Results")[0]
    listed = re.findall(r"^::: glassrank\.(\S+)\.(\w+)$", names, re.M)
    assert sorted((name, home) for home, name in listed) == sorted(glassrank._HOMES.items())


def test_an_entry_of_the_reference_exists_and_has_a_docstring():
    wrong = []
    for entry in re.findall(r"^::: (\S+)", (DOCS / "reference/python.md").read_text(), re.M):
        module, _, name = entry.rpartition(".")
        value = getattr(importlib.import_module(module), name)
        wrong += [] if value.__module__ == module and has_docstring(value) else [entry]
    assert wrong == []
