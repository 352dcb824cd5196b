"""Systems of the user in a study: scores and models are matched by name, measured in the same tests, and explained."""

import json
from dataclasses import replace

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from scipy.special import expit
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.studies.ranking.given_systems import GivenSystem
from glassrank.studies.ranking.study import study
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here
from tests.reference.pair_reliability import held_out_log_odds, reliability
from tests.reference.pairs import comparable_pairs
from tests.shop_table import shop

HOSTILE = "</script><script>alert(1)</script>\n\u202e" + "x" * 300


@pytest.fixture(scope="module")
def table():
    return shop()


@pytest.fixture(scope="module")
def data(table):
    return gr.RankingData.from_frame(table)


def trained(table, kind=lightgbm.LGBMRanker, features=("rating", "in stock", "brand", "price"), **options):
    """A model trained on a data frame with native categories, in another order than the data's."""
    X = table[list(features)].astype({"brand": "category"})
    settings = {"n_estimators": 12, "random_state": 0, **options}
    sizes = {"group": table.groupby("qid", sort=False).size()}
    return kind(**settings).fit(
        X, table.label, **(sizes if kind is lightgbm.LGBMRanker else {"qid": table.groupby("qid", sort=False).ngroup()})
    )


@pytest.fixture(scope="module")
def files(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("systems")
    prod = table[["qid", "doc_id"]].assign(
        other="x", score=np.random.default_rng(5).normal(size=len(table)) + table.label
    )
    prod.sample(frac=1.0, random_state=3).to_csv(folder / "prod.csv", index=False)
    trained(table, verbosity=-1, min_child_samples=3).booster_.save_model(folder / "lgbm.txt")
    trained(table, xgboost.XGBRanker, enable_categorical=True, n_jobs=1).save_model(folder / "xgb.json")
    own = gr.RankSVM(missing="mean").fit(gr.RankingData.from_frame(table).pick_features(["rating", "price"]))
    gr.save_model(own, folder / "svm.json")
    return folder


@pytest.fixture(scope="module")
def systems(files, data):
    rng = np.random.default_rng(7)
    by_key = {
        key: float(value)
        for key, value in zip(
            zip(data.qid.tolist(), data.doc_ids.tolist(), strict=True), rng.normal(size=data.n_rows), strict=True
        )
    }
    return {
        "prod": files / "prod.csv",
        "booster": str(files / "lgbm.txt"),
        "xgb": files / "xgb.json",
        "svm": files / "svm.json",
        "stumps": lightgbm.LGBMRanker(n_estimators=10, max_depth=1, verbose=-1, n_jobs=1, random_state=0),
        "random": by_key,
        HOSTILE: -data.X[:, 0],
    }


@pytest.fixture(scope="module")
def made(data, systems, tmp_path_factory):
    return study(data, folder=tmp_path_factory.mktemp("made"), systems=systems, tune=0)


def test_scores_and_models_are_matched_by_name(made, table, files, data):
    prod = pd.read_csv(files / "prod.csv").set_index(["qid", "doc_id"]).score
    assert made.scores["prod"].tolist() == [prod[key] for key in zip(table.qid, table.doc_id, strict=True)]
    X = table[["rating", "in stock", "brand", "price"]].astype({"brand": "category"})
    assert made.scores["booster"] == pytest.approx(lightgbm.Booster(model_file=files / "lgbm.txt").predict(X))
    model = xgboost.XGBRanker()
    model.load_model(files / "xgb.json")
    assert made.scores["xgb"] == pytest.approx(model.predict(X), abs=1e-6)
    svm = gr.load_model(files / "svm.json")
    assert made.scores["svm"] == pytest.approx(svm.predict(data.pick_features(["rating", "price"])))
    assert made.scores[HOSTILE].tolist() == (-table.price).tolist()


def test_an_unfitted_estimator_is_fitted_without_the_fold_it_scores(made, data):
    rest, rows = next(GroupKFold(5).split(data.X, data.y, data.groups.of_row))
    rest = rest[data.weights[rest] > 0]
    model = lightgbm.LGBMRanker(n_estimators=10, max_depth=1, verbose=-1, n_jobs=1, random_state=0)
    sizes = np.unique(data.groups.of_row[rest], return_counts=True)[1]
    weights = data.weights[rest] / data.weights[rest].mean()
    model.fit(data.X[rest], data.y[rest], group=sizes, sample_weight=weights, categorical_feature=[3])
    assert made.scores["stumps"][rows] == pytest.approx(model.predict(data.X[rows]))


def test_all_systems_are_in_the_same_paired_tests(made, data):
    given = ["prod", "booster", "xgb", "svm", "stumps", "random", HOSTILE]
    settings = {"measure": "ndcg@10", "baseline": "kept", "asked": given, "random_state": 0}
    expected = gr.compare(made.scores, data.y, qid=data.qid, **settings)
    assert {one.name: one for one in made.main.systems} == {one.name: one for one in expected.systems}
    assert [one.name for one in made.main.systems][:7] == given
    for name in given:
        alone = {key: made.scores[key] for key in ("kept", name)}
        assert gr.compare(alone, data.y, qid=data.qid, random_state=0)[name] == made.main[name]
    assert made.main.label("prod") == "prod (as given)"
    assert json.loads(made.to_json())["comparisons"][0]["labels"]["booster"] == "booster (as given)"


def test_probabilities_of_every_system_equal_the_arithmetic_on_listed_pairs(made, data):
    used = data.weights > 0
    assert list(made.reliabilities) == [one.name for one in made.main.systems if one.name != "random"]
    # The likelihood is concave in A, and its slope at A = 0 is minus this sum: A is below 0 if the sum is above 0.
    pairs = comparable_pairs(data.y[used], data.qid[used])
    for one in made.main.systems:
        scores, v = made.scores[one.name][used], data.weights[used]
        assert (sum(v[i] * v[j] * (scores[i] - scores[j]) for i, j in pairs) > 0) == (one.name != "random")
    for key in ("kept", "prod", "booster", "stumps"):
        odds = held_out_log_odds(made.scores[key][used], data.y[used], data.qid[used], data.weights[used])
        found = made.reliabilities[key]
        brier, log_loss, accuracy = reliability(odds)
        assert found.n_pairs == len(odds)
        assert (found.brier, found.log_loss, found.accuracy) == pytest.approx((brier, log_loss, accuracy), abs=1e-6)


def test_models_are_explained_with_probabilities_and_scores_are_not(made, data):
    assert list(made.explained) == ["kept", "booster", "xgb", "svm", "stumps"]
    for key, model in made.explained.items():
        shown = made.shown[key]
        A, B = shown.pick_rows([0, 1]).table, shown.pick_rows([2, 3]).table
        assert model.predict_pair_proba(A, B) == pytest.approx(expit(-model.slope_ * model.decide_pairs(A, B)))
        if key in ("kept", "svm", "stumps"):
            why = gr.explain_pair(model, shown, query="q0", document="d1", against="d2")
            assert sum(one.contribution for one in why.features) == pytest.approx(why.total, abs=1e-9)
            expected = model.predict_pair_proba(shown.pick_rows([1]).table, shown.pick_rows([2]).table)
            assert why.probability == pytest.approx(float(expected[0]), abs=1e-9)


def test_the_report_says_how_given_systems_were_measured(made):
    page = (made.folder / "report.html").read_text()
    said = " ".join(made.notes)
    assert "prod: scores, measured as they are. If it was trained on some of these queries" in said
    assert "svm: a fitted model, measured as it is." in said
    assert "It does not use 2 features of the data: in stock, brand." in said
    assert "stumps: trained by the study" in said
    assert "measured as they are. If it was trained" in page
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "LightGBM lambdarank (defaults)" in page


def test_a_study_resumes_with_its_systems(data, systems, made, tmp_path):
    def stop(done, total, what):
        if what.startswith("Training stumps for held-out queries, fold 3"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study(data, folder=tmp_path, systems=systems, tune=0, progress=stop)
    names = sorted(path.stem for path in (tmp_path / "steps").iterdir())
    digest = GivenSystem("stumps", systems["stumps"]).digest[:12]
    assert {f"system-{digest}-1", f"system-{digest}-2", "fold-3", "lightgbm-3"} <= set(names)
    assert f"system-{digest}-3" not in names
    said = []
    again = study(data, folder=tmp_path, systems=systems, tune=0, progress=lambda *step: said.append(step[-1]))
    assert sum(one.endswith("reused from an earlier run.") for one in said) == len(names)
    assert again.main == made.main
    assert again.reliabilities == made.reliabilities


def test_lightgbm_that_is_not_installed_is_skipped_with_the_reason(data, made, tmp_path, monkeypatch):
    monkeypatch.setattr("glassrank.studies.ranking.study.is_installed", lambda: False)
    (tmp_path / "steps").mkdir()
    for path in (made.folder / "steps").iterdir():
        (tmp_path / "steps" / path.name).write_bytes(path.read_bytes())
    found = study(data, folder=tmp_path)
    assert "lightgbm" not in found.scores
    assert found.notes == ("LightGBM is not among the systems, because it is not installed.",)


REFUSED = {
    "reserved": (lambda d: {"kept": d.X[:, 0]}, "systems must not be named 'kept', which the study uses itself"),
    "empty name": (lambda d: {" ": d.X[:, 0]}, "systems must be named by text that is not empty: got ' '"),
    "no text": (lambda d: {3: d.X[:, 0]}, "systems must be named by text that is not empty: got 3"),
    "length": (
        lambda d: {"a": d.X[:7, 0]},
        "system 'a': scores must have one entry per measured document: expected 120, got 7",
    ),
    "not finite": (lambda d: {"a": np.where(d.y > 0, np.nan, 1.0)}, "system 'a': .*scores.* finite"),
    "unmatched": (
        lambda d: {"a": gr.Run([*d.qid, "q0", "q99"], [*d.doc_ids, "d77", "d1"], np.zeros(d.n_rows + 2))},
        "system 'a': 2 of 122 rows of the scores are not in the data, the first: query 'q0', document 'd77'",
    ),
    "unscored": (
        lambda d: {"a": gr.Run(d.qid[3:], d.doc_ids[3:], np.zeros(d.n_rows - 3))},
        "3 of 120 rows of the data are not among the scores, the first: query 'q0', document 'd0'",
    ),
    "keys": (lambda d: {"a": {"q0": 1.0}}, r"keys \(query, document\): got 'q0'"),
    "missing features": (
        lambda d: {"a": Ridge().fit(pd.DataFrame({"price": [1.0, 2.0], "sales": [1.0, 2.0]}), [0, 1])},
        "system 'a': The data must contain the model's features: 1 of 2 are missing, 'sales'",
    ),
    "unnamed features": (
        lambda d: {"a": Ridge().fit([[1.0], [2.0]], [0, 1])},
        "1 feature without names, but the data have 4",
    ),
    "classifier": (lambda d: {"a": gr.AdditiveSVC()}, "predicts classes"),
    "no file": (lambda d: {"a": "nowhere.csv"}, "nowhere.csv: there is no such file"),
    "no documents": (
        lambda d: {"a": gr.Run(["q0"], ["d0"], [1.0])},
        "matched by query and document, but the data have no document ids. Give their column",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_systems_that_cannot_be_measured_are_refused_before_any_work(case, data, tmp_path):
    make, said = REFUSED[case]
    given = (
        gr.RankingData(data.X, data.y, data.qid, None, data.feature_names, kinds=data.kinds)
        if case == "no documents"
        else data
    )
    with pytest.raises(DataError, match=said):
        study(given, folder=tmp_path / "out", systems=make(data))
    assert not (tmp_path / "out").exists()


def test_a_second_document_with_the_same_name_is_refused(data):
    twice = replace(data, doc_ids=["d"] * data.n_rows)
    with pytest.raises(DataError, match="Document 'd' appears in query 'q0' of the data more than once"):
        study(twice, folder="never", systems={"a": gr.Run(["q0"], ["d"], [1.0])})
