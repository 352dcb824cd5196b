"""``glassrank train``: every model from a file to a model file that ranks and explains, and what it refuses."""

import inspect
import json

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from glassrank.cli.error_wording import OTHER_NAMES
from glassrank.cli.models.train import FOLDS
from glassrank.cli.settings_by_feature import TRANSFORMS
from glassrank.data.load_data import load_data
from glassrank.modelfile.kinds.sklearn_models.linear_models import LINEAR
from glassrank.modelfile.load_model import load_model
from glassrank.ranking.additive_svc import AdditiveSVC
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.feature_transformer import FeatureTransformer
from glassrank.ranking.rank_svm import RankSVM
from glassrank.simulation.ranking import simulate_ranking
from glassrank.studies.ranking import trainers
from glassrank.studies.ranking.model_options import COUNT, MODELS, OPTIONS, explained_models
from tests.cli.commands import glassrank
from tests.house.repository import DOCS

# Few nodes, and so little of the L1 penalty that some weights are not 0.
CHOSEN = {
    "elm-rank": ["--n-nodes", 20],
    "elm-rank-cv": ["--n-nodes", 20],
    "pairwise-elastic-net": ["--alpha", 0.01],
    "pairwise-lasso": ["--alpha", 0.01],
}
ADDITIVE = [name for name in MODELS if name not in ("elm-rank", "elm-rank-cv", "kernel-least-squares")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Simulated documents with four features, one of them constant; the labels of classes.csv are 0 and 1."""
    folder = tmp_path_factory.mktemp("train")
    data = simulate_ranking(9, 12, random_state=3).data.pick_features(range(3))
    lines = {"graded.csv": [], "classes.csv": [], "weighted.csv": []}
    for row in range(data.n_rows):
        values = ",".join(map(repr, data.X[row].tolist()))
        place, label = f"{data.qid[row]},{data.doc_ids[row]}", data.y[row]
        lines["graded.csv"].append(f"{place},{label:g},{values},5")
        lines["classes.csv"].append(f"{place},{int(label > 0)},{values},5")
        lines["weighted.csv"].append(f"{place},{label:g},{values},5,{row % 3}")
    head = "qid,doc_id,label,a,b,c,constant"
    for name, rows in lines.items():
        end = ",weight" if name == "weighted.csv" else ""
        (folder / name).write_text("\n".join([head + end, *rows]) + "\n")
    return folder


def train(folder, *arguments, data="graded.csv", code=0):
    done = glassrank("train", data, "--force", "-q", *arguments, folder=folder)
    assert done.code == code, done.err
    return done


def labelled(model):
    return "classes.csv" if MODELS[model].classifies else "graded.csv"


@pytest.fixture(scope="module")
def trained(folder):
    """The figures of every model, trained once."""
    return {
        model: json.loads(
            train(
                folder,
                "--model",
                model,
                "--json",
                "--output",
                f"{model}.json",
                *CHOSEN.get(model, []),
                data=labelled(model),
            ).out
        )
        for model in MODELS
    }


@pytest.mark.parametrize("model", MODELS)
def test_every_model_trains_ranks_and_names_its_figures(model, folder, trained):
    found = trained[model]
    data, fitted = load_data(folder / labelled(model)), load_model(folder / f"{model}.json")
    assert (found["model"], found["n_queries"], found["n_features"]) == (model, 9, 4)
    assert (found["n_rows"], found["weighted"]) == (data.n_rows, False)
    assert 0.5 < found["training_accuracy"] <= 1
    assert (found["n_pairs"] is None) == MODELS[model].classifies
    assert set(MODELS[model].options) <= set(found["options"])
    done = glassrank("rank", f"{model}.json", labelled(model), folder=folder)
    assert (done.code, done.err) == (0, "")
    expected = fitted.decision_function(data.X) if MODELS[model].classifies else fitted.predict(data.X)
    assert list(map(float, done.out.splitlines())) == expected.tolist()


@pytest.mark.parametrize("model", ADDITIVE)
def test_contributions_add_up_to_the_score(model, folder, trained):
    data = load_data(folder / labelled(model))
    query, name = data.qid[0], data.doc_ids[2]
    done = glassrank(
        "explain", f"{model}.json", labelled(model), "--query", query, "--document", name, "--json", folder=folder
    )
    assert (done.code, done.err) == (0, "")
    found, fitted = json.loads(done.out), load_model(folder / f"{model}.json")
    added = sum(feature["contribution"] for feature in found["features"])
    if MODELS[model].classifies:
        assert added + found["average"] == pytest.approx(float(fitted.decision_function(data.X[[2]])[0]), abs=1e-9)
        assert found["probability"] == pytest.approx(float(fitted.predict_proba(data.X[[2]])[0, 1]), abs=1e-9)
    else:
        reference = data.X[[data.row_of(query, found["reference"]["name"])]]
        assert found["probability"] == pytest.approx(
            float(fitted.predict_pair_proba(data.X[[2]], reference)[0]), abs=1e-9
        )
        log_odds = -fitted.slope_ * float(fitted.decide_pairs(data.X[[2]], reference)[0])
        assert added == pytest.approx(log_odds, abs=1e-9)
    constant = [feature["contribution"] for feature in found["features"] if feature["feature"] == "constant"]
    assert constant == [pytest.approx(0.0, abs=1e-12)]


@pytest.mark.parametrize("model", sorted(set(MODELS) - set(ADDITIVE)))
def test_models_that_mix_features_are_not_explained(model, folder, trained):
    done = glassrank("explain", f"{model}.json", "graded.csv", "--query", "q1", "--document", "d001", folder=folder)
    assert (done.code, done.out) == (1, "")
    assert "has no per-feature effects" in done.err
    assert "glassrank train --" in done.err


def test_additive_nodes_can_be_explained(folder):
    train(folder, "--model", "elm-rank", "--nodes", "additive", "--n-nodes", 20, "--output", "additive.json")
    data = load_data(folder / "graded.csv")
    done = glassrank(
        "explain", "additive.json", "graded.csv", "--query", data.qid[0], "--document", data.doc_ids[0], folder=folder
    )
    assert done.code == 0, done.err


def test_a_model_of_differences_ranks_by_comparison(folder):
    train(folder, "--kernel", "lrbf", "--mode", "difference", "--C", 10, "--output", "pairs.json")
    train(folder, "--kernel", "lrbf", "--mode", "difference", "--no-calibrate", "--output", "bare.json")
    data = load_data(folder / "graded.csv")
    for name in ("pairs.json", "bare.json"):
        done = glassrank("rank", name, "graded.csv", "--json", folder=folder)
        assert done.code == 0, done.err
        ranked = {row["row"]: row["rank"] for query in json.loads(done.out) for row in query["documents"]}
        fitted = load_model(folder / name)
        if name == "pairs.json":
            expected = fitted.rank(data.X, qid=data.qid)
        else:
            expected = fitted[-1].rank(fitted[:-1].transform(data.X), qid=data.qid)
        assert [ranked[row] for row in range(data.n_rows)] == expected.tolist()
    pair = ["--query", data.qid[0], "--document", data.doc_ids[0], "--against", data.doc_ids[1]]
    found = json.loads(glassrank("explain", "pairs.json", "graded.csv", *pair, "--json", folder=folder).out)
    fitted = load_model(folder / "pairs.json")
    assert found["probability"] == pytest.approx(float(fitted.predict_pair_proba(data.X[:1], data.X[1:2])[0]), abs=1e-9)
    assert sum(row["contribution"] for row in found["features"]) == pytest.approx(found["total"], abs=1e-9)
    assert found["a"]["rank"] == fitted.rank(data.X, qid=data.qid)[0]
    alone = glassrank("explain", "pairs.json", "graded.csv", *pair[:4], folder=folder)
    assert (alone.code, "Set --against to the other one" in alone.err) == (1, True)


def test_it_trains_what_the_estimators_train(folder):
    data = load_data(folder / "graded.csv")
    train(folder, "--kernel", "lrbf", "--loss", "hinge", "--C", 10, "--gamma", 0.5, "--seed", 7, "--output", "m.json")
    ranker = make_pipeline(FeatureTransformer(), RankSVM(10.0, kernel="lrbf", loss="hinge", gamma=0.5, random_state=7))
    expected = PairCalibrator(ranker, random_state=7).fit(data)
    found = load_model(folder / "m.json")
    assert found.predict(data.X).tolist() == expected.predict(data.X).tolist()
    assert (found.slope_, found.estimator_[-1].gamma) == (expected.slope_, 0.5)


def test_features_can_be_used_as_they_are_and_without_probabilities(folder):
    data = load_data(folder / "graded.csv")
    train(folder, "--C", 2, "--transform", "none", "--no-calibrate", "--output", "plain.json")
    found = load_model(folder / "plain.json")
    assert isinstance(found, RankSVM)
    assert found.coef_.tolist() == RankSVM(2.0).fit(data).coef_.tolist()
    train(folder, "--model", "additive-svc", "--no-calibrate", "--output", "svc.json", data="classes.csv")
    fitted = load_model(folder / "svc.json")[-1]
    assert isinstance(fitted, AdditiveSVC)
    assert (fitted.slope_, fitted.classes_.tolist()) == (None, [0, 1])


def test_a_pairwise_model_has_its_parameters_and_no_intercept(folder, trained):
    train(folder, "--model", "pairwise-ridge", "--alpha", 3, "--output", "ridge.json")
    ranker = load_model(folder / "ridge.json").estimator_[-1]
    assert (type(ranker.estimator), ranker.estimator.alpha, ranker.estimator.fit_intercept) == (Ridge, 3.0, False)


def test_weights_change_the_model_and_the_scaler(folder):
    """Weights 1 and 2 are equivalent to repeated rows, and rows of weight 0 to rows that are not there."""
    rows = (folder / "weighted.csv").read_text().splitlines()
    repeated = [row.rpartition(",")[0] for row in rows[1:] for _ in range(int(row.rpartition(",")[2]))]
    head = rows[0].removesuffix(",weight").replace("doc_id,", "")
    (folder / "repeated.csv").write_text(
        "\n".join([head, *(",".join([row.split(",")[0], *row.split(",")[2:]]) for row in repeated)]) + "\n"
    )
    for name in ("graded", "weighted", "repeated"):
        train(folder, "--no-calibrate", "--output", f"of-{name}.json", data=f"{name}.csv")
    graded, weighted, repeated = (load_model(folder / f"of-{n}.json") for n in ("graded", "weighted", "repeated"))
    means = [[function.mean for function in model[0].functions_] for model in (weighted, repeated)]
    np.testing.assert_allclose(*means, rtol=1e-9)
    np.testing.assert_allclose(weighted[-1].coef_, repeated[-1].coef_, rtol=1e-4, atol=1e-6)
    assert not np.allclose(weighted[-1].coef_, graded[-1].coef_, rtol=1e-3)
    found = json.loads(train(folder, "--json", "--output", "w.json", data="weighted.csv").out)
    assert (found["weighted"], found["n_rows"]) == (True, sum(not row.endswith(",0") for row in rows[1:]))


def test_the_same_seed_gives_the_same_file(folder):
    for name in ("one", "two"):
        train(folder, "--model", "elm-rank", "--n-nodes", 10, "--seed", 4, "--output", f"{name}.json")
    train(folder, "--model", "elm-rank", "--n-nodes", 10, "--output", "three.json")
    one, two, three = ((folder / f"{name}.json").read_bytes() for name in ("one", "two", "three"))
    assert one == two != three


def test_several_files_are_joined(folder):
    lines = (folder / "graded.csv").read_text().splitlines()
    first = [line for line in lines[1:] if line.split(",")[0] == lines[1].split(",")[0]]
    (folder / "part1.csv").write_text("\n".join([lines[0], *first]) + "\n")
    (folder / "part2.csv").write_text("\n".join([lines[0], *(line for line in lines[1:] if line not in first)]) + "\n")
    done = glassrank("train", "part1.csv", "part2.csv", "--output", "joined.json", "--json", "-q", folder=folder)
    assert json.loads(done.out)["n_queries"] == 9
    twice = glassrank("train", "graded.csv", "graded.csv", "--output", "twice.json", folder=folder)
    assert (twice.code, "is in two parts" in twice.err) == (1, True)


def test_drawn_pairs_are_reported(folder):
    drawn = ["--kernel", "lrbf", "--mode", "difference", "--max-pairs", 50, "--no-calibrate", "--output", "few.json"]
    done = glassrank("train", "graded.csv", *drawn, folder=folder)
    assert "of which 50 were drawn" in done.out
    assert "raise --max-pairs, or set it to None" in done.err
    every = train(folder, *drawn[:4], "--max-pairs", "none", *drawn[6:], "--json")
    assert json.loads(every.out)["n_sampled_pairs"] is None


def test_the_text_names_training_data_and_certificate(folder):
    done = glassrank("train", "graded.csv", "--output", "text.json", folder=folder)
    assert done.err == "Wrote text.json.\n"
    lines = done.out.splitlines()
    assert lines[0] == "rank-svm: C 1, kernel linear, standardised features, with probabilities"
    assert lines[2].startswith("pair accuracy on the training data: ")
    assert lines[3].startswith("held-out pairs ordered correctly: ")
    assert "certified to a relative gap of" in lines[4]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", "elm-rank", "--C", 1], ["--C is not an option of elm-rank", "--n-nodes", "--alpha"]),
        (
            ["--model", "pairwise-svc", "--loss", "hinge"],
            ["--loss is not an option of pairwise-svc", "options: --C, --mode."],
        ),
        (["--model", "pairwise-linear-regression", "--C", 1], ["Its options: --mode."]),
        (["--model", "additive-svc", "--loss", "logistic"], ["--loss must be one of 'squared_hinge', 'hinge'"]),
        (["--model", "pairwise-additive-svc", "--max-pairs", 9], ["--max-pairs is not an option"]),
        (["--kernel", "rbf"], ["--kernel must be one of 'linear', 'lrbf'"]),
        (["--gamma", 1], ["--gamma has no effect without --kernel lrbf"]),
        (["--kernel", "lrbf", "--max-pairs", 9], ["--max-pairs has no effect without --mode difference"]),
        (["--model", "boosting"], ["'boosting' is not one of 'rank-svm'", "'pairwise-ridge'"]),
        (["--C", 0], ["'0' is not a positive number"]),
        (["--C", "nan"], ["'nan' is not a positive number"]),
        (["--C", "1e999"], ["'1e999' is not a positive number"]),
        (["--max-iter", 2.5], ["'2.5' is not a positive whole number"]),
        (["--kernel", "lrbf", "--gamma", "auto"], ["'auto' is not a positive number or scale"]),
        (["--no-calibrate", "--folds", 4], ["--folds has no effect with --no-calibrate"]),
        (["--output", "m.json.gz"], ["expected a name that ends in .json, got 'm.json.gz'"]),
    ],
    ids=lambda value: " ".join(map(str, value)) if len(value) > 1 else "",
)
def test_bad_usage_ends_with_2(arguments, words, folder):
    done = glassrank("train", "graded.csv", "--output", "never.json", *arguments, folder=folder)
    assert (done.code, done.out) == (2, "")
    assert [word for word in words if word not in done.err] == []
    assert not (folder / "never.json").exists()


@pytest.mark.parametrize(
    ("text", "arguments", "words"),
    [
        ("qid,label,a\n1,0,1\n1,0,2\n", [], ["at least two different labels"]),
        ("qid,label,a\n1,0,1\n2,1,2\n", [], ["none of the queries has more than one"]),
        ("qid,label,a\n1,0,1\n1,1,2\n2,0,1\n2,1,3\n", [], ["3 folds by query need 3 queries", "lower --folds"]),
        ("qid,label,a\n1,0,1\n1,1,\n", ["--model", "elm-rank", "--no-calibrate"], ["feature 'a' has 1 missing value"]),
        ("qid,label,weight,a\n1,0,0,1\n1,1,0,2\n", [], ["weights of all 2 rows are zero"]),
        ("qid,label,a\n1,0,1\n1,1,2\n1,2,3\n", ["--model", "additive-svc"], ["two classes"]),
        ("qid,label,a\n1,0,1\n1,1,2\n", ["--model", "additive-svc"], ["3 folds need 3 rows", "Lower --folds"]),
    ],
    ids=["one label", "no pair", "few queries", "missing", "no weight", "three classes", "few rows"],
)
def test_bad_data_end_with_1_and_one_line(text, arguments, words, tmp_path):
    (tmp_path / "bad.csv").write_text(text)
    done = glassrank("train", "bad.csv", "--output", "m.json", *arguments, folder=tmp_path)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert [word for word in words if word not in done.err] == []
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


def test_a_folder_that_does_not_exist_is_reported_before_the_training(folder):
    done = glassrank("train", "nowhere.csv", "--output", "none/m.json", folder=folder)
    assert (done.code, "none does not exist" in done.err) == (1, True)


def test_one_query_is_enough(tmp_path):
    rows = "".join(f"q,{row % 3},{row % 3 + row / 10}\n" for row in range(12))
    (tmp_path / "one.csv").write_text(f"qid,label,a\n{rows}")
    done = glassrank("train", "one.csv", "--output", "m.json", "--json", folder=tmp_path)
    assert done.code == 0, done.err
    assert json.loads(done.out)["n_queries"] == 1


def test_a_file_is_only_overwritten_with_force(folder):
    (folder / "precious.json").write_text("precious")
    done = glassrank("train", "graded.csv", "--output", "precious.json", folder=folder)
    assert (done.code, "overwrite it with --force" in done.err) == (1, True)
    assert (folder / "precious.json").read_text() == "precious"


HOSTILE = ['say "cheese"', "<script>alert(1)</script>", "x" * 3000, "naïve ☃", "a'b; DROP TABLE"]


def test_hostile_names_survive_the_round_trip(tmp_path):
    quoted = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in HOSTILE]
    rows = "".join(f"q{row % 3},{row % 2},{','.join(str((row * k) % 7) for k in range(2, 7))}\n" for row in range(30))
    (tmp_path / "odd.csv").write_text(f"qid,label,{','.join(quoted)}\n{rows}")
    assert glassrank("train", "odd.csv", "--output", "m.json", "-q", folder=tmp_path).code == 0
    place = ["--query", "q1", "--document", 0, "--json"]
    done = glassrank("explain", "m.json", "odd.csv", *place, "--output", "one.html", folder=tmp_path)
    assert done.code == 0, done.err
    assert {row["feature"] for row in json.loads(done.out)["features"]} == set(HOSTILE)
    done = glassrank("nomogram", "m.json", "odd.csv", "--output", "m.html", folder=tmp_path)
    assert done.code == 0, done.err
    for page in ("one.html", "m.html"):
        assert "<script>alert" not in (tmp_path / page).read_text()


def test_the_table_of_models_matches_the_estimators():
    """Every default in the table is that of the estimator's argument."""
    assert list(MODELS) == list(trainers.MAKERS)
    for name, model in MODELS.items():
        made = trainers.MAKERS[name]({}, FOLDS, 0)
        arguments = dict(inspect.signature(type(made)).parameters)
        if name.startswith("pairwise-"):
            arguments |= inspect.signature(type(made.estimator)).parameters
        assert {option: known.default for option, known in model.options.items()} == {
            option: arguments[option].default for option in model.options
        }
        for option, known in model.options.items():
            for choice in known.choices:
                trainers.make_model(
                    name, {option: choice}, transform="none", transforms=None, calibrate=False, cv=3, random_state=0
                )


def test_every_pairwise_model_fits_into_a_model_file():
    pairwise = [trainers.MAKERS[name]({}, FOLDS, 0) for name in MODELS if name.startswith("pairwise-")]
    assert {type(made.estimator).__name__ for made in pairwise} <= {*LINEAR, "AdditiveSVC"}


def test_the_published_machine_is_trained_ranks_and_explains(folder):
    machine = ["--model", "pairwise-additive-svc", "--mode", "difference", "--kernel", "lrbf", "--gamma", 0.5]
    train(folder, *machine, "--loss", "hinge", "--output", "one.json")
    loaded, data = load_model(folder / "one.json"), load_data(folder / "graded.csv")
    own = loaded.estimator_.steps[-1][1]
    assert not own.antisymmetric
    assert (own.estimator.gamma, own.estimator.loss) == (0.5, "hinge")
    ranked = glassrank("rank", "one.json", "graded.csv", "-q", folder=folder)
    assert ranked.code == 0, ranked.err
    scores = np.array([float(line) for line in ranked.out.split()])
    np.testing.assert_array_equal(scores, data.groups.sizes[data.groups.of_row] - loaded.rank(data))
    pair = ["--query", data.qid[0], "--document", data.doc_ids[0], "--against", data.doc_ids[1]]
    why = glassrank("explain", "one.json", "graded.csv", *pair, "--json", folder=folder)
    assert why.code == 0, why.err
    found = json.loads(why.out)
    assert not found["antisymmetric"]
    assert found["probability"] == pytest.approx(loaded.predict_pair_proba(data.X[:1], data.X[1:2])[0])
    drawn = glassrank("nomogram", "one.json", "graded.csv", "--output", "one.svg", "-q", folder=folder)
    assert drawn.code == 0, drawn.err
    refused = train(folder, "--model", "pairwise-additive-svc", "--kernel", "lrbf", "--output", "no.json", code=1)
    assert "--kernel lrbf of a classifier of differences needs --mode difference" in refused.err


def test_every_option_belongs_to_a_model_and_is_explained():
    assert {option for model in MODELS.values() for option in model.options} == set(OPTIONS)
    assert [name for name in MODELS if name not in explained_models()] == []
    assert tuple(trainers.TRANSFORMS) == TRANSFORMS
    whole = {name for name, option in OPTIONS.items() if option.takes == COUNT}
    assert whole == {"Cs", "max_pairs", "min_count", "n_nodes", "max_iter"}


def test_the_page_lists_the_options_of_every_model():
    lines = (DOCS / "commands/train.md").read_text().splitlines()
    for name, model in MODELS.items():
        (line,) = [line for line in lines if line.startswith(f"| `{name}` |")]
        listed = set(line.rpartition(" | ")[2].replace("`", "").removesuffix(" |").split(", ")) - {"none"}
        flags = {f"--{OTHER_NAMES.get(option, option).replace('_', '-')}" for option in model.options}
        assert listed == flags
