"""The study of one simulated engine uses the intents of the users, and has no features of engines and language."""

import glassrank as gr
from experiments.one_engine_study import study_one_engine


def test_it_has_194_features_and_the_true_intents(tmp_path):
    web = gr.simulate_web(4, 40, 400, random_state=0)
    log = gr.simulate_log(web, 40, 10, sessions_per_query=4, random_state=0)
    quick = {
        "selectors": ["information gain"],
        "classifiers": ["maximum entropy"],
        "n_features": 5,
        "curve": (),
        "cv": 2,
    }
    found = study_one_engine(log, tmp_path, **quick)
    assert found.facts["Features of results"].startswith("194: ")
    assert found.coupling.n_positive == log.intents.sum()
    assert "of one engine (seed 0)" in found.title
