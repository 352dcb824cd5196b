"""Collections small enough to compute by hand."""

from glassrank.data.collection import Collection, Links, Pages


def collection(pages, links):
    """``pages``: address → (title, text); ``links``: (source, target) pairs."""
    return Collection(
        Pages(
            url=list(pages),
            title=[title for title, _ in pages.values()],
            text=[text for _, text in pages.values()],
        ),
        Links(
            source=[source for source, _ in links],
            target=[target for _, target in links],
            anchor=["" for _ in links],
        ),
    )


ZEN = {
    "http://a.org/zen": ("Zen", "zen buddhism school of meditation"),
    "http://b.org/temple": ("Temple", "zen temple in kyoto with monks and meditation"),
    "http://c.org/links": ("Zen links", "links about zen buddhism meditation and temples"),
    "http://d.org/guide": ("Guide", "a guide to zen meditation and buddhism"),
    "http://e.org/shop": ("Shop", "cheap cameras lenses batteries zen brand phone offers phone phone"),
    "http://f.org/cars": ("Cars", "vintage cars"),
}
ZEN_LINKS = [
    ("http://c.org/links", "http://a.org/zen"),
    ("http://c.org/links", "http://b.org/temple"),
    ("http://d.org/guide", "http://a.org/zen"),
    ("http://c.org/links", "http://e.org/shop"),
    ("http://f.org/cars", "http://e.org/shop"),
    ("http://f.org/cars", "http://a.org/zen"),
    ("http://a.org/zen", "http://f.org/cars"),
]


def zen():
    """Five pages that contain the word zen, and one that does not; one of the five is a shop."""
    return collection(ZEN, ZEN_LINKS)
