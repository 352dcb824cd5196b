"""The coupling study: selection inside each fold, each selector fitted once, tables that add up."""

import json
import pickle
from collections import Counter
from typing import ClassVar

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.feature_selection import SelectorMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, precision_score, recall_score
from sklearn.model_selection import StratifiedKFold

from glassrank.core.checks import DataError
from glassrank.navigational.coupling.classifiers import CLASSIFIERS, DEFAULT_CLASSIFIERS, chosen_classifiers
from glassrank.navigational.coupling.coupling_chart import rank_chart
from glassrank.navigational.coupling.coupling_study import CouplingStudy
from glassrank.navigational.coupling.fold_work import Fold, Step, stratified_folds
from glassrank.navigational.coupling.paper_figures import ALL_FEATURES, COUPLED
from glassrank.navigational.coupling.selectors import (
    SELECTORS,
    NomogramLengthSelector,
    chosen_selectors,
    fitted_selectors,
    places_by,
    places_of,
)
from glassrank.navigational.preparation import prepare
from glassrank.selection.selector_names import DEFAULT_SELECTORS
from glassrank.studies.resumable_steps import Steps
from tests.navigational.planted import planted_queries

X, Y, NAMES, CATEGORIES = planted_queries()
FAST = {
    "selectors": ["information gain", "SVM weights"],
    "classifiers": ["naive Bayes", "maximum entropy"],
    "cv": 3,
    "random_state": 0,
}


class CountingSelector(SelectorMixin, BaseEstimator):
    """Ranks by variance, and records its input."""

    seen: ClassVar[list] = []

    def fit(self, X, y):
        type(self).seen.append((X.copy(), np.array(y)))
        self.scores_ = X.var(axis=0)
        self.n_features_in_ = X.shape[1]
        return self

    def _get_support_mask(self):
        return self.scores_ > 0


class CountingClassifier(ClassifierMixin, BaseEstimator):
    """Predicts no query as navigational, and counts the columns that it was trained on."""

    widths: ClassVar[list] = []

    def fit(self, X, y):
        type(self).widths.append(X.shape[1])
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


@pytest.fixture
def counters():
    CountingSelector.seen, CountingClassifier.widths = [], []


def test_selection_never_uses_held_out_rows(counters):
    CouplingStudy(
        5,
        cv=4,
        selectors={"own": CountingSelector()},
        classifiers={"none": DummyClassifier()},
        curve=(),
        random_state=0,
    ).fit(X, Y, NAMES)
    folds = StratifiedKFold(4, shuffle=True, random_state=0).split(X, Y)
    for (train, _), (columns, classes) in zip(folds, CountingSelector.seen, strict=True):
        assert classes.tolist() == Y[train].tolist()
        assert columns.tolist() == prepare(X[train])(X[train]).tolist()


def test_a_leak_planted_in_noise_is_not_found():
    """Some of 2,000 noise columns fit the labels of all rows well; selection outside the folds would pick them."""
    rng = np.random.default_rng(0)
    noise, labels = rng.normal(size=(80, 2000)), np.repeat([0, 1], 40)
    options = {
        "selectors": ["SVM weights"],
        "classifiers": ["maximum entropy"],
        "curve": (),
        "cv": 4,
        "random_state": 0,
    }
    honest = CouplingStudy(20, **options).fit(noise, labels).result_["SVM weights", "maximum entropy"].f1
    best = np.argsort(-np.abs(np.corrcoef(noise.T, labels)[-1, :-1]))[:20]
    leaking = CouplingStudy(20, **options).fit(noise[:, best], labels).result_[None, "maximum entropy"].f1
    assert honest < 0.65
    assert leaking > 0.85


