"""Features of the result's page that do not depend on the query, and signs of spam in its content."""

from collections.abc import Container
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.data.collection import Pages
from glassrank.navigational.feature import Feature, declare
from glassrank.navigational.features.page.body_facts import facts_of_bodies
from glassrank.navigational.features.page.page_rows import PageRows
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.features.wanted_features import only_wanted
from glassrank.navigational.features.word_coverage import SharedWords, divide
from glassrank.text.tokens import tokenise

HOME_WORDS = frozenset({"home", "official", "welcome", "login"})
DAY = 86_400.0

FEATURES: tuple[Feature, ...] = (
    *declare("other", "pages", {"pg_len": "ln(1 + # t(body))", "pg_tlen": "# t(title)"}),
    *declare("other", "pages html_bytes", {"pg_vis": "bytes of the body / bytes of the HTML"}),
    *declare("other", "pages link_words", {"pg_anc": "words inside links / # t(body)"}),
    *declare("other", "pages internal_links", {"pg_oint": "ln(1 + links to the own host)"}),
    *declare("other", "pages external_links", {"pg_oext": "ln(1 + links to other hosts)"}),
    *declare("other", "pages external_hosts", {"pg_ohost": "# other hosts linked to"}),
    *declare("other", "pages images", {"pg_img": "ln(1 + # images)"}),
    *declare("other", "pages has_form", {"pg_form": "1 if a form asks for text or a password"}),
    *declare("other", "pages", {"pg_home": "1 if home, official, welcome or login is in title or main headings"}),
    *declare("other", "pages language log_language", {"pg_lang": "1 if the page's language is that of the log"}),
    *declare("other", "pages modified last_time", {"pg_age": "(last time of the log − last change) in days"}),
    *declare("other", "pages html_bytes gzip_bytes", {"sp_gz": "bytes of the HTML / bytes after gzip"}),
    *declare(
        "other",
        "pages",
        {
            "sp_wl": "mean len of the tokens of the body",
            "sp_pop": "tokens of the body among the 100 most frequent words / # t(body)",
            "sp_popc": "words of the body among the 200 most frequent / 200",
            "sp_rep": "largest tf in the body / # t(body)",
            "sp_ng": "−mean of ln((c + 1) / (M + G)) over the body's runs of three tokens",
            "sp_stuff": "tokens of title and description that are in T(q) / # tokens of both",
        },
    ),
    *declare("other", "pages hidden_share", {"sp_hid": "share of the body's text that is hidden"}),
)

# Column of a page -> feature: the number itself, or ln(1 + number).
_PLAIN = {"external_hosts": "pg_ohost", "has_form": "pg_form", "hidden_share": "sp_hid"}
_LOGARITHMS = {"internal_links": "pg_oint", "external_links": "pg_oext", "images": "pg_img"}


def compute(sources: IntentSources, wanted: Container[str] | None = None) -> dict[str, FloatArray]:
    """Compute the wanted features of this file for every row; None: all."""
    if sources.pages is None:
        return {}
    rows, known = PageRows.of(sources), sources.prepared(_of_pages)
    of_pages = {name: values for name, values in known.items() if wanted is None or name in wanted}
    of_pairs = only_wanted({"sp_stuff": lambda: _stuffing(sources, rows)}, wanted)
    return rows.spread_pages(of_pages) | rows.spread_pairs(of_pairs)


def _of_pages(whole: IntentSources) -> dict[str, FloatArray]:
    """Features of every page that do not depend on the query."""
    if whole.pages is None:
        return {}
    found = _from_columns(whole, whole.pages) | _of_titles(whole, whole.pages) | facts_of_bodies(whole)
    return {name: np.asarray(values, dtype=np.float64) for name, values in found.items()}


def _from_columns(sources: IntentSources, pages: Pages) -> dict[str, Any]:
    """Features that are computed from a numeric column."""
    found: dict[str, Any] = {of: getattr(pages, name) for name, of in _PLAIN.items() if sources.has(name)}
    found |= {of: np.log(1.0 + getattr(pages, name)) for name, of in _LOGARITHMS.items() if sources.has(name)}
    if sources.has("html_bytes"):
        found["pg_vis"] = divide(_bytes(pages.text), pages.html_bytes)
    if sources.has("html_bytes", "gzip_bytes"):
        found["sp_gz"] = divide(pages.html_bytes, pages.gzip_bytes)
    if sources.has("link_words"):
        found["pg_anc"] = divide(pages.link_words, sources.body_words.lengths)
    if sources.has("modified", "last_time"):
        found["pg_age"] = (sources.last_time - pages.modified) / DAY
    if sources.has("language", "log_language"):
        wanted = _primary(sources.language or "")
        same = np.array([_primary(tag) == wanted for tag in pages.language], dtype=np.float64)
        found["pg_lang"] = np.where([bool(tag.strip()) for tag in pages.language], same, np.nan)
    return found


def _of_titles(sources: IntentSources, pages: Pages) -> dict[str, Any]:
    headings = [""] * len(pages) if pages.h1 is None else pages.h1
    says = [
        not HOME_WORDS.isdisjoint(tokenise(f"{title}\n{heading}"))
        for title, heading in zip(pages.title, headings, strict=True)
    ]
    return {"pg_tlen": sources.title_words.lengths, "pg_home": np.array(says, dtype=np.float64)}


def _stuffing(sources: IntentSources, rows: PageRows) -> FloatArray:
    """Share of the query's words in title and description together."""
    found, lengths = np.zeros(len(rows.pairs)), np.zeros(len(rows.pairs))
    texts = [sources.title_words]
    if sources.has("description"):
        texts.append(sources.description_words)
    for words in texts:
        shared = SharedWords.of(sources.query_words, words.counts, rows.query, rows.page)
        found += shared.occurrences
        lengths += words.lengths[rows.page]
    return np.where(rows.has_word, divide(found, lengths), np.nan)


def _bytes(texts: Any) -> IntArray:
    return np.array([len(text.encode("utf-8", "surrogatepass")) for text in texts], dtype=np.int64)


def _primary(tag: str) -> str:
    """First part of a language tag: en of en-GB."""
    return tag.strip().lower().replace("_", "-").split("-")[0]
