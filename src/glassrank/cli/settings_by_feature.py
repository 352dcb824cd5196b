"""Settings by feature on the command line: transforms, and effects that may only rise or fall."""

from typing import Any

import click

TRANSFORMS = ("none", "standard", "log", "quantile", "auto")

transform_option = click.option(
    "--transform",
    "transforms",
    multiple=True,
    metavar="[NAME=]METHOD",
    help=f"Transform of all features, or of one: {', '.join(TRANSFORMS)}. Repeatable. Default: standard.",
)


def read_transforms(given: tuple[str, ...]) -> dict[str, Any]:
    """Split ``METHOD`` and ``NAME=METHOD`` into the arguments ``transform`` and ``transforms``."""
    pairs = [text.rpartition("=") for text in given]
    for _, _, method in pairs:
        if method not in TRANSFORMS:
            raise click.UsageError(f"--transform must be one of {', '.join(TRANSFORMS)}: got {method!r}.")
    for_all = [method for name, _, method in pairs if not name]
    if len(for_all) > 1:
        raise click.UsageError(f"--transform can be given once for all features: got {' and '.join(for_all)}.")
    _check_once("--transform", [name for name, _, _ in pairs if name])
    named = {name: method for name, _, method in pairs if name}
    return ({"transform": for_all[0]} if for_all else {}) | ({"transforms": named} if named else {})


def read_directions(given: tuple[str, ...]) -> dict[str, int]:
    """Read ``NAME=1`` and ``NAME=-1``."""
    pairs = [text.rpartition("=") for text in given]
    for text, (name, _, direction) in zip(given, pairs, strict=True):
        if not name or direction not in ("1", "+1", "-1"):
            raise click.UsageError(f"--monotone must be NAME=1 or NAME=-1: got {text!r}.")
    _check_once("--monotone", [name for name, _, _ in pairs])
    return {name: int(direction) for name, _, direction in pairs}


def _check_once(option: str, names: list[str]) -> None:
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise click.UsageError(f"{option} names the feature {repeated!r} twice: leave out one of them.")
