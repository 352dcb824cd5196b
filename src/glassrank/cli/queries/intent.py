"""``glassrank intent``: identify navigational queries; the group of commands, and the list of features."""

import json
from typing import TYPE_CHECKING

import click

from glassrank.cli.console import PlainGroup, json_option, show

if TYPE_CHECKING:
    from glassrank.navigational.feature import Feature

# Repeated here, so that --help need not import the catalogue, which loads numpy.
CATEGORIES = ("click", "url", "anchor", "other")
# Commands of the group that are defined in other files.
ELSEWHERE = {
    "explain": "glassrank.cli.queries.intent_predict",
    "labels": "glassrank.cli.queries.intent_labels",
    "predict": "glassrank.cli.queries.intent_predict",
    "profile": "glassrank.cli.queries.intent_profile",
    "results": "glassrank.cli.queries.intent_results",
    "serve": "glassrank.cli.queries.intent_serve",
    "statistics": "glassrank.cli.queries.intent_statistics",
    "study": "glassrank.cli.queries.intent_study",
    "table": "glassrank.cli.queries.intent_table",
    "train": "glassrank.cli.queries.intent_train",
}


class IntentGroup(PlainGroup):
    """Commands about intents."""

    elsewhere = ELSEWHERE


@click.group(cls=IntentGroup)
def intent() -> None:
    """Identify navigational queries, where the user wants one particular site.

    \b
    glassrank intent study --demo
    """


@intent.command(short_help="List all 197 features.")
@click.option("--category", type=click.Choice(CATEGORIES), help="List only features of this category.")
@json_option
def features(category: str | None, as_json: bool) -> None:
    """List all 197 features of a query and a result: name, category, what it needs, formula."""
    from glassrank.navigational.features.catalogue import FEATURES

    chosen = [one for one in FEATURES if category in (None, one.category)]
    show(_as_json(chosen) if as_json else _as_text(chosen), data=as_json)


def _as_json(chosen: "list[Feature]") -> str:
    return json.dumps(
        [
            {"name": one.name, "category": one.category, "needs": list(one.needs), "formula": one.formula}
            for one in chosen
        ]
    )


def _as_text(chosen: "list[Feature]") -> str:
    from glassrank.drawing.text_table import align

    rows = [(one.name, one.category, " ".join(one.needs), one.formula) for one in chosen]
    return align([("name", "category", "needs", "formula"), *rows])
