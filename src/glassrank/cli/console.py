"""What the commands share: notes and errors on stderr, exit codes, options."""

import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from glassrank.cli.error_wording import in_options
from glassrank.cli.termination import ending_when_told
from glassrank.core.progress import Progress, silent

# Parameters that change what is printed or how fast, not what is found.
PRINTING = ("as_json", "quiet", "n_jobs")
# What a shell reports for a program that was ended by Ctrl-C: 128 + the number of the signal.
INTERRUPTED = 130
# Signs that a terminal would obey, all but the ends of lines and tabs, and halves of letters that cannot be written.
_NOT_PRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print no notes or progress on stderr.")


def printable(text: str) -> str:
    """A text from a user's files without signs that a terminal obeys: their codes are shown instead.

    >>> printable("\x1b[2Jd7")
    '\\\\x1b[2Jd7'
    """
    return _NOT_PRINTABLE.sub(lambda sign: sign[0].encode("unicode_escape").decode(), text)


def show(text: str = "", *, data: bool = False, nl: bool = True) -> None:
    """Print text for a reader on stdout. Text that is ``data`` for another program is exact, but for a terminal."""
    exact = data and not sys.stdout.isatty()
    # As bytes, because click takes control signs out of text that does not go to a terminal.
    click.echo(text.encode(errors="backslashreplace") if exact else printable(text), nl=nl)


def note(message: str, quiet: bool = False) -> None:
    """Tell the user something that is not the command's data: on stderr, unless ``quiet``."""
    if not quiet:
        click.echo(printable(message), err=True)


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun.

    >>> counted(1, "query", "queries"), counted(1200, "query", "queries")
    ('1 query', '1,200 queries')
    """
    return f"{number:,} {one if number == 1 else many}"


def repeated_command(*name: str) -> str:
    """The call of a command that makes the same again: all that was said, but how to print and the default values."""
    context = click.get_current_context()
    words = ["glassrank", *name]
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        if parameter.name in PRINTING or value in (None, (), False, parameter.default):
            continue
        if isinstance(parameter, click.Option) and parameter.is_flag:
            words.append(parameter.opts[0])
            continue
        for one in value if isinstance(value, tuple) else (value,):
            words += [parameter.opts[0], str(one)] if isinstance(parameter, click.Option) else [str(one)]
    return shlex.join(words)


@contextmanager
def working(message: str, quiet: bool = False) -> Iterator[None]:
    """Show a spinner on stderr while the block runs; nothing when ``quiet`` or when stderr is not a terminal."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(printable(message))):
        yield


@contextmanager
def progress_bar(quiet: bool = False, *, steps: bool = False) -> Iterator[Progress]:
    """Hand out a function (done, total or None, what) that moves a bar on stderr.

    Where stderr is not a terminal, each call of work that counts ``steps`` becomes a note, and other work is silent.
    """
    if quiet or not sys.stderr.isatty():
        yield _note_step if steps and not quiet else silent
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def move(done: int, total: int | None, what: str) -> None:
            bar.update(task, description=escape(printable(what)), completed=done, total=total)

        yield move


def _note_step(done: int, total: int | None, what: str) -> None:
    # A step that begins gets an ellipsis; a sentence, such as that a step is reused, stays as it is.
    step = what if what.endswith(".") else f"{what} …"
    note(step if total is None else f"{done:,} of {total:,}: {step}")


@contextmanager
def printable_errors() -> Iterator[None]:
    """Let nothing that a user's files contain reach the terminal by an error."""
    try:
        yield
    except click.ClickException as error:
        error.message = printable(error.message)
        raise


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn bad data into one line ``Error: …`` on stderr with exit code 1, and Ctrl-C into exit code 130."""
    try:
        with ending_when_told():
            yield
    except BrokenPipeError:
        raise  # the reader of a pipe left (| head): click ends quietly
    except OSError as error:
        raise click.ClickException(_one_line(error)) from error
    except MemoryError as error:
        raise click.ClickException(f"Not enough memory. {error}".strip()) from error
    except ValueError as error:
        # Imported here: it brings numpy, which `glassrank --help` does without.
        from glassrank.core.checks import DataError

        if not isinstance(error, DataError):
            raise
        raise click.ClickException(in_options(error, click.get_current_context())) from error
    except KeyboardInterrupt:
        click.echo("Interrupted.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None


class PlainCommand(click.Command):
    """A command that ends in :func:`plain_errors`; they are worded in its options."""

    def invoke(self, ctx: click.Context) -> Any:
        with plain_errors():
            return super().invoke(ctx)


class PlainGroup(click.Group):
    """A group of such commands."""

    command_class = PlainCommand


def _one_line(error: OSError) -> str:
    said = f"{error.strerror}." if error.strerror else str(error)
    return said if error.filename is None else f"{error.filename}: {said}"
