"""Finished steps of a long job, kept in a folder, so that a job that was stopped goes on where it was."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from glassrank import __version__
from glassrank.data.ranking_data import RankingData
from glassrank.files.atomic_files import write_atomically

FORMAT = 1


class Steps:
    """Results of steps as JSON files, valid for one fingerprint of data and options only.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = Steps(folder, "fingerprint").run("sum", lambda: 1 + 1)
    ...     again = Steps(folder, "fingerprint").run("sum", lambda: 1 / 0)
    >>> first, again
    (2, 2)
    """

    def __init__(self, folder: str | Path, fingerprint: str) -> None:
        self._folder, self._fingerprint = Path(folder), fingerprint
        self.reused: list[str] = []
        """Steps that were found finished."""

    def run(self, name: str, work: Callable[[], Any]) -> Any:
        """The result of a step: read, if it was finished before, else worked out and kept."""
        path = self._folder / f"{name}.json"
        kept = _read(path)
        if kept.get("fingerprint") == self._fingerprint:
            self.reused.append(name)
            return kept["result"]
        result = work()
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps({"fingerprint": self._fingerprint, "result": result}).encode())
        return result


def fingerprint(options: dict[str, Any], *parts: RankingData | None) -> str:
    """A digest of the options, the version and every number and name of the data."""
    digest = hashlib.sha256(json.dumps([FORMAT, __version__, options], sort_keys=True).encode())
    for part in parts:
        digest.update(b"part")
        if part is not None:
            _add(digest, part)
    return digest.hexdigest()


def _add(digest: Any, data: RankingData) -> None:
    X = data.X
    arrays = (X.data, X.indices, X.indptr) if hasattr(X, "indptr") else (X,)
    for array in (*arrays, data.y, data.qid):
        digest.update(str((array.shape, array.dtype)).encode())
        digest.update(array.tobytes())
    digest.update(json.dumps(data.feature_names).encode())


def _read(path: Path) -> dict[str, Any]:
    """A kept step; nothing where the file is not there or was damaged, and the step is then worked out anew."""
    try:
        kept = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) and "result" in kept else {}