def test_each_selector_is_fitted_once_per_fold_and_shared_by_all_classifiers(counters):
    classifiers = {"one": CountingClassifier(), "two": CountingClassifier()}
    study = CouplingStudy(
        5, cv=3, selectors={"own": CountingSelector()}, classifiers=classifiers, curve=(2, 5, 9, "all"), random_state=0
    )
    study.fit(X, Y)
    assert len(CountingSelector.seen) == 3
    # Per fold: both classifiers on 5 columns and on all, and one of them on 2 and 9 for the curve.
    wide = study.result_.n_columns
    assert Counter(CountingClassifier.widths) == Counter({5: 6, 2: 3, 9: 3}) + Counter(wide) + Counter(wide)


def test_the_result_does_not_depend_on_n_jobs():
    # Threads are enough here: processes would only add the time to import everything again.
    with parallel_config(backend="threading"):
        one, two = (
            CouplingStudy(6, **FAST, curve=(3, "all"), n_jobs=jobs).fit(X, Y, NAMES, CATEGORIES) for jobs in (1, 2)
        )
    assert one.result_.to_json() == two.result_.to_json()


@pytest.mark.parametrize("selector", fitted_selectors(SELECTORS))
def test_a_step_can_be_sent_to_another_process(selector):
    train, held_out = np.arange(0, 120), np.arange(120, 160)
    step = Step.ranking(Fold(0, X, Y, train, held_out, tuple(NAMES), 0), 0, selector, SELECTORS[selector].make)
    assert pickle.loads(pickle.dumps(step)).run().tolist() == step.run().tolist()


def test_measures_equal_scikit_learn_on_the_same_folds():
    clean, labels, _, _ = planted_queries(gaps=False)
    study = CouplingStudy(
        5, cv=3, classifiers={"logistic": LogisticRegression()}, selectors=["SVM weights"], curve=(), random_state=0
    )
    found = study.fit(clean, labels).result_[None, "logistic"]
    changing = clean.min(axis=0) < clean.max(axis=0)
    expected = []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(clean, labels):
        called = LogisticRegression().fit(clean[train][:, changing], labels[train]).predict(clean[test][:, changing])
        measures = (recall_score, precision_score, f1_score)
        expected.append([measure(labels[test], called) for measure in measures])
    assert [found.recall, found.precision, found.f1] == pytest.approx(np.mean(expected, axis=0).tolist(), rel=1e-12)


def test_shares_by_category_and_by_operator_add_up_to_one():
    result = CouplingStudy(7, **FAST, curve=()).fit(X, Y, NAMES, CATEGORIES).result_
    for shares in (result.by_category, result.by_operator):
        assert [sum(own.values()) for own in shares.values()] == pytest.approx([1.0, 1.0], rel=1e-12)
    assert list(result.by_category["SVM weights"]) == ["click", "url", "anchor", "other"]
    assert list(result.by_operator["SVM weights"]) == [
        *("vector", "normalised ratios", "min/max", "entropy/std", "mean/median"),
    ]
    # Seven columns in each of three folds.
    assert sum(result.kept["SVM weights"].values()) == 21


def test_the_planted_features_are_selected_in_every_fold():
    kept = CouplingStudy(7, **FAST, curve=()).fit(X, Y, NAMES).result_.kept
    for selector in FAST["selectors"]:
        assert kept[selector]["clk_CR|p1"] == 3
        assert kept[selector]["clk_CR|r2"] == 3


def test_the_combined_selection_is_the_union_of_the_best_up_to_the_size():
    columns = prepare(X)(X)
    names = prepare(X).names(tuple(NAMES))
    chosen = {"combined": SELECTORS["combined"]}
    fitted = {name: places_by(kind.make(0), columns, Y, names) for name, kind in fitted_selectors(chosen).items()}
    assert list(fitted) == ["SVM weights", "boosting influence"]
    selected = set(np.flatnonzero(places_of(chosen, fitted)["combined"] <= 10))
    assert len(selected) == 10
    # As in the paper: the best of both, until the union has the requested size.
    union, depth = set(), 0
    while len(union) < 10:
        depth += 1
        union = {k for places in fitted.values() for k in np.flatnonzero(places <= depth)}
    assert selected <= union


