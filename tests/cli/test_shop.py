"""A shop's table by commands alone: missing values, many levels, yes/no values, weights, heavy tails, a constant."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import glassrank as gr
from tests.cli.commands import glassrank
from tests.quick_study import few_resamples_and_picks  # noqa: F401 - a fixture for all tests here


def shop(n_queries, seed):
    """Return products whose price falls, whose rating rises, and whose missing rating costs something of its own."""
    rng = np.random.default_rng(seed)
    n = 20 * n_queries
    brand = rng.zipf(1.4, n) % 200
    rating = rng.uniform(1, 5, n).round(2)
    known = rng.random(n) > 0.2
    price, stock = np.exp(rng.normal(5, 3, n)).round(2), rng.random(n) < 0.7
    utility = 1.2 * np.where(known, rating, 1.5) - 0.5 * np.log(price) + 1.5 * stock + np.sin(brand)
    label = np.digitize(utility + rng.normal(0, 0.5, n), [0.5, 2.0])
    return pd.DataFrame(
        {
            "qid": [f"q{query}" for query in np.repeat(np.arange(n_queries), 20)],
            "doc_id": [f"d{row}" for row in range(n)],
            "label": label,
            "price": price,
            "rating": np.where(known, rating, np.nan),
            "in stock": stock,
            "brand": [f"brand {number}, <b>" for number in brand],
            "constant": 7.0,
            "weight": rng.choice([0.0, 0.5, 2.0], n),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shop")
    shop(25, 1).to_csv(folder / "train.csv", index=False)
    new = shop(6, 2)
    new.loc[3, "brand"] = "Zephyr"
    new.loc[5, "price"] = np.nan
    new.drop(columns=["label", "weight"]).to_csv(folder / "new.csv", index=False)
    new.drop(columns="weight").to_csv(folder / "judged.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def study(folder):
    options = ["--transform", "auto", "--monotone", "price=-1", "--folder", "study"]
    done = glassrank("study", "train.csv", *options, folder=folder)
    assert done.code == 0, done.err
    return folder / "study"


def test_info_names_the_kinds_and_the_missing_values(folder):
    found = json.loads(glassrank("data", "info", "train.csv", "--json", folder=folder).out)[0]
    assert found["boolean_features"] == ["in stock"]
    assert found["constant_features"] == ["constant"]
    assert list(found["missing_by_feature"]) == ["rating"]
    assert found["levels_by_category"]["brand"] > 50
    assert found["heavy_tailed_features"] == ["price"]


def test_the_study_says_what_it_made_of_the_table(study):
    report = (study / "report.html").read_text()
    assert "log: price" in report
    assert "price only falls" in report
    assert "rows count 0.5 to 2 (median" in report
    assert "How C was chosen" in report
    assert "<b>" not in report.partition("<script")[0].replace("&lt;b&gt;", "")
    kept = [line.split(",") for line in (study / "selection.csv").read_text().splitlines()[1:]]
    assert ["constant", "no"] in [line[:2] for line in kept]


@pytest.mark.parametrize(
    "options",
    [
        ["--kernel", "linear", "--transform", "auto"],
        ["--kernel", "lrbf", "--linear", 1, "--transform", "quantile", "--monotone", "price=-1"],
        ["--kernel", "lrbf", "--transform", "log", "--loss", "logistic", "--no-calibrate"],
        ["--model", "rank-svm-cv", "--Cs", 3, "--transform", "price=log"],
        ["--model", "elm-rank", "--nodes", "additive", "--n-nodes", 40, "--min-count", 5],
        ["--model", "elm-rank-cv", "--nodes", "additive", "--n-nodes", 40, "--no-calibrate"],
    ],
    ids=["linear", "monotone curves", "curves", "search", "nodes", "search of nodes"],
)
def test_contributions_add_up_to_the_score_of_every_row(folder, options):
    options = [*options, "--unexpected-missing", "mean", "--output", "m.json", "--force"]
    done = glassrank("train", "train.csv", *options, folder=folder)
    assert done.code == 0, done.err
    ranked = glassrank("rank", "m.json", "new.csv", folder=folder)
    assert "levels of 'brand' not seen in training (Zephyr, " in ranked.err
    assert "1 missing value of 'price', which had none in training" in ranked.err
    model, data = gr.load_model(folder / "m.json"), gr.load_data(folder / "new.csv", label=None)
    scores = model.predict(data)
    assert [float(line) for line in ranked.out.split()] == pytest.approx(scores.tolist(), rel=1e-6, abs=1e-6)
    effects = gr.effects(model, data.table)
    factor = -getattr(model, "slope_", -1.0)
    total = effects.total(effects.encode(data.table))
    assert (np.abs(total - factor * scores) <= 1e-9 * np.maximum(1.0, np.abs(scores))).all()


def test_commands_explain_and_draw_the_study(folder, study):
    pair = ["--query", "q0", "--document", "d3", "--against", "d5", "--output", "why.html"]
    explained = glassrank("explain", study / "model.json", "judged.csv", *pair, "--json", folder=folder)
    found = json.loads(explained.out)
    assert sum(one["contribution"] for one in found["features"]) == pytest.approx(found["total"], abs=1e-9)
    values = {one["feature"]: (one["value_a"], one["value_b"]) for one in found["features"]}
    assert values["brand"][0] == "not seen in training"
    assert values["price"][1] is None
    assert all("flip" not in key or value != "missing" for one in found["features"] for key, value in one.items())
    for content in re.findall(
        r'<script type="application/json">(.*?)</script>', (folder / "why.html").read_text(), re.S
    ):
        json.loads(content, parse_constant=pytest.fail)
    one = glassrank("explain", study / "model.json", "judged.csv", "--query", "q0", "--document", "d5", folder=folder)
    assert (one.code, "missing" in one.out) == (0, True)
    drawn = glassrank("nomogram", study / "model.json", "judged.csv", "--output", "model.svg", folder=folder)
    assert drawn.code == 0
    assert "missing 2" in (folder / "model.svg").read_text()


def test_other_models_refuse_what_they_cannot_use(folder):
    done = glassrank("train", "train.csv", "--model", "elm-rank", "--output", "elm.json", folder=folder)
    assert (done.code, "'brand' is a category" in done.err, "--nodes additive" in done.err) == (1, True, True)


def test_every_selector_finds_what_decides(folder):
    """Weights of 0 are among the rows."""
    done = glassrank("select", "train.csv", "--n", 3, "--json", folder=folder)
    assert (done.code, done.err) == (0, "")
    for method in json.loads(done.out)["methods"]:
        places = {one["feature"]: one["place"] for one in method["features"]}
        assert places["constant"] > max(places["price"], places["rating"], places["in stock"]), method["method"]


def test_curves_of_raw_values_are_refused_before_any_work_with_an_option(folder):
    raw = shop(8, 3).drop(columns=["weight", "brand", "rating"])
    raw["price"] = np.where(np.arange(len(raw)) % 40 == 7, 2e8, raw["price"].clip(upper=50))
    raw.to_csv(folder / "raw.csv", index=False)
    curves = ["train", "raw.csv", "--kernel", "lrbf", "--output", "raw.json"]
    done = glassrank(*curves, "--transform", "none", "--gamma", 1, folder=folder)
    assert (done.code, (folder / "raw.json").exists()) == (1, False)
    assert "Feature 'price': A Gaussian with γ = 1 on the range 2e+08 needs more than 1000 nodes" in done.err
    assert "Clip or transform the feature (--transform log), or use a smaller --gamma." in done.err
    assert glassrank(*curves, "--transform", "log", folder=folder).code == 0
    # A study chooses γ by the spread of the feature, and runs.
    done = glassrank("study", "raw.csv", "--kernel", "lrbf", "--folder", "raw", folder=folder)
    assert done.code == 0, done.err


def test_a_model_scaled_within_queries_ranks_by_scaled_features(folder):
    done = glassrank("study", "train.csv", "--scale-per-query", "zscore", "--folder", "scaled", folder=folder)
    assert done.code == 0, done.err
    assert "a search engine cannot compute it" in (folder / "scaled" / "report.html").read_text()
    data = gr.load_data(folder / "judged.csv")
    scorer = gr.load_scorer(folder / "scaled" / "model.json")
    kept = data.pick_features(scorer.feature_names)
    scores = scorer.predict(kept)
    expected = gr.load_model(folder / "scaled" / "model.json").predict(kept.scaled("zscore"))
    with pytest.raises(gr.DataError, match=r"scaled within each query .*Pass RankingData"):
        scorer.predict(kept.X)
    assert scores.tolist() == pytest.approx(expected.tolist())
    ranked = glassrank("rank", folder / "scaled" / "model.json", "judged.csv", folder=folder)
    assert [float(line) for line in ranked.out.split()] == pytest.approx(expected.tolist(), rel=1e-6, abs=1e-6)
