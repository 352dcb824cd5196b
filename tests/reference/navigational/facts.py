"""Features of the page that do not depend on the query (pg_) and signs of spam in its content (sp_)."""

import math

from tests.reference.navigational.page import of_page
from tests.reference.navigational.text import count, ratio, terms, tokens

HOME_WORDS = {"home", "official", "welcome", "login"}
DAY = 86_400


def log_of(column):
    """ln(1 + number in a column); missing if unknown."""
    return of_page(lambda q, page, world: None if page[column] is None else math.log(1 + page[column]))


def plain(column):
    """The number in a column; missing if unknown."""
    return of_page(lambda q, page, world: None if page[column] is None else float(page[column]))


def known_ratio(above, below):
    """A quotient; missing if a part is unknown."""
    return None if above is None or below is None else ratio(above, below)


def says_home(q, page, world):
    """1 if title or first-level headings contain one of the words home, official, welcome, login."""
    return float(bool((terms(page["title"]) | terms(page["h1"] or "")) & HOME_WORDS))


def primary(language):
    """First part of a language tag: en of en-GB."""
    return language.strip().lower().replace("_", "-").split("-")[0]


def in_log_language(q, page, world):
    """1 if the declared language is that of the log; missing if none is declared."""
    if not (page["language"] or "").strip():
        return None
    return float(primary(page["language"]) == primary(world.log_language))


def age(q, page, world):
    """Days from the last change to the last time of the log; negative for a change after it."""
    return None if page["modified"] is None else (world.last_time - page["modified"]) / DAY


def top_words(world, number):
    """The most frequent words of all bodies; ties in alphabetical order."""
    return sorted(world.words, key=lambda word: (-world.words[word], word))[:number]


def popular_share(q, page, world):
    """Tokens of the body that are among the 100 top words / tokens of the body."""
    words, top = tokens(page["text"]), set(top_words(world, 100))
    return ratio(sum(1 for word in words if word in top), len(words))


def popular_present(q, page, world):
    """Top words (200) that occur in the body / top words."""
    top = set(top_words(world, 200))
    return ratio(len(top & terms(page["text"])), len(top))


def most_repeated(q, page, world):
    """Occurrences of the body's most frequent word / tokens of the body."""
    words = tokens(page["text"])
    return max(count(words).values()) / len(words) if words else None


def word_trigrams(text):
    """Runs of three tokens."""
    words = tokens(text)
    return [tuple(words[i : i + 3]) for i in range(len(words) - 2)]


def surprise(q, page, world):
    """−(1/n) Σ ln P(g) over the body's 3-grams, P(g) = (c(g) + 1) / (M + G): M in all bodies, G distinct ones."""
    own = word_trigrams(page["text"])
    if not own:
        return None
    model = world.trigrams
    total = sum(model.values()) + len(model)
    return -sum(math.log((model[gram] + 1) / total) for gram in own) / len(own)


def stuffing(q, page, world):
    """Tokens of title and description that are terms of q / tokens of title and description."""
    words = tokens(page["title"]) + tokens(page["description"] or "")
    return ratio(sum(1 for word in words if word in terms(q)), len(words)) if terms(q) else None


FEATURES = {
    "pg_len": of_page(lambda q, page, world: math.log(1 + len(tokens(page["text"])))),
    "pg_tlen": of_page(lambda q, page, world: len(tokens(page["title"]))),
    "pg_vis": of_page(lambda q, page, world: known_ratio(len(page["text"].encode()), page["html_bytes"])),
    "pg_anc": of_page(lambda q, page, world: known_ratio(page["link_words"], len(tokens(page["text"])))),
    "pg_oint": log_of("internal_links"),
    "pg_oext": log_of("external_links"),
    "pg_ohost": plain("external_hosts"),
    "pg_img": log_of("images"),
    "pg_form": plain("has_form"),
    "pg_home": of_page(says_home),
    "pg_lang": of_page(in_log_language),
    "pg_age": of_page(age),
    "sp_gz": of_page(lambda q, page, world: known_ratio(page["html_bytes"], page["gzip_bytes"])),
    "sp_wl": of_page(lambda q, page, world: ratio(sum(map(len, tokens(page["text"]))), len(tokens(page["text"])))),
    "sp_pop": of_page(popular_share),
    "sp_popc": of_page(popular_present),
    "sp_rep": of_page(most_repeated),
    "sp_ng": of_page(surprise),
    "sp_stuff": of_page(stuffing),
    "sp_hid": plain("hidden_share"),
}
