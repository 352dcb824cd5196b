"""Why A ranks above B, in numbers: contributions, probability, intervals and flip values."""

import json
import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

import glassrank as gr
from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects, FeatureEffect, LinearCurve
from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.explanation import explain_pair
from tests.nomograms.figure.examples import model_of, random_data, random_weights


@pytest.fixture(scope="module")
def data():
    return random_data(6, doc_ids=[f"d{row}" for row in range(120)], offset=2.0)


@pytest.fixture(scope="module")
def model():
    return model_of(random_weights(6))


def explain_small(**options):
    """Weights 0.3 and −0.5; A = (10, 1) and B = (0, 4): contributions 3 and 1.5, total 4.5."""
    X = [[10.0, 1.0], [0.0, 4.0], [5.0, 2.0], [6.0, 2.0]]
    small = RankingData(X, [2, 0, 1, 1], ["q"] * 4, ["d1", "d2", "d3", "d4"], ["clicks", "spam"])
    return explain_pair(model_of([0.3, -0.5]), small, query="q", document="d1", against="d2", **options)


def test_documents_and_contributions_by_hand():
    why = explain_small()
    assert [(one.name, one.rank, one.n_documents, one.label) for one in (why.a, why.b)] == [
        ("d1", 1, 4, 2.0),
        ("d2", 4, 4, 0.0),
    ]
    assert [feature.contribution for feature in why.features] == pytest.approx([3.0, 1.5])
    assert (why.total, why.unit, why.probability, why.interval) == (pytest.approx(4.5), "score", None, None)


def test_contributions_add_up_to_the_difference_of_scores(data, model):
    why = explain_pair(model, data, query="q3", document="d40", against="d43")
    assert math.fsum(feature.contribution for feature in why.features) == pytest.approx(why.total, rel=1e-12)
    assert why.total == pytest.approx(float(model.decide_pairs(data.X[[40]], data.X[[43]])[0]), rel=1e-9)


def test_at_its_flip_value_a_feature_makes_the_two_tie(data, model):
    found = 0
    for document in range(1, 12):
        why = explain_pair(model, data, query="q1", document=0, against=document)
        a, b = data.X[12].copy(), data.X[12 + document].copy()
        for k, feature in enumerate(why.features):
            for row, flip, other in ((a, feature.flip_a, b), (b, feature.flip_b, a)):
                if flip is not None:
                    changed = row.copy()
                    changed[k] = flip
                    assert model.decide_pairs([changed], [other])[0] == pytest.approx(0.0, abs=1e-12)
                    found += 1
    assert found > 20


def test_no_flip_value_lies_outside_the_range_of_the_data(data, model):
    why = explain_pair(model, data, query="q1", document=0, against=5)
    shown = np.quantile(data.X, [0.005, 0.995], axis=0)
    for k, feature in enumerate(why.features):
        ends = [*shown[:, k], feature.value_a, feature.value_b]
        for flip in (feature.flip_a, feature.flip_b):
            assert flip is None or min(ends) <= flip <= max(ends)


def test_a_feature_that_cannot_make_a_tie_has_no_flip_value():
    """A must lose 4.5: clicks at 10 − 4.5/0.3 = −5 is below every click; spam at 1 + 9 is above all spam."""
    clicks, spam = explain_small().features
    assert (clicks.flip_a, clicks.flip_b, spam.flip_a, spam.flip_b) == (None, None, None, None)


def test_exchanging_the_documents_exchanges_signs_and_flip_values(data, model):
    forth = explain_pair(model, data, query="q2", document=0, against=1)
    back = explain_pair(model, data, query="q2", document=1, against=0)
    assert forth.total == -back.total
    for one, other in zip(forth.features, back.features, strict=True):
        assert one.contribution == -other.contribution
        for flip, same in ((one.flip_a, other.flip_b), (one.flip_b, other.flip_a)):
            assert (flip is None) == (same is None)
            assert flip is None or flip == pytest.approx(same, rel=1e-9)


