"""A simulated search log as queries with known intents."""

from glassrank.core.checks import check_choice
from glassrank.simulation.log.simulate_log import simulate_log
from glassrank.simulation.log.simulated_log import SimulatedLog
from glassrank.simulation.web.simulate_web import simulate_web

# Name of the size → number of queries; Lu, Peng, Li and Ahmed (2006) labelled 2,102.
SIZES = {"small": 100, "demo": 400, "seed": 2102}


def simulate_intents(size: str = "demo", *, random_state: int = 0) -> SimulatedLog:
    """Simulate queries, their results and clicks; every intent is known.

    >>> simulate_intents("small")
    SimulatedLog(100 queries, 3,000 results, ... events, seed 0)
    """
    check_choice("size", size, SIZES)
    if size == "small":
        web = simulate_web(4, 40, 400, random_state=random_state)
        return simulate_log(web, SIZES[size], 30, sessions_per_query=10, random_state=random_state)
    return simulate_log(simulate_web(random_state=random_state), SIZES[size], 100, random_state=random_state)


def known_intents(simulated: SimulatedLog) -> dict[str, int]:
    """Query identifier → 1 if navigational, otherwise 0."""
    return dict(zip(simulated.truth.ids, simulated.intents.tolist(), strict=True))
