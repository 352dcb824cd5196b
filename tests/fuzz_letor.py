"""Damage LETOR texts at random: the fast reader must refuse or read each of them exactly like the slow reader.

python tests/fuzz_letor.py --runs 1000000 --seed 0
"""

import argparse
import math
import random
import re
import sys
import time
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scipy import sparse

from glassrank.core.checks import DataError
from glassrank.data.letor.combine_parts import combine
from glassrank.data.letor.letor_rules import LetorRules
from glassrank.data.letor.letor_text import parse_text
from glassrank.data.ranking_data import RankingData
from tests.reference.letor import RefusedError, Rules, Table, parse

_PLACE = re.compile(r"text:(\d+):(\d+): ")
# Fragments to insert: bytes and words that have a meaning for the reader.
_FRAGMENTS = [bytes([byte]) for byte in b"0123456789:.-+eE# \t\r\n\0=_,qidnax"]
_FRAGMENTS += [b"nan", b"inf", b"qid:", b"qid:1", b"1:", b"0:1", b"2147483648:1", b"#docid = ", b"# feature 2 = x\n"]
_FRAGMENTS += [b"1e999", b"1e-320", b"9007199254740993", b"-0", b"1" * 25, b"\n\n", b"\r\n", b"\xef\xbb\xbf", b"\xff"]
_FRAGMENTS += [b"qid:9223372036854775807 ", b"qid:-9223372036854775808 ", b"qid:9223372036854775808 ", "é".encode()]
_NUMBERS = ["-0", ".5", "1.", "nan", "1e22", "1e23", "4.9e-324", "2.2250738585072011e-308", "1E+2"]
_COMMENTS = ["", "", " #docid = d7", "# docid=GX0 inc = 1", " # two words", " #", " #docid =", " # docid x"]


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, default=100_000)
    arguments.add_argument("--seed", type=int, default=0)
    options = arguments.parse_args()
    start = time.perf_counter()
    counts = {"refused": 0, "read": 0}
    for run in range(options.runs):
        counts[check_one(options.seed, run)] += 1
        if (run + 1) % 20_000 == 0:
            print(f"{run + 1:,} of {options.runs:,}: {counts}", file=sys.stderr, flush=True)
    seconds = time.perf_counter() - start
    print(f"{options.runs:,} damaged texts, seed {options.seed}: {counts}, all like the slow reader, {seconds:.0f} s")
    return 0


def check_one(seed: int, run: int) -> str:
    """Read one damaged text with both readers; return "refused" or "read", or raise AssertionError."""
    generator = random.Random(f"{seed}/{run}")
    content = damage(generator, make_text(generator))
    rules = Rules(
        generator.choice([None, None, 2, 5, 40]),
        generator.choice(["auto", "auto", True, False]),
        generator.random() < 0.5,
        generator.random() < 0.9,
    )
    layout = generator.choice(["auto", "csr"])
    described = f"seed {seed}, run {run}, {rules}, {layout}:\n{content!r}"
    expected = _slowly(content, rules)
    got = _fast(content, rules, layout)
    if isinstance(expected, RefusedError) or isinstance(got, DataError):
        assert isinstance(expected, RefusedError), f"refused a valid text: {got}\n{described}"
        assert isinstance(got, DataError), f"read a text that is invalid at {expected.place}\n{described}"
        match = _PLACE.match(str(got))
        place = (int(match[1]), int(match[2])) if match else None
        assert place == expected.place, f"place {place} instead of {expected.place}: {got}\n{described}"
        return "refused"
    assert same(got, expected), f"other data\n{described}"
    return "read"


def _slowly(content: bytes, rules: Rules) -> Table | RefusedError:
    try:
        return parse(content, rules)
    except RefusedError as refusal:
        return refusal


def _fast(content: bytes, rules: Rules, layout: str) -> RankingData | DataError:
    letor_rules = LetorRules(
        rules.n_features, rules.zero_based, "keep" if rules.keep_missing else "refuse", rules.has_qid
    )
    try:
        text = parse_text(content, "text", letor_rules)
        return combine([text], letor_rules, layout, qid=None if rules.has_qid else [0] * text.n_rows)
    except DataError as error:
        return error


