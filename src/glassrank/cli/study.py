"""``glassrank study``: train, measure, simplify and explain a ranker of judged documents, and write a report."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from glassrank.cli.compare import parse_systems
from glassrank.cli.console import PlainCommand, json_option, note, progress_bar, quiet_option, repeated_command, show
from glassrank.cli.inputs import (
    duplicates_option,
    input_file,
    input_options,
    is_table,
    loading_options,
    open_folder,
    part_or_train,
    part_sizes_of,
    pick_queries,
    query_option,
    read_parts,
    read_split,
)
from glassrank.cli.models.train_engine import engine_options, open_on_engine
from glassrank.cli.models.train_options import parse_model
from glassrank.cli.number_types import Gamma, PositiveNumber
from glassrank.cli.output_file import replace_option
from glassrank.cli.settings_by_feature import read_directions, read_transforms, transform_option
from glassrank.cli.spark_cluster import run_fits_on
from glassrank.studies.ranking.model_options import OPTIONS, choices_of
from glassrank.studies.study_options import KEEP, STUDY_OPTIONS

if TYPE_CHECKING:
    from glassrank.data.partitions.partitioned_data import PartitionedData
    from glassrank.data.ranking_data import RankingData

    _Parts = tuple[RankingData | PartitionedData, RankingData | None, RankingData | None]


def _meaning(option: str) -> str:
    return STUDY_OPTIONS[option].meaning


def _choices(option: str) -> click.Choice[str]:
    return click.Choice(STUDY_OPTIONS[option].choices)


@click.command(cls=PlainCommand)
@click.argument("train", metavar="TRAIN...", type=input_file, nargs=-1, required=True)
@click.option(
    "--valid", metavar="FILE", type=input_file, help="Validation data for choosing C. Default: folds of TRAIN."
)
@click.option("--test", metavar="FILE", type=input_file, help="Test data. Default: five folds of TRAIN.")
@click.option(
    "--valid-part", metavar="VALUE", help="Value in --split-column of validation rows. Default: valid, if any."
)
@click.option("--test-part", metavar="VALUE", help="Value in --split-column of test rows. Default: test, if any.")
@query_option
@click.option("--kernel", type=_choices("kernel"), default="linear", show_default=True, help=_meaning("kernel"))
@click.option("--mode", type=_choices("mode"), default="utility", show_default=True, help=_meaning("mode"))
@click.option("--loss", type=_choices("loss"), default="squared_hinge", show_default=True, help=_meaning("loss"))
@click.option("--C", "C", type=PositiveNumber((), whole=False), help=_meaning("C"))
@click.option(
    "--C-unit",
    "C_unit",
    type=click.Choice(choices_of("C_unit")),
    help=f"{OPTIONS['C_unit'].meaning} Default: mean; pair for one-orientation.",
)
@click.option("--gamma", metavar="NUMBER|scale", type=Gamma(), help=_meaning("gamma"))
@click.option("--keep", type=PositiveNumber(KEEP, whole=True), default="best", show_default=True, help=_meaning("keep"))
@click.option("--folds", type=_choices("folds"), help=_meaning("folds"))
@transform_option
@click.option("--monotone", multiple=True, metavar="NAME=DIRECTION", help=_meaning("monotone"))
@click.option("--scale-per-query", type=_choices("scale-per-query"), help=_meaning("scale-per-query"))
@click.option("--measure", help=_meaning("measure"))
@click.option(
    "--convention",
    type=_choices("convention"),
    default="standard",
    show_default=True,
    help=_meaning("convention"),
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help=_meaning("seed"))
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Output folder for the report and the model. Default: the name of the first TRAIN with -study, such as "
    "train-study.",
)
@replace_option
@click.option("--title", help="Title of the report.")
@click.option(
    "--system",
    "scored",
    multiple=True,
    metavar="NAME=FILE",
    help="Scores of another system: a table with the query, the document and the column score, or a TREC run. "
    "Repeatable.",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="[NAME=]FILE",
    help="Fitted model to compare and explain: LightGBM text, XGBoost JSON or UBJ, RankLib text, or a glassrank model. "
    "Repeatable.",
)
@click.option(
    "--also",
    multiple=True,
    metavar="MODEL[:OPTION=VALUE,...]",
    help="Model of glassrank train to fit and compare in the same folds, such as elm-rank-cv or elm-rank:n-nodes=200. "
    "Repeatable.",
)
@click.option(
    "--tune",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help=_meaning("tune"),
)
@click.option("--margin", type=PositiveNumber((), whole=False), help=_meaning("margin"))
@engine_options
@input_options
@duplicates_option
@json_option
@quiet_option
@click.pass_context
def study(
    context: click.Context,
    /,
    train: tuple[Path, ...],
    valid: Path | None,
    test: Path | None,
    valid_part: str | None,
    test_part: str | None,
    query: tuple[str, ...],
    kernel: str,
    mode: str,
    loss: str,
    C: float | None,
    C_unit: str | None,
    gamma: str | float | None,
    keep: str | int,
    folds: str | None,
    transforms: tuple[str, ...],
    monotone: tuple[str, ...],
    scale_per_query: str | None,
    measure: str | None,
    convention: str,
    seed: int,
    folder: Path | None,
    overwrite: bool,
    title: str | None,
    scored: tuple[str, ...],
    models: tuple[str, ...],
    also: tuple[str, ...],
    tune: int,
    margin: float | None,
    engine: str | None,
    master: str | None,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Train a ranking SVM on TRAIN, choose C, drop features, measure against baselines, calibrate, and explain.

    TRAIN can be several files, or a folder of blocks from glassrank data partition. With --split-column, validation
    and test data are rows of TRAIN; training rows have the value train, or that of --part. Writes report.html,
    model.json, effects.json, selection.csv and times.csv into the folder. An interrupted study resumes where it
    stopped.
    """
    from glassrank.studies.ranking.study import study as run_study

    files = _Files(train, valid, test, valid_part, test_part)
    _check_parts(files, reading)
    systems = _read_systems(scored, models, reading) | _untrained(also, read_transforms(transforms), seed)
    blocks = open_on_engine(context, train, reading, engine, master)
    if blocks is not None and blocks.engine is not None:
        run_fits_on(blocks.engine)
    with _all_faults(files, folds, reading):
        parts = _read_divided(files, quiet, reading) if reading["split"] else _read_files(files, blocks, quiet, reading)
    picked: Any = parts[0]
    if query:
        picked = picked.named_queries(query) if files.train[0].is_dir() else pick_queries(picked, query)
    with progress_bar(quiet, steps=True) as progress:
        result = run_study(
            picked,
            *parts[1:],
            folder,
            kernel=kernel,
            mode=mode,
            loss=loss,
            C=C,
            C_unit=C_unit,
            gamma=gamma,
            keep=keep,
            folds=folds,
            **read_transforms(transforms),
            monotone=read_directions(monotone),
            scale_per_query=scale_per_query,
            measure=measure,
            convention=convention,
            random_state=seed,
            title=title,
            command=repeated_command("study"),
            systems=systems,
            tune=tune,
            margin=margin,
            overwrite=overwrite,
            progress=progress,
        )
    for said in result.notes:
        note(said, quiet)
    show(result.to_json() if as_json else str(result), data=as_json)


