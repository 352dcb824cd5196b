"""What a site is, and which links count."""

import pytest

from glassrank.core.checks import DataError
from glassrank.data.collection import Collection, Links, Pages
from glassrank.distillation.distill import distill
from glassrank.distillation.prepared_collection import prepare
from glassrank.distillation.site_rule import SiteRule
from tests.distillation.small_web import collection

URLS = [
    "http://www.a.co.uk/x/1",
    "http://shop.a.co.uk/x/2",
    "http://www.a.co.uk/y/3",
    "http://www.a.co.uk/x/4",
    "http://b.org/",
]


def linked_all_to_all(**columns):
    pairs = [(source, target) for source in URLS for target in URLS if source != target]
    pages = Pages(url=URLS, title=["t"] * 5, text=["word"] * 5, **columns)
    return Collection(pages, Links(source=[s for s, _ in pairs], target=[t for _, t in pairs], anchor=[""] * 20))


@pytest.mark.parametrize(
    ("site", "groups"),
    [
        ("host", [{0, 2, 3}, {1}, {4}]),
        ("domain", [{0, 1, 2, 3}, {4}]),
        ("directory", [{0, 3}, {1}, {2}, {4}]),
        ("page", [{0}, {1}, {2}, {3}, {4}]),
        ("column", [{0, 4}, {1, 2, 3}]),
    ],
)
def test_links_inside_a_site_do_not_count(site, groups):
    web = linked_all_to_all(site=["p", "q", "q", "q", "p"])
    kept = prepare(web).kept_links(SiteRule(site)).adjacency.toarray()
    of_page = {page: number for number, group in enumerate(groups) for page in group}
    expected = [[float(of_page[i] != of_page[j]) for j in range(5)] for i in range(5)]
    assert kept.tolist() == expected


def test_all_edges_keep_links_inside_sites_but_not_links_of_a_page_to_itself():
    web = collection({"http://a/1": ("", "w"), "http://a/2": ("", "w")}, [("http://a/1", "http://a/2")] * 3)
    kept = prepare(web).kept_links(SiteRule(edges="all")).adjacency
    assert kept.toarray().tolist() == [[0, 1], [0, 0]]
    own = collection({"http://a/1": ("", "w"), "http://b/2": ("", "w")}, [("http://a/1", "http://a/1")])
    assert prepare(own).links.nnz == 0


def test_in_a_collection_of_one_host_each_page_counts_as_a_site_with_a_note():
    web = collection({"a": ("", "word"), "b": ("", "word")}, [("a", "b")])
    found = distill(web, "word", "hits")
    assert found.edges_kept == found.edges_total == 1
    assert found.notes[0] == "All pages are on one host: each page counts as a site of its own, and every link is kept."


def test_a_rule_that_drops_all_links_causes_an_error_with_the_remedy():
    web = collection(
        {"http://a/1": ("", "word"), "http://a/2": ("", "word"), "http://b/": ("", "else")},
        [("http://a/1", "http://a/2")],
    )
    with pytest.raises(
        DataError, match=r"No link between the candidate pages counts: each of the 1 is inside a site.*edges='all'"
    ):
        distill(web, "word", "hits", widen=False)
    assert distill(web, "word", "hits", edges="all").edges_kept == 1


def test_site_column_needs_the_column():
    with pytest.raises(DataError, match="site='column' needs a column 'site' in the pages"):
        distill(linked_all_to_all(), "word", "hits", site="column")
