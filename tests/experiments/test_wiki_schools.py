"""The Schools Wikipedia: its labels are read, and then nothing of them is left in the collection."""

import csv
import io
import re
import tarfile

import numpy as np
import pytest

from experiments.wiki_schools import LICENCE, labels_of, open_wiki_schools, read_labels
from glassrank.core.checks import DataError
from tests.house.repository import ROOT

QUERIES = ROOT / "experiments" / "wiki_schools_queries.csv"
ARTICLE = (
    '<html><body><h1>{title}</h1><h3 id="siteSub"><a href="../../index.htm">2007 Schools Wikipedia Selection</a>. '
    'Related subjects: {subjects}</h3><p>{text} <a href="../../wp/b/Owl.htm">owl</a> '
    '<a href="../../wp/x/Charity.htm">charity</a> <a href="../../wp/index/subject.Science.Biology.Birds.htm">Birds</a>'
    "</p></body></html>"
)


def subject(key, name):
    return f'<a href="../index/subject.{key}.htm">{name}</a>'


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """Five pages of the kinds that the real archive has."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    birds, planets = subject("Science.Biology.Birds", "Birds"), subject("Science.Physics.The_Planets", "The Planets")
    pages = {
        "wp/b/Owl.htm": ARTICLE.format(title="Owl", subjects=birds, text="The owl hunts at night."),
        "wp/m/Mars.htm": ARTICLE.format(title="Mars", subjects=f"{planets}; {birds}", text="Mars is red."),
        "wp/a/Art.htm": ARTICLE.format(title="Art", subjects=subject("Art.Art", "Art"), text="Painting."),
        "wp/x/Charity.htm": "<html><body><p>Sponsor a child.</p></body></html>",
        "wp/index/subject.Science.Biology.Birds.htm": '<html><body><a href="../b/Owl.htm">Owl</a></body></html>',
    }
    path = tmp_path / "wp-html.tar.xz"
    with tarfile.open(path, "w:xz") as target:
        for name, text in pages.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            target.addfile(member, io.BytesIO(text.encode()))
    return path


def test_labels_are_read_with_their_names_and_several_of_a_page_count(archive):
    labels = read_labels(archive)
    assert labels.subjects["wp/m/Mars.htm"] == ("Science.Physics.The_Planets", "Science.Biology.Birds")
    assert labels.names["Science.Physics.The_Planets"] == "The Planets"
    assert labels.unlabelled == ("wp/x/Charity.htm",)
    assert labels.leaf_subjects(2) == {"Science.Biology.Birds": 2}


def test_labels_are_kept_and_a_changed_archive_is_read_anew(archive, tmp_path):
    read_labels(archive)
    (kept,) = (tmp_path / "cache" / "glassrank" / "wiki-schools").iterdir()
    kept.write_text(kept.read_text().replace("The Planets", "Kept"))
    assert read_labels(archive).names["Science.Physics.The_Planets"] == "Kept"
    kept.write_text("damaged")
    assert read_labels(archive).names["Science.Physics.The_Planets"] == "The Planets"


def test_a_page_without_a_heading_has_no_label():
    assert labels_of(b"<p>subject.Art.Art.htm</p>") == {}


def test_neither_labels_nor_lists_nor_unlabelled_pages_reach_a_small_collection(archive):
    found = open_wiki_schools(archive)
    pages, links = found.collection.pages, found.collection.links
    assert sorted(pages.url) == ["wp/a/Art.htm", "wp/b/Owl.htm", "wp/m/Mars.htm"]
    assert not any("Related subjects" in text or "Selection" in text for text in pages.text)
    assert {
        (source, target) for source, target in zip(links.source, links.target, strict=True) if source != target
    } == {
        ("wp/a/Art.htm", "wp/b/Owl.htm"),
        ("wp/m/Mars.htm", "wp/b/Owl.htm"),
    }


def test_the_leaf_subject_is_judged_2_and_the_same_top_level_1(archive):
    found = open_wiki_schools(archive)
    labels = dict(zip(found.collection.pages.url, found.judgements("Science.Physics.The_Planets"), strict=True))
    assert labels == {"wp/m/Mars.htm": 2.0, "wp/b/Owl.htm": 1.0, "wp/a/Art.htm": 0.0}
    with pytest.raises(DataError, match="'Birds' is no subject"):
        found.judgements("Birds")


@pytest.mark.parametrize(
    ("content", "said"), [(None, "there is no such file"), (b"no archive", "cannot be read as an archive")]
)
def test_an_archive_that_cannot_be_read_is_refused(tmp_path, monkeypatch, content, said):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "wp.tar.xz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=said):
        read_labels(path)


def queries():
    with QUERIES.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_query_is_a_few_plain_words_and_each_topic_has_its_own():
    rows = queries()
    assert all(re.fullmatch(r"[a-z0-9]+( [a-z0-9]+){1,3}", row["query"]) for row in rows)
    assert len({row["query"] for row in rows}) == len(rows)
    assert all(row["topic"].split(".")[0].replace("_", " ") == row["top_level"] for row in rows)


@pytest.fixture(scope="module")
def real(real_data):
    path = real_data / "wiki-schools" / "wp-html.tar.xz"
    if not path.is_file():
        pytest.skip("GLASSRANK_DATA has no wiki-schools/wp-html.tar.xz")
    return open_wiki_schools(path)


def test_the_real_archive_has_the_pages_that_are_known_of_it(real):
    labels = real.labels
    assert len(labels.subjects) == 5232
    assert len(labels.unlabelled) == 578
    assert len(labels.subjects) - len(labels.unlabelled) == 4654
    # The licence page is labelled, and left out all the same.
    assert labels.subjects[LICENCE]
    assert len(real.collection.pages) == 4653


def test_every_leaf_subject_of_20_pages_has_a_query(real):
    rows = queries()
    assert len(rows) == 87
    assert {row["topic"] for row in rows} == set(real.labels.leaf_subjects())
    assert all(real.labels.names[row["topic"]] == row["subject"] for row in rows)


def test_no_label_and_no_list_of_labels_reaches_text_anchors_or_edges(real):
    pages, links = real.collection.pages, real.collection.links
    # Infoboxes have "Related subjects" of their own; the label's line alone has the colon.
    for column in (pages.text, pages.title, pages.headings, pages.h1, links.anchor):
        assert not any("Related subjects:" in text or "Schools Wikipedia" in text for text in column)
    for column in (pages.url, links.source, links.target):
        assert not any("/index/" in url or url == LICENCE or url.startswith("images/") for url in column)
    left_out = set(real.labels.unlabelled)
    assert left_out.isdisjoint(pages.url)
    assert left_out.isdisjoint(links.target)


def test_judgements_of_a_topic_are_its_own_and_its_top_level_subject(real):
    topics = {topic.name: topic for topic in real.topics(QUERIES)}
    birds = topics["Science.Biology.Birds"]
    assert birds.query == "kinds of birds"
    assert int((birds.judgements == 2).sum()) == 161
    science = [any(s.startswith("Science.") for s in real.labels.subjects[url]) for url in real.collection.pages.url]
    assert np.array_equal(birds.judgements >= 1, science)
