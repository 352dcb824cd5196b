"""The fields of an error, its wording in Python and other interfaces, and its pickling."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassrank.core.checks import DataError, as_vector, as_weights, check_choice, check_length, check_positive, within
from glassrank.core.setting import in_parts, setting
from tests.house.repository import clean_environment

OPTIONS = {"features=[...]": "--feature", "level": "--level", "strict=False": "without --strict"}


def in_options(error: DataError) -> str:
    return error.worded(lambda named: OPTIONS.get(named.key))


def caught(check, *arguments, **options) -> DataError:
    with pytest.raises(DataError) as error:
        check(*arguments, **options)
    return error.value


def test_the_fields_make_the_sentence():
    error = DataError(parameter="level", expected="between 0 and 1", got=2, remedy="Lower it.")
    assert (error.parameter, error.expected, error.got, error.remedy) == ("level", "between 0 and 1", 2, "Lower it.")
    assert error.problem == "level must be between 0 and 1: got 2."
    assert str(error) == "level must be between 0 and 1: got 2. Lower it."


def test_a_problem_alone_is_the_message():
    error = DataError("The table has no rows.")
    assert (str(error), error.problem) == ("The table has no rows.", "The table has no rows.")
    assert (error.parameter, error.expected, error.got, error.remedy) == (None, None, None, "")


@pytest.mark.parametrize(
    ("error", "fields"),
    [
        (lambda: caught(check_length, "qid", [1, 1], 3), ("qid", 3, 2)),
        (lambda: caught(check_choice, "kernel", "x", ["linear"]), ("kernel", "one of 'linear'", "x")),
        (lambda: caught(check_positive, "C", -1), ("C", "a positive number", -1)),
        (lambda: caught(as_vector, "y", [[1.0]]), ("y", "one-dimensional", (1, 1))),
        (lambda: caught(as_weights, "weights", [-2.0], 1), ("weights", "not negative", -2.0)),
        (lambda: caught(as_vector, "y", [np.nan]), ("y", "finite numbers", None)),
        (lambda: caught(as_vector, "y", None), ("y", "numbers", None)),
    ],
)
def test_the_checks_fill_the_fields(error, fields):
    found = error()
    assert (found.parameter, found.expected, found.got) == fields


def test_a_setting_is_an_argument_in_python_and_an_option_elsewhere():
    error = DataError("No features.", remedy=f"Name them: {setting('features', [...])}.")
    assert str(error) == "No features. Name them: features=[...]."
    assert in_options(error) == "No features. Name them: --feature."


def plain(value):
    """Return the text of a setting without its mark, which differs between processes, as the name of a test."""
    return str(DataError(value))


@pytest.mark.parametrize(
    ("given_setting", "python"),
    [
        (setting("method", "hits"), "method='hits'"),
        (setting("label", None), "label=None"),
        (setting("diagonal", ...), "diagonal=..."),
        (setting("cv"), "cv"),
        (setting("strict", False, python="with strict=False"), "with strict=False"),
    ],
    ids=plain,
)
def test_settings_read_as_python_writes_them(given_setting, python):
    assert str(DataError(f"a {given_setting} z")) == f"a {python} z"


def test_the_parameter_at_the_beginning_is_a_setting():
    error = DataError("level must rise within a level.", parameter="level")
    assert str(error) == "level must rise within a level."
    assert in_options(error) == "--level must rise within a level."
    other = DataError("levels must rise.", parameter="level")
    assert in_options(other) == str(other)


def test_alternatives_with_unknown_settings_are_left_out():
    steps = ("Fill it", f"pass {setting('missing', 'keep')}", f"read {setting('strict', False)}")
    error = DataError("A gap.", remedy=steps)
    assert str(error) == "A gap. Fill it, pass missing='keep', or read strict=False."
    assert in_options(error) == "A gap. Fill it, or read without --strict."
    assert in_options(DataError("A gap.", remedy=steps[1:2])) == "A gap."
    assert in_options(DataError("A gap.", remedy=steps[1:])) == "A gap. Read without --strict."
    assert in_options(DataError("A gap.", remedy=f"Fill it, or pass {setting('missing', 'keep')}.")) == "A gap."


def test_a_setting_in_the_problem_is_never_left_out():
    assert in_options(DataError(f"{setting('site', 'column')} needs a column.")) == "site='column' needs a column."


def test_the_remedy_starts_on_a_new_line_after_a_list():
    assert str(DataError("Found:\n  a\n  b", remedy="Drop b.")) == "Found:\n  a\n  b\nDrop b."


hostile = st.one_of(
    st.text(),
    st.sampled_from(["{level}", "{0}", "strict=False", "level", "%s", "features=[...]", "\0", "\1", "\\", "\n"]),
    st.text("\0\x01abcdef0123456789{}="),
)


@given(hostile)
def test_data_are_never_mistaken_for_a_setting(text):
    error = DataError(f"a {text} b", remedy=f"c {text} d")
    assert error.worded(lambda named: pytest.fail(f"{named}")) == str(error)
    assert (error.problem, error.remedy) == (f"a {text} b", f"c {text} d")


@given(hostile)
def test_data_inside_a_setting_stay_in_it(text):
    assert [part for part in in_parts(f"a{setting('name', text)}b") if not isinstance(part, str)] == [
        (f"name={text!r}", f"name={text!r}")
    ]


def described(error: DataError) -> tuple:
    return (str(error), error.problem, error.parameter, error.expected, error.got, error.remedy, in_options(error))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_copies_and_pickles_are_the_same_error(again):
    error = DataError(parameter="level", expected="low", got=lambda: 2, remedy=(f"x {setting('strict', False)}", "y"))
    made = again(error)
    assert type(made) is DataError
    assert described(made) == described(error)


def test_an_error_of_another_process_is_worded_here():
    source = (
        "import pickle, sys; from glassrank.core.checks import DataError; from glassrank.core.setting import setting;"
        "error = DataError('No.', parameter='level', remedy=f\"Read {setting('strict', False)}.\");"
        "sys.stdout.buffer.write(pickle.dumps(error))"
    )
    done = subprocess.run([sys.executable, "-c", source], env=clean_environment(), capture_output=True, check=True)
    assert in_options(pickle.loads(done.stdout)) == "No. Read without --strict."


@pytest.mark.parametrize("got", [np.float64(0.5), np.int64(3), (np.int64(1), "a"), None, True, "text"])
def test_a_plain_value_is_kept_in_got(got):
    error = DataError(parameter="level", expected="low", got=got)
    assert error.got == got
    assert "np." not in str(error.got)


def test_an_object_is_kept_as_text_in_got():
    assert DataError(parameter="level", expected="low", got=[1, 2]).got == "[1, 2]"


def test_a_place_is_prefixed_once_and_the_fields_are_kept():
    error = None
    try:
        with within("b.csv"), within("a.csv"), within("a.csv"):
            check_positive("level", -1)
    except DataError as found:
        error = found
    assert str(error) == "b.csv: a.csv: level must be a positive number: got -1."
    assert in_options(error) == "b.csv: a.csv: --level must be a positive number: got -1."
    assert (error.parameter, error.got) == ("level", -1)


def test_a_place_that_only_resembles_the_start_of_the_message_is_prefixed():
    with pytest.raises(DataError, match=r"^lev: level must be") as error, within("lev"):
        check_positive("level", -1)
    assert error.value.parameter == "level"
