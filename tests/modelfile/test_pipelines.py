"""Pipelines of scikit-learn's steps in model files: loaded ones predict and explain like the saved ones, to the bit."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    QuantileTransformer,
    StandardScaler,
)

from glassrank.modelfile.load_model import load_model, load_scorer
from glassrank.modelfile.save_model import save_model
from glassrank.nomograms.adapters.effects_of_model import effects
from glassrank.ranking.rank_svm import RankSVM
from tests.modelfile.test_round_trip import assert_same_values
from tests.nomograms.adapters.mixed_pipelines import STEPS, TABLE, UNSEEN, VALUE, columns, pipeline
from tests.nomograms.adapters.test_effects_of_dirty_tables import ranking

pytestmark = pytest.mark.filterwarnings("ignore:Found unknown categories")

# Functions that choose columns are stored as their choice, and transformers without columns are dropped.
CHANGED = ("by kind", "by mask")


def through_a_file(model, path):
    save_model(model, path)
    return load_model(path)


@pytest.mark.parametrize("name", STEPS)
def test_a_loaded_pipeline_predicts_and_explains_as_before(name, tmp_path):
    model = pipeline(name).fit(TABLE, VALUE)
    loaded = through_a_file(model, tmp_path / "m.json")
    for table in (TABLE, UNSEEN) if STEPS[name][1] else (TABLE,):
        assert loaded.predict(table).tolist() == model.predict(table).tolist()
    own, other = effects(model, TABLE), effects(loaded, TABLE)
    codes = own.encode(TABLE)
    assert other.contributions(codes).tolist() == own.contributions(codes).tolist()
    assert [one.categories for one in other.features] == [one.categories for one in own.features]


@pytest.mark.parametrize("name", [name for name in STEPS if name not in CHANGED])
def test_loaded_steps_have_the_same_state(name, tmp_path):
    model = make_pipeline(STEPS[name][0], RankSVM()).fit(TABLE, np.argsort(np.argsort(VALUE)) % 4)
    assert_same_values(model[:-1][0], through_a_file(model, tmp_path / "m.json")[:-1][0])


@pytest.mark.parametrize("name", STEPS)
def test_a_scorer_ranks_ranking_data_like_the_model(name, tmp_path):
    """The brands are levels with codes of their own, the sizes numbers, and the flag is yes or no."""
    model = pipeline(name).fit(TABLE, VALUE)
    save_model(model, tmp_path / "m.json")
    scorer = load_scorer(tmp_path / "m.json")
    for table in (TABLE, UNSEEN) if STEPS[name][1] else (TABLE,):
        assert scorer.predict(ranking(table)) == pytest.approx(model.predict(table), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", [name for name in STEPS if name not in CHANGED])
def test_saving_a_loaded_pipeline_gives_the_same_file(name, tmp_path):
    path = tmp_path / "m.json"
    save_model(pipeline(name).fit(TABLE, VALUE), path)
    first = path.read_bytes()
    save_model(load_model(path), path)
    assert path.read_bytes() == first


CELLS = {
    "word": st.sampled_from(["a", "b", "missing", "nan", " ", "<script>", None]),
    "code": st.sampled_from([0.0, 1.0, -2.5, 1e300, np.nan]),
    "number": st.sampled_from([0.0, 1.0, 2.5, 2.5, np.nan]),
}
ENCODERS = st.one_of(
    st.builds(
        OneHotEncoder,
        handle_unknown=st.sampled_from(["ignore", "infrequent_if_exist"]),
        min_frequency=st.sampled_from([None, 2, 0.5]),
        max_categories=st.sampled_from([None, 2]),
        drop=st.sampled_from([None, "if_binary", "first"]),
        sparse_output=st.booleans(),
    ),
    st.builds(
        OrdinalEncoder,
        handle_unknown=st.just("use_encoded_value"),
        unknown_value=st.sampled_from([-1, 99]),
        encoded_missing_value=st.just(-2),
        min_frequency=st.sampled_from([None, 2]),
    ),
)
NUMBERS = st.builds(
    lambda imputer, step: make_pipeline(imputer, step),
    st.builds(
        SimpleImputer,
        strategy=st.sampled_from(["mean", "median", "most_frequent", "constant"]),
        add_indicator=st.booleans(),
        keep_empty_features=st.just(True),
    ),
    st.sampled_from(
        [
            "passthrough",
            StandardScaler(),
            FunctionTransformer(np.log1p),
            FunctionTransformer(np.sqrt, np.square),
            QuantileTransformer(n_quantiles=3),
            QuantileTransformer(n_quantiles=2, output_distribution="normal"),
        ]
    ),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(*CELLS.values()), min_size=3, max_size=10),
    encoder=ENCODERS,
    numbers=NUMBERS,
    remainder=st.sampled_from(["drop", SimpleImputer(keep_empty_features=True)]),
)
def test_small_tables_of_gaps_constants_and_duplicates_are_scored_as_before(
    rows, encoder, numbers, remainder, tmp_path
):
    table = pd.DataFrame(rows, columns=list(CELLS))
    table["word"] = table["word"].astype(object)
    table["number again"] = table["number"]
    steps = ColumnTransformer(
        [("words", encoder, ["word", "code"]), ("numbers", numbers, ["number"])], remainder=remainder
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make_pipeline(steps, Ridge()).fit(table, np.arange(float(len(table))))
        loaded = through_a_file(model, tmp_path / "m.json")
        expected = model.predict(table)
        assert loaded.predict(table).tolist() == expected.tolist()
        words = table.assign(word=pd.Categorical(table["word"]), qid=0, label=0)
        data = ranking(words, categorical=["word"])
        found = load_scorer(tmp_path / "m.json").predict(data)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_classifier_at_the_end_keeps_its_classes(tmp_path):
    labels = np.where(np.median(VALUE) < VALUE, "yes", "no")
    model = pipeline("words", LogisticRegression()).fit(TABLE, labels)
    loaded = through_a_file(model, tmp_path / "m.json")
    assert loaded.predict_proba(UNSEEN).tolist() == model.predict_proba(UNSEEN).tolist()
    assert loaded.predict(UNSEEN).tolist() == model.predict(UNSEEN).tolist()
    found = load_scorer(tmp_path / "m.json").predict(ranking(UNSEEN))
    assert found == pytest.approx(model.decision_function(UNSEEN), rel=1e-12, abs=1e-12)


def test_a_pipeline_inside_a_pipeline_is_restored(tmp_path):
    inner = make_pipeline(FunctionTransformer(np.log1p), "passthrough", StandardScaler())
    numbers = TABLE[["clicks", "constant", "price again"]].to_numpy().copy(order="C")
    model = make_pipeline(inner, None, make_pipeline(StandardScaler(), Ridge())).fit(numbers, VALUE)
    loaded = through_a_file(model, tmp_path / "m.json")
    assert repr(loaded) == repr(model)
    assert loaded.predict(numbers).tolist() == model.predict(numbers).tolist()
    assert load_scorer(tmp_path / "m.json").predict(numbers).tolist() == model.predict(numbers).tolist()


def test_columns_can_be_chosen_from_arrays_too(tmp_path):
    rows = np.column_stack([VALUE, np.arange(60.0) % 3, -VALUE, VALUE**2])
    chosen = columns(
        ("some", StandardScaler(), slice(0, 3, 2)),
        ("codes", OneHotEncoder(sparse_output=False), np.array([1])),
        ("mask", "passthrough", np.array([False, False, False, True])),
        remainder="passthrough",
    )
    model = make_pipeline(chosen, Ridge()).fit(rows, VALUE)
    loaded = through_a_file(model, tmp_path / "m.json")
    assert loaded.predict(rows).tolist() == model.predict(rows).tolist()
    assert load_scorer(tmp_path / "m.json").predict(rows).tolist() == model.predict(rows).tolist()


def test_a_file_does_not_say_how_many_processes_to_start(tmp_path):
    rows = np.column_stack([VALUE, -VALUE])
    chosen = ColumnTransformer([("all", StandardScaler(), [0, 1])], n_jobs=2)
    loaded = through_a_file(make_pipeline(chosen, Ridge()).fit(rows, VALUE), tmp_path / "m.json")
    assert loaded[0].n_jobs is None
