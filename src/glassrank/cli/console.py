"""Shared parts of the commands: notes and errors on stderr, exit codes, options."""

import logging
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from glassrank.cli.error_wording import in_options
from glassrank.cli.termination import ending_when_told
from glassrank.core.progress import Progress, silent
from glassrank.core.wording import nearest, printable

# Parameters that change the output format, the speed or what may be replaced, not the result.
PRINTING = ("as_json", "quiet", "n_jobs", "overwrite")
# Exit code after Ctrl-C, as shells report it: 128 + the signal's number.
INTERRUPTED = 130

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print no notes or progress on stderr.")


def show(text: str = "", *, data: bool = False, nl: bool = True) -> None:
    """Print text on stdout, as ``printable`` text; ``data`` are printed unchanged unless stdout is a terminal."""
    exact = data and not sys.stdout.isatty()
    # Bytes, because click removes escape sequences from text that does not go to a terminal.
    click.echo(text.encode(errors="backslashreplace") if exact else printable(text), nl=nl)


def note(message: str, quiet: bool = False) -> None:
    """Print a message on stderr, unless ``quiet``."""
    if not quiet:
        click.echo(printable(message), err=True)


def repeated_command(*name: str) -> str:
    """Return the command line that reproduces a result, without printing options and default values."""
    context = click.get_current_context()
    words = ["glassrank", *name]
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        # By identity, because 0 equals False: --tune 0 is not the default.
        is_unset = value is None or value is False or value == () or value == parameter.default
        if parameter.name in PRINTING or is_unset:
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
    from rich.markup import escape

    with Console(stderr=True).status(escape(printable(message))):
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
    from rich.markup import escape
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def move(done: int, total: int | None, what: str) -> None:
            bar.update(task, description=escape(printable(what)), completed=done, total=total)

        yield move


def _note_step(done: int, total: int | None, what: str) -> None:
    # The label of a starting step gets an ellipsis; a full sentence, such as on a reused step, does not.
    step = what if what.endswith(".") else f"{what} …"
    note(step if total is None else f"{done:,} of {total:,}: {step}")


@contextmanager
def printable_errors() -> Iterator[None]:
    """Remove control characters from error messages, which may quote a user's files."""
    try:
        yield
    except click.ClickException as error:
        # click declares the message final; a new exception would lose the usage line that the old one prints.
        vars(error)["message"] = printable(error.message)
        raise


@contextmanager
def system_errors() -> Iterator[None]:
    """Turn errors of the operating system, such as a full disk, into one line."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader closed the pipe (| head); click exits without a message
    except OSError as error:
        _drop_output()
        raise click.ClickException(_one_line(error)) from error


def _drop_output() -> None:
    """Discard output that cannot be written; Python would try again at exit and print a second message."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn bad data into one line ``Error: …`` on stderr with exit code 1, and Ctrl-C into exit code 130."""
    try:
        with system_errors(), ending_when_told():
            yield
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
        # The library's log goes to stderr, as notes do.
        logging.getLogger("glassrank").setLevel(logging.ERROR if ctx.params.get("quiet") else logging.NOTSET)
        with plain_errors():
            return super().invoke(ctx)


class PlainGroup(click.Group):
    """A group whose commands are :class:`PlainCommand`; those in other files are imported when they are called."""

    command_class = PlainCommand
    elsewhere: Mapping[str, str] = {}
    """Command that is defined in another file → its module."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        known = self.list_commands(ctx)
        if args[0] not in known and not args[0].startswith("-"):
            near = nearest(args[0], known)
            ctx.fail(f"No such command {args[0]!r}.{f' Did you mean {near!r}?' if near else ''}")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*self.commands, *self.elsewhere])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.elsewhere:
            return getattr(import_module(self.elsewhere[cmd_name]), cmd_name.replace("-", "_"))
        return super().get_command(ctx, cmd_name)


def _one_line(error: OSError) -> str:
    text = f"{error.strerror}." if error.strerror else str(error)
    return text if error.filename is None else f"{error.filename}: {text}"
