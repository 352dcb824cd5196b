"""The ``glassrank`` command: a group whose commands are imported when they are called."""

from importlib import import_module
from typing import Any

import click

import glassrank
from glassrank.cli.console import printable_errors

# Command -> where it lives, and its line in the list of commands; sorted.
COMMANDS = {
    "compare": ("glassrank.cli.compare:compare", "Compare rankings of the same documents."),
    "data": ("glassrank.cli.data:data", "Describe, convert and simulate ranking data."),
    "demo": ("glassrank.cli.demo:demo", "Simulate, train, measure and draw: a report in one go."),
    "distill": ("glassrank.cli.distill:distill", "Find authorities and hubs for a broad query."),
    "explain": ("glassrank.cli.explain:explain", "Say why one document stands above another."),
    "intent": ("glassrank.cli.intent:intent", "Tell navigational queries from informational ones."),
    "rank": ("glassrank.cli.rank:rank", "Score and order documents by a saved model."),
    "select": ("glassrank.cli.select:select", "Rank features by every method, side by side."),
    "study": ("glassrank.cli.study:study", "Train, trim, measure and explain a ranker: a report and a model."),
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports only the one that is called."""

    def invoke(self, ctx: click.Context) -> Any:
        with printable_errors():
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
