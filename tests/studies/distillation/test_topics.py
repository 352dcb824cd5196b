"""Topics: read from files, joined with judgements, and refused if they cannot be used."""

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.collection import Collection, Links, Pages
from glassrank.data.trec import Qrels
from glassrank.distillation.distill import distill
from glassrank.studies.distillation.topics import Topic, judge_topics, load_topics


@pytest.fixture
def web():
    pages = Pages(url=["a.htm", "b c.htm"], title=["", ""], text=["", ""])
    return Collection(pages, Links(source=[], target=[], anchor=[]))


def test_a_table_names_its_topics(tmp_path):
    path = tmp_path / "queries.csv"
    path.write_text('topic,subject,query\nArt.Art,"Art, all of it",art and painting\n,,vintage cars\n')
    assert [(one.name, one.query) for one in load_topics(path)] == [
        ("Art.Art", "art and painting"),
        ("vintage_cars", "vintage cars"),
    ]


def test_tabs_separate_a_tsv(tmp_path):
    path = tmp_path / "queries.tsv"
    path.write_text("query\ttopic\nzen buddhism\tzen\n")
    assert [(one.name, one.query) for one in load_topics(path)] == [("zen", "zen buddhism")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("q.txt", b"\n \n", "the file contains no query"),
        ("q.txt", b"zen\nzen\n", "topic 'zen' appears twice"),
        ("q.txt", b"\xff\n", "expected text in UTF-8"),
        ("q.csv", b"topic,words\na,b\n", "expected a column 'query'"),
        ("q.csv", b"topic,query\na b,zen\n", "must be one word"),
        ("q.csv", b"topic,query\na,\n", "has an empty query"),
    ],
    ids=["empty", "twice", "bytes", "column", "name", "query"],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        load_topics(tmp_path / name)


def test_judgements_join_by_address_and_unjudged_pages_stay_unknown(web):
    qrels = Qrels(["zen", "zen", "other"], ["b%20c.htm", "a.htm", "a.htm"], [2, 0, 1])
    reported = []
    zen, cars = judge_topics((Topic("zen", "zen"), Topic("cars", "cars")), qrels, web, note=reported.append)
    assert reported == ["1 judgement is of 1 topic that is not among the queries, such as 'other': left out."]
    assert zen.judgements.tolist() == [0.0, 2.0]
    assert cars.judgements is None


def test_an_unjudged_page_is_nan(web):
    (zen,) = judge_topics((Topic("zen", "zen"),), Qrels(["zen"], ["a.htm"], [1]), web)
    assert zen.judgements[0] == 1
    assert np.isnan(zen.judgements[1])


def test_a_warning_counts_judgements_of_other_topics(web):
    qrels = Qrels(["bees", "zen", "bees", "cars"], ["a.htm", "a.htm", "b%20c.htm", "a.htm"], [1, 1, 0, 2])
    with pytest.warns(UserWarning, match="3 judgements are of 2 topics that are not among the queries, such as 'bees'"):
        (zen,) = judge_topics((Topic("zen", "zen"),), qrels, web)
    assert zen.judgements[0] == 1


def test_an_address_that_equals_the_encoded_name_of_another_keeps_its_judgement():
    pages = Pages(url=["b%20c.htm", "b c.htm", "d e.htm"], title=[""] * 3, text=[""] * 3)
    web = Collection(pages, Links(source=[], target=[], anchor=[]))
    (zen,) = judge_topics((Topic("zen", "zen"),), Qrels(["zen", "zen"], ["b%20c.htm", "d%20e.htm"], [2, 1]), web)
    assert zen.judgements.tolist()[::2] == [2.0, 1.0]
    assert np.isnan(zen.judgements[1])


def test_judgements_of_another_collection_are_refused(web):
    with pytest.raises(DataError, match="1 judgement names a page that the collection does not have"):
        judge_topics((Topic("zen", "zen"),), Qrels(["zen"], ["elsewhere.htm"], [1]), web)


def test_judgements_of_other_topics_are_refused(web):
    with pytest.raises(DataError, match="No topic has judgements"):
        judge_topics((Topic("zen", "zen"),), Qrels(["cars"], ["a.htm"], [1]), web)


def test_judgements_and_root_sets_find_pages_by_equivalent_addresses():
    """RFC 3986, section 6.2: letter case of the host, the default port, dot segments and escapes do not matter."""
    urls = ["http://a.org/~me/x.html", "http://b.org/"]
    pages = Pages(url=urls, title=["", ""], text=["zen", "zen"])
    links = Links(source=["HTTP://A.org/%7Eme/x.html"], target=["http://b.org"], anchor=[""])
    web = Collection(pages, links, aliases={"www.b.org": "b.org"})
    assert web.link_ends.tolist() == [[0, 1]]
    qrels = Qrels(["zen", "zen"], ["http://a.org:80/y/../~me/x.html#top", "http://www.b.org/"], [2, 1])
    assert judge_topics((Topic("zen", "zen"),), qrels, web)[0].judgements.tolist() == [2.0, 1.0]
    found = distill(web, "zen", "bm25", root=["http://www.b.org", "http://A.ORG/%7eme/x.html"])
    assert [page.url for page in found.authorities] == ["http://b.org/", "http://a.org/~me/x.html"]
