"""Finished steps of a long job, stored in a folder, so that an interrupted job resumes where it stopped."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from glassrank import __version__
from glassrank.core.checks import DataError
from glassrank.core.process.freed_memory import release_freed_memory
from glassrank.core.process.stopwatch import Stopwatch
from glassrank.core.progress import counted_steps
from glassrank.data.ranking_data import RankingData
from glassrank.files.atomic_files import check_folder, make_folder, read_bytes, write_atomically

FORMAT = 4
Result = TypeVar("Result")


def unchanged(plain: Any) -> Any:
    """Return plain values unchanged; the default converter.

    >>> unchanged([1, 2])
    [1, 2]
    """
    return plain


def reused_note(label: str) -> str:
    """Return the progress message for a step that an earlier run finished.

    >>> reused_note("Training")
    'Training: reused from an earlier run.'
    """
    return f"{label}: reused from an earlier run."


def damaged_note(path: Path) -> str:
    """Return the progress message for a file that cannot be read.

    >>> damaged_note(Path("C.json"))
    'C.json is damaged: its step is computed again.'
    """
    return f"{path} is damaged: its step is computed again."


class Steps:
    """Results of steps, stored as JSON files that are valid only for one fingerprint of data and options.

    A computed result is used directly and also stored; only a resumed job reads stored results. ``say`` is called with
    the label of each computed or reused step and the name of each damaged file. ``watch`` receives the CPU seconds of
    each labelled step, also of those that an earlier run computed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = Steps(folder, "fingerprint").run("sum", lambda: 1 + 1)
    ...     again = Steps(folder, "fingerprint", print).run("sum", lambda: 1 / 0, label="Adding")
    Adding: reused from an earlier run.
    >>> first, again
    (2, 2)
    """

    def __init__(
        self,
        folder: str | Path,
        fingerprint: str,
        say: Callable[[str], None] | None = None,
        watch: Stopwatch | None = None,
    ) -> None:
        check_folder(folder)
        self._folder, self._fingerprint, self._say = Path(folder), fingerprint, say or counted_steps(None)
        self._watch = watch or Stopwatch()
        self._seconds: dict[str, float] = {}
        self.reused: list[str] = []
        """Steps that an earlier run had finished."""

    def run(
        self,
        name: str,
        compute: Callable[[], Result],
        to_json: Callable[[Result], Any] = unchanged,
        from_json: Callable[[Any], Result] = unchanged,
        *,
        label: str | None = None,
    ) -> Result:
        """Return the result of a step: the stored one if an earlier run finished it, otherwise compute and store it."""
        stored = self.read(name)
        if stored is not None:
            if label is not None:
                self._say(reused_note(label))
                self._watch.add(label, self._seconds[name])
            return from_json(stored)
        if label is not None:
            self._say(label)
        own = Stopwatch()
        with own.step(name):
            result = compute()
            plain = to_json(result)
        if label is not None:
            self._watch.add(label, own.seconds[name])
        self.write(name, plain, own.seconds[name])
        release_freed_memory()
        return result

    def read(self, name: str) -> Any:
        """Return what an earlier run stored under this name; None if there is nothing with this fingerprint.

        A damaged file is reported, and its step is computed again.
        """
        path = self._path(name)
        try:
            content = read_bytes(path)
        except DataError:
            return None  # usually the file does not exist; if it is unreadable, writing it will raise
        stored = _parsed(content)
        if stored.get("fingerprint", self._fingerprint) != self._fingerprint:
            return None
        if stored.get("checksum") != self._checksum(name, stored.get("result")):
            self._say(damaged_note(path))
            return None
        self.reused.append(name)
        seconds = stored.get("seconds")
        self._seconds[name] = seconds if isinstance(seconds, float) else 0.0
        return stored["result"]

    def write(self, name: str, result: Any, seconds: float = 0.0) -> None:
        """Store the plain values of a finished step, and how many seconds of CPU time it took."""
        make_folder(self._folder)
        checksum = self._checksum(name, result)
        content = {"fingerprint": self._fingerprint, "checksum": checksum, "seconds": seconds, "result": result}
        write_atomically(self._path(name), json.dumps(content).encode())

    def _checksum(self, name: str, result: Any) -> str:
        """Return a digest of a step's plain values, which is the same before writing and after reading.

        It includes the name and the fingerprint, so the file of another step or of other data is not accepted. The time
        of the step is not part of it: the same step takes another time in every run.
        """
        return hashlib.sha256(json.dumps([self._fingerprint, name, result]).encode()).hexdigest()

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"


def fingerprint(options: dict[str, Any]) -> str:
    """Return a digest of the options, which contain a digest of the data, and of the version."""
    return digest_of_values([FORMAT, __version__, options])


def digest_of_values(plain: Any) -> str:
    """Return a digest of plain values.

    >>> digest_of_values({"a": 1, "b": 2}) == digest_of_values({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def digest_of_data(*parts: RankingData | None) -> str:
    """Return a digest of all numbers and names of the data."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(b"part")
        if part is not None:
            _add(digest, part)
    return digest.hexdigest()


def _add(digest: Any, data: RankingData) -> None:
    X = data.X
    arrays = (X.data, X.indices, X.indptr) if hasattr(X, "indptr") else (X,)
    for array in (*arrays, data.y, data.qid, *(() if data.weights is None else (data.weights,))):
        digest.update(str((array.shape, array.dtype)).encode())
        # The memory of the array itself: a copy of all features would be as large as the data.
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    digest.update(json.dumps([data.feature_names, [[kind.name, kind.levels] for kind in data.kinds]]).encode())


def _parsed(content: bytes) -> dict[str, Any]:
    """Parse the content of a file; empty if it is not a JSON object."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
