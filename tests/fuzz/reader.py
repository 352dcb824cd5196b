"""What the engine needs to know about a reader, and how the input with a given number is made."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.fuzz.cases import Case
from tests.fuzz.mutations import damage

Mutate = Callable[[random.Random, Case, Sequence[Case]], Case]
# Larger files are not damaged, because this takes long and finds little.
LARGEST_DAMAGED = 1 << 16


class DifferenceError(Exception):
    """The reader accepted an input but its result differs from the reference, or its counts do not add up."""


def same(what: str, ours: Any, theirs: Any) -> None:
    """Raise an error if two results differ."""
    if ours != theirs:
        raise DifferenceError(f"{what}: read {_shown(ours)}, expected {_shown(theirs)}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 300 else f"{text[:300]}…"


@dataclass(frozen=True)
class Reader:
    """A reader under test.

    ``corpus`` returns the cases, which are read as they are and then damaged. ``read`` reads the files in a folder. It
    raises ``DataError`` if it refuses them, and ``DifferenceError`` if it reads them wrongly. ``make`` makes new valid
    inputs, and ``mutate`` damages one in a way that suits the format. ``share`` is the reader's part of a long run, in
    per cent, and ``short`` the number of damaged inputs in a short run. Both depend on the reader's speed.
    """

    name: str
    corpus: Callable[[], list[Case]]
    read: Callable[[Path, Mapping[str, Any]], None]
    share: int
    short: int = 50
    make: Callable[[random.Random], Case] | None = None
    mutate: Mutate | None = None
    tokens: tuple[bytes, ...] = ()

    def make_input(self, corpus: Sequence[Case], seed: int, number: int) -> Case:
        """Return the input with this number: the cases of the corpus come first, then damaged ones."""
        if number < len(corpus):
            return corpus[number]
        generator = random.Random(f"{seed}/{self.name}/{number}")
        sound = [case for case in corpus if is_damageable(case)]
        is_fresh = self.make is not None and generator.random() < 0.7
        case = self.make(generator) if is_fresh else generator.choice(sound)
        changed = self.mutate or self._damage_a_file
        return replace(changed(generator, case, sound), name=f"damaged {case.name}", expected={})

    def _damage_a_file(self, generator: random.Random, case: Case, others: Sequence[Case]) -> Case:
        return damage_a_file(generator, case, others, self.tokens)


def damage_a_file(generator: random.Random, case: Case, others: Sequence[Case], tokens: Sequence[bytes] = ()) -> Case:
    """Damage the bytes of one file of a case."""
    name = generator.choice(list(case.files))
    spliced = list(generator.choice(others).files.values()) if others else [b""]
    content = damage(generator, case.files[name], spliced, tokens)
    return replace(case, files={**case.files, name: content})


def is_damageable(case: Case) -> bool:
    """Return whether damaged copies are made of a case, which must consist of small files."""
    sizes = [len(content) if isinstance(content, bytes) else -1 for content in case.files.values()]
    return case.is_base and bool(sizes) and min(sizes) >= 0 and 0 < max(sizes) <= LARGEST_DAMAGED