class _Files(NamedTuple):
    """Where the data of a study are: in files of their own, or in rows of the training files."""

    train: tuple[Path, ...]
    valid: Path | None
    test: Path | None
    valid_part: str | None
    test_part: str | None


def _check_parts(files: _Files, reading: dict[str, Any]) -> None:
    """Raise an error unless validation and test data are either files of their own or rows of TRAIN."""
    if reading["split"] and (files.valid or files.test):
        raise click.UsageError(
            "--split-column takes validation and test data from TRAIN: leave out --valid and --test."
        )
    if not reading["split"] and (files.valid_part or files.test_part or reading["part"]):
        raise click.UsageError("--part, --valid-part and --test-part need --split-column.")


@contextmanager
def _all_faults(files: _Files, folds: str | None, reading: dict[str, Any]) -> Iterator[None]:
    """If the training table cannot be read, raise everything in it that the study would refuse later."""
    try:
        yield
    except ValueError:
        (path, *others), source_format = files.train, reading["source_format"]
        if path.is_file() and is_table(path, source_format) and not others and files.valid is None:
            from glassrank.core.table_faults import raise_faults
            from glassrank.data.tables import read_table
            from glassrank.studies.ranking.study_data import find_faults

            options = loading_options(path, part_or_train(reading))
            read_table(path, source_format, lambda source: raise_faults(find_faults(source, options, folds)))
        raise


