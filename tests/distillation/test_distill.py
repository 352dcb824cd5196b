"""distill(): scores, order, pruning and reasons."""

import json

import numpy as np
import pytest
from scipy.stats import kendalltau

from glassrank.distillation.compare_distillers import compare_distillers
from glassrank.distillation.distill import distill
from glassrank.distillation.methods import METHODS, NoLinksError
from glassrank.distillation.page_kernels import centre, citation_vectors, page_kernel, word_vectors
from tests.distillation.small_web import ZEN_LINKS, collection, zen


def by_title(found, scores):
    titles = found.candidates.prepared.collection.pages.title[found.pages]
    return dict(zip(titles.tolist(), np.asarray(scores).tolist(), strict=True))


def test_in_degree_counts_the_kept_links_between_candidates():
    found = distill(zen(), "zen", "in-degree")
    assert by_title(found, found.authority_scores) == {"Zen": 2, "Temple": 1, "Zen links": 0, "Guide": 0, "Shop": 1}
    assert found.hub_scores is None
    assert found.hubs == ()


def test_hits_scores_are_those_of_the_dense_singular_vectors():
    found = distill(zen(), "zen", "hits")
    dense = found.candidates.adjacency.toarray()
    left, _, right = np.linalg.svd(dense)
    np.testing.assert_allclose(found.authority_scores, np.abs(right[0]), atol=1e-9)
    np.testing.assert_allclose(found.hub_scores, np.abs(left[:, 0]), atol=1e-9)


def test_hits_top_keeps_the_top_of_the_search_only():
    found = distill(zen(), "zen", "hits-top", train_size=4)
    assert found.pruned.tolist() == [False] * 4 + [True]
    assert found.authority_scores[4] == 0


def test_the_sphere_prunes_the_shop_and_its_scores_are_0():
    found = distill(zen(), "zen meditation buddhism", "svdd", train_size=4, text_weight=1.0)
    assert [page.title for page in found.pruned_pages] == ["Shop"]
    assert by_title(found, found.authority_scores)["Shop"] == 0
    assert found.ranking[-1] == list(by_title(found, found.pages)).index("Shop")
    reason = found.pruned_pages[0].topicality
    assert reason.distance > 1
    assert "phone" in reason.away
    assert reason.towards == () or "zen" in reason.towards


@pytest.mark.parametrize("threshold", ["root-median", "median"])
def test_bharat_henzinger_prunes_below_the_median_relevance(threshold):
    found = distill(zen(), "zen", "bharat-henzinger", threshold=threshold, candidates="base", random_state=0)
    among = found.relevance[found.in_root] if threshold == "root-median" else found.relevance
    assert not found.in_root.all()
    np.testing.assert_array_equal(found.pruned, found.relevance < np.median(among))
    assert found.scored.threshold == np.median(among)


def test_the_default_method_prunes_below_the_median_relevance_of_the_root_set():
    found = distill(zen(), "zen", candidates="base", random_state=0)
    assert (found.method, found.options.threshold) == ("bharat-henzinger", "root-median")
    assert found.scored.threshold == np.median(found.relevance[found.in_root])


def test_bharat_henzinger_prunes_below_a_share_of_the_largest_relevance():
    for given, part in (({}, 0.1), ({"fraction": 0.6}, 0.6)):
        found = distill(zen(), "zen", "bharat-henzinger", threshold="max/10", **given)
        assert found.scored.threshold == pytest.approx(part * found.relevance.max())
        np.testing.assert_array_equal(found.pruned, found.relevance < part * found.relevance.max())
    assert "(0.6 of the largest)" in str(found)


@pytest.mark.parametrize("text_weight", [0.0, 0.3, 1.0])
def test_distances_are_sums_over_words_and_citing_pages(text_weight):
    found = distill(zen(), "zen", "svdd", train_size=4, text_weight=text_weight, edges="all")
    candidates, alpha = found.candidates, found.judgement.alpha
    options = found.options
    words, cited = (vectors(candidates, options).toarray() for vectors in (word_vectors, citation_vectors))
    # A page without words, or without citations, has one coordinate that no other page shares.
    words, cited = (np.column_stack([v, np.diag(1.0 - (v**2).sum(axis=1).round())]) for v in (words, cited))
    squared = text_weight * ((words - alpha @ words) ** 2).sum(axis=1)
    squared += (1 - text_weight) * ((cited - alpha @ cited) ** 2).sum(axis=1)
    np.testing.assert_allclose(found.judgement.distances**2, squared, atol=1e-12)
    assert centre(word_vectors(candidates, options), alpha).shape == (words.shape[1] - len(words),)
    np.testing.assert_allclose(np.diagonal(page_kernel(candidates, options)), 1.0)


