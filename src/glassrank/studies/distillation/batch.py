"""distill_topics(): the best authorities of many queries, as a TREC run."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from glassrank.core.checks import DataError, check_choice
from glassrank.core.progress import Progress, silent
from glassrank.data.collection import Collection
from glassrank.data.trec import Run
from glassrank.distillation.candidates import NoMatchError
from glassrank.distillation.distill import checked_query
from glassrank.distillation.methods import DEFAULT_METHOD, METHODS
from glassrank.distillation.options import Options, check_used
from glassrank.distillation.prepared_collection import prepare
from glassrank.distillation.widening import distill_widely
from glassrank.studies.distillation.topics import Topic, document_name


def distill_topics(
    collection: Collection,
    topics: Iterable[Topic],
    method: str = DEFAULT_METHOD,
    *,
    options: Options | dict[str, Any] | None = None,
    note: Callable[[str], None] = lambda text: None,
    progress: Progress | None = None,
) -> Run:
    """Distil every topic, and return the lists as a run; ``options`` are those of :func:`distill`.

    A page without links that count follows those with links, in search order, with a negative score. A topic whose
    words no page contains has no lines. ``note`` is called with each topic that was widened or is missing.

    >>> from glassrank.data.collection import Links, Pages
    >>> pages = Pages(url=["http://a.org/", "http://b.org/"], title=["A", "B"], text=["zen", "zen zen"])
    >>> web = Collection(pages, Links(source=["http://b.org/"], target=["http://a.org/"], anchor=[""]))
    >>> run = distill_topics(web, [Topic("q1", "zen")], "hits")
    >>> run.ranked("q1"), run.scores.tolist()
    (['http://a.org/', 'http://b.org/'], [1.0, -2.0])
    """
    chosen = options if isinstance(options, Options) else Options(**(options or {}))
    check_choice("method", method, METHODS)
    check_used(chosen, method)
    prepared, listed, report = prepare(collection, chosen.language), list(topics), progress or silent
    rows: list[tuple[str, str, float]] = []
    for done, topic in enumerate(listed):
        report(done, len(listed), topic.name)
        try:
            found = distill_widely(prepared, checked_query(topic.query), method, replace(chosen, root=None))
        except NoMatchError as error:
            note(f"{topic.name}: {error.problem}")
            continue
        for text in found.widened:
            note(f"{topic.name}: {text}")
        scores = _decreasing(-float(page.rank) if page.filled else page.score for page in found.authorities)
        names = (document_name(page.url) for page in found.authorities)
        rows += [(topic.name, name, score) for name, score in zip(names, scores, strict=True)]
    report(len(listed), len(listed), "done")
    if not rows:
        raise DataError("No page contains a word of any query.", remedy="Check their spelling.")
    topic_names, documents, values = zip(*rows, strict=True)
    return Run(list(topic_names), list(documents), list(values), tag=method)


def _decreasing(scores: Iterable[float]) -> Iterator[float]:
    """Lower equal scores by one step, because readers of runs order ties by the names of documents."""
    last = math.inf
    for score in scores:
        last = min(score, math.nextafter(last, -math.inf))
        yield last
