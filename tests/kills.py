"""Kills studies, collection builds and saves at random moments, and lets three processes share a folder.

    python tests/kills.py --kills 30

After the kills, a job may finish. The folder must then contain the same files, byte for byte, as after an undisturbed
run: no temporary files, no locks, no partial results. Recorded times are the only exception.
"""

import argparse
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from functools import cache
from pathlib import Path

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from glassrank.core.checks import DataError
from glassrank.data.web.open_collection import open_collection
from glassrank.modelfile.save_model import save_model
from glassrank.navigational.features.sources import IntentSources
from glassrank.ranking.rank_svm import RankSVM
from glassrank.simulation.log.simulate_log import simulate_log
from glassrank.simulation.ranking import simulate_ranking
from glassrank.simulation.web.simulate_web import simulate_web
from glassrank.studies.intent.simulated_intents import known_intents
from glassrank.studies.intent.study import study_intent
from glassrank.studies.ranking.study import study

DONE, REFUSED = 0, 3
LOCKED = "another study is running in this folder"
# Wall-clock and CPU times that results record.
TIMES_OF_REPORT = re.compile(rb'(<section id="computing-time">).*?(?=</section>)', re.DOTALL)
TIMES_OF_TABLE = re.compile(rb",[.0-9]+(?=\n)()")
TIMES = re.compile(rb'("(?:[a-z_]*seconds|time)": )[-+.0-9e]+')
DATES = re.compile(rb'("(?:started|finished)": )"[^"]*"')
TIMES_OF_STEPS = re.compile(rb'("times": )\{[^}]*\}')


@cache
def _data():
    return simulate_ranking(12, 8, random_state=0).data


@cache
def _log():
    return simulate_log(simulate_web(4, 40, 200, random_state=0), 30, 10, sessions_per_query=3, random_state=0)


@cache
def _models():
    """Return models whose vectors are too long for the JSON file, because narrow curves need many nodes."""
    data = _data().pick_features(range(6))
    made = [make_pipeline(StandardScaler(), RankSVM(kernel="lrbf", gamma=gamma)) for gamma in (7.0, 8.0)]
    return [model.fit(data.X, data.y, ranksvm__qid=data.qid) for model in made]


def _study() -> None:
    study(_data(), folder="out")


def _study_intent() -> None:
    few = {"n_features": 5, "cv": 2, "selectors": ["SVM weights"], "classifiers": ["maximum entropy"], "curve": (5, 20)}
    study_intent(IntentSources(_log().results, _log().log), known_intents(_log()), "out", **few)


def _build_collection() -> None:
    open_collection("site", folder="kept")


def _save() -> None:
    for model in _models():
        save_model(model, "model.json", feature_names=_data().feature_names[:6])


def _site(folder: Path) -> None:
    (folder / "site").mkdir()
    for number in range(400):
        page = f"<title>Page {number}</title><p>{'some words ' * 100}<a href='{number * 7 % 400}.html'>another page</a>"
        (folder / "site" / f"{number}.html").write_text(page)
        os.utime(folder / "site" / f"{number}.html", (1e9, 1e9))


JOBS: dict[str, Callable[[], None]] = {
    "study": _study,
    "intent study": _study_intent,
    "collection build": _build_collection,
    "save": _save,
}


def main() -> None:
    """Run every job undisturbed, with kills, and in three processes; any difference is an error."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=30, help="Number of kills of each job. Default: 30.")
    parser.add_argument("--seed", type=int, default=None, help="Random seed. Default: drawn and printed.")
    parser.add_argument("--only", choices=JOBS, action="append", help="Job to run. Repeatable. Default: all.")
    options = parser.parse_args()
    seed = random.randrange(10**6) if options.seed is None else options.seed
    print(f"Seed {seed}", flush=True)
    for name in options.only or JOBS:
        print(check(name, options.kills, random.Random(f"{seed} {name}")), flush=True)


def check(name: str, n_kills: int, rng: random.Random) -> str:
    """Kill a job this often, then run it in three processes at once; return a summary, or raise AssertionError."""
    for prepare in (_data, _log, _models):
        prepare()  # before the forks, so that the kills happen during the job itself
    for _ in range(2):  # the first run fills caches, and the second is measured
        with _folder() as undisturbed:
            started = time.monotonic()
            assert _ended(_start(name)) == DONE
            seconds, expected = time.monotonic() - started, _snapshot(undisturbed)
    with _folder() as folder:
        finished = _killed(name, n_kills, seconds, rng, folder, expected)
    with _folder() as folder:
        refused = _shared(name, folder, expected)
    return (
        f"{name}: {n_kills} kills within {seconds:.1f} s, {finished} runs ended before their kill; 3 processes at "
        f"once, {refused} refusals: all results are equal."
    )


def _killed(
    name: str, n_kills: int, seconds: float, rng: random.Random, folder: Path, expected: dict[str, bytes]
) -> int:
    """Start and kill until the number is reached; if a run ends before, compare its result and clear the folder."""
    kills = finished = 0
    while kills < n_kills:
        process = _start(name)
        time.sleep(rng.uniform(0, seconds))
        os.kill(process, signal.SIGKILL)
        if _ended(process) == -signal.SIGKILL:
            kills += 1
            continue
        finished += 1
        _compare(folder, expected)
        _clear(folder)
    assert _ended(_start(name)) == DONE
    _compare(folder, expected)
    return finished


def _shared(name: str, folder: Path, expected: dict[str, bytes]) -> int:
    """Start three processes at once, and start each one again if it was refused, until all have finished."""
    running, refused = [_start(name) for _ in range(3)], 0
    while running:
        code = _ended(running.pop())
        assert code in (DONE, REFUSED), f"{name}: a process ended with {code}"
        if code == REFUSED:
            refused += 1
            time.sleep(0.05)
            running.insert(0, _start(name))
    _compare(folder, expected)
    return refused


def _start(name: str) -> int:
    """Start a job in a forked process, because importing everything again would take longer than the job."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        JOBS[name]()
        code = DONE
    except DataError as error:
        code = REFUSED if LOCKED in str(error) else code
        if code != REFUSED:
            print(error, file=sys.stderr, flush=True)
    finally:
        os._exit(code)


def _ended(process: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


@contextmanager
def _folder() -> Iterator[Path]:
    # The same folder each time, because results contain the names of their sources.
    folder = Path(tempfile.gettempdir(), f"glassrank-kills-{os.getpid()}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    _site(folder)
    try:
        with chdir(folder):
            yield folder
    finally:
        shutil.rmtree(folder)


def _clear(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name != "site":
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _snapshot(folder: Path) -> dict[str, bytes]:
    """Return the content of every file that a job has left, without recorded times; empty folders count as well."""
    paths = [path for path in folder.rglob("*") if "site" not in path.parts]
    return {str(path.relative_to(folder)): _content(path) if path.is_file() else b"a folder" for path in paths}


def _content(path: Path) -> bytes:
    found = path.read_bytes()
    for times in (
        TIMES,
        DATES,
        TIMES_OF_STEPS,
        TIMES_OF_REPORT,
        *([TIMES_OF_TABLE] if path.name == "times.csv" else []),
    ):
        found = times.sub(rb"\1 0", found)
    return found


def _compare(folder: Path, expected: dict[str, bytes]) -> None:
    found = _snapshot(folder)
    assert sorted(found) == sorted(expected), sorted(found.keys() ^ expected.keys())
    different = [name for name in found if found[name] != expected[name]]
    assert not different, different


if __name__ == "__main__":
    main()