def test_an_authority_is_explained_by_the_hubs_that_vote_for_it():
    found = distill(zen(), "zen", "hits")
    best = found.authorities[0]
    assert best.title == "Zen"
    hubs = by_title(found, found.hub_scores)
    assert [vote.title for vote in best.votes] == ["Zen links", "Guide"]
    total = hubs["Zen links"] + hubs["Guide"]
    assert [vote.share for vote in best.votes] == pytest.approx([hubs["Zen links"] / total, hubs["Guide"] / total])


def test_a_hub_is_explained_by_the_authorities_it_links_to():
    found = distill(zen(), "zen", "hits")
    assert found.hubs[0].title == "Zen links"
    assert [vote.title for vote in found.hubs[0].votes] == ["Zen", "Temple", "Shop"]


def test_scores_that_differ_by_rounding_keep_the_search_order():
    pages = {f"http://p{k}/": (f"P{k}", "word " * (9 - k) + "filler " * k) for k in range(9)}
    web = collection(pages, [(f"http://p{k}/", f"http://p{(k + 1) % 9}/") for k in range(9)])
    found = distill(web, "word", "hits")
    assert found.ranking.tolist() == list(range(9))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_text_table_json_and_picture(method, tmp_path):
    found = distill(zen(), "zen", method)
    assert str(found).startswith(f"zen · {method} · 5 pages of the root set")
    assert "links kept 4 of 4" in str(found)
    frame = found.to_frame("polars")
    assert frame.height == 5
    assert set(frame["role"]) <= {"authority", "hub", "both", "page", "pruned"}
    summary = json.loads(found.to_json())
    assert [page["title"] for page in summary["authorities"]] == [page.title for page in found.authorities]
    assert set(found.timings) >= {"search", "candidates", "links"}
    found.chart().save(tmp_path / "web.svg")
    assert "<svg" in (tmp_path / "web.svg").read_text()


def test_methods_are_compared_on_the_same_candidates():
    compared = compare_distillers(zen(), "zen", k=2)
    assert list(compared.results) == list(METHODS)
    pages = [found.pages.tolist() for found in compared.results.values()]
    assert all(rows == pages[0] for rows in pages)
    overlap = compared.overlap()
    np.testing.assert_array_equal(np.diagonal(overlap), 1.0)
    np.testing.assert_array_equal(overlap, overlap.T)
    first, second = (set(compared.top(method)) for method in ("hits", "in-degree"))
    assert overlap[2, 5] == len(first & second) / 2
    assert "Shared by the top 2" in str(compared)
    assert json.loads(compared.to_json())["results"]["bm25"]["method"] == "bm25"


def test_the_same_call_gives_the_same_result():
    first, second = (distill(zen(), "zen", "svdd", candidates="base") for _ in range(2))
    np.testing.assert_array_equal(first.authority_scores, second.authority_scores)
    assert len(ZEN_LINKS) == 7


def test_neighbours_of_accepted_pages_can_be_taken_without_being_judged():
    judged = distill(zen(), "zen", "svdd", candidates="base", train_size=5, text_weight=1.0)
    taken = distill(zen(), "zen", "svdd", candidates="base", train_size=5, text_weight=1.0, neighbours="take")
    assert by_title(judged, judged.pruned)["Cars"]
    assert not by_title(taken, taken.pruned)["Cars"]
    np.testing.assert_array_equal(judged.pruned[:5], taken.pruned[:5])


def test_a_pruned_set_without_links_is_an_error_and_a_comparison_continues_without_it():
    pages = {f"http://p{k}/": (f"P{k}", "word " + "filler " * k) for k in range(6)}
    web = collection(pages, [("http://p5/", "http://p4/")])
    with pytest.raises(NoLinksError, match=r"no links between the 2 pages left after pruning.*Raise train_size"):
        distill(web, "word", "hits-top", train_size=2, widen=False)
    compared = compare_distillers(web, "word", ["hits", "hits-top"], train_size=2)
    assert list(compared.results) == ["hits"]
    assert "hits-top gives no ranking. There are no links" in str(compared)
    with pytest.raises(NoLinksError, match="hits-top: There are no links"):
        compare_distillers(web, "word", ["hits-top"], train_size=2, widen=False)


