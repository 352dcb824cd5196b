"""The ``glassrank`` command: a group that imports a command when it is called."""

from importlib import import_module
from typing import Any

import click

import glassrank
from glassrank.cli.console import PlainGroup, printable_errors, system_errors

# Command -> its module and its line in the list of commands; sorted.
COMMANDS = {
    "app": ("glassrank.cli.app:app", "Open the studies of a folder in the browser."),
    "compare": ("glassrank.cli.compare:compare", "Compare rankings of the same documents."),
    "data": ("glassrank.cli.data:data", "Describe, convert and simulate ranking data."),
    "demo": ("glassrank.cli.demo:demo", "Simulate data, train a ranker and write a report."),
    "distill": ("glassrank.cli.topics.distill:distill", "Find authorities and hubs for a broad query."),
    "explain": ("glassrank.cli.models.explain:explain", "Explain the rank or the class of a document."),
    "export": ("glassrank.cli.models.export:export", "Write a saved model for a search engine or a database."),
    "intent": ("glassrank.cli.queries.intent:intent", "Identify navigational queries."),
    "links": ("glassrank.cli.topics.links:links", "Find authorities and hubs of a graph of links without text."),
    "nomogram": ("glassrank.cli.models.nomogram:nomogram", "Draw the lines of a saved model."),
    "rank": ("glassrank.cli.models.rank:rank", "Rank documents with a saved model."),
    "select": ("glassrank.cli.select:select", "Rank features by several methods."),
    "study": ("glassrank.cli.study:study", "Train, measure and explain a ranker; write a report and a model."),
    "train": ("glassrank.cli.models.train:train", "Train any model and write it to a file."),
    "warm": ("glassrank.cli.warm:warm", "Compile the kernels ahead of the first use."),
}


class LazyGroup(PlainGroup):
    """A group that lists its commands by name and imports only the one that is called."""

    def invoke(self, ctx: click.Context) -> Any:
        with printable_errors(), system_errors():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        return getattr(import_module(module), attribute)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(glassrank.__version__, message="%(prog)s %(version)s")
def main() -> None:
    """Search ranking you can see through."""
