"""The Schools Wikipedia as a collection of judged pages: its subjects are the topics, and do not leak.

Each article prints its subjects in ``h3#siteSub``, and the pages under ``wp/index/`` list the articles of a subject.
Both are labels. They are read here and then removed, with all links to them, before the collection is built.
"""

import glob
import hashlib
import html
import json
import re
import tarfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from glassrank.core.checks import DataError, FloatArray
from glassrank.core.progress import Progress
from glassrank.data.collection import Collection
from glassrank.data.web.open_collection import open_collection
from glassrank.files.atomic_files import write_atomically
from glassrank.files.cache_folder import cache_folder
from glassrank.studies.distillation.topics import Topic, load_topics

LABEL_ELEMENT = "h3#siteSub"
LICENCE = "wp/w/Wikipedia_Text_of_the_GNU_Free_Documentation_License.htm"
LEFT_OUT = ("wp/index/*", "images/*", LICENCE)
"""Lists of labels, pages of pictures, and the licence that every article links to."""
FEWEST_PAGES = 20
LEAF, TOP_LEVEL = 2.0, 1.0
FORMAT = 1
_HEADING = re.compile(rb'<h3 id="siteSub">(.*?)</h3>', re.DOTALL)
_SUBJECT = re.compile(rb'<a href="\.\./index/subject\.([^"]+)\.htm">([^<]*)</a>')


@dataclass(frozen=True)
class SubjectLabels:
    """Subjects of every article, by its path; an article may have none or several.

    A subject is written as in the addresses of the lists, top level first: ``Science.Biology.Birds``.
    """

    subjects: dict[str, tuple[str, ...]]
    names: dict[str, str]
    """Subject → what the articles call it."""

    @property
    def unlabelled(self) -> tuple[str, ...]:
        """Articles without a subject."""
        return tuple(page for page, subjects in self.subjects.items() if not subjects)

    def leaf_subjects(self, fewest_pages: int = FEWEST_PAGES) -> dict[str, int]:
        """Subjects below a top-level one that enough articles name themselves, with their number of articles.

        Countries and Mathematics have no subject below them, so leaf and top level would be the same there.
        """
        counts = Counter(subject for subjects in self.subjects.values() for subject in subjects if "." in subject)
        return {subject: counts[subject] for subject in sorted(counts) if counts[subject] >= fewest_pages}


@dataclass(frozen=True, eq=False, repr=False)
class WikiSchools:
    """The collection without its labels, and the labels of its pages."""

    collection: Collection
    labels: SubjectLabels

    def __repr__(self) -> str:
        return f"WikiSchools({self.collection!r}, {len(self.labels.leaf_subjects())} topics)"

    def judgements(self, subject: str) -> FloatArray:
        """Label of each page: 2 in the subject itself, 1 in the same top-level subject, 0 elsewhere."""
        if subject not in self.labels.names:
            raise DataError(
                f"{subject!r} is no subject of this collection: expected one such as Science.Biology.Birds."
            )
        top = subject.split(".")[0]
        found = np.zeros(len(self.collection.pages))
        for row, url in enumerate(self.collection.pages.url):
            own = self.labels.subjects[url]
            if subject in own:
                found[row] = LEAF
            elif any(other.split(".")[0] == top for other in own):
                found[row] = TOP_LEVEL
        return found

    def topics(self, queries: str | Path) -> tuple[Topic, ...]:
        """The queries of a table whose column ``topic`` names subjects, each with its judgements."""
        return tuple(Topic(one.name, one.query, self.judgements(one.name)) for one in load_topics(queries))


def open_wiki_schools(source: str | Path, progress: Progress | None = None) -> WikiSchools:
    """Read the labels, and open the archive without labels, unlabelled pages, and links to either."""
    labels = read_labels(source)
    unlabelled = [glob.escape(page) for page in labels.unlabelled]
    leave_out = [*LEFT_OUT, *unlabelled]
    collection = open_collection(source, drop=[LABEL_ELEMENT], leave_out=leave_out, progress=progress)
    return WikiSchools(collection, labels)


def read_labels(source: str | Path) -> SubjectLabels:
    """Return the subjects of all articles of the archive; cached, because reading them takes a pass over it."""
    source = Path(source)
    if not source.is_file():
        raise DataError(f"{source}: there is no such file: expected the archive wp-html.tar.xz of the collection.")
    facts = source.stat()
    key = hashlib.sha256(json.dumps([FORMAT, str(source.resolve()), facts.st_size, facts.st_mtime_ns]).encode())
    path = cache_folder() / "wiki-schools" / f"{key.hexdigest()[:32]}.json"
    kept = _kept(path)
    if kept is None:
        kept = _read_archive(source)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(kept).encode())
    return SubjectLabels({page: tuple(own) for page, own in kept["subjects"].items()}, kept["names"])


def _kept(path: Path) -> dict[str, Any] | None:
    try:
        kept = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return kept if isinstance(kept, dict) and {"subjects", "names"} <= kept.keys() else None


def _read_archive(source: Path) -> dict[str, Any]:
    subjects: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    try:
        with tarfile.open(source) as archive:
            for member in archive:
                if not _is_article(member):
                    continue
                content = archive.extractfile(member)
                found = labels_of(content.read() if content is not None else b"")
                subjects[member.name] = list(found)
                names |= found
    except (tarfile.TarError, EOFError) as error:
        raise DataError(f"{source}: cannot be read as an archive: {error}. Copy or download it again.") from error
    if not names:
        raise DataError(f"{source}: no article names a subject in {LABEL_ELEMENT}: expected the Schools Wikipedia.")
    return {"subjects": subjects, "names": names}


def labels_of(page: bytes) -> dict[str, str]:
    """Subjects that an article prints, each with its name.

    >>> labels_of(b'<h3 id="siteSub"><a href="../index/subject.Art.Art.htm">Art &amp; more</a></h3>')
    {'Art.Art': 'Art & more'}
    """
    heading = _HEADING.search(page)
    links = _SUBJECT.findall(heading[1]) if heading else []
    return {subject.decode(): html.unescape(name.decode()) for subject, name in links}


def _is_article(member: tarfile.TarInfo) -> bool:
    name = member.name
    return member.isfile() and name.endswith(".htm") and name.startswith("wp/") and not name.startswith("wp/index/")
