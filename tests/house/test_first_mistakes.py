"""What a newcomer types wrongly at the door ends in one message with a remedy that works."""

import pickle

import lightgbm
import numpy as np
import pytest

import glassrank as gr
from tests.cli.commands import glassrank

DATA = gr.simulate_ranking(6, 6, random_state=0).data
FRAME = DATA.to_frame("pandas")
QUERY = {"query": DATA.qid[0], "document": 0, "against": 1}


@pytest.fixture(scope="module")
def model():
    return gr.RankSVM().fit(DATA)


TAKE_RANKING_DATA = {
    "study": lambda model, data, folder: gr.study(data, folder=folder),
    "study, valid": lambda model, data, folder: gr.study(DATA, valid=data, folder=folder),
    "explain_pair": lambda model, data, folder: gr.explain_pair(model, data, **QUERY),
    "explain_document": lambda model, data, folder: gr.explain_document(model, data, query=QUERY["query"], document=0),
    "nomogram": lambda model, data, folder: gr.nomogram(model, data, **QUERY),
    "model_nomogram": lambda model, data, folder: gr.model_nomogram(model, data),
    "compare_models": lambda model, data, folder: gr.compare_models(model, model, data),
    "compare_models, data_2": lambda model, data, folder: gr.compare_models(model, model, DATA, data_2=data),
    "rank_features": lambda model, data, folder: gr.rank_features(data),
    "additive_surrogate": lambda model, data, folder: gr.additive_surrogate(model, data),
    "correlated_features": lambda model, data, folder: gr.correlated_features(data),
    "join_data": lambda model, data, folder: gr.join_data([data]),
    "save_data": lambda model, data, folder: gr.save_data(data, folder / "d.csv"),
    "save_letor": lambda model, data, folder: gr.save_letor(data, folder / "d.txt"),
    "save_partitions": lambda model, data, folder: gr.save_partitions(data, folder / "d"),
}


@pytest.mark.parametrize("rows", [FRAME, DATA.X, DATA.X.tolist()], ids=lambda rows: type(rows).__name__)
@pytest.mark.parametrize("name", TAKE_RANKING_DATA)
def test_rows_that_are_not_ranking_data_are_refused_with_the_ways_to_make_them(name, rows, model, tmp_path):
    with pytest.raises(gr.DataError) as error:
        TAKE_RANKING_DATA[name](model, rows, tmp_path)
    assert f" must be RankingData: got {type(rows).__name__}. Make it from a data frame with" in str(error.value)
    assert not list(tmp_path.iterdir())


def test_the_ways_to_make_ranking_data_work(model, tmp_path):
    gr.save_data(DATA, tmp_path / "d.csv")
    made = [gr.RankingData.from_frame(FRAME), gr.load_data(tmp_path / "d.csv")]
    found = [gr.explain_pair(model, data, **QUERY).total for data in made]
    plain = gr.RankingData(DATA.X, DATA.y, DATA.qid)
    found.append(gr.explain_pair(gr.RankSVM().fit(plain), plain, **QUERY).total)
    assert found == pytest.approx([gr.explain_pair(model, DATA, **QUERY).total] * 3)


@pytest.mark.parametrize("name", ["m.pkl", "m", "m.joblib", "m.json.gz", ".pkl"])
def test_a_model_is_saved_under_a_name_that_says_json(name, model, tmp_path):
    with pytest.raises(gr.DataError, match=r"expected a name that ends in \.json, got .* Call it (m|\.pkl)\.json\."):
        gr.save_model(model, tmp_path / name)
    assert not list(tmp_path.iterdir())
    gr.save_model(model, tmp_path / "M.JSON")


