"""The prepared sources of the features, and values that are computed once."""

from functools import cache, cached_property

from tests.reference.navigational.anchor import counted_links, weighted
from tests.reference.navigational.events import prepared
from tests.reference.navigational.facts import word_trigrams
from tests.reference.navigational.graph import pagerank
from tests.reference.navigational.page import fields_of
from tests.reference.navigational.results import single_list
from tests.reference.navigational.text import add_counts, count, tokens
from tests.reference.navigational.url import host

PAGE_COLUMNS = (
    *("url", "title", "text", "h1", "headings", "description", "site_name", "language", "modified"),
    *("html_bytes", "gzip_bytes", "link_words", "internal_links", "external_links", "external_hosts"),
    *("images", "has_form", "hidden_share"),
)


class World:
    """Results, log, links and pages; missing sources are None."""

    def __init__(self, results, clicks, links, pages, log_language, trusted_hosts, last_time):
        self.rows = single_list(results)
        self.log = None if clicks is None else prepared(clicks)
        self.links = None if links is None else counted_links(links)
        self.pages = None if pages is None else [{c: page.get(c) for c in PAGE_COLUMNS} for page in pages]
        self.log_language = log_language
        self.trusted_hosts = trusted_hosts
        times = [event["time"] for event in self.log or [] if event["time"] is not None]
        self.last_time = max(times, default=None) if last_time is None else last_time
        self.anchors = cache(lambda scope: weighted(self.links, scope))

    @cached_property
    def page_of(self):
        """Page of each address."""
        return {page["url"]: page for page in self.pages}

    @cached_property
    def titles(self):
        """Words of each page's title."""
        return [count(tokens(page["title"])) for page in self.pages]

    @cached_property
    def bodies(self):
        """Words of each page's body."""
        return [count(tokens(page["text"])) for page in self.pages]

    @cached_property
    def words(self):
        """Words of all bodies."""
        return add_counts(self.bodies)

    @cached_property
    def whole(self):
        """Words of title and body by address."""
        return {page["url"]: count(tokens(page["title"]) + tokens(page["text"])) for page in self.pages}

    @cached_property
    def trigrams(self):
        """Counts of the trigrams in all bodies."""
        return count(gram for page in self.pages for gram in word_trigrams(page["text"]))

    @cached_property
    def fields(self):
        """Words of each page's four fields."""
        return fields_of(self.pages, self.links)

    @cached_property
    def edges(self):
        """Distinct pairs of linked pages."""
        return sorted({(link["source"], link["target"]) for link in self.links})

    @cached_property
    def nodes(self):
        """Pages at an end of a link."""
        return sorted({end for edge in self.edges for end in edge})

    @cached_property
    def hosts(self):
        """Hosts of these pages."""
        return sorted({host(node) for node in self.nodes})

    @cached_property
    def host_edges(self):
        """Distinct pairs of different hosts with a link between their pages."""
        return sorted({(host(s), host(t)) for s, t in self.edges if host(s) != host(t)})

    @cached_property
    def page_rank(self):
        """PageRank of the pages."""
        return pagerank(self.nodes, self.edges)

    @cached_property
    def host_rank(self):
        """PageRank of the hosts."""
        return pagerank(self.hosts, self.host_edges)
