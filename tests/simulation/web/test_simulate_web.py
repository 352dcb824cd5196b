"""The simulated web is deterministic and complete, and its pages and links have the stated properties."""

import pickle

import numpy as np
import pytest
from publicsuffixlist import PublicSuffixList

from glassrank.core.checks import DataError
from glassrank.simulation.web.simulate_web import simulate_web

SMALL = (3, 30, 250)
CALM = {"drift": 0, "mirrors": 0, "spam": 0}
ADDED = {"drift": ("drift",), "mirrors": ("mirror",), "spam": ("spam", "spam target"), "navigation": ()}


@pytest.fixture(scope="module")
def web():
    return simulate_web(6, 90, 1500, random_state=0)


@pytest.fixture(scope="module")
def small():
    return simulate_web(*SMALL, random_state=0)


@pytest.fixture(scope="module")
def calm():
    return simulate_web(6, 90, 1500, **CALM, random_state=0)


def pages_of(web, chosen):
    """Return address → all properties of each chosen page, except those that follow from its links."""
    pages = web.collection.pages
    columns = (
        pages.title, pages.text, pages.h1, pages.headings, pages.description, pages.site_name, pages.language,
        pages.images, pages.has_form, pages.hidden_share, np.nan_to_num(pages.modified),
        web.page_topics, web.aims, web.roles, web.quality, web.hub_quality,
    )  # fmt: skip
    return {pages.url[row]: tuple(column[row] for column in columns) for row in np.flatnonzero(chosen)}


def links_of(web, without):
    """Return the links with their texts, except those that start or end at a page of these roles."""
    links, ends = web.collection.links, web.collection.link_ends
    kept = ~np.isin(web.roles[ends], without).any(axis=1)
    return sorted(zip(links.source[kept], links.target[kept], links.anchor[kept], strict=True))


def sites_but(web, kinds):
    return [site for site in web.sites if site.kind not in kinds]


def ends_between_hosts(web):
    ends = web.collection.link_ends
    return ends[web.site_of_page[ends[:, 0]] != web.site_of_page[ends[:, 1]]]


def repeated_citations(web):
    """Count the pairs of a host and a page of another host to which several pages of the host link."""
    source, target = ends_between_hosts(web).T
    counts = np.unique(np.column_stack([web.site_of_page[source], target]), axis=0, return_counts=True)[1]
    return int((counts > 1).sum())


def test_the_same_seed_gives_the_same_web():
    first, second = (simulate_web(3, 30, 200, random_state=5) for _ in range(2))
    everything = np.ones(len(first.roles), dtype=bool)
    assert pages_of(first, everything) == pages_of(second, everything)
    assert links_of(first, ()) == links_of(second, ())
    assert first.sites == second.sites
    assert first.topics == second.topics
    assert np.array_equal(first.collection.pages.gzip_bytes, second.collection.pages.gzip_bytes)


def test_another_seed_gives_another_web():
    first, second = (simulate_web(3, 30, 200, random_state=seed) for seed in (5, 6))
    assert first.topics != second.topics
    assert not set(first.collection.pages.url) & set(second.collection.pages.url)


def test_a_generator_gives_a_new_web_at_each_call():
    rng = np.random.default_rng(0)
    first, second = (simulate_web(3, 30, 200, random_state=rng) for _ in range(2))
    assert first.seed is None
    assert first.topics != second.topics


@pytest.mark.parametrize("dial", list(ADDED))
@pytest.mark.parametrize("strength", [0, 2.5])
def test_a_dial_does_not_change_other_pages_and_sites(small, dial, strength):
    turned, own = simulate_web(*SMALL, **{dial: strength}, random_state=0), ADDED[dial]
    assert pages_of(turned, ~np.isin(turned.roles, own)) == pages_of(small, ~np.isin(small.roles, own))
    assert sites_but(turned, own) == sites_but(small, own)
    assert turned.topics == small.topics


@pytest.mark.parametrize("dial", ["drift", "mirrors", "spam"])
@pytest.mark.parametrize("strength", [0, 2.5])
def test_a_dial_does_not_change_links_between_other_pages(small, dial, strength):
    turned = simulate_web(*SMALL, **{dial: strength}, random_state=0)
    assert links_of(turned, ADDED[dial]) == links_of(small, ADDED[dial])


@pytest.mark.parametrize("strength", [0, 0.5, 3])
def test_navigation_does_not_change_links_between_hosts(small, strength):
    turned = simulate_web(*SMALL, navigation=strength, random_state=0)
    assert np.array_equal(ends_between_hosts(turned), ends_between_hosts(small))


