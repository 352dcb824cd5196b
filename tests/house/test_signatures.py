"""Parameters of public names are consistent: the same meaning has the same name and the same default."""

import inspect
import typing
from collections.abc import Iterator

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import glassrank
from glassrank.core.progress import Progress

PUBLIC = {name: getattr(glassrank, name) for name in glassrank._HOMES}
ESTIMATORS = {name: one for name, one in PUBLIC.items() if isinstance(one, type) and issubclass(one, BaseEstimator)}
FUNCTIONS = {name: one for name, one in PUBLIC.items() if inspect.isfunction(one)}
STUDIES = {"study", "study_distillation", "study_intent"}
# Functions and methods that accept any keyword, and why.
ANY_KEYWORD = {
    "DuckDBEngine.run": "each names a table that the query reads",
    "NomogramRFE.score": "they are passed to the score of the inner estimator",
    "Links.from_frame": "each names a column of the container, and the containers differ",
    "Pages.from_frame": "each names a column of the container, and the containers differ",
    "QueryLog.from_frame": "each names a column of the container, and the containers differ",
    "SearchResults.from_frame": "each names a column of the container, and the containers differ",
    "UrlJudgements.from_frame": "each names a column of the container, and the containers differ",
    "SparkEngine.run": "each names a table that the query reads",
    "clean_log": "each names a column of the log, and the schemas differ",
    "load_log": "each names a column of the log, and the schemas differ",
    "load_results": "each names a column of the results, and the schemas differ",
}


def signatures() -> Iterator[tuple[str, typing.Any, inspect.Signature]]:
    """Every public function, constructor and method that glassrank defines."""
    for name, one in PUBLIC.items():
        if inspect.isfunction(one):
            yield name, one, inspect.signature(one)
        elif isinstance(one, type):
            if "__init__" in vars(one):
                yield name, one.__init__, inspect.signature(one.__init__)
            for method, function in inspect.getmembers(one, inspect.isroutine):
                own = (getattr(function, "__module__", None) or "").startswith("glassrank")
                if own and not method.startswith("_"):
                    yield f"{name}.{method}", function, inspect.signature(function)


def defaults(parameter: str) -> dict[str, typing.Any]:
    return {
        name: signature.parameters[parameter].default
        for name, _, signature in signatures()
        if parameter in signature.parameters
    }


def test_random_state_defaults_to_none_except_in_studies():
    found = defaults("random_state")
    assert {"RankSVM", "ELMRank", "NomogramRFE", "distill", "bootstrap_effects", "study"} <= found.keys()
    assert found == {name: 0 if name in STUDIES else None for name in found}


def test_c_multiplies_the_mean_loss_of_pairs():
    # The default of a study depends on its mode.
    assert defaults("C_unit") == {"RankSVM": "mean", "RankSVMCV": "mean", "study": None}


def test_estimators_have_scoring_and_functions_have_measure():
    assert {"RankSVMCV", "BestSingleFeature", "NomogramRFE"} <= defaults("scoring").keys() <= ESTIMATORS.keys()
    assert {"compare", "study"} <= defaults("measure").keys() <= FUNCTIONS.keys()


def test_a_column_of_query_ids_is_called_qid():
    """``query`` means one query; readers of tables name the column of ids ``qid``."""
    readers = {"RankingData.from_frame", "load_table", "load_data"}
    assert {name: one for name, one in defaults("qid").items() if name in readers} == dict.fromkeys(readers, "qid")
    assert not readers & defaults("query").keys()


def test_every_progress_is_the_same_callback():
    found = {
        name: typing.get_type_hints(function)["progress"]
        for name, function, signature in signatures()
        if "progress" in signature.parameters
    }
    assert {"study", "open_collection", "score_links", "CouplingStudy.fit", "rank_features"} <= found.keys()
    assert found == dict.fromkeys(found, Progress | None)


def test_no_function_hides_its_options_behind_any_keyword():
    found = {
        name
        for name, _, signature in signatures()
        if any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values())
    }
    assert found == ANY_KEYWORD.keys()


@pytest.mark.parametrize("state", [None, 3, "generator", "legacy"])
def test_an_estimator_accepts_every_kind_of_random_state(state):
    made = {"generator": np.random.default_rng(3), "legacy": np.random.RandomState(3)}
    rows = np.random.default_rng(0).normal(size=(40, 3))
    y, qid = np.arange(40) % 3, np.repeat(np.arange(4), 10)
    for model in (glassrank.ELMRank(5), glassrank.NomogramRFE(glassrank.RankSVM(), cv=2), glassrank.CombinedSelector()):
        model.set_params(random_state=made.get(state, state)).fit(rows, y, qid=qid)
        assert model.n_features_in_ == 3
    classes = (rows[:, 0] > 0).astype(int)  # learnable, so that no estimator warns about chance, whatever the seed
    glassrank.AdditiveSVC(random_state=made.get(state, state)).fit(rows, classes)
    coupling = ("SVM weights", "maximum entropy", 2)
    glassrank.NavigationalClassifier(coupling, cv=2, random_state=made.get(state, state)).fit(rows, classes)
