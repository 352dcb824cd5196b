"""Every example in a docstring runs and returns what it shows."""

import doctest
import importlib
import inspect
import io
from contextlib import chdir

import pytest
import sklearn

from tests.house.repository import module_name, source_files
from tests.quick_study import few_resamples, little_tuning_unless  # noqa: F401 - a fixture for all tests here

MODULES = [module_name(path) for path in source_files() if ">>> " in path.read_text()]


def docstring_tests(module) -> list[doctest.DocTest]:
    """Return the examples of a module; doctest does not find those of compiled kernels, so they are added."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    tests = finder.find(module, module.__name__)
    for name, value in vars(module).items():
        python = getattr(value, "py_func", None)
        if python is not None and python.__module__ == module.__name__:
            tests += finder.find(python, f"{module.__name__}.{name}", module, vars(module).copy())
    return [test for test in tests if test.examples]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_correct(name, tmp_path):
    module = importlib.import_module(name)
    tests = {test.name: test for test in docstring_tests(module)}
    assert sum(len(test.examples) for test in tests.values()) == inspect.getsource(module).count(">>> ")
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    report = io.StringIO()
    for test in tests.values():
        with chdir(tmp_path), sklearn.config_context(), little_tuning_unless(test.docstring):
            runner.run(test, out=report.write)
    assert runner.failures == 0, report.getvalue()
