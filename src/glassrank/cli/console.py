"""Shared parts of the commands: notes and errors on stderr, exit codes, options."""

import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from glassrank.cli.error_wording import in_options
from glassrank.core.progress import Progress, silent

# Parameters that change the output format or the speed, not the result.
PRINTING = ("as_json", "quiet", "n_jobs")
# Exit codes after a signal, as shells report them: 128 + the signal's number.
INTERRUPTED, TERMINATED = 130, 143

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print no notes or progress on stderr.")


def note(message: str, quiet: bool = False) -> None:
    """Print a message on stderr, unless ``quiet``."""
    if not quiet:
        click.echo(message, err=True)


def repeated_command(*name: str) -> str:
    """Return the command line that reproduces a result, without printing options and default values."""
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
    """Show a spinner on stderr while the block runs, unless ``quiet`` or stderr is not a terminal."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(message):
        yield


@contextmanager
def progress_bar(quiet: bool = False, *, steps: bool = False) -> Iterator[Progress]:
    """Yield a function (done, total or None, what) that updates a progress bar on stderr.

    If stderr is not a terminal, each call prints a note if the work counts ``steps``, and nothing otherwise.
    """
    if quiet or not sys.stderr.isatty():
        yield _note_step if steps and not quiet else silent
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def move(done: int, total: int | None, what: str) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield move


def _note_step(done: int, total: int | None, what: str) -> None:
    # The label of a starting step gets an ellipsis; a full sentence, such as on a reused step, does not.
    step = what if what.endswith(".") else f"{what} …"
    note(step if total is None else f"{done:,} of {total:,}: {step}")


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn bad data into one line ``Error: …`` on stderr with exit code 1, and Ctrl-C into exit code 130."""
    try:
        with _clean_exit_on_sigterm():
            yield
    except BrokenPipeError:
        raise  # the reader closed the pipe (| head); click exits without a message
    except OSError as error:
        raise click.ClickException(_one_line(error)) from error
    except MemoryError as error:
        raise click.ClickException(f"Not enough memory. {error}".strip()) from error
    except ValueError as error:
        # Imported here, because it loads numpy, which `glassrank --help` does not need.
        from glassrank.core.checks import DataError

        if not isinstance(error, DataError):
            raise
        raise click.ClickException(in_options(error, click.get_current_context())) from error
    except KeyboardInterrupt:
        click.echo("Interrupted.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None


class PlainCommand(click.Command):
    """A command that runs in :func:`plain_errors`; its error messages name its own options."""

    def invoke(self, ctx: click.Context) -> Any:
        with plain_errors():
            return super().invoke(ctx)


class PlainGroup(click.Group):
    """A group whose commands are :class:`PlainCommand`."""

    command_class = PlainCommand


@contextmanager
def _clean_exit_on_sigterm() -> Iterator[None]:
    """Turn SIGTERM into a normal exit, so that no copy of a log stays behind in a temporary folder."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread receives signals
        return
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(TERMINATED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _one_line(error: OSError) -> str:
    text = f"{error.strerror}." if error.strerror else str(error)
    return text if error.filename is None else f"{error.filename}: {text}"
