"""What a collection contains: pages, hosts, languages, and how many of its links lead to its pages."""

import json
from collections import Counter
from dataclasses import asdict, dataclass

import numpy as np

from glassrank.core.wording import counted, listed
from glassrank.data.collection import Collection

SHOWN = 5


@dataclass(frozen=True)
class CollectionSummary:
    """Counts of a collection; prints itself."""

    pages: int
    hosts: dict[str, int]
    """Host → number of its pages, the largest first."""
    languages: dict[str, int]
    """Declared language → number of pages, '' if undeclared."""
    without_text: int
    links: int
    inside: int
    """Links whose both ends are pages of the collection."""
    between_hosts: int
    """Links inside the collection that lead to another host."""
    linked: int
    """Pages to which another page of the collection links."""
    folder: str | None
    """Where the collection is stored."""

    def __str__(self) -> str:
        lines = [
            f"{counted(self.pages, 'page')} on {counted(len(self.hosts), 'host')}: {_most(self.hosts, 'no host')}",
            f"{counted(self.links, 'link')}, {self.inside:,} of them between these pages, {self.between_hosts:,} "
            "between hosts",
            f"{counted(self.linked, 'page is', 'pages are')} linked from another page, {self.without_text:,} "
            "have no text",
            f"languages: {_most(self.languages, 'undeclared')}",
        ]
        return "\n".join([*lines, *([f"stored in {self.folder}"] if self.folder else [])])

    def to_json(self) -> str:
        """Return the counts as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)


def summarise_collection(collection: Collection) -> CollectionSummary:
    """Count pages, hosts, languages and links of a collection.

    >>> from glassrank.data.collection import Links, Pages
    >>> pages = Pages(url=["http://a.org/", "http://b.org/"], title=["A", "B"], text=["a", ""])
    >>> links = Links(source=["http://a.org/"] * 2, target=["http://b.org/", "http://c.org/"], anchor=["", ""])
    >>> print(summarise_collection(Collection(pages, links)))
    2 pages on 2 hosts: a.org 1, b.org 1
    2 links, 1 of them between these pages, 1 between hosts
    1 page is linked from another page, 1 have no text
    languages: undeclared 2
    """
    pages, ends = collection.pages, collection.link_ends
    inside = ends[(ends >= 0).all(axis=1)]
    others = inside[inside[:, 0] != inside[:, 1]]
    languages = [""] * len(pages) if pages.language is None else pages.language.tolist()
    return CollectionSummary(
        pages=len(pages),
        hosts=_counts(pages.hosts.tolist()),
        languages=_counts([language.lower() for language in languages]),
        without_text=sum(not text.strip() for text in pages.text),
        links=len(collection.links),
        inside=len(inside),
        between_hosts=int((pages.hosts[inside[:, 0]] != pages.hosts[inside[:, 1]]).sum()),
        linked=len(np.unique(others[:, 1])),
        folder=None if collection.folder is None else str(collection.folder),
    )


def _counts(values: list[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))


def _most(counts: dict[str, int], unnamed: str) -> str:
    named = [f"{name or unnamed} {count:,}" for name, count in counts.items()]
    return listed(named, SHOWN)
