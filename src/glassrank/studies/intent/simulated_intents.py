"""A simulated search log as queries with known intents."""

from glassrank.core.checks import check_choice
from glassrank.data.judgements.url_judgements import intents_from_judgements
from glassrank.simulation.log.simulate_log import simulate_log
from glassrank.simulation.log.simulated_log import PERFECT, SimulatedLog
from glassrank.simulation.web.simulate_web import simulate_web

# Name of the size → number of queries; Lu, Peng, Li and Ahmed (2006) labelled 2,102.
SIZES = {"small": 100, "demo": 400, "seed": 2102}
JUDGED = 5
# The paper asked four engines; features that compare engines need several.
ENGINES = {"engines": 4}


def simulate_intents(size: str = "demo", *, languages: int = 1, random_state: int = 0) -> SimulatedLog:
    """Simulate queries, their results in four engines, and clicks; every intent is known.

    The paper mentions no language, and all its examples are English, so there is one language by default.

    >>> simulate_intents("small")
    SimulatedLog(100 queries, 6,000 results, ... events, seed 0)
    """
    check_choice("size", size, SIZES)
    if size == "small":
        web = simulate_web(4, 40, 400, languages=languages, random_state=random_state)
        return simulate_log(web, SIZES[size], 15, **ENGINES, sessions_per_query=10, random_state=random_state)
    web = simulate_web(languages=languages, random_state=random_state)
    return simulate_log(web, SIZES[size], 100, **ENGINES, random_state=random_state)


def known_intents(simulated: SimulatedLog) -> dict[str, int]:
    """Query identifier → 1 if navigational, otherwise 0, by the paper's rule: editors judge the first 5 of each engine.

    So a query for a site that no engine returns among its first 5 is informational, whatever its users want.

    >>> sum(known_intents(simulate_intents("small")).values())
    17
    """
    return intents_from_judgements(simulated.judgements(JUDGED), perfect=PERFECT).intents
