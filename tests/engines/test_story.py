"""The pages that use a running engine do what they show."""

from contextlib import chdir

import pytest

from tests.house.markdown import code_blocks
from tests.house.repository import relative
from tests.house.test_docs import RUN, assert_runs_as_shown, pages_on_engines

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("document", pages_on_engines(), ids=relative)
def test_a_page_for_an_engine_runs_from_top_to_bottom(document, solr, tmp_path, monkeypatch):
    monkeypatch.setenv("SOLR", solr.url)
    namespace = {"__name__": "page"}
    with chdir(tmp_path):
        for block in code_blocks(document.read_text()):
            if block.language in RUN:
                assert_runs_as_shown(block, document, namespace)