@pytest.mark.parametrize("command", [["train", "d.csv", "--output", "m.pkl"], ["intent", "train", "m.pkl", "--demo"]])
def test_a_command_refuses_the_name_before_it_trains(command, tmp_path):
    gr.save_data(DATA, tmp_path / "d.csv")
    done = glassrank(*command, folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "Error: Model files are JSON text: expected a name that ends in .json, got 'm.pkl'.\n" in done.err


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    """Models of other libraries, and a pickle."""
    folder = tmp_path_factory.mktemp("foreign")
    trees = lightgbm.LGBMRanker(n_estimators=2, min_child_samples=2, verbose=-1)
    trees.fit(DATA.X, DATA.y.astype(int), group=DATA.groups.sizes)
    trees.booster_.save_model(folder / "lgb.txt")
    (folder / "ranklib.txt").write_text("## Linear Regression\n## Lambda = 1.0E-10\n0:0.5 1:2.0 2:-1.0\n")
    (folder / "xgb.json").write_text('{"learner": {}, "version": [3, 0, 0]}')
    (folder / "m.pkl").write_bytes(pickle.dumps(gr.RankSVM()))
    return folder


@pytest.mark.parametrize("name", ["lgb.txt", "ranklib.txt", "xgb.json"])
@pytest.mark.parametrize("load", [gr.load_model, gr.load_scorer], ids=["load_model", "load_scorer"])
def test_a_model_of_another_library_is_not_called_damaged_but_its_reader_is_named(load, name, foreign):
    with pytest.raises(gr.DataError) as error:
        load(foreign / name)
    assert "open models of LightGBM, XGBoost and RankLib with load_ranker." in str(error.value)
    assert "damaged" not in str(error.value)
    assert name == "xgb.json" or gr.load_ranker(foreign / name) is not None


def test_a_pickle_is_refused_by_what_it_is(foreign):
    with pytest.raises(gr.DataError, match=r"expected the JSON text .* \(glassrank does not load pickles\)"):
        gr.load_model(foreign / "m.pkl")


@pytest.mark.parametrize("groups", [None, 5, ["bm25"], {"text": None}, {"text": "bm25"}], ids=str)
@pytest.mark.parametrize("explain", [gr.nomogram, gr.explain_pair], ids=["nomogram", "explain_pair"])
def test_groups_of_another_form_are_refused(explain, groups, model):
    with pytest.raises(gr.DataError, match=r"groups\S* must be .*'?(none|a list of at least two features)"):
        explain(model, DATA, **QUERY, groups=groups)


def test_the_groups_of_a_model_are_given_as_those_of_a_pair(model):
    with pytest.raises(gr.DataError, match="groups must be 'correlated', 'none'"):
        gr.model_nomogram(model, DATA, groups=None)
    pair = list(DATA.feature_names[:2])
    drawn = gr.model_nomogram(model, DATA, groups={"both": pair})
    assert "both" in {row.name for row in drawn.layout.rows}


@pytest.mark.parametrize("name", [None, (1, 2), 1.5, "no such feature"], ids=str)
def test_a_monotone_feature_that_the_data_do_not_have_is_named(name, tmp_path):
    for fit in (
        lambda: gr.RankSVM(monotone={name: 1}).fit(DATA),
        lambda: gr.study(DATA, monotone={name: 1, "x": 1}, folder=tmp_path),
    ):
        with pytest.raises(gr.DataError, match=r"monotone must name features of the data: got ") as error:
            fit()
        assert repr(name) in str(error.value) or "'x'" in str(error.value)


def test_a_monotone_feature_can_be_a_number_of_numpy():
    by_number, by_name = (gr.RankSVM(monotone={one: 1}).fit(DATA) for one in (np.int64(1), DATA.feature_names[1]))
    assert by_number.predict(DATA).tolist() == by_name.predict(DATA).tolist()


@pytest.mark.parametrize(
    ("typed", "meant"), [("ranksvm", "RankSVM"), ("load_modle", "load_model"), ("Ranking_data", "RankingData")]
)
def test_a_mistyped_name_suggests_the_nearest(typed, meant):
    with pytest.raises(AttributeError, match=f"has no attribute '{typed}'; did you mean '{meant}'"):
        getattr(gr, typed)


def test_a_name_that_resembles_none_lists_what_there_is():
    with pytest.raises(AttributeError, match=r"it offers: AdditiveRanker, .*text_kernel"):
        _ = gr.xyz


@pytest.mark.parametrize(
    ("typed", "meant"),
    [(["studdy"], "study"), (["Rank"], "rank"), (["data", "infp"], "info"), (["intent", "prdict"], "predict")],
)
def test_a_mistyped_command_suggests_the_nearest(typed, meant, tmp_path):
    done = glassrank(*typed, folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert f"Error: No such command {typed[-1]!r}. Did you mean {meant!r}?\n" in done.err


def test_a_command_that_resembles_none_has_no_suggestion(tmp_path):
    done = glassrank("xyz", folder=tmp_path)
    assert (done.code, "Error: No such command 'xyz'.\n" in done.err) == (2, True)
