"""The nomogram as notebook output: a live figure in a frame of its own."""

import json
from xml.etree import ElementTree

import pytest

import glassrank as gr

pytestmark = pytest.mark.browser
READ = "() => document.querySelector('.nomogram').glassrank.view"


@pytest.fixture(scope="module")
def bundle():
    data = gr.simulate_ranking(12, 8, random_state=0).data
    model = gr.PairCalibrator(gr.RankSVM(), random_state=0).fit(data.X, data.y, qid=data.qid)
    title = "Why <b>A</b> & \"B\" are 'ranked'</iframe><script>alert(1)</script>"
    picture = gr.nomogram(model, data, query=data.qid[0], document=0, against=1, title=title, rows=6)
    return picture._repr_mimebundle_(include=None, exclude=None)


def test_a_notebook_can_store_the_output(bundle):
    output = {"output_type": "display_data", "data": bundle, "metadata": {}}
    assert json.loads(json.dumps(output))["data"] == bundle
    assert list(bundle) == ["text/plain", "image/svg+xml", "text/html"]
    assert ElementTree.fromstring(bundle["image/svg+xml"]).tag.endswith("svg")
    frame = ElementTree.fromstring(bundle["text/html"])
    assert (frame.tag, frame.get("sandbox"), len(frame)) == ("iframe", "allow-scripts", 0)
    assert frame.get("srcdoc").startswith("<!doctype html>")


@pytest.mark.parametrize("width", [1280, 800])
def test_the_figure_in_the_frame_is_live_fits_and_loads_nothing(bundle, width, tmp_path, open_page):
    page = tmp_path / "notebook.html"
    page.write_text(f"<!doctype html><meta charset=utf-8><title>n</title><body>{bundle['text/html']}")
    opened = open_page(page, width=width)
    frame = opened.page.frames[1]
    dot = frame.locator(".handles path[tabindex]").first
    dot.wait_for(state="attached")
    total = frame.evaluate(f"{READ[:-5]}.view.signal('total')")
    dot.focus()
    for _ in range(3):
        opened.page.keyboard.press("ArrowRight")
    frame.wait_for_function(f"before => ({READ})().signal('total') !== before", arg=total)
    assert frame.locator(".what-if span").first.inner_text()
    assert frame.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert (opened.complaints, opened.dialogs) == ([], [])
    assert [url for url in opened.requests if not url.startswith(("file:", "data:", "about:"))] == []