def same(data: RankingData, table: Table) -> bool:
    """Whether labels, queries, identifiers, names and all values are identical."""
    if data.qid.tolist() != table.qids or list(data.feature_names) != table.names:
        return False
    if (None if data.doc_ids is None else data.doc_ids.tolist()) != table.doc_ids:
        return False
    if not _same_numbers(data.y.tolist(), table.labels):
        return False
    return all(_same_row(data, row, table) for row in range(len(table.rows)))


def _same_row(data: RankingData, row: int, table: Table) -> bool:
    expected = table.rows[row]
    if sparse.issparse(data.X):
        stored = slice(data.X.indptr[row], data.X.indptr[row + 1])
        columns = [column + table.first for column in data.X.indices[stored].tolist()]
        return columns == list(expected) and _same_numbers(data.X.data[stored].tolist(), list(expected.values()))
    values = [expected.get(number, 0.0) for number in range(table.first, table.last + 1)]
    return _same_numbers(data.X[row].tolist(), values)


def _same_numbers(ours: list[float], theirs: list[float]) -> bool:
    if len(ours) != len(theirs):
        return False
    return all(
        (a == b and math.copysign(1, a) == math.copysign(1, b)) or (a != a and b != b)
        for a, b in zip(ours, theirs, strict=True)
    )


def make_text(generator: random.Random) -> bytes:
    """Make a small valid text."""
    first = generator.choice([0, 1, 1, 1])
    end = generator.choice(["\n", "\n", "\r\n"])
    gap = generator.choice([" ", " ", "\t", "  "])
    n_features = generator.randint(1, 4)
    lines = [f"# feature {first + generator.randrange(n_features)} = bm 25"] if generator.random() < 0.3 else []
    for _ in range(generator.randint(1, 4)):
        pairs = [f"{first + k}:{_number(generator)}" for k in range(n_features) if generator.random() < 0.9]
        fields = [generator.choice(["0", "1", "2", "0.5", "-1", "+1"]), f"qid:{generator.randint(-1, 12)}", *pairs]
        lines.append(gap.join(fields) + generator.choice(_COMMENTS))
        if generator.random() < 0.1:
            lines.append(generator.choice(["", "  ", "# remark"]))
    return (end.join(lines) + generator.choice([end, end, ""])).encode()


def _number(generator: random.Random) -> str:
    kind = generator.randrange(6)
    if kind == 0:
        return str(generator.randint(-3, 30))
    if kind == 1:
        return repr(generator.gauss(0, 1) * 10 ** generator.uniform(-320, 300))
    if kind == 2:
        return f"{generator.gauss(0, 1):.{generator.randint(0, 25)}{generator.choice('feg')}}"
    if kind == 3:
        return "".join(generator.choices("0123456789", k=generator.randint(1, 24))) + generator.choice(["", "."])
    if kind == 4:
        return generator.choice(_NUMBERS)
    return f"{generator.random():.4g}"


def damage(generator: random.Random, content: bytes) -> bytes:
    """Flip, insert, delete, duplicate, move or cut bytes; sometimes leave the text unchanged."""
    for _ in range(generator.choice([0, 1, 1, 1, 2, 4])):
        at = generator.randint(0, len(content))
        until = min(len(content), at + generator.choice([1, 1, 2, 5, 20]))
        kind = generator.randrange(6)
        if kind == 0 and at < len(content):
            content = content[:at] + bytes([content[at] ^ 1 << generator.randrange(8)]) + content[at + 1 :]
        elif kind == 1:
            content = content[:at] + generator.choice(_FRAGMENTS) + content[at:]
        elif kind == 2:
            content = content[:at] + content[until:]
        elif kind == 3:
            content = content[:until] + content[at:until] + content[until:]
        elif kind == 4:
            content = content[:at] + generator.choice(_FRAGMENTS) + content[until:]
        elif generator.random() < 0.3:
            content = content[:at]
    return content


if __name__ == "__main__":
    sys.exit(main())
