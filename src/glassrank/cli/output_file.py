"""Checks of what a command writes, before the work begins."""

from pathlib import Path

import click

# Repeated here, so that --help need not import glassrank.drawing, which loads numpy.
PICTURES = (".html", ".svg", ".png", ".pdf")

replace_option = click.option(
    "--force", "overwrite", is_flag=True, help="Replace a finished study of other data in the folder."
)


def check_new(output: Path | None, force: bool) -> None:
    """Refuse to overwrite a file without --force."""
    if output is not None and output.exists() and not force:
        raise click.ClickException(f"{output} already exists. Choose another name, or overwrite it with --force.")


def check_picture(output: Path | None, force: bool) -> None:
    """Refuse a file that is not a picture or a page, and one that exists, without --force."""
    if output is not None and output.suffix not in PICTURES:
        raise click.UsageError(f"--output must end in one of {', '.join(PICTURES)}: got {output}.")
    check_new(output, force)


def check_model_name(output: Path) -> None:
    """Raise a usage error for a model file whose name does not say what it contains."""
    if output.suffix.lower() != ".json":
        raise click.UsageError(f"Model files are JSON text: expected a name that ends in .json, got {str(output)!r}.")
