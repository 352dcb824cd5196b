"""Error messages mark settings, so that every interface can reword them."""

import ast

import click
import pytest

from glassrank.cli.error_wording import OTHER_NAMES, OTHER_WAYS, in_options
from glassrank.cli.main import main
from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from tests.cli.test_error_wording import leaves
from tests.house.error_sites import ARGUMENT, modules, settings, texts_of_errors

COMMANDS = [command for _, command in leaves(main)]

# Settings without a command-line option. Remedies that name one are left out there; problems must not name one.
PYTHON_ONLY = {
    # Of readers that commands call without these arguments; their messages have another remedy too.
    "column_names",
    "layout='csr'",
    "longest_query",
    "missing='keep'",
    "number_of_features",
    "outside='keep'",
    "zero_based=True",
    # Of estimators and functions that commands do not call, or call with valid values.
    "by='authority'",
    "categories=[...]",
    "coupling=('SVM weights', 'maximum entropy', 50)",
    "cv=None",
    "diagonal=...",
    "enable_metadata_routing=True",
    "engine='lightgbm'",
    "format='onnx'",
    "from_frame",
    "kernel='precomputed'",
    "load_model",
    "load_ranker",
    "pick_features",
    "positive=...",
    "random_state=None",
    "rule='median'",
    "rule='root-median'",
    "samples",
    # Of other libraries.
    "booster='gbtree'",
    "ensemble=False",
    "ensemble=True",
    "handle_unknown='error'",
    "index=False",
    "init='zero'",
    "init=None",
    "interaction_constraints='[[0], [1], ...]'",
    "interaction_constraints=[[0], [1], ...]",
    "interaction_cst='no_interactions'",
    "interaction_cst='pairwise'",
    "linear_tree=False",
    "loss='squared_error'",
    "max_bin=255",
    "max_depth=1",
    "max_depth=2",
    "method='sigmoid'",
    "refit=True",
    "zero_as_missing=False",
}
# Modules that name settings by a variable.
NAMED_BY_VARIABLE = {
    "data/ranking_columns.py",  # --query-column and the like
    "data/web/find_source.py",  # options of a collection
    "data/web/open_collection.py",  # options of a collection
    "distillation/options.py",  # options of distill that only some methods use
    "modelfile/kinds/steps/step_chains.py",  # parameters of a Pipeline: no command saves one
    "navigational/feature_settings.py",  # --language and --trusted-host
    "studies/ranking/model_options.py",  # parameters of models: glassrank train
}


def test_no_error_message_contains_a_python_argument():
    found = [
        f"{path}:{line}: {text!r}"
        for path, module in modules()
        for line, text in texts_of_errors(module)
        if ARGUMENT.search(text)
    ]
    assert found == []


def is_worded(key: str) -> bool:
    """Whether a command rewords the setting."""
    name, has_value, value = key.partition("=")
    named = setting(name, eval(value)) if has_value else setting(name)
    error = DataError("No.", remedy=named)
    return any(in_options(error, click.Context(command)) != "No." for command in COMMANDS)


def test_every_setting_is_an_option_or_listed_as_python_only():
    keys = {key for _, key in settings() if key is not None}
    assert {key for key in keys if not is_worded(key)} == PYTHON_ONLY


def test_modules_that_name_settings_by_a_variable_are_listed():
    assert {path for path, key in settings() if key is None} == NAMED_BY_VARIABLE


def test_all_rewordings_of_the_command_line_are_used():
    keys = {key for _, key in settings() if key is not None}
    assert set(OTHER_WAYS) <= keys


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_every_renamed_setting_is_an_option(name):
    assert is_worded(name)


def test_the_checker_finds_a_planted_argument():
    for source in (
        "DataError('Pass strict=False.')",
        "DataError(f'{path}: pass strict={value!r}.')",
        "DataError('No.', remedy=('a', f'pass x={value}'))",
        "REMEDY = 'Pass x=1.'\nraise DataError('No.', remedy=REMEDY)",
        "refuse('a', 'b', 'Take kernel=1.')",
    ):
        assert any(ARGUMENT.search(text) for _, text in texts_of_errors(ast.parse(source))), source
    for source in (
        "DataError(f\"{setting('strict', False, python='with strict=False')}\")",
        "DataError('C = 1/(nu·N)')",
    ):
        assert not any(ARGUMENT.search(text) for _, text in texts_of_errors(ast.parse(source))), source