def log_odds(slopes, names=("x", "y"), subject="utility"):
    low, centre = (-4.0, 0.0) if subject == "difference" else (0.0, 1.0)
    made = [
        FeatureEffect(name, LinearCurve(slope), low, 4.0, centre) for name, slope in zip(names, slopes, strict=True)
    ]
    return AdditiveEffects(tuple(made), 0.0, "log-odds", subject)


PAIR = RankingData([[3.0, 1.0], [1.0, 2.0]], [1, 0], ["q", "q"], ["a", "b"], ["x", "y"])


def test_the_probability_is_the_sigmoid_of_the_total():
    """0.7 · (3 − 1) − 0.4 · (1 − 2) = 1.8."""
    why = explain_pair(log_odds([0.7, -0.4]), PAIR, query="q", document="a", against="b")
    assert why.total == pytest.approx(1.8)
    assert why.probability == pytest.approx(1 / (1 + math.exp(-1.8)), rel=1e-12)


def test_samples_give_errors_and_percentile_intervals():
    slopes = np.random.default_rng(0).normal([0.7, -0.4], 0.1, size=(50, 2))
    samples = EffectSamples(tuple(log_odds(row) for row in slopes))
    why = explain_pair(log_odds([0.7, -0.4]), PAIR, query="q", document="a", against="b", samples=samples)
    assert [f.error for f in why.features] == pytest.approx([2 * slopes[:, 0].std(ddof=1), slopes[:, 1].std(ddof=1)])
    expected = np.quantile(2 * slopes[:, 0] - slopes[:, 1], [0.025, 0.975])
    assert why.interval == pytest.approx(tuple(expected))
    assert why.probability_interval == pytest.approx(tuple(1 / (1 + np.exp(-expected))))
    assert "95 % interval" in str(why)


@pytest.mark.parametrize(("slope", "outside"), [(0.7, False), (1.5, True), (0.1, True)])
def test_only_an_interval_without_its_estimate_is_explained(slope, outside):
    """The slopes of the replicates are 0.5 to 0.9; the difference is 2, and 1 from the median document."""
    samples = EffectSamples(tuple(log_odds([own, 0.0]) for own in np.linspace(0.5, 0.9, 41)))
    pair = explain_pair(log_odds([slope, 0.0]), PAIR, query="q", document="a", against="b", samples=samples)
    scored = replace(log_odds([slope, 0.0]), unit="score")
    without_p = explain_pair(scored, PAIR, query="q", document="a", against="b", samples=samples)
    document = gr.explain_document(log_odds([slope, 0.0]), PAIR, query="q", document="a", samples=samples)
    for why in (pair, without_p, document):
        assert (why.interval[0] < why.total < why.interval[1]) is not outside
        assert ("The interval excludes the estimate" in str(why)) is outside


def test_a_difference_model_flips_at_the_difference_that_ties():
    """Total 0.7 · 2 + 0.4 · 1.5 = 2: x_A − x_B must fall by 2/0.7 = 2.86, of whole numbers by 3."""
    effects = log_odds([0.7, -0.4], subject="difference")
    data = RankingData([[3.0, 0.5], [1.0, 2.0]], [1, 0], ["q", "q"], ["a", "b"], ["x", "y"])
    x, y = explain_pair(effects, data, query="q", document="a", against="b").features
    assert (x.flip_a, x.flip_b) == (0.0, 4.0)
    # y_A − y_B would have to be −1.5 + 5 = 3.5, which the line up to 4 has.
    assert (y.flip_a, y.flip_b) == (pytest.approx(5.5), pytest.approx(-3.0))


@dataclass(frozen=True)
class Table:
    effects: tuple[float, ...]

    def __call__(self, values):
        return np.array(self.effects)[np.asarray(values).astype(int)]


