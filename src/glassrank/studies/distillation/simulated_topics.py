"""A simulated web as topics with known judgements."""

import numpy as np

from glassrank.simulation.web.simulate_web import simulate_web
from glassrank.simulation.web.simulated_web import SimulatedWeb
from glassrank.studies.distillation.topics import Topic


def simulate_topics(
    n_topics: int = 12,
    n_hosts: int = 180,
    n_pages: int = 2400,
    *,
    drift: float = 1.0,
    languages: int = 1,
    random_state: int = 0,
) -> tuple[SimulatedWeb, tuple[Topic, ...]]:
    """Simulate a web small enough to study in seconds; every page is judged by the simulation's ground truth."""
    web = simulate_web(n_topics, n_hosts, n_pages, drift=drift, languages=languages, random_state=random_state)
    topics = [
        Topic("_".join(one.name.split()), one.query, web.judgements(one).astype(np.float64)) for one in web.topics
    ]
    return web, tuple(topics)
