"""RankLib's text models: refused, or loaded with the scores of a slow evaluator of the format."""

import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.modelfile.load_ranker import load_ranker
from glassrank.nomograms.additive_ranker import AdditiveRanker
from tests.fuzz.cases import Case, Long, odd_files, text_bombs
from tests.fuzz.reader import DifferenceError, Reader
from tests.modelfile.test_ranklib import FOLDER, ROWS
from tests.reference.ranklib_model import evaluate

_MODEL = "model.txt"
# Models with more features are loaded, but not scored, because of memory.
_MOST_FEATURES = 10_000
# RankLib adds in 32 bits: each of a few hundred trees can lose half a unit in the last place.
_ROUNDING = 1e-5
_TOKENS = (
    *(bytes([byte]) for byte in b"0123456789:.-+eE#<>/ \t\r\n\0_"),
    *(b"0:", b"1:", b"1:1", b"100001:1", b"## ", b"## MART\n", b"## Linear Regression\n", b"nan", b"1e39", b"1e-46"),
    *(b"<split>", b"</split>", b'<split pos="left">', b"<output> 1 </output>", b"<feature> 2 </feature>", b"</tree>"),
    *(b"<threshold> -0.0 </threshold>", b'<tree id="1" weight="1">', b"<!--", b"&amp;", b"\xe2\x80\xa8", b"\x0b"),
)
_NUMBERS = ("0", "-0.0", "1", "1e-46", "3.4028235E38", "0.1", "-0.25", "1e300", "16777217", "1.0E-10")


def _corpus() -> list[Case]:
    """Return models written by RankLib, and texts that are large, deep or full of features."""
    nested = ((b"## MART\n<ensemble><tree weight='1'>", 1), (b"<split>", 1_000_000))
    return [
        *(Case(path.stem, {_MODEL: path.read_bytes()}) for path in sorted(FOLDER.glob("*_*.txt"))),
        Case("lambdamart", {_MODEL: (FOLDER / "lambdamart.txt").read_bytes()}),
        Case("two lines of weights", {_MODEL: b"## Coordinate Ascent\n1:0.5\n2:0.25\n"}, is_base=False),
        Case("lines of other kinds", {_MODEL: b"## Coordinate Ascent\n1:0.5\x0b2:0.25\n"}, is_base=False),
        Case("last feature", {_MODEL: b"## Coordinate Ascent\n100000:1\n"}, is_base=False),
        Case("many weights", {_MODEL: b"## Coordinate Ascent\n" + b" ".join(b"%d:1" % n for n in range(1, 100_001))}),
        Case("nested without end", {_MODEL: Long(nested)}),
        *(Case(f"{depth} levels", {_MODEL: _deep(depth)}, is_base=False) for depth in (300, 3_000, 100_000)),
        *text_bombs(_MODEL, b"## LambdaMART\n<ensemble>", b"<tree></tree>\n"),
        *odd_files(_MODEL),
    ]


def _deep(depth: int) -> bytes:
    """Return one tree that splits the same feature at every level."""
    level = b"<feature>1</feature><threshold>%d</threshold><split pos='left'><output>1</output></split>"
    down = b"".join(level % number + b"<split pos='right'>" for number in range(depth))
    inside = b"<split>" + down + b"<output>2</output>" + b"</split>" * (depth + 1)
    return b"## MART\n<ensemble><tree id='1' weight='1'>" + inside + b"</tree></ensemble>"


def _read(folder: Path, options: Mapping[str, Any]) -> None:
    """The model scores as the slow evaluator, if that one can read the text, and otherwise only loads."""
    path = folder / _MODEL
    model = load_ranker(path)
    if not isinstance(model, AdditiveRanker) or model.n_features_in_ > _MOST_FEATURES:
        return  # damaged into a model of another tool, or too large
    rows = np.resize(ROWS.astype(np.float32), (len(ROWS), model.n_features_in_))
    with np.errstate(all="ignore"):
        expected = _slowly(path, rows)
        ours = model.predict(rows.astype(float))
    if expected is None:
        return
    scores, scale = expected
    if np.abs(ours - scores).max() > _ROUNDING * scale:
        raise DifferenceError(f"scores: read {ours.tolist()}, expected {scores.tolist()}")


def _slowly(path: Path, rows: Any) -> tuple[Any, float] | None:
    """Return the scores of the slow evaluator and the size of what it adds; None if it cannot read the text."""
    try:
        text = path.read_bytes().decode()
        scores = evaluate(text, rows)
        weights, outputs, slopes = ([abs(float(number)) for number in parts.findall(text)] for parts in _ADDED)
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, StopIteration, RecursionError):
        return None
    scale = sum(outputs) * max(weights, default=0.0) + sum(slopes) * float(np.nanmax(np.abs(rows)))
    return (scores, scale) if np.isfinite(scores).all() and np.isfinite(scale) else None


# Weights of trees, their outputs, and the weights of a linear model
_ADDED = tuple(map(re.compile, (r'weight="([^"]+)"', r"<output>\s*(\S+)\s*</output>", r"(?:^|\s)\d+:(\S+)")))


def _make(generator: random.Random) -> Case:
    """Make a small model of random trees or weights."""
    if generator.random() < 0.4:
        places = sorted(generator.sample(range(5), generator.randint(1, 4)))
        line = " ".join(f"{place}:{_number(generator)}" for place in places)
        title = generator.choice(["Linear Regression", "Coordinate Ascent"])
        return Case("weights", {_MODEL: f"## {title}\n## Lambda = 1.0E-10\n{line}\n".encode()})
    title, trees = generator.choice(["LambdaMART", "MART"]), range(1, generator.randint(2, 4))
    lines = [
        f'<tree id="{number}" weight="{_number(generator)}">\n<split>\n{_node(generator, 2)}</tree>\n'
        for number in trees
    ]
    return Case("trees", {_MODEL: f"## {title}\n\n<ensemble>\n{''.join(lines)}</ensemble>\n".encode()})


def _node(generator: random.Random, levels: int) -> str:
    """Return what follows ``<split>``, one element per line."""
    if levels == 0 or generator.random() < 0.2:
        return f"<output> {_number(generator)} </output>\n</split>\n"
    branches = (f'<split pos="{side}">\n{_node(generator, levels - 1)}' for side in ("left", "right"))
    head = f"<feature> {generator.randint(1, 3)} </feature>\n<threshold> {_number(generator)} </threshold>\n"
    return head + "".join(branches) + "</split>\n"


def _number(generator: random.Random) -> str:
    return generator.choice(_NUMBERS) if generator.random() < 0.3 else repr(generator.gauss(0, 1))


RANKLIB = Reader("RankLib models", _corpus, _read, share=6, short=100, make=_make, tokens=_TOKENS)