def test_categories_are_shown_by_name():
    """A is a shop (2.0), B is news (0.0), and x adds nothing: a forum (−0.5) would put A below."""
    kind = FeatureEffect("y", Table((0.0, 2.0, -0.5)), 0.0, 2.0, 0.0, categories=("news", "shop", "forum"))
    plain = log_odds([0.0, 0.0])
    effects = replace(plain, features=(plain.features[0], kind))
    data = RankingData([[1.0, 1.0], [1.0, 0.0]], [1, 0], ["q", "q"], ["a", "b"], ["x", "y"])
    why = explain_pair(effects, data, query="q", document="a", against="b")
    row = json.loads(why.to_json())["features"][0]
    assert (row["value_a"], row["value_b"], row["flip_a"], row["flip_b"]) == ("shop", "news", "news", "shop")
    assert "shop" in str(why)


def test_text_lists_the_largest_contributions_and_sums_up_the_rest(data, model):
    why = explain_pair(model, data, query="q0", document=0, against=1)
    lines = why.to_text(most_rows=2).splitlines()
    order = sorted(why.features, key=lambda feature: -abs(feature.contribution))
    table = lines.index(next(line for line in lines if "tie if A were" in line))
    assert [line.split("│")[1].strip("█▌ ").split("  ")[0] for line in lines[table + 1 : table + 3]] == [
        feature.name for feature in order[:2]
    ]
    assert "from 4 more features" in lines[table + 3]
    assert "PairCalibrator" in why.to_text()


def test_frame_and_json_contain_every_feature_with_the_largest_first(data, model):
    why = explain_pair(model, data, query="q0", document=0, against=1)
    frame = why.to_frame("pandas")
    assert frame["contribution"].abs().is_monotonic_decreasing
    assert len(frame) == 6
    saved = json.loads(why.to_json())
    assert [row["feature"] for row in saved["features"]] == frame["feature"].tolist()
    assert saved["a"]["rank"] == why.a.rank
    assert saved["probability"] is None


def test_units_are_shown_after_the_names():
    assert "clicks (per day)" in str(explain_small(units={"clicks": "per day"}))


def test_its_nomogram_draws_the_same_pair():
    why = explain_small()
    assert why.nomogram().pair.difference == pytest.approx(why.total)


def test_missing_values_are_refused(model):
    X = np.ones((3, 6))
    X[1, 2] = np.nan
    holes = RankingData(X, [0, 1, 2], missing="keep")
    with pytest.raises(
        DataError, match="'feature 3' has 1 missing value, the first in row 1, but had none in training"
    ):
        explain_pair(model, holes, query=0, document=0, against=1)


def test_a_classifier_is_refused():
    effects = replace(log_odds([0.7, -0.4]), subject="class", outcome="spam")
    with pytest.raises(DataError, match="got a classifier"):
        explain_pair(effects, PAIR, query="q", document="a", against="b")


def test_data_with_other_names_than_the_model_are_refused(data):
    model = model_of(random_weights(6))
    model.feature_names_in_ = np.array(["feature 1", "feature 3", "feature 2", *data.feature_names[3:]], dtype=object)
    with pytest.raises(DataError, match="Feature 1 is 'feature 3' in the model and 'feature 2' in the data"):
        explain_pair(model, data, query="q0", document=0, against=1)


def test_documents_without_labels_are_explained_like_judged_ones():
    data = gr.simulate_ranking(8, 6, random_state=0).data
    model = gr.PairCalibrator(gr.RankSVM(), cv=2, random_state=0).fit(data)
    unjudged = gr.RankingData(data.X, None, data.qid, data.doc_ids, data.feature_names)
    query, (a, b) = data.qid[0], data.doc_ids[:2]
    for explain, more in ((gr.explain_pair, {"against": b}), (gr.explain_document, {})):
        judged, found = (explain(model, one, query=query, document=a, **more) for one in (data, unjudged))
        assert found.total == judged.total
        assert found.probability == judged.probability
        assert "judgement" in str(judged)
        assert "judgement" not in str(found)
    pictures = [gr.nomogram(model, one, query=query, document=a, against=b) for one in (data, unjudged)]
    heads = [json.dumps(picture.specification()) for picture in pictures]
    assert ["judged" in head for head in heads] == [True, False]
