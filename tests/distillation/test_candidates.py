"""Root set and base set."""

from dataclasses import fields
from inspect import signature

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.distillation.compare_distillers import compare_distillers
from glassrank.distillation.distill import distill
from glassrank.distillation.options import Options
from tests.distillation.small_web import ZEN, collection, zen


def titles(found):
    return [found.candidates.prepared.collection.pages.title[row] for row in found.pages]


def test_the_root_set_is_the_search_in_its_order():
    found = distill(zen(), "zen", "hits")
    order = np.argsort(-found.search_scores, kind="stable")
    assert order.tolist() == list(range(5))
    assert "Cars" not in titles(found)
    assert found.in_root.all()


def test_the_base_set_adds_pages_that_the_root_links_to_and_pages_that_link_to_it():
    web = collection(
        {
            "http://r/": ("R", "word"),
            "http://out/": ("Out", ""),
            "http://in/": ("In", ""),
            "http://far/": ("Far", ""),
        },
        [("http://r/", "http://out/"), ("http://in/", "http://r/"), ("http://out/", "http://far/")],
    )
    found = distill(web, "word", "hits", candidates="base")
    assert titles(found) == ["R", "Out", "In"]
    assert found.in_root.tolist() == [True, False, False]
    assert found.edges_kept == 2


def many_linking(n):
    pages = {"http://r/": ("R", "word")} | {f"http://s{k}/": (f"S{k}", "") for k in range(n)}
    return collection(pages, [(f"http://s{k}/", "http://r/") for k in range(n)])


def test_at_most_d_linking_pages_join_and_only_the_seed_decides_which():
    web = many_linking(40)
    drawn = [
        tuple(titles(distill(web, "word", "hits", candidates="base", in_links=7, random_state=0))) for _ in range(2)
    ]
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 8
    other = titles(distill(web, "word", "hits", candidates="base", in_links=7, random_state=1))
    assert set(other) != set(drawn[0])
    assert len(titles(distill(web, "word", "hits", candidates="base"))) == 1 + 10  # The default of small collections.


def test_a_base_set_that_is_most_of_the_collection_is_noted():
    found = distill(zen(), "zen", "hits", candidates="base")
    assert any("The base set contains 6 of the collection's 6 pages (100%)" in note for note in found.notes)


def test_a_root_set_can_be_given():
    urls = list(ZEN)
    found = distill(zen(), "zen", "in-degree", root=[urls[4], "http://nowhere/", urls[0], urls[2]])
    assert titles(found) == ["Shop", "Zen", "Zen links"]
    assert found.search_scores.tolist() == [1.0, 1 / 2, 1 / 3]
    assert "Addresses of the root set that are not in the collection and were ignored: 1." in found.notes


def test_only_the_first_pages_of_a_given_root_set_can_be_used():
    urls = list(ZEN)
    given = ["http://nowhere/", urls[4], urls[0], urls[4], urls[2]]
    found = distill(zen(), "zen", "bm25", root=given, root_size=2)
    assert titles(found) == ["Shop", "Zen"]
    assert "Addresses of the root set that are not in the collection and were ignored: 1." in found.notes
    assert distill(zen(), "zen", "bm25", root=urls, root_size=2, k=2).notes == ()


@pytest.mark.parametrize(
    ("query", "options", "message"),
    [
        ("quantum", {}, "No page contains a word of the query 'quantum'"),
        ("  ", {}, "query must contain words"),
        ("zen", {"method": "pagerank2"}, "method must be one of 'bharat-henzinger', 'svdd'"),
        ("zen", {"candidates": "all"}, "candidates must be one of 'root', 'base'"),
        ("zen", {"root": ["x"]}, "None of the 1 address of the root set is a page of the collection"),
        (
            "zen",
            {"train_size": 6, "method": "hits-top"},
            "train_size must be at most 5, the pages of the root set: got 6",
        ),
        ("zen", {"text_weight": 1.5}, "text_weight must be from 0 to 1: got 1.5"),
        ("zen", {"in_links": -1}, "in_links must be 0 or more"),
        ("zen", {"random_state": -1}, "random_state must be None, a whole number"),
        ("zen", {"fraction": 0.2}, "fraction is only for the threshold 'max/10': got it with 'root-median'"),
        ("zen", {"nu": 0.2}, "nu is only for the method svdd: got it with the method bharat-henzinger"),
        ("zen", {"method": "hits", "train_size": 3}, "train_size is only for the methods svdd and hits-top"),
        ("zen", {"method": "svdd", "threshold": "median"}, "threshold is only for the method bharat-henzinger"),
        ("zen", {"threshold": "max/10", "fraction": 2}, "fraction must be between 0 and 1: got 2"),
        ("zen", {"site": "hosts"}, "site must be one of 'host', 'domain'"),
    ],
)
def test_invalid_options_are_refused_with_the_remedy(query, options, message):
    with pytest.raises(DataError, match=message):
        distill(zen(), query, **options)


@pytest.mark.parametrize("function", [distill, compare_distillers])
def test_the_arguments_are_the_fields_of_the_options_dataclass(function):
    given = {name: one for name, one in signature(function).parameters.items() if one.kind is one.KEYWORD_ONLY}
    declared = {one.name: one for one in fields(Options)}
    assert list(given) == list(declared)
    assert [one.default for one in given.values()] == [one.default for one in declared.values()]
    assert [one.annotation for one in given.values()] == [one.type for one in declared.values()]


def test_both_functions_use_every_option():
    """Each option is passed on under its own name."""
    given = {one.name: one.default for one in fields(Options)} | {"k": 3, "random_state": 5, "root_size": 4}
    web = many_linking(8)
    assert distill(web, "word", "bm25", **given).options == Options(**given)
    assert compare_distillers(web, "word", ["bm25"], **given).results["bm25"].options == Options(**given)
