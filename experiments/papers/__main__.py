"""The five source documents, reproduced: every table and figure that the data at hand allow.

Usage: python -m experiments.papers FOLDER [--only NAME ...] [--docs]

If ``GLASSRANK_DATA`` names a folder of public data, the results are measured on them. Otherwise, parts run on simulated
data, which the output says, or are absent, and the output names the data they need. Writes a page per document into
FOLDER and prints a table of all parts. Finished parts are kept: an interrupted run resumes when you run it again. To
repeat a part, delete its folder.
"""

import argparse
import os
import sys
import time
from pathlib import Path

from experiments.papers.catalogue import PAPERS
from experiments.papers.pages import Outcome, outcomes_of, write_into, write_page
from experiments.papers.paper import Paper
from experiments.papers.run import FAILED, HOME, run_part
from glassrank.drawing.text_table import align

START = time.monotonic()
DOCS = HOME / "docs"


def main(folder: Path, papers: list[Paper], data: Path | None, *, docs: bool) -> int:
    """Run all parts, write the pages, and print what was made; the exit code is 1 if a part failed."""
    where = "GLASSRANK_DATA is not set" if data is None else f"public data in {data}"
    report(f"{len(papers)} documents, {where}")
    outcomes = []
    for paper in papers:
        own = run_paper(paper, folder, data)
        report(f"wrote {write_page(paper, own, folder)}")
        if docs:
            left = write_into(DOCS / "papers" / f"{paper.name}.md", own, DOCS / "pictures" / "papers")
            report(f"docs/papers/{paper.name}.md updated" + (f", not: {', '.join(left)}" if left else ""))
        outcomes += own
    print(summary(outcomes))
    return int(any(one.done.state == FAILED for one in outcomes))


def run_paper(paper: Paper, folder: Path, data: Path | None) -> list[Outcome]:
    """Run the parts of a paper, and return what they show."""
    outcomes = []
    for part in paper.parts:
        own = folder / paper.name / part.name
        outcomes += outcomes_of(paper, part, run_part(part, own, data, report), own)
    return outcomes


def summary(outcomes: list[Outcome]) -> str:
    """A line per part and item; times stand beside a part's first item."""
    rows, before = [("document", "part", "shows", "result", "seconds", "CPU seconds")], None
    for one in outcomes:
        first = (one.paper, one.part) != before
        before = one.paper, one.part
        times = (f"{one.done.wall:.0f}", f"{one.done.cpu:.0f}") if first and one.done.wall else ("", "")
        rows.append((one.paper.name, one.part.name, one.item.name, one.line, *times))
    ran = {(one.paper.name, one.part.name): one.done for one in outcomes}.values()
    total = sum(done.wall for done in ran), sum(done.cpu for done in ran)
    return align([*rows, ("all", "", "", "", *(f"{seconds:.0f}" for seconds in total))])


def report(message: str) -> None:
    """Report progress on stderr."""
    print(f"{time.monotonic() - START:6.1f} s  {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="Output folder.")
    names = [paper.name for paper in PAPERS]
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=f"Documents: {', '.join(names)}.")
    parser.add_argument("--docs", action="store_true", help="Also write the results into the pages of the site.")
    asked = parser.parse_args()
    home = os.environ.get("GLASSRANK_DATA")
    chosen = [paper for paper in PAPERS if not asked.only or paper.name in asked.only]
    try:
        code = main(asked.folder, chosen, Path(home) if home else None, docs=asked.docs)
    except KeyboardInterrupt:
        report("Interrupted. Finished parts are kept: run the same command again to resume.")
        code = 130
    sys.exit(code)
