"""A finished study again, with fewer features or other transforms: its documents, and the options that study them."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from glassrank.core.checks import DataError, check_choice
from glassrank.data.partitions.save_partitions import save_partitions
from glassrank.files.atomic_files import make_folder
from glassrank.nomograms.elimination.path import BEST
from glassrank.studies.ranking.recipe import Recipe
from glassrank.studies.views.saved_study import SavedStudy

INPUT = "input"
"""Folder with the documents of a repeated study, inside its own folder, so that it does not depend on the first one."""
TRAIN, TEST = "train", "test"
# Field of a recipe -> option of ``glassrank study``
OPTIONS = {
    "kernel": "--kernel",
    "mode": "--mode",
    "loss": "--loss",
    "C": "--C",
    "C_unit": "--C-unit",
    "gamma": "--gamma",
    "keep": "--keep",
    "transform": "--transform",
    "measure": "--measure",
    "convention": "--convention",
    "seed": "--seed",
}
# Option -> field of a record
OTHERS = {"--scale-per-query": "scale_per_query", "--tune": "tune", "--margin": "margin"}
OTHER_OPTIONS = (*OTHERS, "--folds", "--monotone", "--title")


def repeat_study(
    saved: SavedStudy,
    folder: Path,
    title: str,
    *,
    features: Sequence[str] | None = None,
    transforms: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """Write the documents of a study into a new folder, and return the options of ``glassrank study``.

    The options are those of the study, ``transforms`` by feature name have precedence, and ``features`` are the only
    ones that are kept. C and the features are chosen again. Validation queries have become training queries.
    """
    given = {option: saved.record.options.get(name) for option, name in OTHERS.items()}
    options = (*recipe_options(_changed(saved, features, transforms or {})), *_as_options(given), f"--title={title}")
    check_arguments(options)
    inputs = make_folder(make_folder(folder) / INPUT)
    parts = {TRAIN: saved.training} | ({} if saved.measured is saved.training else {TEST: saved.measured})
    for name, data in parts.items():
        save_partitions(data if features is None else data.pick_features(features), inputs / name, overwrite=True)
    return options


def repeat_arguments(folder: Path, options: Sequence[str]) -> tuple[str, ...]:
    """Return the arguments of ``glassrank`` that study the documents in a folder; only known options are accepted.

    >>> repeat_arguments(Path("again"), ["--kernel=lrbf", "--title=Again"])
    ('study', 'again/input/train', '--kernel=lrbf', '--title=Again')
    """
    for one in options:
        name, equals, _ = one.partition("=")
        given = name if equals else f"{name} without a value"
        check_choice("an option of a repeated study", given, (*OPTIONS.values(), *OTHER_OPTIONS))
    check_arguments(options)
    inputs = folder / INPUT
    test = [f"--test={inputs / TEST}"] if (inputs / TEST).is_dir() else []
    return ("study", str(inputs / TRAIN), *test, *options)


def recipe_options(recipe: Recipe) -> tuple[str, ...]:
    """Return the options of ``glassrank study`` for a recipe, without those at their defaults.

    >>> recipe_options(Recipe(kernel="lrbf", C=0.5, transforms=(("price", "log"),)))
    ('--kernel=lrbf', '--C=0.5', '--transform=price=log')
    """
    usual = Recipe()
    fields = {name: getattr(recipe, name) for name in OPTIONS}
    given = {OPTIONS[name]: value for name, value in fields.items() if value != getattr(usual, name)}
    unit = {} if recipe.folds.unit == usual.folds.unit else {"--folds": recipe.folds.unit}
    named = [f"--transform={name}={method}" for name, method in recipe.transforms]
    named += [f"--monotone={name}={direction}" for name, direction in recipe.monotone]
    return (*_as_options(given | unit), *named)


def check_arguments(arguments: Sequence[str]) -> None:
    """Raise an error for names that the arguments of a command cannot contain."""
    for one in arguments:
        try:
            encoded = os.fsencode(one)
        except UnicodeEncodeError:
            encoded = b"\0"
        if b"\0" in encoded:
            raise DataError(f"{one!r} contains a character that a command line cannot.", remedy="Choose another name.")


def _as_options(given: Mapping[str, Any]) -> list[str]:
    return [f"{option}={value}" for option, value in given.items() if value is not None]


def _changed(saved: SavedStudy, features: Sequence[str] | None, transforms: Mapping[str, str]) -> Recipe:
    """Return the recipe of the new study; the recipe itself checks that its settings fit together."""
    known = saved.training.feature_names if features is None else features
    unknown = next((name for name in (*transforms, *known) if name not in saved.training.feature_names), None)
    if unknown is not None:
        raise DataError(f"There is no feature {unknown!r} in this study.", parameter="transforms", got=unknown)
    recipe = saved.recipe
    own = dict(recipe.transforms) | dict(transforms)
    kept = {name: method for name, method in own.items() if method != recipe.transform and name in known}
    monotone = tuple((name, direction) for name, direction in recipe.monotone if name in known)
    # A number of features was for all of them.
    keep = BEST if features is not None and not isinstance(recipe.keep, str) else recipe.keep
    return replace(recipe, transforms=tuple(sorted(kept.items())), monotone=monotone, keep=keep)
