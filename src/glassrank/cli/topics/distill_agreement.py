"""``glassrank distill agreement``: how far judges agree, and their merged judgements."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from glassrank.cli.console import PlainCommand, json_option, note, quiet_option, show

if TYPE_CHECKING:
    from glassrank.studies.distillation.judges import Judges

LEVELS = ("ordinal", "nominal", "interval")


@click.command(cls=PlainCommand, short_help="Measure how far judges agree; merge their files.")
@click.argument("judgements", metavar="[NAME=]FILE...", nargs=-1, required=True)
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="ordinal",
    show_default=True,
    help="Whether labels are ordered grades, unordered names or numbers.",
)
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the merged judgements (TREC): the median label of each page, the lower of two.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@json_option
@quiet_option
def agreement(
    judgements: tuple[str, ...], level: str, output: Path | None, force: bool, as_json: bool, quiet: bool
) -> None:
    """Measure how far the judges of FILEs agree: Krippendorff's alpha, and Cohen's kappa of each pair.

    FILEs are written by `glassrank distill judge`, one per person, or are other TREC judgements. NAME= names the judge
    of a file that does not, or of two files with the same name.
    """
    from glassrank.data.trec import save_qrels

    if output is not None and output.exists() and not force:
        raise click.ClickException(f"{output} already exists. Choose another name, or overwrite it with --force.")
    judges = read_judges(judgements)
    found = judges.agreement(level)
    show(found.to_json() if as_json else str(found), data=as_json)
    if output is not None:
        save_qrels(judges.merged, output)
        note(f"Wrote {output}.", quiet)


def read_judges(files: tuple[str, ...]) -> "Judges":
    """Read ``FILE`` and ``NAME=FILE``; a file whose name contains = is read as it is."""
    from glassrank.studies.distillation.judges import load_judges

    named: list[tuple[str, str]] = []
    for text in files:
        name, separator, path = text.partition("=")
        named.append((name, path) if separator and not Path(text).exists() else ("", text))
    return load_judges(named)
