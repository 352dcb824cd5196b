"""Probabilities that a user clicks a result, and that a click satisfies the user."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from glassrank.core.checks import FloatArray, IntArray
from glassrank.simulation.log.queries import QueryTruth
from glassrank.simulation.log.result_lists import BATCH_SIZE
from glassrank.simulation.log.web_index import WebIndex
from glassrank.simulation.simulator_inputs import Rng
from glassrank.simulation.web.languages import language_numbers
from glassrank.simulation.web.simulated_web import SimulatedWeb

INFORMATIONAL, NAVIGATIONAL = 0, 1
# Random quality of title and snippet, in units of the logit.
LUCK = 0.6
# Logits of the probability that an examined result is clicked: offsets, and what each property adds.
HOME_WANTED, SAME_SITE_WANTED, ELSEWHERE = 2.2, -1.6, -4.6
SOMETHING = -3.2
TITLE, ADDRESS = 1.4, 1.0
FOREIGN = -2.5
ON_TOPIC, AMONG_THE_BEST, QUALITY = 0.9, 0.8, 0.35
# Probabilities that a click satisfies the user and ends the search.
SATISFACTION = {"home": 0.92, "same site": 0.5, "elsewhere": 0.06, "best": 0.4, "on topic": 0.25, "off topic": 0.06}


@dataclass(frozen=True, eq=False)
class Taste:
    """Probabilities for each kind of user (informational, navigational), query and result."""

    click: FloatArray
    """Probability that an examined result is clicked: 2 × queries × results."""
    satisfaction: FloatArray
    """Probability that a click satisfies the user."""


def draw_taste(rng: Rng, index: WebIndex, web: SimulatedWeb, truth: QueryTruth, pages: IntArray) -> Taste:
    """Draw the probabilities of clicks and satisfaction.

    The logit of a click is the sum of what is seen (query words in the title, similarity of the host, another language
    than the query's), the true worth of the page to this user, and luck.
    """
    luck = LUCK * rng.standard_normal(pages.shape)
    seen = TITLE * _title_cover(index, pages) + ADDRESS * np.take_along_axis(
        index.similarity, web.site_of_page[pages], axis=1
    )
    language = language_numbers(list(truth.languages))
    seen += FOREIGN * (language[:, None] != web.page_languages[pages])
    logits = np.empty((2, *pages.shape))
    satisfaction = np.empty_like(logits)
    same_site = web.site_of_page[pages] == truth.sites[:, None]
    home = pages == web.homes[truth.sites][:, None]
    logits[NAVIGATIONAL] = np.select([home, same_site], [HOME_WANTED, SAME_SITE_WANTED], ELSEWHERE + seen)
    satisfaction[NAVIGATIONAL] = _satisfaction(("home", home), ("same site", same_site), "elsewhere")
    topic = truth.topics[:, None]
    about = np.where(topic >= 0, web.page_topics[pages] == topic, same_site)
    best = about & np.isin(web.roles[pages], ("authority", "hub"))
    worth = QUALITY * np.log(np.clip(web.quality[pages], 0.1, None))
    logits[INFORMATIONAL] = SOMETHING + seen + ON_TOPIC * about + AMONG_THE_BEST * best + worth
    satisfaction[INFORMATIONAL] = _satisfaction(("best", best), ("on topic", about), "off topic")
    return Taste(1 / (1 + np.exp(-(logits + luck))), satisfaction)


def _satisfaction(first: tuple[str, Any], second: tuple[str, Any], otherwise: str) -> FloatArray:
    (best, is_best), (good, is_good) = first, second
    return np.select([is_best, is_good], [SATISFACTION[best], SATISFACTION[good]], SATISFACTION[otherwise])


def _title_cover(index: WebIndex, pages: IntArray) -> FloatArray:
    batches = [slice(first, first + BATCH_SIZE) for first in range(0, len(pages), BATCH_SIZE)]
    return np.concatenate([index.title_cover(rows, pages[rows]) for rows in batches])
