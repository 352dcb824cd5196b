"""Model files of every kind: refused, or loaded as a model with finite scores that equal those of the scorer."""

import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.core.checks import DataError
from glassrank.modelfile.load_model import load_model, load_scorer
from glassrank.modelfile.save_model import save_model
from glassrank.ranking.rank_svm import RankSVM
from tests.fuzz.cases import Case, Content, Link, Long, Pipe, odd_files
from tests.fuzz.reader import DifferenceError, Reader, damage_a_file, same
from tests.modelfile.models import DATA, EVERY_KIND, ends_in_scikit_learn, fitted, fitted_model, scores, signed

_MODEL = "model.json"
_WITH_VECTORS = ("long", "many nodes")
# No model of the corpus has this many features. Models with more are refused or not scored, because of memory.
_MOST_FEATURES = 10_000
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 0.5, -0.0, 1e30, -1e30, 1e308, 5e-324, 2**31, 2**53, 2**63, 10**400),
    *("", "a", "RankSVM", "Pipeline", "lrbf", "difference", "scale", "\ud800", "x" * 5000),
    *([], {}, [[]], [0.0], [1e308] * 6, {"float32": [0.1]}, {"vector": "model.nodes"}),
)


def _corpus() -> list[Case]:
    """Valid and forged models, and files that are large, lack their vectors, or are not regular files."""
    sound = {name: _files(fitted_model(name)) for name in (*EVERY_KIND, *_WITH_VECTORS, "splines")}
    sound["difference"] = _files(fitted(RankSVM(C=10.0, kernel="lrbf", mode="difference")))
    with_vectors = sound["long"]
    beside = next(name for name in with_vectors if name != _MODEL)
    text_alone = {_MODEL: with_vectors[_MODEL]}
    return [
        *(Case(name, files) for name, files in sound.items()),
        _forged("lines", sound["lines"], ("model", "coefficients"), [1e308] * 6),
        *(
            _forged(f"gamma {gamma:g}", sound["difference"], ("model", "columns", "gammas", 0), gamma)
            for gamma in _GAMMAS
        ),
        *(_forged(f"gamma {gamma:g}", sound["curves"], ("model", "columns", "gammas", 0), gamma) for gamma in _GAMMAS),
        Case("vectors missing", text_alone, is_base=False),
        Case("vectors missing beside a long text", _long_text(with_vectors[_MODEL])),
        Case("vectors are a named pipe", {**text_alone, beside: Pipe()}),
        Case("vectors are /dev/zero", {**text_alone, beside: Link("/dev/zero")}),
        Case(
            "31 MB of lists",
            {_MODEL: Long(((b'{"format":"glassrank model","model":[[]', 1), (b",[]", 10_000_000), (b"]}", 1)))},
        ),
        Case("31 MB of brackets", {_MODEL: Long(((b"[", 31_000_000),))}),
        Case("more than is ever read", {_MODEL: Long(((b" ", 33 << 20),))}),
        *odd_files(_MODEL),
    ]


_GAMMAS = (1e30, -1.0, 0.0, 1e300, 5e-324)


def _files(model: Any) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        save_model(model, Path(folder, _MODEL), feature_names=DATA.feature_names)
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def _forged(name: str, files: Mapping[str, bytes], place: Sequence[Any], value: Any) -> Case:
    """Return a model with another value in one place and a correct checksum."""
    content = json.loads(files[_MODEL])
    _put(content, place, value)
    return Case(f"{name}, forged", {**files, _MODEL: json.dumps(signed(content)).encode()}, is_base=False)


def _long_text(text: bytes) -> dict[str, bytes | Content]:
    """Return a valid text of 8 MB whose vectors are missing; reading it several times would take long."""
    content = json.loads(text)
    content["feature_names"] = [0] * 2_700_000
    return {_MODEL: json.dumps(signed(content)).encode()}


def _put(content: Any, place: Sequence[Any], value: Any) -> None:
    for part in place[:-1]:
        content = content[part]
    content[place[-1]] = value


