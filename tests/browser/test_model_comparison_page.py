"""The page of two compared models, opened from disk in a real browser."""

import pytest
from axe_playwright_python.sync_playwright import Axe

import glassrank as gr

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    data = gr.simulate_ranking(12, 20, random_state=3).data
    both = [gr.RankSVM(C=C).fit(data) for C in (10.0, 0.0001)]
    found = gr.compare_models(*both, data, random_state=0, n_resamples=100)
    return found.save(tmp_path_factory.mktemp("compared") / "compare.html")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_the_page_is_accessible_loads_nothing_and_does_not_scroll_sideways(path, open_page, scheme, width):
    opened = open_page(path, scheme=scheme, width=width)
    assert (opened.complaints, opened.requests, opened.dialogs) == ([], [path.as_uri()], [])
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(opened.page).response["violations"]
    assert [(violation["id"], violation["help"]) for violation in found] == []