@pytest.mark.parametrize("dial", ["drift", "mirrors", "spam"])
def test_a_dial_at_zero_adds_nothing_and_a_stronger_one_adds_more(dial):
    roles = [simulate_web(3, 30, 200, **{dial: strength}, random_state=1).roles for strength in (0, 0.01, 1, 3)]
    counts = [int(np.isin(each, ADDED[dial]).sum()) for each in roles]
    assert counts[0] == 0
    assert 0 < counts[1] < counts[2] < counts[3]


def test_a_stronger_navigation_adds_links_within_hosts_only():
    counts = [
        len(simulate_web(3, 30, 400, navigation=each, random_state=1).collection.links) for each in (0, 0.5, 1, 3)
    ]
    assert counts[0] < counts[1] < counts[2] < counts[3]


def test_the_plain_web_has_the_pages_and_hosts_asked_for(web, calm):
    assert len(calm.collection.pages) == 1500
    assert len(calm.sites) == len(set(calm.collection.pages.hosts)) == 90
    assert np.array_equal(web.collection.pages.url[:1500], calm.collection.pages.url)


def test_every_link_connects_two_pages_and_links_are_unique(web):
    ends = web.collection.link_ends
    assert (ends >= 0).all()
    assert (ends[:, 0] != ends[:, 1]).all()
    assert len(np.unique(ends, axis=0)) == len(ends)


def test_addresses_are_unique(web):
    urls = web.collection.pages.url
    assert len(set(urls)) == len(urls)


def test_each_page_is_on_its_site_and_each_site_has_a_home_page(web):
    pages = web.collection.pages
    assert [web.sites[site].host for site in web.site_of_page] == pages.hosts.tolist()
    assert np.array_equal(web.site_of_page[web.homes], np.arange(len(web.sites)))
    assert all(url.count("/") == 3 and url.endswith("/") for url in pages.url[web.homes])
    assert web.is_home.sum() == len(web.sites)


def test_domains_are_registered_under_real_public_suffixes(web):
    suffixes = PublicSuffixList()
    assert [suffixes.privatesuffix(site.host) for site in web.sites] == [site.domain for site in web.sites]
    endings = {site.domain.split(".", 1)[1] for site in web.sites}
    assert {"com", "org", "co.uk"} <= endings
    assert any(site.host.count(".") > site.domain.count(".") and "www." not in site.host for site in web.sites)


def test_a_site_name_matches_its_domain_and_is_unique_among_plain_sites(calm):
    names = [site.name for site in calm.sites]
    assert len(set(names)) == len(names)
    for site in calm.sites:
        own = (
            site.name.lower() if site.host.removeprefix("www.") == site.domain else site.name.lower().rsplit(" ", 1)[0]
        )
        assert own.replace(" ", "") == site.domain.split(".")[0].replace("-", "")


