"""Features of the query in the text of the page: title, body, headings, description, site name, all fields."""

import math

from tests.reference.navigational.text import (
    K1,
    B,
    add_counts,
    bm25,
    count,
    coverage,
    dirichlet,
    idf,
    jaccard,
    jelinek_mercer,
    lcs,
    likeness,
    normal,
    ratio,
    terms,
    tokens,
)
from tests.reference.navigational.url import bare


def of_page(of):
    """Feature of a row from the query and its page; missing if the page is not among the pages."""

    def feature(row, world):
        page = world.page_of.get(row["url"])
        return None if page is None else of(row["query"], page, world)

    return feature


def covers(column):
    """Coverage of the query in a column."""
    return of_page(lambda q, page, world: coverage(terms(q), terms(page[column])) if page[column] is not None else None)


def title_match(q, page, world):
    """lcs(q, title) / |title| in characters of the normalised texts."""
    return ratio(lcs(normal(q), normal(page["title"])), len(normal(page["title"])))


def term_share(q, page, world):
    """Tokens of the body that are terms of q / tokens of the body."""
    words = tokens(page["text"])
    return ratio(sum(1 for word in words if word in terms(q)), len(words)) if terms(q) else None


def weights(words, world):
    """(1 + ln tf) ln(N/n) of each word that occurs in n ≥ 1 of the N bodies."""
    result = {}
    for word, tf in count(words).items():
        holding = sum(1 for body in world.bodies if word in body)
        if holding:
            result[word] = (1 + math.log(tf)) * math.log(len(world.bodies) / holding)
    return result


def cosine(q, page, world):
    """Cosine of the weights of query and body, 0 for a vector of zeros; missing if one has no token."""
    if not tokens(q) or not tokens(page["text"]):
        return None
    one, other = weights(tokens(q), world), weights(tokens(page["text"]), world)
    product = sum(weight * other.get(word, 0) for word, weight in one.items())
    return product / math.hypot(*one.values()) / math.hypot(*other.values()) if product else 0.0


def first_hit(q, page, world):
    """1 / (1 + position, from 0, of the first token that is a term of q); 0 without a hit."""
    wanted = terms(q)
    for place, word in enumerate(tokens(page["text"])):
        if word in wanted:
            return 1 / (1 + place)
    return 0.0 if wanted else None


def span(q, page, world):
    """|T(q)| / length of the shortest run of tokens that contains all of T(q); 0 if there is none."""
    wanted, words = terms(q), tokens(page["text"])
    if not wanted:
        return None
    # The shortest run starts and ends with words of the query; otherwise it could be shortened.
    places = [place for place, word in enumerate(words) if word in wanted]
    runs = [words[start : end + 1] for start in places for end in places]
    return max((len(wanted) / len(run) for run in runs if wanted <= set(run)), default=0.0)


def phrases(q, page, world):
    """ln(1 + number of occurrences of the query's tokens as a phrase in the body)."""
    phrase, words = tokens(q), tokens(page["text"])
    if not phrase:
        return None
    return math.log(1 + sum(1 for i in range(len(words)) if words[i : i + len(phrase)] == phrase))


def site_name_likeness(q, page, world):
    """1 − lev/max of q and the site name on the page; missing if there is none."""
    return likeness(normal(q), normal(page["site_name"])) if normal(page["site_name"] or "") else None


def bm25f(q, page, world):
    """Σ_t idf(t) x (k1 + 1) / (k1 + x), x = Σ_fields tf / (1 − b + b |f| / mean |f|); idf counts t in any field."""
    if not terms(q):
        return None
    anywhere = [add_counts(fields.values()) for fields in world.fields.values()]
    score = 0.0
    for term in tokens(q):
        x = 0.0
        for name, words in world.fields[page["url"]].items():
            if term in words:
                lengths = [sum(fields[name].values()) for fields in world.fields.values()]
                x += words[term] / (1 - B + B * sum(words.values()) / (sum(lengths) / len(lengths)))
        score += idf(anywhere, term) * x * (K1 + 1) / (K1 + x)
    return score


def fields_of(pages, links):
    """Words of the fields title, body, anchor (every link has weight 1) and url of each page, by address."""
    return {
        page["url"]: {
            "title": count(tokens(page["title"])),
            "body": count(tokens(page["text"])),
            "anchor": count(w for link in links if link["target"] == page["url"] for w in tokens(link["anchor"])),
            "url": count(tokens(bare(page["url"]))),
        }
        for page in pages
    }


FEATURES = {
    "ti_mr": of_page(title_match),
    "ti_q": of_page(lambda q, page, world: ratio(lcs(normal(q), normal(page["title"])), len(normal(q)))),
    "ti_cov": covers("title"),
    "ti_jacc": of_page(lambda q, page, world: jaccard(terms(q), terms(page["title"]))),
    "ti_pre": of_page(lambda q, page, world: float(normal(page["title"]).startswith(normal(q)))),
    "ti_bm25": of_page(lambda q, page, world: bm25(tokens(q), count(tokens(page["title"])), world.titles)),
    "ti_ed": of_page(lambda q, page, world: likeness(normal(q), normal(page["title"]))),
    "bo_cov": covers("text"),
    "bo_bm25": of_page(lambda q, page, world: bm25(tokens(q), count(tokens(page["text"])), world.bodies)),
    "bo_dir": of_page(lambda q, page, world: dirichlet(tokens(q), count(tokens(page["text"])), world.words)),
    "bo_jm": of_page(lambda q, page, world: jelinek_mercer(tokens(q), count(tokens(page["text"])), world.words)),
    "bo_tfn": of_page(term_share),
    "bo_cos": of_page(cosine),
    "bo_first": of_page(first_hit),
    "bo_span": of_page(span),
    "bo_phrase": of_page(phrases),
    "he_cov": covers("headings"),
    "me_cov": covers("description"),
    "site_name": of_page(site_name_likeness),
    "bm25f": of_page(bm25f),
}
