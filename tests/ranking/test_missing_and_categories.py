"""Models with missing values, categories and yes/no values against kernels by their formulas on listed pairs."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline

import glassrank as gr
from glassrank import AdditiveSVC, DataError, FeatureTransformer, PairCalibrator, RankingData, RankSVM, RankSVMCV
from glassrank.core.feature_kinds import CATEGORY, NUMBER, FeatureKind
from tests.ranking.mixed_tables import KINDS, NAMES, NEW_ROWS, MixedTable, simulated
from tests.reference import feature_columns as twin

MIN_COUNT = 6
TOL = {"squared_hinge": 1e-13, "logistic": 1e-13, "hinge": 1e-9}
CURVES = {
    "linear": twin.Setting("linear", min_count=MIN_COUNT),
    "lrbf": twin.Setting("lrbf", min_count=MIN_COUNT),
    "lrbf, wider": twin.Setting("lrbf", factor=0.25, min_count=MIN_COUNT),
    "lrbf with a linear part": twin.Setting("lrbf", linear=0.5, min_count=MIN_COUNT),
}
GAMMAS = {1.0: "scale", 0.25: "scale/4", 4.0: "scale*4"}
every_curve = pytest.mark.parametrize("curve", CURVES)


def options(curve):
    setting = CURVES[curve]
    return {
        "kernel": setting.kernel,
        "gamma": GAMMAS[setting.factor],
        "linear": setting.linear,
        "min_count": setting.min_count,
    }


def kernels(table, curve, *, one_query=False):
    weights = [1.0] * len(table.rows) if table.weights is None else table.weights
    qid = [0] * len(table.rows) if one_query else table.qid
    return twin.FeatureKernels.of(table.rows, table.categories, qid, weights, CURVES[curve])


def unjudged(table, rows):
    """The rows as data of their own, with only the levels that occur in them."""
    return replace(table, rows=rows, y=[0.0] * len(rows), qid=[0] * len(rows), weights=None).data


def centred(contributions):
    return contributions - contributions.mean(axis=0)


def assert_adds_up(effects, data, scores):
    total = effects.intercept + effects.contributions(effects.encode(data.table)).sum(axis=1)
    assert (np.abs(total - scores) <= 1e-9 * np.maximum(1.0, np.abs(scores))).all()


@every_curve
@pytest.mark.parametrize("loss", TOL)
@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
def test_a_ranker_equals_the_minimum_over_listed_pairs(curve, loss, weighted):
    table = simulated(seed=1, weighted=weighted)
    expected = twin.best_ranker(kernels(table, curve), table.y, table.qid, 5.0, loss, table.weights)
    model = RankSVM(5.0, loss=loss, tol=TOL[loss], **options(curve)).fit(table.data)
    exact = loss != "hinge"
    np.testing.assert_allclose(model.objective_, expected.value, rtol=1e-9 if exact else 1e-7)
    # Scores of a hinge loss are certified to the root of the gap only.
    close = {"rtol": 1e-6, "atol": 1e-6} if exact else {"atol": 2 * np.sqrt(2e-9 * expected.value) + 1e-5, "rtol": 0.0}
    for rows in (table.rows, NEW_ROWS):
        scores, data = expected.scores(rows), unjudged(table, rows)
        np.testing.assert_allclose(centred(model.predict(data)), centred(scores), **close)
        assert_adds_up(gr.effects(model), data, model.predict(data))


@every_curve
def test_the_effect_of_each_feature_is_that_of_the_formula(curve):
    table = simulated(seed=2)
    expected = twin.best_ranker(kernels(table, curve), table.y, table.qid, 2.0)
    model = RankSVM(2.0, tol=1e-13, **options(curve)).fit(table.data)
    effects = gr.effects(model)
    rows = [*table.rows, *NEW_ROWS]
    made = effects.contributions(effects.encode(unjudged(table, rows).table))
    slow = expected.contributions(rows)
    for k, name in enumerate(NAMES):
        # A number without missing values is 0 at its mean, which the kernel knows nothing about.
        shift = slow[:, k].mean() - made[:, k].mean() if name == "age" else 0.0
        np.testing.assert_allclose(made[:, k], slow[:, k] - shift, rtol=1e-6, atol=1e-6, err_msg=name)


@every_curve
def test_the_effect_of_a_feature_with_missing_values_is_0_at_the_mean_of_the_known_ones(curve):
    table = simulated(seed=3, weighted=True)
    model = RankSVM(**options(curve)).fit(table.data)
    price = gr.effects(model).features[0]
    known = [(row[0], weight) for row, weight in zip(table.rows, table.weights, strict=True) if row[0] is not None]
    mean = twin.weighted_mean([value for value, _ in known], [weight for _, weight in known])
    np.testing.assert_allclose(price(np.array([mean])), 0.0, atol=1e-12)
    assert abs(price.missing_effect) > 1e-3
    gone = [weight for row, weight in zip(table.rows, table.weights, strict=True) if row[0] is None]
    np.testing.assert_allclose(price.missing_share, sum(gone) / sum(table.weights))


def test_the_effects_of_levels_sum_to_0_with_the_weights_of_their_rows():
    table = simulated(seed=4, weighted=True)
    effects = gr.effects(RankSVM(min_count=MIN_COUNT).fit(table.data))
    data = table.data
    for k in (3, 4):
        known = ~np.isnan(data.X[:, k])
        of_rows = effects.features[k](data.X[known, k])
        assert np.ptp(of_rows) > 0.1
        np.testing.assert_allclose(np.average(of_rows, weights=data.weights[known]), 0.0, atol=1e-12)


@every_curve
@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
def test_a_classifier_equals_the_minimum_of_its_objective(curve, loss, weighted):
    table = simulated(seed=5, weighted=weighted)
    positive = np.array(table.y) > 0
    expected = twin.best_classifier(
        kernels(table, curve, one_query=True), np.where(positive, 1, -1), 0.7, loss, table.weights
    )
    data = table.data
    model = AdditiveSVC(0.7, loss=loss, cv=None, tol=TOL[loss], **options(curve))
    model.fit(data.table, positive, sample_weight=table.weights)
    # LIBSVM computes kernels in single precision.
    np.testing.assert_allclose(model.objective_, expected.value, rtol=1e-6 if loss == "hinge" else 1e-9)
    assert model.objective_ <= expected.value * (1 + 1e-9)
    close = 3e-4 if loss == "hinge" else 1e-6
    for rows in (table.rows, NEW_ROWS):
        of_rows = unjudged(table, rows)
        np.testing.assert_allclose(model.decision_function(of_rows), expected.scores(rows), rtol=close, atol=close)
        assert_adds_up(gr.effects(model), of_rows, model.decision_function(of_rows))


def test_the_probabilities_of_a_classifier_add_up_from_its_effects():
    table = simulated(seed=6, n_rows=80)
    data = replace(table.data, y=(np.array(table.y) > 0).astype(float))
    model = AdditiveSVC(kernel="lrbf", linear=1.0, min_count=MIN_COUNT, random_state=0).fit(data)
    rows = unjudged(table, NEW_ROWS)
    log_odds = model.decision_function(rows)
    assert_adds_up(gr.effects(model), rows, log_odds)
    np.testing.assert_allclose(model.predict_proba(rows)[:, 1], 1 / (1 + np.exp(-log_odds)), rtol=1e-12)


@every_curve
@pytest.mark.parametrize("make", [RankSVM, RankSVMCV, AdditiveSVC])
def test_rows_of_weight_0_are_absent_bit_for_bit(curve, make):
    table = simulated(seed=7, n_rows=60, weighted=True)
    table = replace(table, y=[float(label > 0) for label in table.y])
    # Some of the ignored rows have the only missing ages, others the only level of a kind.
    for row in (0, 20):
        table.rows[row] = [50.0, None, 1.0, "only here", None]
    weights = list(table.weights)
    for row in (0, 5, 20, 41):
        weights[row] = 0.0
    table = replace(table, weights=weights)
    kept = [row for row in range(60) if weights[row] > 0]
    settings = {"C": 1.0} if make is not RankSVMCV else {"Cs": [0.1, 10.0], "cv": 2}
    if make is AdditiveSVC:
        settings["random_state"] = 0
    with_zeros, without = (make(**settings, **options(curve)).fit(some.data) for some in (table, table.pick(kept)))
    data = table.pick(kept).data
    decide = (lambda model: model.decision_function(data)) if make is AdditiveSVC else lambda model: model.predict(data)
    assert decide(with_zeros).tobytes() == decide(without).tobytes()
    assert with_zeros.coef_.tobytes() == without.coef_.tobytes()


@every_curve
def test_a_pipeline_and_a_calibrator_add_up_for_missing_and_unseen_values(curve, tmp_path):
    table = simulated(seed=8, n_rows=80, n_queries=6)
    new = unjudged(table, NEW_ROWS)
    for method in ("standard", "log", "quantile", "none", "auto"):
        model = make_pipeline(FeatureTransformer(method), RankSVM(**options(curve)))
        model.fit(table.data.table, table.y, ranksvm__qid=table.qid)
        for data in (table.data, new):
            assert_adds_up(gr.effects(model, table.data.table), data, model.predict(data.table))
    prob = PairCalibrator(model, cv=3).fit(table.data)
    effects = gr.effects(prob, table.data.table)
    encoded = effects.encode(new.table)
    log_odds = effects.differences(encoded[:-1], encoded[1:]).sum(axis=1)
    odds = prob.predict_pair_proba(new.table[:-1], new.table[1:])
    np.testing.assert_allclose(odds, 1 / (1 + np.exp(-log_odds)), rtol=1e-9)


MODELS = {
    "linear": lambda: RankSVM(min_count=MIN_COUNT),
    "lrbf": lambda: RankSVM(kernel="lrbf", linear=0.5, gamma="scale*4", min_count=MIN_COUNT),
    "mean": lambda: RankSVM(missing="mean", min_count=MIN_COUNT),
    "search": lambda: RankSVMCV([0.1, 1.0], cv=2, kernel="lrbf", gamma=("scale/4", "scale"), min_count=MIN_COUNT),
}


@pytest.mark.parametrize("kind", MODELS)
def test_a_loaded_model_predicts_bit_for_bit(kind, tmp_path):
    table = simulated(seed=9, n_rows=60)
    data, new = table.data, unjudged(table, NEW_ROWS)
    model = MODELS[kind]().fit(data)
    path = tmp_path / "model.json"
    gr.save_model(model, path)
    loaded, scorer = gr.load_model(path), gr.load_scorer(path)
    for rows in (data, new):
        expected = model.predict(rows)
        assert loaded.predict(rows).tobytes() == expected.tobytes()
        assert scorer.predict(rows).tobytes() == expected.tobytes()
    assert_adds_up(gr.effects(loaded), new, model.predict(new))
    assert gr.effects(loaded).features[4].categories == ("news", "shop", "wiki")


@pytest.mark.parametrize("method", ["standard", "log", "quantile", "none", "auto"])
def test_a_loaded_pipeline_and_calibrator_predict_bit_for_bit(method, tmp_path):
    table = simulated(seed=10, n_rows=60)
    data, new = table.data, unjudged(table, NEW_ROWS)
    model = make_pipeline(FeatureTransformer(method), RankSVM(kernel="lrbf", linear=1.0, min_count=MIN_COUNT))
    model.fit(data.table, data.y, ranksvm__qid=data.qid)
    prob = PairCalibrator(model, cv=2).fit(data)
    for number, fitted in enumerate((model, prob)):
        path = tmp_path / f"{number}.json"
        gr.save_model(fitted, path, feature_names=NAMES)
        loaded, scorer = gr.load_model(path), gr.load_scorer(path)
        for rows in (data, new):
            expected = fitted.predict(rows.table)
            assert loaded.predict(rows.table).tobytes() == expected.tobytes()
            assert scorer.predict(rows).tobytes() == expected.tobytes()
    expected = prob.predict_pair_proba(new.table[:-1], new.table[1:])
    assert loaded.predict_pair_proba(new.table[:-1], new.table[1:]).tobytes() == expected.tobytes()


def test_a_loaded_classifier_predicts_bit_for_bit(tmp_path):
    table = simulated(seed=11, n_rows=60)
    model = AdditiveSVC(kernel="lrbf", linear=0.5, min_count=MIN_COUNT, random_state=0)
    model.fit(table.data.table, np.array(table.y) > 0)
    gr.save_model(model, tmp_path / "model.json")
    loaded = gr.load_model(tmp_path / "model.json")
    new = unjudged(table, NEW_ROWS)
    assert loaded.predict_proba(new).tobytes() == model.predict_proba(new).tobytes()


@pytest.mark.parametrize("make", [RankSVM, AdditiveSVC, lambda **given: RankSVMCV([1.0], cv=2, **given)])
@pytest.mark.parametrize("kernel", ["linear", "lrbf"])
def test_an_unexpected_missing_value_is_refused_with_feature_row_and_remedy(make, kernel):
    table = simulated(seed=12, n_rows=60)
    table = replace(table, y=[float(label > 0) for label in table.y])
    model = make(kernel=kernel, min_count=MIN_COUNT).fit(table.data)
    rows = [list(row) for row in table.rows[:4]]
    rows[2][1] = None
    decide = model.decision_function if hasattr(model, "decision_function") else model.predict
    with pytest.raises(DataError, match=r"'age' has 1 missing value, the first in row 2") as caught:
        decide(unjudged(table, rows))
    assert "missing='mean'" in str(caught.value)
    rows[3][3] = None
    rows[2][1] = 1.0
    with pytest.raises(DataError, match=r"'brand' has 1 missing value, the first in row 3"):
        decide(unjudged(table, rows))


@every_curve
def test_an_unexpected_missing_value_can_have_the_effect_of_the_mean(curve, tmp_path):
    table = simulated(seed=13, n_rows=60)
    model = RankSVM(missing="mean", **options(curve)).fit(table.data)
    mean = float(np.mean([row[1] for row in table.rows]))
    rows = [[0.1, mean, 1.0, "acme", "shop"], [0.1, None, 1.0, "acme", "shop"], [0.1, 2.0, 1.0, None, "shop"]]
    data = unjudged(table, rows)
    scores = model.predict(data)
    np.testing.assert_allclose(scores[1], scores[0], rtol=1e-12)
    effects = gr.effects(model, table.data.table)
    full = gr.effects(model, data.table)
    made = full.contributions(full.encode(data.table))
    np.testing.assert_allclose(made[1, 1], 0.0, atol=1e-12)
    assert_adds_up(full, data, scores)
    assert effects.features[1].missing_share is None
    gr.save_model(model, tmp_path / "model.json")
    assert gr.load_scorer(tmp_path / "model.json").predict(data).tobytes() == scores.tobytes()


def test_a_missing_level_of_a_category_that_had_none_is_a_rare_one_or_has_effect_0():
    table = simulated(seed=14, n_rows=60, missing=0.0)
    model = RankSVM(missing="mean", min_count=MIN_COUNT).fit(table.data)
    rows = [[0.1, 1.0, 1.0, "acme", None], [0.1, 1.0, 1.0, "acme", "never seen"]]
    data = unjudged(table, rows)
    effects = gr.effects(model, data.table)
    made = effects.contributions(effects.encode(data.table))
    assert made[:, 4].tolist() == [0.0, 0.0]
    assert_adds_up(effects, data, model.predict(data))


def of_levels(levels, y, *, name="brand"):
    """One query, one category."""
    return MixedTable([[level] for level in levels], list(y), [0] * len(levels), names=(name,), kinds=(CATEGORY,))


def level_effects(model, levels):
    effects = gr.effects(model)
    table = of_levels(levels, [0.0] * len(levels))
    return effects.contributions(effects.encode(table.data.table))[:, 0]


def test_rare_levels_share_one_effect_with_unseen_ones():
    levels = ["a"] * 12 + ["b"] * 11 + ["c"] * 9 + ["d"] * 1
    y = [2.0] * 12 + [0.0] * 11 + [1.0] * 5 + [2.0] * 5
    model = RankSVM().fit(of_levels(levels, y).data)
    assert model.coef_.shape == (3,)
    of = dict(zip("abcde", level_effects(model, "abcde"), strict=True))
    assert of["c"] == of["d"] == of["e"]
    assert len({of["a"], of["b"], of["c"]}) == 3
    np.testing.assert_allclose(12 * of["a"] + 11 * of["b"] + 10 * of["c"], 0.0, atol=1e-12)


def test_a_level_with_exactly_min_count_rows_has_its_own_effect():
    levels, y = ["a"] * 12 + ["b"] * 10 + ["c"] * 9, [2.0] * 12 + [0.0] * 10 + [1.0] * 9
    counts = {count: RankSVM(min_count=count).fit(of_levels(levels, y).data).coef_.size for count in (9, 10, 11, 13)}
    # With 11, b and c share a column; with 13, all three do, and nothing is left to compare.
    assert counts == {9: 3, 10: 3, 11: 2, 13: 0}


def test_an_unseen_level_without_rare_ones_has_effect_0():
    levels, y = ["a"] * 12 + ["b"] * 24, [2.0] * 12 + [0.0] * 24
    model = RankSVM().fit(of_levels(levels, y).data)
    effects = level_effects(model, ["a", "b", "never seen"])
    assert effects[0] > 0 > effects[1]
    np.testing.assert_allclose(effects[0] + 2 * effects[1], 0.0, atol=1e-12)
    assert effects[2] == 0.0


def test_a_category_of_200_levels_equals_the_slow_twin():
    rng = np.random.default_rng(15)
    places = rng.integers(200, size=300)
    worth = rng.normal(size=200)
    y = (worth[places] + rng.normal(size=300) > 0).astype(float)
    qid = rng.integers(20, size=300)
    table = replace(of_levels([f"level {place:03}" for place in places], y.tolist()), qid=qid.tolist())
    setting = twin.Setting("linear", min_count=2)
    slow = twin.FeatureKernels.of(table.rows, [True], table.qid, [1.0] * 300, setting)
    expected = twin.best_ranker(slow, y, qid, 3.0)
    model = RankSVM(3.0, min_count=2, tol=1e-13).fit(table.data)
    np.testing.assert_allclose(model.objective_, expected.value, rtol=1e-9)
    np.testing.assert_allclose(model.predict(table.data), expected.scores(table.rows), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", [NUMBER, "boolean", CATEGORY])
@every_curve
def test_a_column_without_any_value_has_effect_0_everywhere(kind, curve):
    table = simulated(seed=16)
    table = replace(
        table,
        rows=[[*row, None] for row in table.rows],
        names=(*NAMES, "empty"),
        kinds=(*KINDS, kind),
    )
    model = RankSVM(**options(curve)).fit(table.data)
    effects = gr.effects(model)
    made = effects.contributions(effects.encode(table.data.table))
    # All rows have the same value, so no pair tells anything about it.
    np.testing.assert_allclose(made[:, -1], 0.0, atol=1e-12)
    assert_adds_up(effects, table.data, model.predict(table.data))


@every_curve
def test_a_query_whose_values_are_all_missing_is_like_others(curve):
    table = simulated(seed=17)
    rows = [[None, *row[1:4], None] if q == 1 else row for row, q in zip(table.rows, table.qid, strict=True)]
    table = replace(table, rows=rows)
    expected = twin.best_ranker(kernels(table, curve), table.y, table.qid, 5.0)
    model = RankSVM(5.0, tol=1e-13, **options(curve)).fit(table.data)
    np.testing.assert_allclose(model.objective_, expected.value, rtol=1e-9)


def test_yes_and_no_are_the_numbers_1_and_0():
    table = simulated(seed=18).features([0, 2])
    numbers = replace(table, kinds=(NUMBER, NUMBER))
    first, second = (RankSVM(kernel="lrbf").fit(some.data) for some in (table, numbers))
    assert first.predict(table.data).tobytes() == second.predict(numbers.data).tobytes()
    assert [feature.categories for feature in gr.effects(first).features] == [(), ("no", "yes")]


def test_levels_are_matched_by_name_whatever_their_codes():
    table = simulated(seed=19, n_rows=60)
    model = RankSVM(min_count=MIN_COUNT).fit(table.data)
    whole = model.predict(table.data)
    for row in range(0, 60, 7):
        # Alone, every level of a row has the code 0.
        assert model.predict(table.pick([row]).data).tolist() == whole[[row]].tolist()


@pytest.mark.parametrize("code", [17.0, 0.5, -2.0])
def test_a_code_that_is_no_level_is_refused(code):
    table = simulated(seed=20, n_rows=60)
    X = replace(table.data.table[:2], values=table.data.X[:2].copy())
    X.values[1, 4] = code
    with pytest.raises(DataError, match=f"whole numbers from 0 to 2: got {code:g}"):
        RankSVM(min_count=MIN_COUNT).fit(table.data).predict(X)
    model = AdditiveSVC(cv=None, min_count=MIN_COUNT).fit(table.data.table, np.array(table.y) > 0)
    with pytest.raises(DataError, match=f"whole numbers from 0 to 2: got {code:g}"):
        model.decision_function(X)


def test_difference_mode_refuses_categories_and_missing_values_by_name():
    table = simulated(seed=21)
    model = RankSVM(kernel="lrbf", mode="difference")
    with pytest.raises(DataError, match="'brand' is a category"):
        model.fit(table.features([1, 3]).data)
    refused = r"feature 'price' has \d+ missing values .* use mode='utility', which learns an effect of missing values"
    with pytest.raises(DataError, match=refused):
        model.fit(table.features([0, 1]).data)
    model.set_params(mode="utility").fit(table.features([0, 1]).data)


def test_a_sparse_matrix_with_missing_values_is_refused_with_the_dense_one_as_remedy():
    data = simulated(seed=21).features([0, 1]).data
    with pytest.raises(DataError, match=r"needs a matrix that is not sparse .* pass X.toarray\(\) to learn an effect"):
        RankSVM().fit(sparse.csr_matrix(data.X), data.y, qid=data.qid)


def test_a_matrix_with_missing_values_needs_no_table():
    table = simulated(seed=22).features([0, 1, 2])
    data = table.data
    model = RankSVM(kernel="lrbf").fit(data.X, data.y, qid=data.qid)
    assert model.predict(data.X).tobytes() == RankSVM(kernel="lrbf").fit(data).predict(data).tobytes()


def test_other_rankers_refuse_a_category_by_name():
    data = simulated(seed=23, n_rows=60, missing=0.0).data
    with pytest.raises(DataError, match="ELMRank needs numbers: feature 'brand' is a category"):
        gr.ELMRank(random_state=0).fit(data)


def test_tiny_weights_of_all_missing_values_leave_the_effect_of_missing_values():
    X = np.array([[0.0], [1.0], [np.nan], [2.0]])
    weights = [1.0, 1.0, 1e-18, 1.0]
    model = RankSVM().fit(X, [0, 1, 0, 2], sample_weight=weights)
    assert np.isfinite(model.predict(X)).all()


def test_a_search_learns_the_levels_of_all_rows_although_folds_lack_some():
    table = simulated(seed=24, n_rows=80, n_queries=4)
    rows = [
        [*row[:3], "only in one query" if q == 0 else row[3], row[4]]
        for row, q in zip(table.rows, table.qid, strict=True)
    ]
    # Missing prices occur in one query only.
    rows = [[(0.5 if row[0] is None and q else row[0]), *row[1:]] for row, q in zip(rows, table.qid, strict=True)]
    table = replace(table, rows=rows)
    search = RankSVMCV([0.1, 1.0], cv=4, kernel="lrbf", min_count=3).fit(table.data)
    alone = RankSVM(search.C_, kernel="lrbf", min_count=3).fit(table.data)
    assert search.predict(table.data).tobytes() == alone.predict(table.data).tobytes()


def test_an_other_column_keeps_whole_weights_equal_to_repeated_rows_of_frequent_levels():
    table = simulated(seed=25, n_rows=60)
    weights = [float(1 + row % 3) for row in range(60)]
    repeated = table.pick([row for row in range(60) for _ in range(int(weights[row]))])
    settings = {"min_count": 1, "kernel": "lrbf", "linear": 0.5, "tol": 1e-13}
    first = RankSVM(**settings).fit(replace(table, weights=weights).data)
    second = RankSVM(**settings).fit(repeated.data)
    np.testing.assert_allclose(first.predict(table.data), second.predict(table.data), rtol=1e-6, atol=1e-6)


def test_data_of_another_kind_are_refused():
    table = simulated(seed=26, n_rows=60)
    model = RankSVM(min_count=MIN_COUNT).fit(table.data)
    data = table.data
    kinds = [*data.kinds[:4], FeatureKind()]
    with pytest.raises(DataError, match="'site' is a category in the model and a number in the data"):
        model.predict(RankingData(data.X, data.y, data.qid, feature_names=NAMES, kinds=kinds))


@pytest.mark.parametrize("gamma", ["scale*0", "scale/0", "scale*-1", "scale*", "scale * 2", "wide", 0.0])
def test_a_factor_of_gamma_must_be_positive(gamma):
    with pytest.raises(DataError, match="gamma must be"):
        RankSVM(kernel="lrbf", gamma=gamma).fit([[0.0], [1.0]], [0, 1])