def test_in_links_between_hosts_have_a_heavy_tail(calm):
    in_degree = np.bincount(ends_between_hosts(calm)[:, 1], minlength=len(calm.roles))
    top = np.sort(in_degree)[::-1]
    assert top[0] > 15 * np.median(in_degree)
    assert top[: len(top) // 20].sum() > 0.3 * top.sum()


def test_host_sizes_have_a_heavy_tail(calm):
    sizes = np.bincount(calm.site_of_page)
    assert sizes.min() >= 1
    assert sizes.max() > 8 * np.median(sizes)


def test_authorities_are_cited_more_by_pages_of_their_topic_than_other_pages(calm):
    source, target = ends_between_hosts(calm).T
    on_topic = (calm.page_topics[source] == calm.page_topics[target]) & (calm.page_topics[target] >= 0)
    cited = np.bincount(target, on_topic, len(calm.roles))
    for topic in range(len(calm.topics)):
        own = calm.page_topics == topic
        assert cited[own & (calm.roles == "authority")].mean() > 5 * cited[own & (calm.roles == "page")].mean()


def test_authorities_are_the_best_of_their_topic(calm):
    for topic in range(len(calm.topics)):
        rest = (calm.page_topics == topic) & (calm.roles != "navigation")
        best = rest & (calm.roles == "authority")
        assert calm.quality[best].min() >= calm.quality[rest & ~best & (calm.roles != "hub")].max()


def test_the_better_an_authority_the_more_it_is_cited(calm):
    cited = np.bincount(ends_between_hosts(calm)[:, 1], minlength=len(calm.roles))
    best = calm.roles == "authority"
    assert np.corrcoef(np.log(calm.quality[best]), np.log1p(cited[best]))[0, 1] > 0.5


def test_the_better_a_hub_the_more_authorities_it_lists(calm):
    source, target = ends_between_hosts(calm).T
    to_best = (calm.roles[target] == "authority") & (calm.page_topics[source] == calm.page_topics[target])
    listed, lists = np.bincount(source, to_best, len(calm.roles)), np.bincount(source, minlength=len(calm.roles))
    hubs = calm.roles == "hub"
    assert lists[hubs].mean() > 2.5 * lists[calm.roles == "page"].mean()
    assert np.corrcoef(calm.hub_quality[hubs], listed[hubs] / lists[hubs])[0, 1] > 0.4
    assert (calm.hub_quality[~hubs] == 0).all()


def test_only_in_mirrors_do_many_pages_of_a_host_cite_the_same_page(web):
    assert repeated_citations(simulate_web(6, 90, 1500, mirrors=0, drift=3, spam=3, random_state=0)) == 0
    assert repeated_citations(web) > 20
    source = web.collection.link_ends[:, 0]
    copies = np.flatnonzero(web.roles == "mirror")
    on_one_host = copies[web.site_of_page[copies] == web.site_of_page[copies[0]]]
    targets = [set(web.collection.link_ends[source == row, 1]) for row in on_one_host]
    assert len(on_one_host) == 12
    assert targets[0]
    assert all(each == targets[0] for each in targets)


def test_a_mirror_copies_a_hub_word_for_word(web):
    pages = web.collection.pages
    hubs = set(pages.text[web.roles == "hub"])
    assert set(pages.text[web.roles == "mirror"]) <= hubs


def test_a_drifting_community_is_knit_more_tightly_than_its_topic(web):
    source, target = ends_between_hosts(web).T
    for topic in range(len(web.topics)):
        members = (web.roles == "drift") & (web.aims == topic)
        own = web.page_topics == topic
        within = (members[source] & members[target]).sum() / members.sum() ** 2
        assert within > 10 * (own[source] & own[target]).sum() / own.sum() ** 2
        assert (own[source] & members[target]).sum() > 5


def test_a_farm_links_to_its_target_from_many_hosts(web):
    source, target = web.collection.link_ends.T
    for row in np.flatnonzero(web.roles == "spam target"):
        citing = source[target == row]
        assert (web.roles[citing] == "spam").all()
        assert len(set(web.site_of_page[citing])) == len(citing) == 12
        assert len({web.sites[site].domain for site in web.site_of_page[citing]}) == 3


def test_each_page_links_to_its_home_page(web):
    links = set(map(tuple, web.collection.link_ends.tolist()))
    plain = np.flatnonzero(~web.is_home & np.isin(web.roles, ("page", "hub", "authority", "navigation")))
    assert all((row, web.homes[web.site_of_page[row]]) in links for row in plain)


def test_a_home_page_is_mostly_called_by_the_name_of_its_site(calm):
    ends = calm.collection.link_ends
    between = calm.site_of_page[ends[:, 0]] != calm.site_of_page[ends[:, 1]]
    names = np.array([site.name for site in calm.sites], dtype=object)[calm.site_of_page]
    called = calm.collection.links.anchor == names[ends[:, 1]]
    home = calm.is_home[ends[:, 1]]
    assert called[between & home].mean() > 0.6
    assert called[between & ~home].mean() < 0.15


@pytest.mark.parametrize("topic", range(6))
def test_the_words_of_a_query_are_more_frequent_on_pages_of_the_topic(web, topic):
    plain = np.isin(web.roles, ("page", "hub", "authority", "home", "navigation"))
    words = set(web.topics[topic].query.split())
    shares = np.array(
        [np.mean([word.strip(".").lower() in words for word in t.split()]) for t in web.collection.pages.text]
    )
    on_topic = web.page_topics == topic
    assert shares[plain & on_topic].mean() > 5 * shares[plain & ~on_topic].mean()
    assert shares[(web.roles == "drift") & (web.aims == topic)].mean() > 3 * shares[plain & ~on_topic].mean()


def test_spam_contains_the_words_of_a_query_more_often_than_pages_of_the_topic(web):
    for topic in set(web.aims[web.roles == "spam"]):
        words = web.topics[topic].query.split()
        texts = [text.lower() for text in web.collection.pages.text]
        density = np.array([sum(map(text.count, words)) / len(text) for text in texts])
        farm = (web.roles == "spam") & (web.aims == topic)
        assert density[farm].mean() > 2 * density[web.page_topics == topic].mean()


def test_queries_have_one_to_three_words_and_differ(web):
    queries = [topic.query for topic in web.topics]
    assert {len(query.split()) for query in queries} == {1, 2, 3}
    assert len(set(queries)) == len(queries)
    assert all(topic.words[: len(topic.query.split())] == tuple(topic.query.split()) for topic in web.topics)


def test_only_topics_of_the_same_field_share_words(web):
    words = [set(topic.words) for topic in web.topics]
    assert len(words[0] & words[1]) > 20
    assert not words[0] & words[5]


def test_judgements_are_2_for_the_best_1_on_topic_and_0_elsewhere(web):
    for number, topic in enumerate(web.topics):
        judged = web.judgements(topic)
        assert set(web.roles[judged == 2]) == {"authority", "hub"}
        assert (web.page_topics[judged > 0] == number).all()
        assert (judged[(web.page_topics == number)] > 0).all()
        assert not np.isin(web.roles[judged > 0], ("drift", "spam", "spam target")).any()
        assert np.array_equal(judged, web.judgements(number))
        assert np.array_equal(judged, web.judgements(topic.name))


@pytest.mark.parametrize("topic", [-1, 6, "no such topic", True, 1.5, None])
def test_an_unknown_topic_is_rejected(web, topic):
    with pytest.raises(DataError, match="topic must be a number from 0 to 5 or a name such as"):
        web.judgements(topic)


def test_page_lengths_are_realistic(calm):
    lengths = np.array([len(text.split()) for text in calm.collection.pages.text])
    assert 150 < np.median(lengths) < 300
    assert lengths.min() >= 20
    assert lengths.mean() > 1.15 * np.median(lengths)


def test_link_counts_equal_the_numbers_of_links(web):
    pages, ends = web.collection.pages, web.collection.link_ends
    for row in (0, 1, 700, 1500, len(web.roles) - 1):
        mine = np.flatnonzero(ends[:, 0] == row)
        hosts = web.site_of_page[ends[mine, 1]]
        away = hosts[hosts != web.site_of_page[row]]
        assert pages.internal_links[row] == len(mine) - len(away)
        assert pages.external_links[row] == len(away)
        assert pages.external_hosts[row] == len(set(away))
        assert pages.link_words[row] == sum(len(text.split()) for text in web.collection.links.anchor[mine])


def test_only_spam_hides_text(web):
    hidden = web.collection.pages.hidden_share
    spam = np.isin(web.roles, ("spam", "spam target"))
    assert (hidden[spam] >= 0.2).all()
    assert (hidden[~spam] == 0).all()


def test_the_truth_is_read_only_and_survives_pickling(web):
    with pytest.raises(ValueError, match="read-only"):
        web.quality[0] = 1.0
    again = pickle.loads(pickle.dumps(web))
    assert str(again) == str(web)
    assert np.array_equal(again.judgements(2), web.judgements(2))


def test_the_web_is_labelled_as_simulated(web):
    assert str(web).startswith("Simulated web (seed 0), not measured on the web\n")
    assert repr(web).endswith("6 topics, seed 0)")
    assert str(simulate_web(2, 8, 60)).startswith("Simulated web (no seed)")


def test_the_truth_is_a_table(web):
    frame = web.to_frame("pandas")
    assert len(frame) == len(web.roles)
    assert list(frame.columns) == ["url", "site", "topic", "disturbs", "role", "quality", "hub_quality", "language"]
    assert (frame["topic"][web.page_topics == 3] == web.topics[3].name).all()
    assert (frame["topic"][web.page_topics == -1] == "").all()


@pytest.mark.parametrize("size", [(1, 2, 20), (5, 10, 100), (2, 60, 60)])
def test_a_small_web_is_complete(size):
    web = simulate_web(*size, random_state=0)
    assert all((web.judgements(topic) == 2).any() for topic in range(size[0]))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"n_topics": 0}, "n_topics must be a whole number of at least 1: got 0"),
        ({"n_pages": 10.5}, "n_pages must be a whole number of at least 1: got 10.5"),
        ({"n_hosts": "many"}, "n_hosts must be a whole number of at least 1: got 'many'"),
        ({"n_topics": 5, "n_hosts": 9}, "n_hosts must be at least 2 for each topic: expected 10 or more for 5 topics"),
        (
            {"n_topics": 5, "n_pages": 99, "n_hosts": 10},
            "n_pages must be at least 20 for each topic .* expected 100 or",
        ),
        ({"n_topics": 2, "n_pages": 60, "n_hosts": 61}, "n_pages must be at least .* expected 61 or more"),
        ({"drift": -0.1}, r"drift must be a number from 0 \(none\) to 10 \(strongest\): got -0.1"),
        ({"mirrors": 11}, "mirrors must be a number from 0"),
        ({"spam": float("nan")}, "spam must be a number from 0"),
        ({"navigation": "yes"}, "navigation must be a number from 0 .* got 'yes'"),
        (
            {"random_state": -1},
            "random_state must be None, a whole number that is at least 0, or a numpy Generator: got -1",
        ),
        ({"random_state": "seed"}, "random_state must be None"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_invalid_arguments_are_rejected(arguments, said):
    with pytest.raises(DataError, match=said):
        simulate_web(**arguments)
