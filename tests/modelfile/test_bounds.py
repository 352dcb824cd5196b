"""A model file takes little time and memory whatever is in its place, and what it says stays within its bounds."""

import copy
import json
import os
import time

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.modelfile.load_model import load_model, load_scorer
from glassrank.modelfile.model_files import read_content
from glassrank.modelfile.save_model import save_model
from glassrank.ranking.rank_svm import RankSVM
from tests.forks import forks
from tests.modelfile.models import DATA, EVERY_KIND, ends_in_scikit_learn, fitted, fitted_model, rewrite, scores, signed

# Seconds of the processor, of which the interpreter takes one or two, and bytes of memory: far above what a refusal
# takes, and far below what was asked for.
SECONDS, BYTES = 20, 900_000_000
LOAD = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({size}, {size}))
resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
from glassrank.modelfile.model_files import read_content
from glassrank.core.checks import DataError
try:
    read_content(sys.argv[1])
except DataError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def refusal_within_limits():
    """What a process with little memory and time says to a file."""
    with forks("import glassrank.modelfile.model_files") as run:

        def said(path):
            done = run(LOAD.format(size=BYTES, seconds=SECONDS), path)
            assert done.returncode == 0, done.stderr
            return done.stdout

        yield said


def test_a_pipe_is_refused_and_not_waited_for(tmp_path, refusal_within_limits):
    os.mkfifo(tmp_path / "m.json")
    assert "m.json: expected a regular file, got a pipe, a socket or a device" in refusal_within_limits(
        tmp_path / "m.json"
    )


def test_a_device_without_an_end_is_refused(tmp_path, refusal_within_limits):
    (tmp_path / "m.json").symlink_to("/dev/zero")
    assert "m.json: expected a regular file, got a pipe, a socket or a device" in refusal_within_limits(
        tmp_path / "m.json"
    )


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_vectors_that_are_no_file_are_refused(tmp_path, kind, refusal_within_limits):
    path = tmp_path / "m.json"
    save_model(fitted_model("long"), path)
    (beside,) = tmp_path.glob("*.npz")
    beside.unlink()
    if kind == "pipe":
        os.mkfifo(beside)
    else:
        beside.symlink_to("/dev/zero")
    assert "expected a regular file, got a pipe, a socket or a device" in refusal_within_limits(path)


def test_missing_vectors_of_a_long_text_are_refused_at_once(tmp_path, refusal_within_limits):
    """The text is read again in case that another process replaces the model; it is parsed once."""
    path = tmp_path / "m.json"
    save_model(fitted_model("long"), path)
    rewrite(path, lambda content: content.update(feature_names=[f"{n:07}" for n in range(1_500_000)]))
    (beside,) = tmp_path.glob("*.npz")
    beside.unlink()
    assert f"{beside}: there is no such file. The model needs this file next to it" in refusal_within_limits(path)


def test_missing_vectors_cost_little_more_than_present_ones(tmp_path):
    """Processor time: twenty attempts, each of which parses the text again, would be twenty times as much."""
    path = tmp_path / "m.json"
    save_model(fitted_model("long"), path)
    rewrite(path, lambda content: content.update(feature_names=[f"{n:07}" for n in range(500_000)]))
    start = time.process_time()
    read_content(path)
    present = time.process_time() - start
    (beside,) = tmp_path.glob("*.npz")
    beside.unlink()
    start = time.process_time()
    with pytest.raises(DataError, match="there is no such file"):
        read_content(path)
    assert time.process_time() - start < 5 * present


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"[" + b"[]," * 10_000_000 + b"[]]", "more lists and objects than the 100,000"),
        (b'{"a":[' + b'{"b":{}},' * 3_000_000 + b"{}]}", "more lists and objects than the 100,000"),
        (b"[" * 31_000_000, "more lists and objects than the 100,000"),
        (b'{"a":' * 90_000, "nested deeper than the 16 levels"),
        # A text without an end, full of what could be the beginning of another.
        (b'"' + b'\\"' * 15_000_000, "expected the JSON text of a model"),
        (b'"[[[' * 50_000, "nested deeper than the 16 levels"),
    ],
    ids=["lists", "objects", "brackets", "deep", "escaped quotes", "quotes"],
)
def test_a_large_text_that_is_no_model_is_refused_within_little_time_and_memory(
    tmp_path, text, reason, refusal_within_limits
):
    (tmp_path / "m.json").write_bytes(text)
    assert reason in refusal_within_limits(tmp_path / "m.json")


