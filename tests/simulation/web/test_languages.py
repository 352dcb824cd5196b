"""Each language of the simulated web has its own letters, and everything on a site is in the language of its topic."""

import unicodedata
from urllib.parse import unquote

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.web.open_collection import open_collection
from glassrank.simulation.log.simulate_log import simulate_log
from glassrank.simulation.web.invented_words import ENDINGS, invent_words
from glassrank.simulation.web.languages import LANGUAGES, write_in
from glassrank.simulation.web.simulate_web import simulate_web
from tests.reference.navigational.url import own_host

SCRIPTS = {"en": "LATIN", "ru": "CYRILLIC", "fr": "LATIN", "el": "GREEK", "hi": "DEVANAGARI"}


@pytest.fixture(scope="module")
def web():
    return simulate_web(5, 60, 500, languages=5, random_state=0)


@pytest.fixture(scope="module")
def log(web):
    return simulate_log(web, 120, 30, sessions_per_query=10, random_state=0)


def scripts(text):
    """The scripts of the letters and marks of a text."""
    return {unicodedata.name(c).split()[0] for c in text if unicodedata.category(c)[0] in "LM"}


@pytest.mark.parametrize("code", LANGUAGES)
def test_different_words_stay_different_and_have_the_letters_of_the_language(code):
    rng = np.random.default_rng(0)
    words = [word for kind in ENDINGS for word in invent_words(rng, 300, kind)]
    written = [write_in(word, code) for word in words]
    assert len(set(written)) == len(words)
    assert scripts("".join(written)) == {SCRIPTS[code]}
    accented = sum(unicodedata.normalize("NFD", word) != word for word in written)
    assert (accented > len(words) / 2) == (code in ("fr", "el"))


def test_a_greek_word_ends_in_a_final_sigma():
    assert write_in("sas ses", "el") == "σας σές"


def test_a_hindi_vowel_after_a_consonant_is_a_sign():
    assert write_in("brai", "hi") == "\N{DEVANAGARI LETTER BA}\N{DEVANAGARI SIGN VIRAMA}\N{DEVANAGARI LETTER RA}" + (
        "\N{DEVANAGARI VOWEL SIGN AA}\N{DEVANAGARI LETTER I}"
    )


def test_texts_titles_and_names_are_in_the_language_of_the_site(web):
    pages = web.collection.pages
    for row, site in enumerate(web.sites[number] for number in web.site_of_page):
        wanted = {SCRIPTS[site.language]}
        assert scripts(pages.text[row] + pages.title[row] + pages.headings[row] + site.name) == wanted
        assert pages.language[row] in ("", site.language) or site.language == "en"
    topics = web.page_topics >= 0
    languages = np.array([topic.language for topic in web.topics])
    assert languages[web.page_topics[topics]].tolist() == [
        web.sites[site].language for site in web.site_of_page[topics]
    ]


def test_addresses_are_ascii_and_some_hosts_are_in_punycode(web):
    pages = web.collection.pages
    assert all(url.isascii() for url in pages.url)
    coded = [site for site in web.sites if "xn--" in site.host]
    assert 0.1 < len(coded) / len(web.sites) < 0.5
    for site in coded:
        assert SCRIPTS[site.language] in scripts(own_host(site.host))
    slugs = [
        (unquote(url.split("/", 3)[3].removesuffix(".html")), web.sites[site].language)
        for url, site in zip(pages.url, web.site_of_page, strict=True)
        if "page?" not in url and "copy-" not in url
    ]
    assert all(scripts(slug) <= {SCRIPTS[code]} for slug, code in slugs)


def test_anchors_are_in_the_language_of_the_page_they_lead_to(web):
    target = web.collection.link_ends[:, 1]
    named = {site.host for site in web.sites}
    for anchor, page in zip(web.collection.links.anchor, target, strict=True):
        site = web.sites[web.site_of_page[page]]
        assert scripts(anchor) <= {SCRIPTS[site.language]} or anchor in named or anchor == own_host(site.host)


def test_links_mostly_stay_in_the_language(web):
    source, target = web.page_languages[web.collection.link_ends].T
    assert np.mean(source == target) > 0.85


def test_the_languages_do_not_change_the_qualities_of_the_pages():
    one, several = (simulate_web(3, 30, 250, languages=n, random_state=0) for n in (1, 3))
    assert one.quality[:250].tolist() == several.quality[:250].tolist()


def test_an_archive_is_read_as_it_was_written(web, tmp_path):
    web.write_warc(tmp_path / "web.warc.gz")
    found = open_collection(tmp_path / "web.warc.gz")
    title_of = dict(zip(found.pages.url, found.pages.title, strict=True))
    assert title_of == dict(zip(web.collection.pages.url, web.collection.pages.title, strict=True))
    assert len(found.links) == len(web.collection.links)


def test_queries_are_in_the_language_of_what_their_users_want(web, log):
    assert set(log.truth.languages) == set(SCRIPTS)
    for query, code, spelling in zip(log.queries, log.truth.languages, log.truth.spellings, strict=True):
        if spelling not in ("domain", "host"):
            assert scripts(query) == {SCRIPTS[code]}


def test_users_mostly_click_pages_of_the_language_of_their_query(web, log):
    language_of = dict(zip(web.collection.pages.url, web.page_languages.tolist(), strict=True))
    asked = dict(zip(log.queries, map(list(SCRIPTS).index, log.truth.languages), strict=True))
    clicked = log.log.action == "click"
    ends = zip(log.log.query[clicked], log.log.url[clicked], strict=True)
    clicks = [(asked[query], language_of[url]) for query, url in ends]
    shown = [(asked[q], language_of[u]) for q, u in zip(log.results.query, log.results.url, strict=True)]
    share = [np.mean([one == other for one, other in pairs]) for pairs in (clicks, shown)]
    assert share[0] > 0.9
    assert share[0] > share[1]


@pytest.mark.parametrize(
    ("languages", "message"),
    [
        (3, "at most the number of topics: expected 2 or fewer, got 3"),
        (6, "languages must be one of 1, 2, 3, 4, 5: got 6"),
        ("en", "languages must be one of"),
    ],
)
def test_impossible_languages_are_refused(languages, message):
    with pytest.raises(DataError, match=message):
        simulate_web(2, 10, 100, languages=languages)