def test_nomogram_length_is_the_range_of_a_feature_times_its_weight():
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    clean, labels, _, _ = planted_queries(gaps=False)
    scaled = StandardScaler().fit_transform(clean)
    weights = LinearSVC(dual=False, random_state=0).fit(scaled, labels).coef_[0]
    assert NomogramLengthSelector().fit(clean, labels).scores_ == pytest.approx(
        np.abs(weights) * np.ptp(scaled, axis=0)
    )


def test_the_papers_own_selectors_and_classifier_can_be_named():
    """Five rows of each class; the first feature is present in 4 and 1 of them, the second in all ten."""
    y = np.repeat([0, 1], 5)
    present = np.column_stack([[1, 0, 0, 0, 0, 3, 2, 7, 1, 0], np.arange(1.0, 11.0)])
    gain = SELECTORS["presence information gain"].make(0).fit(present, y).scores_
    # IG = H(y) − P(f) H(y | f) − P(not f) H(y | not f) = 1 − 5/10 h(1/5) − 5/10 h(1/5), and 1 − h(1/2) = 0.
    h = -(0.2 * np.log2(0.2) + 0.8 * np.log2(0.8))
    assert gain == pytest.approx([1 - h, 0.0])
    # The cut is at 5.5, with five rows on each side; add-one smoothing, two intervals, and no prior.
    bayes = CLASSIFIERS["categorical naive Bayes"]
    rows, classes = np.arange(1.0, 13.0).reshape(-1, 1), np.array([0] * 5 + [1] * 7)
    fitted = bayes.make(0).fit(rows, classes)
    likelihoods = np.array([(0 + 1) / (5 + 2), (7 + 1) / (7 + 2)])
    assert fitted.predict_proba([[12.0]])[0] == pytest.approx(likelihoods / likelihoods.sum())
    assert bayes.read(fitted)(np.array([[12.0]])) == pytest.approx([np.log(likelihoods[1] / likelihoods[0])])


def test_variants_are_studied_if_named_and_shown_beside_the_papers_figures():
    selectors = ["presence information gain", "hinge SVM weights"]
    study = CouplingStudy(6, cv=3, selectors=selectors, classifiers=["categorical naive Bayes"], curve=())
    text = str(study.fit(X, Y, NAMES, CATEGORIES).result_)
    assert "(0.226)" in text  # the paper's naive Bayes with information gain
    assert "hinge SVM weights (LIBSVM, linear kernel)" in text
    usual = CouplingStudy()
    assert list(chosen_selectors(usual.selectors)) == list(DEFAULT_SELECTORS)
    assert list(chosen_classifiers(usual.classifiers)) == list(DEFAULT_CLASSIFIERS)


def test_an_interrupted_study_resumes_with_the_stored_steps_and_reports_them(tmp_path):
    study = CouplingStudy(6, **FAST, curve=())
    wanted = study.fit(X, Y, NAMES).result_
    said = []

    def stop_after_five(done, of, name):
        said.append((done, of, name))
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.fit(X, Y, NAMES, store=Steps(tmp_path, "the same data"), progress=stop_after_five)
    assert said[4] == (5, 15, "fold 3, ranking by information gain")
    again, resumed = Steps(tmp_path, "the same data"), []
    found = study.fit(X, Y, NAMES, store=again, progress=lambda *step: resumed.append(step)).result_
    assert (found.coupled, found.kept) == (wanted.coupled, wanted.kept)
    assert len(again.reused) == 5
    assert resumed[0] == (1, 15, "fold 1, ranking by information gain, reused from an earlier run")
    assert sum("reused" in name for _, _, name in resumed) == 5
    assert [done for done, _, _ in resumed] == list(range(1, 16))


