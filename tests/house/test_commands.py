"""Every command has help, and its page names every option."""

import re
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from glassrank.cli.main import main
from tests.house.repository import DOCS, run_python

NAMES = main.list_commands(click.Context(main))


def walk(name: str) -> Iterator[tuple[str, click.Command]]:
    """Yield a command of ``glassrank`` and, if it is a group, all commands below it, each with its full name."""

    def below(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
        yield path, command
        if isinstance(command, click.Group):
            context = click.Context(command)
            for child in command.list_commands(context):
                yield from below(f"{path} {child}", command.get_command(context, child))

    return below(name, main.get_command(click.Context(main), name))


def options(command: click.Command) -> list[click.Option]:
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


@pytest.mark.parametrize("name", NAMES)
def test_a_command_and_all_its_options_have_help(name):
    silent = []
    for path, command in walk(name):
        silent += [] if command.help else [path]
        silent += [f"{path} {option.opts[0]}" for option in options(command) if not option.help]
    assert silent == []


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_a_command_names_every_option_and_subcommand(name):
    page = (DOCS / "commands" / f"{name}.md").read_text()
    missing = []
    for path, command in walk(name):
        missing += [] if f"glassrank {path}" in page else [f"glassrank {path}"]
        names = [spelling for option in options(command) for spelling in (*option.opts, *option.secondary_opts)]
        missing += [
            f"{path} {spelling}" for spelling in names if not re.search(rf"(?<![\w-]){spelling}(?![\w-])", page)
        ]
    assert missing == []


def test_the_list_of_commands_has_one_line_per_command():
    listed = CliRunner().invoke(main, ["--help"]).output.partition("Commands:")[2]
    assert re.findall(r"^  (\S+) +\S.*\.$", listed, re.M) == NAMES


def test_every_page_of_a_command_has_its_command():
    assert sorted(page.stem for page in (DOCS / "commands").glob("*.md")) == sorted(NAMES)


def test_help_and_version_load_no_heavy_library():
    script = """
import sys
from click.testing import CliRunner
from glassrank.cli.main import main
for flag in ("--help", "--version"):
    result = CliRunner().invoke(main, [flag])
    if result.exit_code:
        sys.exit(result.output)
print(*{name.split(".")[0] for name in sys.modules})
"""
    loaded = run_python(script).split()
    assert "click" in loaded
    heavy = {"numpy", "numba", "sklearn", "scipy", "duckdb", "narwhals", "pandas", "vl_convert"}
    assert heavy & set(loaded) == set()
