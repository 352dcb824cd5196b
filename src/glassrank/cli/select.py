"""``glassrank select``: rank features by several methods."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import PlainCommand, json_option, note, quiet_option, show, working
from glassrank.cli.inputs import input_file, input_options, read_data
from glassrank.cli.output_file import check_picture
from glassrank.selection.selector_names import SELECTORS, explained_selectors

if TYPE_CHECKING:
    from glassrank.data.ranking_data import RankingData
    from glassrank.selection.rank_features import FeatureRankings

# Here, features are dropped one by one, whereas `glassrank intent` measures all lines once.
ELIMINATION = "elimination of the feature with the shortest line, one at a time"


@click.command(cls=PlainCommand)
@click.argument("data", metavar="DATA", type=input_file)
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=click.Choice(tuple(SELECTORS)),
    help=f"Ranking method. Repeatable. Default: the first five. {explained_selectors(nomogram=ELIMINATION)}.",
)
@click.option(
    "--n",
    "n_features",
    metavar="N",
    type=click.IntRange(1),
    help="Number of features to keep. Default: half; for nomogram, chosen by cross-validation.",
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Random seed for boosting.")
@click.option(
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also draw the rankings: .html, .svg, .png or .pdf.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@input_options
@json_option
@quiet_option
def select(
    data: Path,
    methods: tuple[str, ...],
    n_features: int | None,
    seed: int,
    output: Path | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Rank the features of DATA by several methods.

    Labels are compared within queries. Each method keeps N features; without --n, half of them, and the nomogram
    the number chosen by cross-validation.

    With --json: rank, score and choice of every feature by each method.
    """
    check_picture(output, force)
    found = _rank(read_data(data, quiet, **reading), methods, n_features, seed, quiet)
    show(found.to_json() if as_json else str(found), data=as_json)
    if output is not None:
        with working(f"Drawing {output} …", quiet):
            found.chart().save(output)
        note(f"Wrote {output}.", quiet)


def _rank(
    data: "RankingData", methods: tuple[str, ...], n_features: int | None, seed: int, quiet: bool
) -> "FeatureRankings":
    from glassrank.selection.rank_features import rank_features

    if n_features is not None and n_features > data.n_features:
        raise click.ClickException(f"--n must be at most {data.n_features}, the number of features: got {n_features}.")
    with working("Ranking the features …", quiet):
        return rank_features(data, methods=methods or None, n_features=n_features, random_state=seed)
