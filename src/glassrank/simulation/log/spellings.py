"""Spellings of site names as queries."""

from dataclasses import dataclass

import numpy as np

from glassrank.core.checks import IntArray
from glassrank.data.web.readable_address import readable_host
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.languages import write_in
from glassrank.simulation.web.simulated_web import SimulatedWeb
from glassrank.simulation.web.sites import Site

# Ways to type a name, and how often each is used.
SPELLINGS = {
    "name": 0.42, "joined": 0.14, "domain": 0.14, "host": 0.07, "misspelt": 0.11, "login": 0.07, "acronym": 0.05,
}  # fmt: skip
# An address or a login query means that site; only these spellings can mean something else.
OPEN_SPELLINGS = ("name", "joined", "misspelt", "acronym")


@dataclass(frozen=True, eq=False)
class NameQueries:
    """Unique spellings of site names, most likely first."""

    texts: list[str]
    sites: IntArray
    spellings: list[str]

    def __len__(self) -> int:
        return len(self.texts)


def draw_names(rng: Rng, web: SimulatedWeb) -> NameQueries:
    """Spell the names of all plain sites in all ways, in a random order that favours popular sites.

    Sorting by −ln(u) / w draws without replacement in proportion to w, here the frequency of the spelling times the
    square root of the home page's quality.
    """
    letters, order = rng.spawn(2)
    typed = [
        (number, spelling, text)
        for number, site in enumerate(web.sites)
        if site.kind == "plain"
        for spelling, text in spell(site, *letters.random(2)).items()
    ]
    popularity = np.sqrt(web.quality[web.homes])
    weights = np.array([SPELLINGS[spelling] * popularity[number] for number, spelling, _ in typed])
    keys = -np.log1p(-order.random(len(typed))) / weights
    # Several sites may have the same acronym: the first one gets it.
    kept: dict[str, tuple[int, str]] = {}
    for place in np.argsort(keys, kind="stable").tolist():
        number, spelling, text = typed[place]
        kept.setdefault(text, (number, spelling))
    sites = np.array([number for number, _ in kept.values()], dtype=np.int64)
    return NameQueries(list(kept), sites, [spelling for _, spelling in kept.values()])


def spell(site: Site, slip: float, place: float) -> dict[str, str]:
    """Return the different spellings of a site's name; ``slip`` and ``place`` select the error of a misspelling.

    >>> spell(Site("Zen Garden", "www.zengarden.co.uk", "zengarden.co.uk", 0, "plain"), 0.5, 0.5)["misspelt"]
    'zen garrden'
    >>> [*spell(Site("Zen Garden", "www.zengarden.co.uk", "zengarden.co.uk", 0, "plain"), 0.5, 0.5).values()][1:4]
    ['zengarden', 'zengarden.co.uk', 'www.zengarden.co.uk']
    """
    name = site.name.lower()
    words = name.split()
    bare = readable_host(site.host.removeprefix("www."))
    ways = {
        "name": name,
        "joined": "".join(words),
        "domain": bare,
        "host": f"www.{bare}",
        "misspelt": misspell(name, slip, place),
        "login": f"{name} {write_in('login', site.language)}",
        "acronym": "".join(word[0] for word in words) if len(words) > 1 else name,
    }
    first_of = {text: spelling for spelling, text in reversed(ways.items())}
    return {spelling: text for spelling, text in ways.items() if first_of[text] == spelling}


def misspell(name: str, slip: float, place: float) -> str:
    """Drop a letter, double it, or swap it with the next; the first and last letters are kept.

    >>> [misspell("garden", slip, 0.3) for slip in (0.1, 0.5, 0.9)]
    ['gaden', 'garrden', 'gadren']
    """
    inner = [at for at in range(1, len(name) - 1) if name[at] != " " and name[at + 1] != " "]
    at = inner[int(place * len(inner))] if inner else 0
    if slip < 1 / 3:
        return name[:at] + name[at + 1 :]
    if slip < 2 / 3:
        return name[: at + 1] + name[at:]
    return name[:at] + name[at + 1 : at + 2] + name[at] + name[at + 2 :]
