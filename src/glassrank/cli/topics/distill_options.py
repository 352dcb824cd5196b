"""Options for gathering, linking, pruning and ranking pages."""

from collections.abc import Callable
from typing import Any

import click

# Repeated here, so that --help need not import the modules that define them, which load numpy.
METHODS = ("bharat-henzinger", "svdd", "hits", "hits-top", "pagerank", "in-degree", "bm25")
SITES = ("host", "domain", "directory", "page", "column")
OF_LARGEST = "max/10"
THRESHOLDS = ("root-median", "median", OF_LARGEST)

_share = click.FloatRange(0, 1)
# The library's names of the options for candidates and links.
CANDIDATE_OPTIONS = ("root_size", "in_links", "site", "edges", "language")
language_option = click.option(
    "--language",
    metavar="NAME",
    help="Language of the pages, such as english or japanese: leave out stop words, compare stems or dictionary words.",
)
_CANDIDATES = (
    click.option(
        "--root-size",
        type=click.IntRange(1),
        help="Number of search results. Default: 200, or 50 in a small collection.",
    ),
    click.option(
        "--in-links",
        type=click.IntRange(0),
        help="Number of linking pages per result. Default: 50, or 10 in a small collection.",
    ),
    click.option(
        "--site", type=click.Choice(SITES), default="host", show_default=True, help="How pages are grouped into sites."
    ),
    click.option(
        "--edges",
        type=click.Choice(("inter-site", "all")),
        default="inter-site",
        show_default=True,
        help="Links that count.",
    ),
    language_option,
)
_OPTIONS = (
    click.option(
        "--candidates",
        type=click.Choice(("root", "base")),
        default="root",
        show_default=True,
        help="Candidate pages: the search results, or these and their neighbours.",
    ),
    click.option(
        "--nu",
        type=click.FloatRange(0, 1, min_open=True),
        default=0.1,
        show_default=True,
        help="SVDD: share of training pages allowed outside the sphere.",
    ),
    click.option(
        "--C",
        "C",
        type=click.FloatRange(0, min_open=True),
        help="SVDD: cost of a page outside the sphere, instead of --nu.",
    ),
    click.option(
        "--train-size", type=click.IntRange(1), help="SVDD, hits-top: number of top results to trust. Default: half."
    ),
    click.option(
        "--kernel",
        type=click.Choice(("unit", "raw")),
        default="unit",
        show_default=True,
        help="SVDD: add words and co-citation as they are (raw), or scaled to a unit diagonal.",
    ),
    click.option(
        "--text-rows",
        type=click.Choice(("unit", "raw")),
        default="unit",
        show_default=True,
        help="SVDD with --kernel raw: tf-idf rows of length 1, or raw rows.",
    ),
    click.option(
        "--text-weight", type=_share, default=0.5, show_default=True, help="SVDD: weight of words against co-citation."
    ),
    click.option(
        "--accept",
        type=click.Choice(("plain", "cross-fit")),
        default="plain",
        show_default=True,
        help="SVDD: cross-fit judges each training page by a sphere without it.",
    ),
    click.option(
        "--neighbours",
        type=click.Choice(("judge", "take")),
        default="judge",
        show_default=True,
        help="SVDD on the base set: also judge neighbours, or accept those of accepted pages.",
    ),
    click.option("--quantile", type=_share, help="SVDD: radius at this quantile of held-out distances."),
    click.option(
        "--threshold",
        type=click.Choice(THRESHOLDS),
        default="root-median",
        show_default=True,
        help="Bharat–Henzinger: prune pages with a relevance below this.",
    ),
    click.option(
        "--fraction",
        type=_share,
        help="Bharat–Henzinger with --threshold max/10: this share of the largest relevance instead of a tenth.",
    ),
    click.option("-k", "k", type=click.IntRange(1), default=10, show_default=True, help="Length of the lists."),
    click.option(
        "--widen/--no-widen",
        default=True,
        show_default=True,
        help="If the pages have no links, add neighbours and links step by step, or report an error.",
    ),
    click.option(
        "--seed",
        "random_state",
        type=click.IntRange(0),
        default=0,
        show_default=True,
        help="Random seed for sampling linking pages.",
    ),
)


def distill_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of :func:`glassrank.distill`, under its argument names."""
    return _with(command, *_CANDIDATES, *_OPTIONS)


def candidate_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for candidates and links only."""
    return _with(command, *_CANDIDATES)


def _with(command: Callable[..., Any], *options: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command
