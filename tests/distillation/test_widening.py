"""Sparse graphs give an answer: candidates and links are added step by step, and lists are filled in search order."""

import json

import pytest

from glassrank.distillation.compare_distillers import compare_distillers
from glassrank.distillation.distill import distill
from glassrank.distillation.methods import METHODS, NoLinksError
from glassrank.distillation.options import Options
from glassrank.studies.distillation.steps import methods_step, ranked_pages
from tests.distillation.small_web import collection

WORDS = {f"http://{name}.org/{k}": (f"{name.upper()}{k}", "zen " * (9 - k)) for name in "ab" for k in range(3)}
OTHER = {"http://c.org/": ("C", "tea")}
LINK_METHODS = [method for method in METHODS if method != "bm25"]


def web(*links):
    return collection(WORDS | OTHER, [(f"http://{source}", f"http://{target}") for source, target in links])


def titles(found):
    return [page.title for page in found.authorities]


@pytest.mark.parametrize("method", ["hits", "pagerank", "in-degree"])
def test_neighbours_are_added_if_search_results_have_no_links(method):
    found = distill(web(("a.org/0", "c.org/"), ("b.org/1", "c.org/")), "zen", method)
    assert found.options.candidates == "base"
    assert titles(found)[0] == "C"
    assert found.widened == (
        "There are no links between the candidate pages. Therefore the neighbours of the search results were added "
        "(base set).",
    )
    assert found.widened[0] in found.notes
    assert json.loads(found.to_json())["widened"] == list(found.widened)


@pytest.mark.parametrize("method", LINK_METHODS)
def test_links_inside_a_site_count_if_there_are_no_others(method):
    own = {"hits-top": {"train_size": 6}, "svdd": {"train_size": 6}, "bharat-henzinger": {"threshold": "max/10"}}
    found = distill(web(("a.org/2", "a.org/1"), ("a.org/0", "a.org/1")), "zen", method, **own.get(method, {}))
    assert titles(found)[0] == "A1"
    assert "then every link was counted, also inside a site." in found.widened[0]


@pytest.mark.parametrize("method", ["bharat-henzinger", "svdd", "hits-top"])
def test_pages_are_not_pruned_if_only_pruned_pages_have_links(method):
    """Two pages at the end of the search are linked; one of them is pruned, because only the best are kept."""
    most_relevant = {"threshold": "max/10", "fraction": 1.0}
    options = most_relevant if method == "bharat-henzinger" else {"train_size": 2}
    pages = {f"http://{k}.org/": ("Zen", "zen zen zen temple monk koan kyoto zazen") for k in range(4)} | OTHER
    pages |= {f"http://{k}.org/": ("Zen", f"zen {word} a an the of in by") for k, word in ((4, "car"), (5, "old boat"))}
    found = distill(collection(pages, [("http://5.org/", "http://4.org/")]), "zen", method, **options)
    assert found.authorities[0].url == "http://4.org/"
    assert found.method == method
    assert not found.pruned.any()
    assert found.widened[0].endswith("then no page was pruned.")


@pytest.mark.parametrize("method", LINK_METHODS)
def test_without_any_links_pages_are_in_search_order(method):
    found = distill(web(), "zen", method, k=4)
    assert titles(found) == titles(distill(web(), "zen", "bm25", k=4))
    assert all(page.filled and page.score == 0.0 for page in found.authorities)
    assert "Wider searches found no links either: pages are in search order." in str(found)
    assert found.roles == ["page"] * 6


def test_lists_are_filled_in_search_order_and_say_so():
    found = distill(web(("a.org/2", "b.org/2")), "zen", "hits", k=5)
    assert found.widened == ()
    assert titles(found) == ["B2", "A0", "B0", "A1", "B1"]
    assert [page.filled for page in found.authorities] == [False, True, True, True, True]
    assert "1 authority has links that count; 4 other pages are in search order." in found.notes
    assert "The list of hubs is shorter than 5: no other page has links that count." in found.notes
    assert str(found).count("in search order") == 5


def test_a_study_and_the_command_list_the_same_pages():
    found = distill(web(("a.org/2", "b.org/2")), "zen", "hits", k=4)
    assert [page.page for page in found.authorities] == list(ranked_pages(found, 4))


def test_a_short_list_says_so_and_pages_without_a_word_of_the_query_do_not_fill_it():
    found = distill(web(("a.org/2", "b.org/2"), ("c.org/", "b.org/2")), "zen", "hits", candidates="base")
    assert "C" not in titles(found)
    assert len(titles(found)) == 6
    assert "The list of authorities is shorter than 10: no other page is left." in found.notes


@pytest.mark.parametrize("method", LINK_METHODS)
def test_widening_can_be_switched_off(method):
    with pytest.raises(NoLinksError, match="There are no links between the"):
        distill(web(), "zen", method, widen=False)


def test_a_comparison_widens_for_all_methods_together():
    sparse = web(("a.org/0", "c.org/"), ("b.org/1", "c.org/"))
    compared = compare_distillers(sparse, "zen")
    assert {found.options.candidates for found in compared.results.values()} == {"base"}
    assert {tuple(found.pages) for found in compared.results.values()} == {(0, 3, 1, 4, 2, 5, 6)}
    assert "Therefore the neighbours of the search results were added" in str(compared)
    assert "in-degree" in compared.results
    assert compare_distillers(sparse, "zen", widen=False).results.keys() == {"bm25"}


@pytest.mark.parametrize("candidates", ["root", "base"])
def test_a_study_fills_lists_without_links_as_the_command_does(candidates):
    """No page links to another: BM25 prefers the page with the most repetitions of the word."""
    runs = methods_step(web(), "zen", Options(candidates=candidates, k=6))
    command = distill(web(), "zen", "hits", candidates=candidates, k=6)
    expected = [page.page for page in command.authorities]
    assert titles(command)[::2] == ["A0", "A1", "A2"]
    assert {name: list(run.ranking) for name, run in runs.items()} == dict.fromkeys(runs, expected)
    assert {name for name, run in runs.items() if run.unlinked is None} == {"bm25"}
    assert not any(run.refused for run in runs.values())
