"""The schools' selection of Wikipedia is read whole, and what is dropped or left out is nowhere."""

import re

import numpy as np
import pytest

from glassrank.data.web.open_collection import open_collection

# Every label line begins with these words; "Related subjects" alone also occurs in five articles.
LABELS = "Schools Wikipedia Selection"
LICENCE = "wp/w/Wikipedia_Text_of_the_GNU_Free_Documentation_License.htm"
LEFT_OUT = ["wp/index/*", "images/*", "index.htm", "disclaimer.htm", LICENCE]


@pytest.fixture(scope="session")
def wiki(real_data, tmp_path_factory):
    archive = real_data / "wiki-schools" / "wp-html.tar.xz"
    if not archive.is_file():
        pytest.skip(f"{archive} is absent")
    return open_collection(
        archive, folder=tmp_path_factory.mktemp("wiki") / "kept", drop=["h3#siteSub"], leave_out=LEFT_OUT
    )


def test_the_published_counts_are_found(wiki):
    # 5,232 articles; the licence page is one of them and is left out here, with its 4,654 links.
    assert len(wiki.pages) == 5_231
    inside = wiki.link_ends[(wiki.link_ends >= 0).all(axis=1)]
    pairs = np.unique(inside[inside[:, 0] != inside[:, 1]], axis=0)
    assert len(pairs) == 136_421 - 4_654
    assert wiki.reading.skipped["excluded by leave_out"].count == 231
    assert wiki.reading.noted["element dropped by 'h3#siteSub'"].count == 4_654


def test_no_label_reaches_text_titles_headings_or_anchors(wiki):
    for column in (wiki.pages.title, wiki.pages.text, wiki.pages.h1, wiki.pages.headings, wiki.pages.description):
        assert not any(LABELS in text for text in column)
    assert not any(LABELS in anchor for anchor in wiki.links.anchor)


def test_no_page_left_out_is_a_page_or_an_end_of_a_link(wiki):
    gone = re.compile(r"wp/index/|images/|index\.htm|disclaimer\.htm|" + re.escape(LICENCE))
    for column in (wiki.pages.url, wiki.links.source, wiki.links.target):
        assert not any(gone.match(address) for address in column)


def test_names_with_escapes_are_linked(wiki):
    row = wiki.pages.url.tolist().index("wp/b/Bongo_%28antelope%29.htm")
    assert (wiki.link_ends[:, 1] == row).any()


def test_the_collection_comes_back_from_its_folder(wiki):
    again = open_collection(wiki.folder)
    assert (again.pages.text == wiki.pages.text).all()
    assert (again.links.target == wiki.links.target).all()
    np.testing.assert_array_equal(again.link_ends, wiki.link_ends)
