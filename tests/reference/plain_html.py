"""Slow twin of the page reader, with Python's HTML parser; for well-formed pages only."""

from html.parser import HTMLParser

INLINE = {"a", "b", "i", "em", "span"}
NOT_SHOWN = {"script", "style", "template", "noscript"}


class PlainPage(HTMLParser):
    """Visible and hidden text, links, headings and images of a page whose elements are all closed."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, bool]] = []
        self.shown, self.hidden = "", ""
        self.links: list[list[str]] = []
        self.headings: list[list] = []
        self.images = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "img":
            self.images += 1
            self._add(" ")
            return
        if tag not in INLINE:
            self._add(" ")
        hides = "hidden" in attributes or "display:none" in attributes.get("style", "")
        self.open.append((tag, hides))
        if tag == "a":
            self.links.append([attributes["href"], ""])
        if tag in ("h1", "h2", "h3"):
            self.headings.append([int(tag[1]), ""])

    def handle_endtag(self, tag):
        self.open.pop()
        if tag not in INLINE:
            self._add(" ")

    def handle_data(self, data):
        self._add(data)

    def _add(self, data: str) -> None:
        tags = [tag for tag, _ in self.open]
        if NOT_SHOWN.intersection(tags):
            return
        is_hidden = any(hides for _, hides in self.open)
        if is_hidden:
            self.hidden += data
        else:
            self.shown += data
        if "a" in tags:
            self.links[-1][1] += data
        if {"h1", "h2", "h3"}.intersection(tags) and not is_hidden:
            self.headings[-1][1] += data

    def text(self) -> str:
        return " ".join(self.shown.split())

    def hidden_share(self) -> float:
        shown, hidden = len(self.text()), len(" ".join(self.hidden.split()))
        return hidden / (shown + hidden) if shown + hidden else 0.0


def count_links(urls, links, host_of):
    """Count each page's links to its own host and to other hosts, and these hosts, by looking at every link."""
    rows = []
    for url in urls:
        own = host_of(url)
        targets = [host_of(target) for source, target in links if source == url]
        rows.append(
            (sum(t == own for t in targets), sum(t != own for t in targets), len({t for t in targets if t != own}))
        )
    return rows
