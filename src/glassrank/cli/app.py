"""``glassrank app``: the local web app."""

import errno
import os
import socket
import webbrowser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Thread
from typing import TYPE_CHECKING

import click

from glassrank.cli.console import PlainCommand, note

if TYPE_CHECKING:
    from glassrank.app.security import Access

LOCAL = "127.0.0.1"


@click.command(cls=PlainCommand)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True), default=Path("."))
@click.option(
    "--host",
    default=LOCAL,
    show_default=True,
    help="Address to listen on. Any other than this computer's own needs the token that is printed.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port; 0: any free one.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def app(folder: Path, host: str, port: int, no_browser: bool) -> None:
    """Open the studies in FOLDER in the browser: run new ones, look at rankings, compare models, ship one.

    FOLDER can also be one study. The app sends nothing elsewhere, except a search request when you check an engine.
    Stop the app with Ctrl-C; studies that it started continue.
    """
    # Otherwise a file in the current folder could tell numba to run compiled code from there.
    os.environ.setdefault("NUMBA_CACHE_DIR", "")
    port = _free_port(host, port)  # before the server is loaded, which takes seconds
    from glassrank.app.security import Access
    from glassrank.app.server import run_app

    access = Access(host, port)
    note(f"glassrank app: {access.address}  (stop with Ctrl-C)")
    with ExitStack() as stack:
        if not no_browser:
            address = stack.enter_context(_entry(access))
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()  # which may wait for the browser's end
        run_app(folder, access)


@contextmanager
def _entry(access: "Access") -> Iterator[str]:
    """Yield what a browser opens: the app, or a file of this user that leads there, if the app needs a token."""
    if access.is_local:
        yield access.address
        return
    with NamedTemporaryFile("w", prefix="glassrank-", suffix=".html", encoding="ascii") as file:
        file.write(access.entry_page())
        file.flush()
        yield Path(file.name).as_uri()


def _free_port(host: str, port: int) -> int:
    """Return the port, or a free one for 0; a port that is taken is bad usage."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            other = "--host" if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL else "--port"
            raise click.UsageError(
                f"Cannot listen on {host}, port {port}: {error.strerror}. Choose another {other}."
            ) from error
        return int(probe.getsockname()[1])