class Unreadable:
    """The store of a first run: it is empty, and reading back is an error."""

    def __init__(self):
        self.written = {}

    def read(self, name):
        assert name not in self.written
        return

    def write(self, name, result):
        self.written[name] = json.loads(json.dumps(result))


def test_a_first_run_writes_every_step_and_reads_none_back():
    store = Unreadable()
    found = CouplingStudy(6, **FAST, curve=()).fit(X, Y, NAMES, store=store).result_
    assert (len(store.written), found.coupled) == (
        15,
        CouplingStudy(6, **FAST, curve=()).fit(X, Y, NAMES).result_.coupled,
    )


def test_selectors_may_have_any_name(tmp_path):
    selectors = {"a/b: ranking by c": CountingSelector(), "../x": CountingSelector()}
    study = CouplingStudy(6, cv=3, selectors=selectors, classifiers=["naive Bayes"], curve=())
    study.fit(X, Y, NAMES, store=Steps(tmp_path / "steps", "the same data"))
    assert [path.name for path in tmp_path.iterdir()] == ["steps"]
    assert len(list((tmp_path / "steps").iterdir())) == 3 * (2 + 2 + 1)


@pytest.mark.parametrize(
    ("names", "said"),
    [(["a", "b", "a"], "'a' occurs 2 times"), (["a", "a|missing", "c"], r"'a\|missing' occurs 2 times")],
    ids=["twice", "like an indicator"],
)
def test_features_whose_columns_would_share_a_name_are_refused(names, said):
    with pytest.raises(DataError, match=said):
        CouplingStudy(1, **FAST, curve=()).fit(X[:, :3], Y, names)


def test_it_prints_the_four_tables_with_the_papers_figures():
    study = CouplingStudy(
        5,
        cv=3,
        selectors=["SVM weights"],
        classifiers=["naive Bayes", "boosting trees"],
        curve=(3, "all"),
        random_state=0,
    )
    text = str(study.fit(X, Y, NAMES, CATEGORIES).result_)
    for table in ("Table 1", "Table 2", "Table 3", "Table 4", "Figure 3"):
        assert table in text
    assert text.count("(paper, other data)") == 1
    assert text.count("(paper, other data, 50 features)") == 3
    assert "(0.881)" in text
    assert "(84%)" in text
    assert "boosting trees (LightGBM)" in text
    assert json.loads(study.result_.to_json())["n_positive"] == Y.sum()
    # Two couplings, two classifiers on all features, and two points of the curve.
    assert len(study.result_.to_frame("pandas")) == 6


def test_the_papers_f1_follows_from_its_recall_and_precision():
    # These are means over folds: the F1 of means differs from the mean F1 in the third decimal.
    for recall, precision, f1 in ALL_FEATURES.values():
        assert 2 * recall * precision / (recall + precision) == pytest.approx(f1, abs=0.005)
    assert max(f1 for row in COUPLED.values() for f1 in row.values()) == COUPLED["boosting trees"]["SVM weights"]


def test_figure_3_has_one_point_per_size_and_selector():
    result = CouplingStudy(5, **FAST, curve=(2, 5, 500, "all")).fit(X, Y, NAMES).result_
    # 500 exceeds the number of columns.
    assert [(one.selector, one.n_features) for one in result.curve[:-1]] == [
        *(("information gain", 5), ("information gain", 2), ("SVM weights", 5), ("SVM weights", 2)),
    ]
    assert result.curve[-1].selector is None
    specification = result.chart().specification()
    (dots,) = (data["values"] for data in specification["data"] if data["name"].endswith("dots"))
    assert len(dots) == 2 * 3


