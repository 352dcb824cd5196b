"""Real engines, each started once for all tests of this folder; without Java and Maven the tests are skipped."""

import pytest

from tests.engines.java_program import lucene, rank_lib
from tests.engines.solr_client import SolrClient
from tools.engines.catalogue import ENGINES
from tools.engines.jars import absent_tool
from tools.engines.node import running

__all__ = ["lucene", "rank_lib"]


@pytest.fixture(scope="session")
def java_and_maven():
    lacking = absent_tool()
    if lacking:
        pytest.skip(f"engines need a Java compiler and Maven: {lacking}")


@pytest.fixture(scope="session")
def solr_node(java_and_maven):
    with running(ENGINES["solr"]) as node:
        yield SolrClient(f"{node.url}/glassrank")


@pytest.fixture
def solr(solr_node):
    """An empty Solr: no documents, no features, no models."""
    yield solr_node
    solr_node.clear()
