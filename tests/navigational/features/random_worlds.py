"""Small random worlds in the twin's format (lists of dicts), and as containers of the package."""

import random
from dataclasses import fields

import numpy as np

from glassrank.data.collection import Links, Pages
from glassrank.data.hosts import comparable_address
from glassrank.data.query_log import QueryLog
from glassrank.data.search_results import SearchResults

WORDS = ("zen", "garden", "bank", "login", "a", "of", "home", "o'neil", "x1", "été", "stones", "welcome")
QUERIES = (
    "zen garden",
    "Zen",
    "bank  LOGIN",
    "a a b",
    "???",
    "o'neil home",
    "ＺＥＮ stones zen",
    "été",
    "gardens of x1",
    "-",
)
HOSTS = (
    *("zen.org", "www.zen.org", "shop.zen.org", "bank.co.uk", "www.bank.co.uk", "zengarden.com", "a.github.io"),
    *("b.github.io", "127.0.0.1", "localhost:8080", "été.fr", "w.a.b.edu"),
)
PATHS = ("", "/", "/x", "/zen/", "/zen/garden/", "/a/index.html", "/a_b/c-d.html?x=1&y=zen", "/home", "/é%20x/~y")
TEXTS = ("headings", "description", "site_name", "h1")
COUNTS = ("html_bytes", "gzip_bytes", "link_words", "internal_links", "external_links", "external_hosts", "images")


def text(rng, longest):
    """Random words with some punctuation."""
    words = [rng.choice(WORDS) for _ in range(rng.randint(0, longest))]
    return "".join(
        word.upper() * (rng.random() < 0.1) or word + rng.choice((" ", " ", " ", ", ", "  ")) for word in words
    )


def addresses(rng, number):
    """Addresses of which no two are equivalent, because the twin compares them as texts; a few have no host."""
    found = {rng.choice(("http://", "https://", "")) + rng.choice(HOSTS) + rng.choice(PATHS) for _ in range(number)}
    by_form = {comparable_address(url): url for url in sorted(found | {"folder/zen.html", "http://zen.org/"})}
    return sorted(by_form.values())


def maybe(rng, value, chance=0.2):
    """The value, or sometimes None."""
    return None if rng.random() < chance else value


def some_results(rng, urls, engines=1, length=6, n_queries=4):
    """Lists of results; with several engines, one list per engine."""
    rows = []
    for number, query in enumerate(rng.sample(QUERIES, n_queries)):
        for engine in range(engines):
            shown = rng.sample(urls, min(length, len(urls)))
            for rank, url in enumerate(shown, start=1):
                row = {"query_id": f"q{number}", "query": query, "rank": rank, "url": url}
                row |= {"score": maybe(rng, rng.randint(0, 5) / 2), "snippet": maybe(rng, text(rng, 4))}
                rows.append(row | ({"engine": f"e{engine}"} if engines > 1 else {}))
    return rows


def some_links(rng, urls, number=60):
    """Links with texts that are often queries."""
    return [
        {
            "source": rng.choice(urls),
            "target": rng.choice(urls),
            "anchor": rng.choice((rng.choice(QUERIES), text(rng, 3), " ", "Zen")),
            "nofollow": rng.random() < 0.1,
        }
        for _ in range(number)
    ]


def some_pages(rng, urls):
    """Pages of most of the addresses."""
    return [
        {
            "url": url,
            "title": rng.choice(("", rng.choice(QUERIES) + " " + text(rng, 2), text(rng, 4))),
            "text": text(rng, 30),
            **{column: text(rng, 3) for column in TEXTS},
            "language": rng.choice(("", "en", "en-GB", "de", " EN_us")),
            "modified": maybe(rng, rng.randint(0, 10**6)),
            **{column: maybe(rng, rng.choice((0, rng.randint(1, 500)))) for column in COUNTS},
            "has_form": rng.random() < 0.5,
            "hidden_share": maybe(rng, rng.random()),
        }
        for url in urls
        if rng.random() < 0.8
    ]


def some_clicks(rng, urls, results, searches=40):
    """Events of searches for the results' queries and for others."""
    events = []
    asked = sorted({row["query"] for row in results} | {"zen", "other words"})
    time = 1000.0
    for number in range(searches):
        time += rng.choice((5.0, 60.0, 1000.0, 3000.0))
        user = f"u{rng.randint(1, 4)}"
        common = {"search": str(number), "query": rng.choice(asked), "user": user, "session": f"{user}-{number // 3}"}
        events.append({**common, "action": "search", "url": "", "time": time})
        shown = rng.sample(urls, min(5, len(urls)))
        for position, url in enumerate(shown, start=1):
            events.append(
                {**common, "action": "impression", "url": url, "time": time, "position": maybe(rng, position)}
            )
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            position = rng.randint(1, len(shown))
            event = {**common, "action": "click", "url": shown[position - 1], "time": time + rng.randint(0, 50)}
            events.append({**event, "position": maybe(rng, position), "dwell": maybe(rng, float(rng.randint(0, 60)))})
    rng.shuffle(events)
    return events


def random_world(seed, engines=1, clicks=True, links=True, pages=True, n_addresses=12):
    """Sources in the twin's format; those that are not requested are None."""
    rng = random.Random(seed)
    urls = addresses(rng, n_addresses)
    results = some_results(rng, urls[: len(urls) - 1], engines)
    return {
        "results": results,
        "links": some_links(rng, urls) if links else None,
        "pages": some_pages(rng, urls) if pages else None,
        "clicks": some_clicks(rng, urls, results) if clicks else None,
        "log_language": rng.choice((None, "en", "de_DE")),
        "trusted_hosts": None,
        "last_time": rng.choice((None, 2e6)),
    }


def to_container(kind, rows):
    """A container with the columns of any row; None becomes NaN in numeric columns."""
    declared = kind.declared()
    names = [one.name for one in fields(kind) if one.name in kind.required() or any(one.name in row for row in rows)]
    return kind(**{name: column(rows, name, declared[name].kind) for name in names})


def column(rows, name, kind):
    """Values of a column in the format of its kind."""
    values = [row.get(name) for row in rows]
    if kind == "text":
        return ["" if value is None else value for value in values]
    if kind in ("identifier", "name", "text or unknown"):
        return values
    numbers = np.array([np.nan if value is None else float(value) for value in values], dtype=float)
    return numbers.astype(bool) if kind == "flag" else numbers


def containers(world):
    """Arguments of query_url_features for sources in the twin's format."""
    kinds = {"results": SearchResults, "clicks": QueryLog, "links": Links, "pages": Pages}
    found = {name: to_container(kind, world[name]) for name, kind in kinds.items() if world.get(name) is not None}
    hosts = world.get("trusted_hosts")
    return {
        **found,
        "language": world.get("log_language"),
        "trusted_hosts": None if hosts is None else tuple(hosts),
        "last_time": world.get("last_time"),
    }


def by_row(table):
    """Values of a table by (query_id, rank) and name, as the twin returns them: None for missing values."""
    keys = zip(table.results.query_id, table.results.rank.tolist(), strict=True)
    return {
        (query_id, int(rank)): {
            name: None if np.isnan(value) else float(value) for name, value in zip(table.names, values, strict=True)
        }
        for (query_id, rank), values in zip(keys, table.X, strict=True)
    }