def _read_files(files: _Files, folder: "PartitionedData | None", quiet: bool, reading: dict[str, Any]) -> "_Parts":
    """Return training, validation and test data, each from its own files; training data may be a folder of blocks."""
    if folder is not None:
        valid, test = (None if path is None else _read_blocks(path, reading) for path in (files.valid, files.test))
        return folder, valid, test
    from glassrank.data.join_data import join_data

    others = [path for path in (files.valid, files.test) if path is not None]
    parts = read_parts((*files.train, *others), quiet, reading)
    valid = None if files.valid is None else parts[len(files.train)]
    return join_data(parts[: len(files.train)]), valid, None if files.test is None else parts[-1]


def _read_blocks(path: Path, reading: dict[str, Any]) -> "RankingData":
    """Read validation or test data, which are a folder of blocks if TRAIN is one."""
    blocks = open_folder((path,), reading)
    if blocks is None:
        raise click.UsageError(f"TRAIN is a folder of blocks, so --valid and --test must be folders of blocks: {path}.")
    from glassrank.data.join_data import join_data

    return join_data([blocks.read_block(number) for number in range(blocks.n_blocks)])


def _read_divided(files: _Files, quiet: bool, reading: dict[str, Any]) -> "_Parts":
    """Return training, validation and test data from the rows of the same files."""
    tables = [path for path in files.train if is_table(path, reading["source_format"])]
    known = {part for path in tables for part in part_sizes_of(path, reading["source_format"], reading["split"])}
    valid = files.valid_part or ("valid" if "valid" in known else None)
    test = files.test_part or ("test" if "test" in known else None)
    return read_split(files.train, (reading["part"] or "train", valid, test), quiet, reading)


def _read_systems(scored: tuple[str, ...], models: tuple[str, ...], reading: dict[str, Any]) -> dict[str, Any]:
    """Load the files of --system and --model; a model without a name is named after its file."""
    named = tuple(value if _has_name(value) else f"{Path(value).stem}={value}" for value in models)
    context = click.get_current_context()
    files = parse_systems(context, context.command.params[0], (*scored, *named))
    from glassrank.core.checks import within
    from glassrank.data.scores import load_document_scores
    from glassrank.studies.ranking.given_systems import load_system

    columns = {role: reading[role] for role in ("qid", "document") if reading[role]}
    found: dict[str, Any] = {}
    for number, (name, path) in enumerate(files.items()):
        with within(path):
            found[name] = load_document_scores(path, **columns) if number < len(scored) else load_system(path)
    return found


def _untrained(also: tuple[str, ...], transforms: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return the models of --also, by what was typed; they get the transforms of the study's own model."""
    context = click.get_current_context()
    if len(set(also)) < len(also):
        raise click.UsageError("--also names the same model twice.")
    parsed = {text: parse_model(text, context) for text in also}
    if not parsed:
        return {}
    from glassrank.core.column_transforms import STANDARD
    from glassrank.studies.ranking.trainers import INNER_FOLDS, make_model

    fixed: dict[str, Any] = {"calibrate": False, "cv": INNER_FOLDS, "random_state": seed}
    chosen = {"transform": STANDARD, "transforms": None} | transforms | fixed
    return {text: make_model(model, options, **chosen) for text, (model, options) in parsed.items()}


def _has_name(value: str) -> bool:
    """Return whether a value is NAME=FILE; a name contains no slash, so that a path may contain an equals sign."""
    name, equals, _ = value.partition("=")
    return bool(equals) and "/" not in name
