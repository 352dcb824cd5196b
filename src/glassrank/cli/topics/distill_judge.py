"""``glassrank distill judge``: blind judging of the pages that the methods find."""

import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from glassrank.cli.console import PlainCommand, note, progress_bar, quiet_option, show
from glassrank.cli.topics.collection_options import collection_options, read_collection
from glassrank.cli.topics.distill_options import CANDIDATE_OPTIONS, candidate_options
from glassrank.core.wording import counted

if TYPE_CHECKING:
    from glassrank.data.collection import Collection
    from glassrank.studies.distillation.judging import Judging, PooledPage

MAX_TEXT = 700  # characters of a page's text that are shown
MAX_WIDTH = 100
KEYS = "2 best · 1 about it · 0 not · s skip · u undo · q quit"


@click.command(cls=PlainCommand, short_help="Judge the top pages of all methods blind.")
@click.argument("collection", metavar="COLLECTION", type=click.Path(path_type=Path))
@click.option(
    "--queries",
    metavar="FILE",
    type=click.Path(path_type=Path),
    required=True,
    help="Queries, one per line or CSV row.",
)
@click.option(
    "--judgements",
    "files",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    multiple=True,
    help="Output file for the judgements (TREC). Pages already judged there are skipped.",
)
@click.option(
    "--depth",
    type=click.IntRange(1, 50),
    default=10,
    show_default=True,
    help="Number of pages of each method to judge.",
)
@click.option("--judge", "judge_name", metavar="NAME", default="judge", show_default=True, help="Name of the judge.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed for the order of the pages."
)
@candidate_options
@collection_options
@quiet_option
def judge(
    collection: Path,
    queries: Path,
    files: tuple[Path, ...],
    depth: int,
    judge_name: str,
    seed: int,
    quiet: bool,
    **reading: Any,
) -> None:
    """Judge the top pages of all methods in COLLECTION without seeing method, score or rank.

    Answer with 2 (one of the best pages for the query), 1 (about it), 0 (not about it), s (skip), u (undo) or q
    (quit). Every answer is saved immediately; repeat the command to continue.
    """
    # The option accepts several values only so that a second one is an error instead of replacing the first.
    if len(files) > 1:
        raise click.UsageError(f"--judgements takes one file, that of one judge: got {', '.join(map(str, files))}.")
    judgements = files[0]
    from glassrank.studies.distillation.judging import Judging, pool_pages
    from glassrank.studies.distillation.topics import judgements_of_others, load_topics

    topics = load_topics(queries)
    options = {name: reading.pop(name) for name in CANDIDATE_OPTIONS}
    pages = read_collection(collection, quiet, language=options["language"], **reading)
    with progress_bar(quiet, steps=True) as progress:
        pool = pool_pages(pages, topics, depth=depth, options=options, random_state=seed, progress=progress)
    session = Judging(pool, judgements, judge_name)
    if others := judgements_of_others(topics, session.judged_topics):
        note(f"{judgements}: {others}: kept.", quiet)
    _ask_all(session, pages)
    show(f"{session.n_judged:,} of {counted(session.total, 'page', 'pages')} judged: {judgements}")


def _ask_all(session: "Judging", pages: "Collection") -> None:
    """Show one page after another until none is left or the judge quits; the end of the input also quits."""
    answers = sys.stdin
    while (page := session.current) is not None:
        show(_shown(page, pages, session))
        while True:
            show(f"{KEYS}: ", nl=False)
            line = answers.readline()
            if not line:
                show()
                return
            word = line.strip().lower()
            if word in ("q", "quit"):
                return
            if _take(session, word):
                break


def _take(session: "Judging", word: str) -> bool:
    """Process an answer; False if it is invalid and must be asked again."""
    if word in ("0", "1", "2"):
        session.answer(int(word))
    elif word in ("s", "skip"):
        session.skip()
    elif word in ("u", "undo"):
        if not session.undo():
            show("Nothing to undo in this session.")
            return False
    else:
        show(f"Expected one of 2, 1, 0, s, u, q: got {word!r}.")
        return False
    return True


def _shown(page: "PooledPage", pages: "Collection", session: "Judging") -> str:
    """The text that a judge sees: query, title, address and the beginning of the page."""
    width = min(MAX_WIDTH, shutil.get_terminal_size().columns)
    text = " ".join(str(pages.pages.text[page.page]).split())
    opening = textwrap.shorten(text, MAX_TEXT, placeholder=" …") or "(no text)"
    return "\n".join(
        [
            "",
            f"{session.n_judged + 1:,} of {session.total:,} · query: {page.topic.query}",
            "─" * width,
            str(pages.pages.title[page.page]) or "(no title)",
            str(pages.pages.url[page.page]),
            "",
            textwrap.fill(opening, width),
            "",
        ]
    )
