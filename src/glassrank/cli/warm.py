"""``glassrank warm``: compile the kernels ahead of their first use."""

import click

from glassrank.cli.console import PlainCommand, note, progress_bar, quiet_option


@click.command(cls=PlainCommand)
@quiet_option
def warm(quiet: bool) -> None:
    """Compile all kernels now, on all cores, so that no later command and no first fit has to wait for it.

    Run it once after the installation, and after each upgrade. The result is cached next to the package.
    """
    from glassrank.studies.compile_kernels import compile_kernels

    with progress_bar(quiet, steps=True) as progress:
        compile_kernels(progress)
    note("All kernels are compiled.", quiet)