@pytest.mark.parametrize("method", ["hits", "hits-top", "svdd", "bharat-henzinger"])
def test_what_the_links_pass_on_adds_up_to_the_scores(method):
    own = {"hits-top": {"train_size": 5}, "svdd": {"train_size": 5}, "bharat-henzinger": {"threshold": "max/10"}}
    found = distill(zen(), "zen", method, candidates="base", **own.get(method, {}))
    received = np.asarray(found.scored.flows.to_target.sum(axis=0)).ravel()
    lent = np.asarray(found.scored.flows.to_source.sum(axis=1)).ravel()
    np.testing.assert_allclose(received / np.linalg.norm(received), found.authority_scores, atol=1e-9)
    np.testing.assert_allclose(lent / np.linalg.norm(lent), found.hub_scores, atol=1e-9)


def test_a_page_passes_on_its_score_in_equal_parts():
    found = distill(zen(), "zen", "pagerank", candidates="base")
    received = np.asarray(found.scored.flows.to_target.sum(axis=0)).ravel()
    rest = found.authority_scores - 0.85 * received
    np.testing.assert_allclose(rest, rest[0], atol=1e-9)


def test_the_votes_of_bharat_and_henzinger_are_shared_by_host_and_relevance():
    """Two pages of one host share a vote; the shares are h · w · W over their sum."""
    pages = {
        "http://a/1": ("A1", "zen one"),
        "http://a/2": ("A2", "zen two two"),
        "http://b/": ("B", "zen three"),
        "http://c/": ("C", "zen four"),
        "http://d/": ("D", "tea"),
    }
    web = collection(pages, [(f"http://{k}", "http://c/") for k in ("a/1", "a/2", "b/")])
    found = distill(web, "zen", "bharat-henzinger", threshold="max/10")
    hub, relevance = by_title(found, found.hub_scores), by_title(found, found.relevance)
    terms = {"A1": 0.5, "A2": 0.5, "B": 1.0}
    terms = {title: weight * hub[title] * relevance[title] for title, weight in terms.items()}
    shares = {vote.title: vote.share for vote in found.authorities[0].votes}
    assert shares == pytest.approx({title: term / sum(terms.values()) for title, term in terms.items()})


def test_the_search_itself_has_no_votes():
    assert all(page.votes == () for page in distill(zen(), "zen", "bm25").authorities)


def test_bharat_henzinger_within_one_site_is_an_error_instead_of_zeros():
    pages = {f"http://a/{k}": (f"P{k}", f"word {k}") for k in range(4)} | {"http://a/5": ("Q", "else")}
    web = collection(pages, [("http://a/0", "http://a/1"), ("http://a/2", "http://a/1")])
    with pytest.raises(NoLinksError, match="gives no weight to links within a site"):
        distill(web, "word", "bharat-henzinger", edges="all", threshold="max/10", widen=False)


@pytest.mark.parametrize("method", ["hits", "pagerank", "in-degree"])
def test_a_distillation_and_its_link_scores_tie_the_same_pages(method):
    ring = [f"http://{name}.org/" for name in "abcdefgh"]
    web = collection(
        {url: (url, "word") for url in ring},
        [(one, other) for one in ring for other in ring if one != other and (one, other) != (ring[0], ring[1])],
    )
    found = distill(web, "word", method)
    assert found.ranking.tolist() == found.scored.link_scores.order().tolist()


def test_ties_of_the_graph_are_reported():
    """Two equal parts: only the uniform start decides how they share the scores."""
    pages = {f"http://{k}/": (k, f"word {k}") for k in "abcd"}
    found = distill(collection(pages, [("http://a/", "http://b/"), ("http://c/", "http://d/")]), "word", "hits")
    assert any("the leading eigenvalue is not simple" in note for note in found.notes)


def test_pages_without_a_score_tie_when_methods_are_compared():
    compared = compare_distillers(zen(), "zen", ["hits", "in-degree"])
    scores = [np.round(found.authority_scores, 9) for found in compared.results.values()]
    assert compared.tau()[0, 1] == pytest.approx(kendalltau(*scores).statistic)


@pytest.mark.parametrize("method", ["svdd", "bharat-henzinger"])
def test_a_word_is_not_named_as_shared_and_as_leading_away(method):
    pages = distill(zen(), "zen meditation buddhism", method).pruned_pages
    assert pages
    for page in pages:
        assert set(page.topicality.towards).isdisjoint(page.topicality.away)


def test_reasons_name_only_words_and_pages_with_weight():
    words = distill(zen(), "zen", "svdd", train_size=4, text_weight=1.0).pruned_pages
    assert all(page.topicality.cited_with == () for page in words)
    cited = distill(zen(), "zen", "svdd", train_size=4, text_weight=0.0, quantile=0.5).authorities
    assert all(page.topicality.towards == page.topicality.away == () for page in cited)
