"""Rows of the same query text stay in one fold, by every route that knows the texts: random labels stay random.

Forty texts with random labels appear four times each, in different spellings and with nearly the same features. If they
fell into different folds, a classifier would recognise them, and F1 would be near 1.
"""

import numpy as np
import pytest

from glassrank.data.search_results import SearchResults
from glassrank.navigational.coupling.coupling_study import CouplingStudy
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.integrate import integrate
from glassrank.navigational.navigational_classifier import NavigationalClassifier
from glassrank.navigational.query_url_features import query_url_features
from glassrank.navigational.row_groups import NO_GROUPS
from glassrank.studies.intent.model import train_intent
from glassrank.studies.intent.study import study_intent

N_TEXTS, TIMES = 40, 4
RNG = np.random.default_rng(1)
LABELS = RNG.permutation(np.arange(N_TEXTS) % 2)
# Calling every query navigational has F1 = 2/3; the best of many thresholds on 40 random labels rarely exceeds 0.8.
CHANCE = 0.82
COUPLING = (None, "SVM RBF", None)


def spelt(text, time):
    return [text, text.upper(), f" {text}", f"{text}  "][time]


@pytest.fixture(scope="module")
def sources():
    """Four lists of each text: the same random address, which tells the texts apart."""
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    texts = ["".join(RNG.choice(letters, RNG.integers(3, 12))) for _ in range(N_TEXTS)]
    urls = [
        f"http://{''.join(RNG.choice(letters, RNG.integers(2, 12)))}.org/{'x/' * RNG.integers(0, 5)}" for _ in texts
    ]
    rows = [(f"{k}.{time}", spelt(texts[k], time), urls[k]) for k in range(N_TEXTS) for time in range(TIMES)]
    ids, queries, addresses = zip(*rows, strict=True)
    return IntentSources(SearchResults(query_id=ids, query=queries, rank=[1] * len(ids), url=addresses))


@pytest.fixture(scope="module")
def queries(sources):
    return integrate(query_url_features(sources.results))


Y = np.repeat(LABELS, TIMES)
INTENTS = {f"{k}.{time}": int(LABELS[k]) for k in range(N_TEXTS) for time in range(TIMES)}


def best_f1(model):
    return float(np.nanmax(model.cv_results_["value"]))


@pytest.mark.parametrize("tune", [False, True])
def test_features_of_queries_are_fitted_directly_and_stay_at_chance(queries, tune):
    model = NavigationalClassifier(COUPLING, cv=4, tune=tune, random_state=0).fit(queries, Y)
    assert best_f1(model) < CHANCE
    assert model.feature_names_in_.tolist() == list(queries.names)
    assert model.predict(queries).shape == (len(Y),)
    one = queries.pick_queries([queries.query_ids[5]])
    assert model.explain(one).probability == model.predict_proba(queries)[5, 1]


def test_a_bare_array_leaks_and_warns(queries):
    with pytest.warns(UserWarning, match="Rows have no groups") as caught:
        model = NavigationalClassifier(COUPLING, cv=4, tune=True, random_state=0).fit(queries.X, Y)
    assert [str(one.message) for one in caught] == [NO_GROUPS]
    assert best_f1(model) > CHANCE + 0.1
    with pytest.warns(UserWarning, match="Rows have no groups"):
        CouplingStudy(2, cv=4, classifiers=["SVM RBF"], selectors=["SVM weights"], curve=()).fit(queries.X, Y)


def test_groups_of_a_bare_array_keep_it_at_chance_without_a_warning(queries, recwarn):
    texts = np.repeat(np.arange(N_TEXTS), TIMES)
    model = NavigationalClassifier(COUPLING, cv=4, random_state=0).fit(queries.X, Y, groups=texts)
    assert best_f1(model) < CHANCE
    assert not [one for one in recwarn if "groups" in str(one.message)]


def test_a_study_of_couplings_stays_at_chance(queries):
    study = CouplingStudy(5, cv=4, classifiers=["SVM RBF"], selectors=["SVM weights"], curve=(), random_state=0)
    assert max(one.f1 for one in study.fit(queries, Y).result_.coupled) < CHANCE


def test_an_intent_study_stays_at_chance(sources, tmp_path):
    few = {"selectors": ["SVM weights"], "classifiers": ["SVM RBF"], "curve": (), "n_jobs": 1}
    result = study_intent(sources, INTENTS, tmp_path, n_features=5, cv=4, **few)
    assert max(one.f1 for one in result.coupling.coupled) < CHANCE


def test_training_stays_at_chance(sources):
    assert best_f1(train_intent(sources, INTENTS, coupling=COUPLING, cv=4, n_jobs=1).classifier) < CHANCE