def test_brackets_inside_names_are_no_nesting(tmp_path):
    names = ['["' * 20, "[{" * 60_000, '\\"[', "}", "]", "\\"]
    save_model(fitted_model("lines"), tmp_path / "m.json", feature_names=names)
    assert load_scorer(tmp_path / "m.json").feature_names == tuple(names)


def on_differences():
    return fitted(RankSVM(C=10.0, kernel="lrbf", mode="difference"))


def leaves(content, here=()):
    """The places of numbers in JSON; of a list, the first and the last."""
    if isinstance(content, dict):
        inner = list(content.items())
    elif isinstance(content, list):
        inner = list(enumerate(content))
        inner = [inner[0], inner[-1]] if inner else []
    else:
        inner = []
        if type(content) in (int, float):
            yield here
    for name, value in inner:
        yield from leaves(value, (*here, name))


def put_at(content, place, value):
    *outer, last = place
    for part in outer:
        content = content[part]
    content[last] = value


# A DataError is a ValueError, and scikit-learn's checks of what a scaler hands to the next step raise one.
REFUSALS = ValueError
EXTREMES = (-1, 1e30, 1.7e308)
# Kinds of numbers that are not alike: curves, nodes, kernels, scalers, searches, decisions.
WITH_RANGES = ("curves", "nodes of float32", "kernel rbf", "search for nodes", "calibrated lines", "navigational")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [*WITH_RANGES, "differences"])
def test_an_extreme_number_anywhere_is_refused_or_gives_finite_scores(name, tmp_path):
    path = tmp_path / "m.json"
    save_model(on_differences() if name == "differences" else fitted_model(name), path)
    whole = json.loads(path.read_text())
    outcomes = {"refused": 0, "finite": 0}
    for place in [place for place in leaves(whole) if place[0] == "model"]:
        for value in EXTREMES:
            content = copy.deepcopy(whole)
            put_at(content, place, float(value) if place[-2:-1] == ("gammas",) else value)
            path.write_text(json.dumps(signed(content)))
            try:
                model = load_model(path)
                found = scores(model, DATA.X) if hasattr(model, "predict") else model.decide_pairs(DATA.X, DATA.X[::-1])
            except REFUSALS:
                outcomes["refused"] += 1
                continue
            assert np.isfinite(found).all(), (place, value)
            outcomes["finite"] += 1
    assert min(outcomes.values()) > 0


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", EVERY_KIND)
def test_scores_that_are_not_finite_are_refused_by_scorers_and_models_alike(name, tmp_path):
    path = tmp_path / "m.json"
    save_model(fitted_model(name), path)
    X = np.full_like(DATA.X[:3], 1.5e308)
    outcomes = []
    for load in (load_model, load_scorer):
        model = load(path)
        try:
            found = model.predict(X) if load is load_scorer else scores(model, X)
        except REFUSALS:
            outcomes.append("refused")
            continue
        # scikit-learn's own models do not check their scores; scorers do.
        if load is load_model and ends_in_scikit_learn(model) and not np.isfinite(found).all():
            outcomes.append("refused")
            continue
        assert np.isfinite(found).all()
        outcomes.append(found.tolist())
    assert outcomes[0] == outcomes[1]


def test_an_overflowing_score_is_refused():
    model = RankSVM().fit([[0.0, 0.0], [1e-3, 1e-3]], [0, 1])
    assert model.coef_.min() > 1e-4
    model.coef_ = model.coef_ / model.coef_.min()  # weights of 1
    with pytest.raises(DataError, match=r"not finite.*too large for this model"):
        model.predict([[1e308, 1e308]])
    with pytest.raises(DataError, match=r"not finite.*too large for this model"):
        model.decide_pairs([[1e308, 0.0]], [[-1e308, 0.0]])


@pytest.mark.parametrize("gamma", [1e30, -1.0, 0.0])
def test_curves_on_differences_with_a_gamma_that_no_fit_makes_are_refused(gamma, tmp_path):
    path = tmp_path / "m.json"
    save_model(on_differences(), path)
    rewrite(path, lambda content: content["model"]["columns"].update(gammas=[gamma] * DATA.n_features))
    with pytest.raises(DataError, match="gammas"):
        load_model(path)


def test_nodes_on_the_other_side_of_zero_are_refused_for_differences(tmp_path):
    path = tmp_path / "m.json"
    save_model(on_differences(), path)
    rewrite(path, lambda content: put_at(content, ("model", "columns", "nodes", 0), -1.0))
    with pytest.raises(DataError, match="nodes of differences must be above 0"):
        load_model(path)
