"""``glassrank nomogram``: draw the lines of a saved model, without documents."""

from pathlib import Path
from typing import Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, quiet_option, show, working
from glassrank.cli.inputs import input_file, unweighted_input_options
from glassrank.cli.models.match_to_model import by_position_option, check_by_position, read_for_model
from glassrank.cli.output_file import check_picture

# Repeated here, so that --help need not import the modules that define them, which load numpy.
ORDERS = ("length", "name", "model")
LINES = ("box", "folded")
ALIGNMENTS = ("left", "zero")
THEMES = ("light", "dark")


@click.command(cls=PlainCommand)
@click.argument("model", metavar="MODEL", type=input_file)
@click.argument("data", metavar="DATA", type=input_file)
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="Picture to write: .html, .svg, .png or .pdf.",
)
@click.option(
    "--rows",
    metavar="N",
    type=click.IntRange(1),
    help="Number of lines, the longest ones. Default: 10, and up to 16 until they make up 75 % of all lengths.",
)
@click.option("--order", type=click.Choice(ORDERS), default="length", show_default=True, help="Order of the lines.")
@click.option(
    "--lines",
    type=click.Choice(LINES),
    default="box",
    show_default=True,
    help="How curves that rise and fall are drawn.",
)
@click.option(
    "--align",
    type=click.Choice(ALIGNMENTS),
    default="left",
    show_default=True,
    help="Start all lines at the left, or align them at effect 0.",
)
@click.option(
    "--theme",
    type=click.Choice(THEMES),
    help="Colours of an image. Default: light. A page follows its reader's scheme.",
)
@click.option("--title", help="Title of the picture.")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@unweighted_input_options
@by_position_option
@json_option
@quiet_option
def nomogram(
    model: Path,
    data: Path,
    output: Path,
    rows: int | None,
    order: str,
    lines: str,
    align: str,
    theme: str | None,
    title: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Draw the model in MODEL: one line per feature, over the values that occur in DATA.

    Prints the length of each line: how much the feature can change the score within a query or, in a classifier, over
    the data. Labels are optional.

    With --json: the range of each line.
    """
    check_picture(output, force)
    if theme is not None and output.suffix == ".html":
        raise click.UsageError("--theme is for images: a page follows its reader's light or dark scheme.")
    from glassrank.modelfile.load_ranker import read_ranker
    from glassrank.nomograms.figure.model_nomogram import model_nomogram

    saved = read_ranker(model)
    check_by_position(reading, saved)
    found = saved.scaled(read_for_model(data, saved, quiet, reading, judged=False))
    settings: dict[str, Any] = {"order": order, "rows": rows, "lines": lines, "align": align, "title": title}
    with working(f"Drawing {output} …", quiet):
        picture = model_nomogram(saved.restore(), found, **settings)
        picture.save(output, theme or "light")
    show(picture.to_json() if as_json else str(picture), data=as_json)
    note(f"Wrote {output}.", quiet)
