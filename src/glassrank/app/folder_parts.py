"""What a folder contains besides ranking studies: collections of pages, intent models, statistics, intent studies."""

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from glassrank.core.checks import DataError
from glassrank.data.collection import Collection
from glassrank.data.web.collection_store import MANIFEST as COLLECTION
from glassrank.data.web.collection_store import has_collection
from glassrank.data.web.open_collection import open_collection
from glassrank.distillation.compare_distillers import ComparedDistillers
from glassrank.files.unfollowed_links import open_file
from glassrank.navigational.features.log_statistics import MANIFEST as STATISTICS
from glassrank.navigational.statistics_folder import load_intent_statistics
from glassrank.studies.distillation.judging import PooledPage
from glassrank.studies.intent.model import IntentModel
from glassrank.studies.intent.service import IntentService
from glassrank.studies.views.intent_study_view import SavedIntentStudy, has_intent_study
from glassrank.studies.views.topic_judging import pool_of
from glassrank.studies.views.topic_views import compare_topic

MOST_OPEN = 4  # collections, and models, that stay in memory
MOST_TOPICS = 12  # queries whose lists, and whose pools, stay in memory
JUDGEMENTS = "judgements"
HEAD = 256  # bytes in which a model file states its format
FORMAT_MARK, KIND_MARK = b'"glassrank model"', b'"NavigationalClassifier"'
Stamp = tuple[int, int]
Value = TypeVar("Value")


def sub_folders(folder: Path) -> list[Path]:
    """Return the sub-folders of a folder that can be read and named in an address, by name."""
    if not folder.is_dir():
        return []
    found = sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    return [path for path in found if has_address(path) and os.access(path, os.R_OK | os.X_OK)]


def has_address(path: Path) -> bool:
    """Return whether a path can be part of an address: file names may be other bytes than UTF-8, addresses may not."""
    try:
        return bool(str(path).encode())
    except UnicodeEncodeError:
        return False


class RecentValues:
    """The values that were used last, each valid for one state of the files that it was read from."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._kept: OrderedDict[Any, tuple[Any, Any]] = OrderedDict()

    def get(self, key: Any, stamp: Any, make: Callable[[], Value]) -> Value:
        """Return the value of a key; it is made if it is not known, or known for another state."""
        with self._lock:
            known = self._kept.get(key)
            if known is None or known[0] != stamp:
                known = self._kept[key] = stamp, make()
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
            value: Value = known[1]
            return value


class FolderParts:
    """The parts of a folder. Names from a client are only looked up in the lists of what the folder contains."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.judging = Lock()
        """Held while a file of judgements is changed."""
        self._collections, self._services = RecentValues(MOST_OPEN), RecentValues(MOST_OPEN)
        self._compared, self._pools = RecentValues(MOST_TOPICS), RecentValues(MOST_TOPICS)
        self._is_model: dict[Path, tuple[Stamp, bool]] = {}

    @property
    def has_topics(self) -> bool:
        """Whether there is a collection, or the folder itself is one."""
        return self.is_collection or bool(self.collections())

    @property
    def is_collection(self) -> bool:
        """Whether the folder itself is a collection, which is replaced with all it contains when it is built again."""
        return has_collection(self.folder)

    @property
    def has_queries(self) -> bool:
        """Whether there is an intent model or an intent study."""
        return bool(self.intent_studies()) or bool(self.intent_models())

    def collections(self) -> dict[str, Path]:
        """Return the sub-folders with a built collection by name."""
        return {path.name: path for path in sub_folders(self.folder) if has_collection(path)}

    def statistics(self) -> dict[str, Path]:
        """Return the folders with statistics of a log by name."""
        return {name: path for name, path in self._folders().items() if (path / STATISTICS).is_file()}

    def intent_studies(self) -> dict[str, Path]:
        """Return the folders with a finished intent study by name."""
        return {name: path for name, path in self._folders().items() if has_intent_study(path)}

    def intent_models(self) -> dict[str, Path]:
        """Return the files with an intent model by their path in the folder."""
        files = [path for folder in (self.folder, *sub_folders(self.folder)) for path in _json_files(folder)]
        return {path.relative_to(self.folder).as_posix(): path for path in files if self._has_model(path)}

    def collection(self, name: str) -> Collection:
        """Return a collection; the last few stay in memory, with their text index."""
        path = _looked_up(self.collections(), name, "collection")
        return self._collections.get(name, _stamp(path / COLLECTION), lambda: open_collection(path))

    def compared(self, collection: str, query: str, candidates: str) -> ComparedDistillers:
        """Return the lists of all methods for a query; those of the last queries stay in memory."""
        opened = self.collection(collection)
        return self._compared.get(
            (collection, query, candidates), id(opened), lambda: compare_topic(opened, query, candidates)
        )

    def pool(self, collection: str, query: str) -> tuple[PooledPage, ...]:
        """Return the pages to judge for a query."""
        opened = self.collection(collection)
        return self._pools.get((collection, query), id(opened), lambda: pool_of(opened, query))

    def judgements(self, collection: str) -> Path:
        """Return the folder of a collection's judgements.

        It is not inside the folder of the collection, which is replaced as a whole when the collection is built again.
        """
        _looked_up(self.collections(), collection, "collection")
        return self.folder / JUDGEMENTS / collection

    def service(self, model: str, statistics: str = "") -> IntentService:
        """Return the answers of a model, from statistics if they are named; the last few stay in memory."""
        path = _looked_up(self.intent_models(), model, "intent model")
        counts = _looked_up(self.statistics(), statistics, "folder of statistics") if statistics else None
        stamp = _stamp(path), None if counts is None else _stamp(counts / STATISTICS)

        def load() -> IntentService:
            return IntentService(IntentModel.load(path), None if counts is None else load_intent_statistics(counts))

        return self._services.get((model, statistics), stamp, load)

    def intent_study(self, name: str) -> SavedIntentStudy:
        """Return a finished intent study."""
        return SavedIntentStudy.open(_looked_up(self.intent_studies(), name, "intent study"))

    def _folders(self) -> dict[str, Path]:
        """Return the folder itself and its sub-folders by name."""
        return {path.name: path for path in (self.folder, *sub_folders(self.folder))}

    def _has_model(self, path: Path) -> bool:
        """Return whether a file contains an intent model; files that did not change are not read again."""
        try:
            stamp = _stamp(path)
            known = self._is_model.get(path)
            if known is None or known[0] != stamp:
                known = self._is_model[path] = stamp, _mentions_intent_model(path)
        except (OSError, DataError):
            return False
        return known[1]


def _looked_up(found: Mapping[str, Path], name: str, what: str) -> Path:
    if name not in found:
        listed = f"Choose one of {', '.join(map(repr, found))}." if found else "Open another folder."
        raise DataError(f"There is no {what} {name!r} in this folder.", remedy=listed)
    return found[name]


def _stamp(path: Path) -> Stamp:
    """Return time and size of a file; zeros if it has none: the error follows when it is read."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _json_files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.glob("*.json") if path.is_file() and not path.is_symlink())
    except OSError:
        return []


def _mentions_intent_model(path: Path) -> bool:
    """Return whether a file begins like a model file, and names the class of intent models."""
    with open(path, "rb", opener=open_file) as file:
        return FORMAT_MARK in file.read(HEAD) and KIND_MARK in file.read()