def _read(folder: Path, options: Mapping[str, Any]) -> None:
    """Model and scorer accept the same files and give the same finite scores."""
    model, scorer = _loaded(load_model, folder), _loaded(load_scorer, folder)
    if isinstance(model, DataError):
        if not isinstance(scorer, DataError):
            raise DifferenceError(f"load_scorer accepts what load_model refuses: {model}")
        raise model
    if isinstance(scorer, DataError):
        # Models of differences only score pairs, so there is no scorer for them.
        _check_pairs(model, scorer)
    elif scorer.n_features <= _MOST_FEATURES:
        X = np.resize(DATA.X[:3], (3, scorer.n_features))
        # scikit-learn's own models do not refuse scores that are not finite.
        unchecked = ends_in_scikit_learn(model)
        ours, theirs = _attempted(scorer.predict, X), _attempted(lambda rows: scores(model, rows), X, unchecked)
        same("scores of the model", theirs, ours)
        if ours is None:
            raise DataError("The scores are not finite.")


def _loaded(load: Any, folder: Path) -> Any:
    try:
        return load(folder / _MODEL)
    except DataError as error:
        return error


def _attempted(predict: Any, X: Any, unchecked: bool = False) -> list[float] | None:
    """Return the scores, which must be finite unless they are unchecked; None if they are refused."""
    try:
        with np.errstate(all="ignore"):
            found = predict(X)
    except DataError:
        return None
    except (ValueError, IndexError) as error:
        # If a step of a scikit-learn Pipeline refuses a value, or makes one that the next step refuses, scikit-learn
        # raises its own error.
        if not any(words in str(error) for words in _REFUSED_BY_SCIKIT_LEARN):
            raise
        return None
    if unchecked and not np.isfinite(found).all():
        return None
    if not np.isfinite(found).all():
        raise DifferenceError(f"scores that are not finite: {found}")
    return found.tolist()


_REFUSED_BY_SCIKIT_LEARN = (
    *("contains infinity", "contains NaN", "unknown categories", "Negative values", "out of bounds"),
    *("beyond the limits of the knots", "have missing values in transform", "strictly positive"),
)


def _check_pairs(model: Any, refusal: DataError) -> None:
    if not hasattr(model, "decide_pairs") or "pair" not in str(refusal):
        raise DifferenceError(f"load_scorer refuses what load_model accepts: {refusal}")
    if model.n_features_in_ <= _MOST_FEATURES:
        X = np.resize(DATA.X[:4], (4, model.n_features_in_))
        decisions = model.decide_pairs(X[:2], X[2:])
        if not np.isfinite(decisions).all():
            raise DifferenceError(f"decisions that are not finite: {decisions}")


def _mutate(generator: random.Random, case: Case, others: Sequence[Case]) -> Case:
    """Put other values into a model and correct the checksum, or damage the bytes of a file."""
    if generator.random() < 0.2 or _MODEL not in case.files:
        return damage_a_file(generator, case, others, _TOKENS)
    try:
        content = json.loads(case.files[_MODEL])
        for _ in range(generator.choice([1, 1, 2, 3])):
            places = list(_places(content))[1:]
            if places:
                _change(generator, content, generator.choice(places))
        changed = json.dumps(signed(content)).encode()
    # Already damaged: not JSON, not an object with a checksum, or a number beyond the range of floats.
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return damage_a_file(generator, case, others, _TOKENS)
    return replace(case, files={**case.files, _MODEL: changed})


_TOKENS = (b"[", b"]", b"{", b"}", b",", b'"', b"null", b"1e999", b"NaN", b"-", b'"kind": "Pipeline",', b"\\u0000")


def _places(content: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places in a JSON value, outermost first; in a list, only the first two."""
    yield here
    inner = content.items() if isinstance(content, dict) else ()
    for name, value in inner if not isinstance(content, list) else enumerate(content[:2]):
        yield from _places(value, (*here, name))


def _change(generator: random.Random, content: Any, place: Sequence[Any]) -> None:
    """Replace the value in a place by a hostile value, a scaled number or a list of another length, or delete it."""
    holder = content
    for part in place[:-1]:
        holder = holder[part]
    value, kind = holder[place[-1]], generator.randrange(5)
    if kind == 0:
        del holder[place[-1]]
    elif kind == 1 and isinstance(value, list) and value:
        holder[place[-1]] = value[:-1] if generator.random() < 0.5 else value + value[-1:]
    elif kind <= 2 and isinstance(value, (int, float)) and not isinstance(value, bool):
        holder[place[-1]] = generator.choice([-value, value + 1, float(value) * 1e-30, float(value) * 1e30, int(value)])
    else:
        holder[place[-1]] = generator.choice(_VALUES)


MODELS = Reader("model files", _corpus, _read, share=12, mutate=_mutate)
