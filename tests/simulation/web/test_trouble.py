"""The dials have the intended effects on link analysis; HITS is implemented here in its simplest form."""

import numpy as np
import pytest

from glassrank.simulation.web.simulate_web import simulate_web

SIZE = (6, 90, 1500)
CALM = {"drift": 0, "mirrors": 0, "spam": 0}


def root_set(web, topic, size=40):
    """Return the pages with the highest density of the query's words, as a crude text search."""
    words = web.topics[topic].query.split()
    texts = [text.lower() for text in web.collection.pages.text]
    density = np.array([sum(map(text.count, words)) / (len(text) + 500) for text in texts])
    return np.argsort(-density, kind="stable")[:size]


def links_between_hosts(web):
    source, target = web.collection.link_ends.T
    between = web.site_of_page[source] != web.site_of_page[target]
    return source[between], target[between]


def weights_by_host(web, source, target):
    """Return 1/k for each link, where k pages of its host link to the target (Bharat & Henzinger's weight)."""
    pairs = np.column_stack([web.site_of_page[source], target])
    _, pair, count = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    return 1 / count[pair.ravel()]


def top_authorities(n_pages, source, target, weight):
    """Return the ten best pages by weighted HITS."""
    authority = np.ones(n_pages)
    for _ in range(200):
        hub = np.bincount(source, authority[target], n_pages)
        authority = np.bincount(target, weight * hub[source], n_pages)
        authority /= np.linalg.norm(authority)
    return np.argsort(-authority, kind="stable")[:10]


def share(web, judge, *, only_on_topic=False, by_host=False):
    """Return the mean share over the topics in the top ten of HITS on the base set (root set and neighbours)."""
    source, target = links_between_hosts(web)
    weight = weights_by_host(web, source, target) if by_host else np.ones(len(source))
    shares = []
    for topic in range(len(web.topics)):
        root = np.isin(np.arange(len(web.roles)), root_set(web, topic))
        base = root.copy()
        base[target[root[source]]] = base[source[root[target]]] = True
        if only_on_topic:
            base &= web.page_topics == topic
        kept = base[source] & base[target]
        top = top_authorities(len(web.roles), source[kept], target[kept], weight[kept])
        shares.append(np.mean(judge(web.judgements(topic)[top])))
    return np.mean(shares)


def on_topic(judged):
    return judged > 0


def best(judged):
    return judged == 2


def test_in_a_plain_web_hits_finds_the_authorities():
    calm = simulate_web(*SIZE, **CALM, random_state=0)
    assert share(calm, on_topic) > 0.9
    assert share(calm, best) > 0.7


def test_drift_pulls_hits_off_the_topic_but_not_within_the_pages_of_the_topic():
    drifting = simulate_web(*SIZE, **(CALM | {"drift": 3}), random_state=0)
    assert share(drifting, on_topic) < 0.1
    assert share(drifting, best, only_on_topic=True) > 0.7


@pytest.mark.parametrize("seed", [0, 1])
def test_weights_by_host_compensate_for_mirrors(seed):
    mirrored = simulate_web(*SIZE, **(CALM | {"mirrors": 3}), random_state=seed)
    assert share(mirrored, best, by_host=True) > share(mirrored, best)


def test_spam_fills_the_top_of_a_text_search():
    spammed = simulate_web(*SIZE, **(CALM | {"spam": 2}), random_state=0)
    attacked = set(spammed.aims[spammed.roles == "spam"])
    assert np.mean([(spammed.roles[root_set(spammed, topic, 10)] == "spam").mean() for topic in attacked]) > 0.5
