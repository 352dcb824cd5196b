"""Damaged or malicious model files either raise DataError or give a valid model."""

import json
import shutil
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from glassrank.core.checks import DataError
from glassrank.modelfile.load_model import load_model, load_scorer
from glassrank.modelfile.save_model import save_model
from tests.modelfile.models import DATA, EVERY_KIND, SPARSE, fitted, fitted_model, scores, signed

FUZZED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
# Few examples per kind are enough: there are many kinds, all of them exercise the shared code, and `make fuzz` tries
# many more.
FUZZED_BY_KIND = settings(FUZZED, max_examples=20)
DAMAGED = ("lines", "two scalers", "long", "many nodes", "calibrated pipeline")
HOSTILE = (*EVERY_KIND, "standard scaler, curves", "range", "robust", "largest")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    models = {name: fitted_model(name) for name in (*DAMAGED, *HOSTILE)}
    models["sparse kernel"] = fitted(clone(models["kernel rbf"]), SPARSE)
    for name, model in models.items():
        (folder / name).mkdir()
        save_model(model, folder / name / "m.json", feature_names=DATA.feature_names)
    return folder


@cache
def expected(name):
    return scores(fitted_model(name), DATA.X).tolist()


damages = st.lists(
    st.tuples(
        st.sampled_from(["replace", "delete", "insert", "cut", "repeat", "swap bits"]),
        st.floats(0, 1, exclude_max=True),
        st.integers(1, 40),
        st.binary(min_size=1, max_size=8) | st.sampled_from([b"0", b"9", b"-", b".", b"e9", b",", b"]", b"}", b"null"]),
    ),
    min_size=1,
    max_size=4,
)


def damaged(content: bytes, faults) -> bytes:
    for kind, share, length, junk in faults:
        at = int(share * len(content))
        end = at + length
        content = {
            "replace": content[:at] + junk + content[at + len(junk) :],
            "delete": content[:at] + content[end:],
            "insert": content[:at] + junk + content[at:],
            "cut": content[:at],
            "repeat": content[:end] + content[at:],
            "swap bits": content[:at]
            + bytes(byte ^ (1 << length % 8) for byte in content[at : at + 1])
            + content[at + 1 :],
        }[kind]
    return content


@pytest.mark.parametrize(
    ("name", "suffix"), [*((name, ".json") for name in DAMAGED), ("long", ".npz"), ("many nodes", ".npz")]
)
@FUZZED
@given(faults=damages)
def test_a_damaged_file_is_rejected_or_gives_the_same_model(name, suffix, faults, folder, tmp_path):
    shutil.copytree(folder / name, tmp_path, dirs_exist_ok=True)
    assert list(tmp_path.glob(f"*{suffix}"))
    for path in tmp_path.glob(f"*{suffix}"):
        path.write_bytes(damaged((folder / name / path.name).read_bytes(), faults))
    for load in (load_model, load_scorer):
        try:
            model = load(tmp_path / "m.json")
        except DataError:
            continue
        assert model.predict(DATA.X) == pytest.approx(expected(name), rel=1e-9, abs=1e-9)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["RankSVM", "Pipeline", "ELMRank", "PairCalibrator", "lrbf", "additive", "SVC", 10**400, 2**63]),
    lambda inner: st.lists(inner, max_size=7) | st.dictionaries(st.text(max_size=7), inner, max_size=3),
    max_leaves=8,
)


def places(content, here=()):
    """List the positions in a JSON value, outermost first; of each list, only the first two."""
    yield here
    inner = content.items() if isinstance(content, dict) else ()
    for name, value in inner if not isinstance(content, list) else enumerate(content[:2]):
        yield from places(value, (*here, name))


@pytest.mark.parametrize("name", [*HOSTILE, "sparse kernel"])
@FUZZED_BY_KIND
@given(data=st.data())
def test_a_malicious_file_is_rejected_or_gives_a_model(name, data, folder, tmp_path):
    """Any value may appear at any position, with a valid checksum."""
    content = json.loads((folder / name / "m.json").read_text())
    for _ in range(data.draw(st.integers(1, 2))):
        *outer, last = data.draw(st.sampled_from(list(places(content))[1:]))
        holder = content
        for part in outer:
            holder = holder[part]
        if data.draw(st.booleans()):
            holder[last] = data.draw(json_values)
        else:
            del holder[last]
    path = tmp_path / "m.json"
    path.write_text(json.dumps(signed(content)))
    try:
        load_model(path)
        found = load_scorer(path).predict(DATA.X[:3])
    except DataError:
        return
    assert found.shape == (3,)
    assert np.isfinite(found).all()
