"""``glassrank app``: the local web app."""

import errno
import socket
from pathlib import Path

import click

from glassrank.cli.console import PlainCommand, note

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
    port = _free_port(host, port)  # before the server is loaded, which takes seconds
    from glassrank.app.security import Access
    from glassrank.app.server import run_app

    access = Access(host, port)
    note(f"glassrank app: {access.address}  (stop with Ctrl-C)")
    if not no_browser:
        click.launch(access.address)
    run_app(folder, access)


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
