"""Compare two model files on the documents of one file, for ``glassrank compare``."""

from pathlib import Path
from typing import Any

from glassrank.cli.console import note, show, working
from glassrank.cli.models.match_to_model import check_by_position, read_for_model


def compare_model_files(
    judgements: Path,
    models: tuple[Path, ...],
    measures: tuple[str, ...],
    output: Path | None,
    settings: dict[str, Any],
    reading: dict[str, Any],
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print the comparison of two saved models by each measure, and write the page or picture."""
    from glassrank.modelfile.load_ranker import read_ranker
    from glassrank.nomograms.model_comparison.compare_models import compare_models

    saved = [read_ranker(path) for path in models]
    check_by_position(reading, *saved)
    data = [one.scaled(read_for_model(judgements, one, quiet, reading)) for one in saved]
    with working("Comparing …", quiet):
        first, second = (one.restore() for one in saved)
        given = settings | {"data_2": data[1], "names": _names(models)}
        found = [compare_models(first, second, data[0], measure=measure, **given) for measure in measures]
    if as_json:
        show(f"[{', '.join(one.to_json() for one in found)}]", data=True)
    else:
        show("\n\n".join(map(str, found)))
    if output is not None:
        with working(f"Drawing {output} …", quiet):
            found[0].save(output)
        note(f"Wrote {output}.", quiet)


def _names(models: tuple[Path, ...]) -> tuple[str, ...]:
    """Return the names of the files without suffix, or with their folders if these names are equal."""
    short = tuple(path.stem for path in models)
    long = tuple(str(path) for path in models)
    return short if len(set(short)) == 2 else long if len(set(long)) == 2 else ("model 1", "model 2")
