"""The web app in a real browser: first paint of its pages on the demo, and frames per second while a dot is dragged.

Dragging re-ranks the whole list of a query: once on the demo, and once on lists of 1,000 documents × 136 features. The
server is ``glassrank app``, as a user starts it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page, sync_playwright

import glassrank as gr
from glassrank.studies.demo import run_demo
from harness import Claim, main
from problems import letor_like

PAINT_AT_MOST, FRAMES_AT_LEAST = 1.0, 30.0
PAGES = ("", "s/demo/ranking", "s/demo/nomogram", "s/demo/features", "s/demo/data", "s/demo/ship")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
DRAG = 120  # moves of the mouse while a dot is dragged
N_DOCUMENTS, N_FEATURES, N_QUERIES = 1_000, 136, 8
# Counts the frames that the page draws, and the longest time between two of them.
COUNT_FRAMES = """() => {
  window.frames_ = [];
  const note = (time) => { window.frames_.push(time); window.drawn_ = requestAnimationFrame(note); };
  window.drawn_ = requestAnimationFrame(note);
}"""
READ_FRAMES = "() => { cancelAnimationFrame(window.drawn_); return window.frames_; }"
PAINTED = "() => performance.getEntriesByName('first-contentful-paint').length > 0"
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000"


def claims() -> Iterator[Claim]:
    """The demo, then long lists of many features."""
    with tempfile.TemporaryDirectory() as folder, browser() as page:
        run_demo(Path(folder, "demo"), n_queries=400, seed=0, progress=lambda *_: None)
        long_lists(Path(folder, "long"))
        with served(Path(folder)) as address:
            yield from painted(page, address)
            yield dragged(page, f"{address}s/demo/ranking", "the demo")
            shape = f"lists of {N_DOCUMENTS:,} documents × {N_FEATURES} features"
            yield dragged(page, f"{address}s/long/ranking?model={N_FEATURES}", shape)


def long_lists(folder: Path) -> None:
    """Study a few long lists of many features."""
    problem = letor_like(N_DOCUMENTS * N_QUERIES, N_FEATURES)
    qid = np.repeat(np.arange(N_QUERIES), N_DOCUMENTS)
    gr.study(gr.RankingData(problem.X, problem.y, qid), folder=folder, tune=0, C=1.0)


def painted(page: Page, address: str) -> Iterator[Claim]:
    """The best of three first paints of each page."""
    for path in PAGES:
        seconds = []
        for _ in range(3):
            page.goto("about:blank")
            page.goto(f"{address}{path}")
            page.wait_for_function(PAINTED)
            seconds.append(page.evaluate(PAINT))
        name = f"glassrank app, first paint of /{path}"
        at_most, best = f"≤ {PAINT_AT_MOST:g} s", min(seconds)
        yield Claim(name, at_most, f"{best:.2f} s", "", best <= PAINT_AT_MOST, "the demo; best of 3 loads")


def dragged(page: Page, address: str, what: str) -> Claim:
    """Drag a dot from end to end, and count what the browser draws meanwhile."""
    page.goto(address)
    dot = page.locator("[data-dot=b][role=slider], [data-dot=b] [role=slider]").first
    dot.scroll_into_view_if_needed()
    box: Any = dot.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(COUNT_FRAMES)
    for step in range(DRAG):
        page.mouse.move(x + 60 * np.sin(step / 12), y)
    times = np.asarray(page.evaluate(READ_FRAMES))
    page.mouse.up()
    rate, longest = 1000 * (len(times) - 1) / (times[-1] - times[0]), np.diff(times).max()
    name, fast = f"glassrank app, dragging a dot re-ranks the list: {what}", bool(rate >= FRAMES_AT_LEAST)
    note = f"{len(times)} frames; the longest took {longest:.0f} ms"
    return Claim(name, f"≥ {FRAMES_AT_LEAST:g} frames/s", f"{rate:.0f} frames/s", "", fast, note)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Run the command on a free port, and yield its address."""
    command = [sys.executable, "-m", "glassrank", "app", str(folder), "--port", "0", "--no-browser"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ)
    try:
        assert process.stderr is not None
        address = process.stderr.readline().split()[2]
        yield address
    finally:
        process.terminate()
        process.wait()


@contextmanager
def browser() -> Iterator[Page]:
    """A Chromium of this machine."""
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        one = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield one.new_page(viewport={"width": 1280, "height": 900})
        one.close()


if __name__ == "__main__":
    main(claims)