def test_figure_2_shows_the_mean_of_each_kind_of_query_at_each_rank():
    class Results:
        query_id, rank = np.array([1, 1, 2, 2, 3]), np.array([1.0, 2.0, 1.0, 2.0, 1.0])

    class Table(dict):
        results = Results

    chart = rank_chart(Table(urlmr=np.array([0.8, 0.1, 0.2, 0.3, 0.4])), "urlmr", {1: 1, 2: 0, 3: 0}, ranks=3)
    (_, _, first, _, n_first), (_, _, second, _, n_second) = chart.kinds
    assert (n_first, n_second) == (1, 2)
    assert first[:2].tolist() == [0.8, 0.1]
    assert second[:2] == pytest.approx([0.3, 0.3])
    assert np.isnan(second[2])
    with pytest.raises(DataError, match="is informational"):
        rank_chart(Table(urlmr=np.zeros(5)), "urlmr", {1: 1})


def test_missing_values_are_filled_with_the_training_median_and_marked_once():
    rows = np.array(
        [[1.0, 5.0, np.nan, np.nan], [2.0, 5.0, 4.0, np.nan], [9.0, 5.0, 8.0, np.nan], [np.nan, 5.0, np.nan, 1]]
    )
    made = prepare(rows[:3])
    assert made.names(("a", "b", "c", "d")) == ("a", "c", "c|missing")
    assert made.n_constant == 2
    # The medians of rows 0 to 2 are 2 and 6; row 3 is held out.
    assert made(rows[3:]).tolist() == [[2.0, 6.0, 1.0]]
    twice = np.array([[1.0, np.nan, np.nan], [2.0, 1.0, 3.0], [3.0, 2.0, 4.0]])
    assert prepare(twice).names(("a", "b", "c")) == ("a", "b", "c", "b|missing")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"selectors": ["chi2"]}, "selectors must be one of 'information gain'"),
        ({"classifiers": ["forest"]}, "classifiers must be one of 'naive Bayes'"),
        ({"selectors": []}, "at least one"),
        ({"classifiers": {"own": object()}}, "'own' is <object"),
        ({"selectors": {"own": LogisticRegression()}}, "'own' is LogisticRegression"),
        ({"cv": 1}, "cv must be a number of folds from 2: got 1"),
        ({"cv": 100}, "rows of each class: the rarer has"),
        ({"curve": (0,)}, "curve must be a positive whole number"),
        ({"curve_classifier": "SVM RBF"}, "curve_classifier must be one of naive Bayes, maximum entropy"),
    ],
    ids=lambda value: None if isinstance(value, dict) else value[:24],
)
def test_invalid_options_are_refused_with_the_reason(options, message):
    with pytest.raises(DataError, match=message):
        CouplingStudy(**{"n_features": 5, **FAST, **options}).fit(X, Y, NAMES)


def test_names_of_another_length_and_a_single_class_are_refused():
    with pytest.raises(DataError, match="feature_names must have one entry per column of X: expected 60, got 2"):
        CouplingStudy(5, **FAST).fit(X, Y, ["a", "b"])
    with pytest.raises(DataError, match="two classes"):
        CouplingStudy(5, **FAST).fit(X, np.zeros(len(X), dtype=int))


def test_rows_of_one_query_text_stay_in_one_fold():
    """Repeated rows in different folds would leak labels: noise must stay noise."""
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((40, 6)), rng.permutation(np.arange(40) % 2)
    repeated, groups = np.repeat(np.arange(40), 4), np.repeat([f"query {k}" for k in range(40)], 4)
    for train, held_out in stratified_folds(4, y[repeated], 0, groups):
        assert not set(groups[train]) & set(groups[held_out])
    few = {"selectors": ["SVM weights"], "classifiers": ["SVM RBF"], "curve": (), "cv": 4, "random_state": 0}
    noisy = X[repeated] + 1e-3 * rng.standard_normal((160, 6))
    apart = CouplingStudy(3, **few).fit(noisy, y[repeated]).result_
    together = CouplingStudy(3, **few).fit(noisy, y[repeated], groups=groups).result_
    best = [max(one.f1 for one in result.coupled) for result in (apart, together)]
    assert best[0] > best[1] + 0.2
