"""Rows of the live nomogram beyond single features: interactions, groups, the opened rest, and pinned rows."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from glassrank.nomograms.explanation import explain_pair
from glassrank.nomograms.figure.lines import TOGETHER
from tests.browser.boxes import collisions, text_boxes
from tests.browser.live import LiveNomogram
from tests.nomograms.figure.examples import random_data, random_picture
from tests.nomograms.figure.shop import small_shop_picture
from tests.nomograms.figure.test_groups import MEMBERS, WEIGHTS, contributions, grouped_picture
from tests.nomograms.figure.tree_shop import tree_model, tree_picture, tree_rows, tree_shop

pytestmark = pytest.mark.browser


@pytest.fixture
def live(tmp_path, open_page):
    def opened(picture, **options):
        page = open_page(picture.save(tmp_path / "why.html"), **options)
        assert page.complaints == []
        return LiveNomogram(page.page)

    return opened


def now(figure):
    """Values of A and B now, as the model takes them."""
    rows = [figure.values(document) for document in "AB"]
    return np.array([[np.nan if value is None else value for value in row] for row in rows])


def predicted(figure):
    a, b = tree_model().predict(now(figure))
    return a - b


def test_a_moved_feature_moves_every_interaction_that_contains_it(live):
    picture = tree_picture()
    figure = live(picture)
    assert figure.signal("total") == pytest.approx(predicted(figure), abs=1e-9)
    names = [row["f"]["name"] for row in figure.rows("sliders") if row["doc"] == "A"]
    for name, keys in zip(names, (["PageUp"], ["ArrowRight"] * 3, ["Home"], ["End"]), strict=False):
        figure.press(figure.dot(name, "A"), *keys)
        figure.press(figure.dot(name, "B"), "PageDown", "ArrowLeft")
        assert figure.signal("total") == pytest.approx(predicted(figure), abs=1e-3)
    n = len(picture.effects.features)
    tables = [both(now(figure)) for both in picture.effects.interactions]
    amounts = {row["k"]: row["d"] for row in figure.rows("rows")}
    assert [amounts[n + j] for j in range(len(tables))] == pytest.approx([a - b for a, b in tables], abs=1e-8)


def test_missing_values_move_the_interactions_too(live):
    figure = live(tree_picture(rows=22))
    for name in ("Rating", "Delivery, days"):
        figure.press(figure.dot(name, "A"), "m")
        figure.press(figure.dot(name, "B"), "m")
        assert figure.signal("total") == pytest.approx(predicted(figure), abs=1e-3)


@pytest.mark.parametrize(("query", "a", "b"), [("q3", 2, 7), ("q5", 0, 4), ("q9", 3, 8), ("q11", 1, 6)])
def test_ties_are_those_of_the_explanation(live, query, a, b):
    """A feature moves with all its interactions; documents without a value are offered a known one."""
    figure = live(tree_picture(query, a, b, rows=22))
    why = explain_pair(tree_model(), tree_shop(), query=query, document=a, against=b)
    features = {feature.name: feature for feature in why.features}
    found = figure.rows("flips")
    assert found
    for row in found:
        feature = features[row["f"]["name"]]
        expected = feature.flip_a if row["doc"] == "A" else feature.flip_b
        assert (row["v"] is None) == (expected is None), feature
        if expected is not None:
            assert row["v"] == pytest.approx(expected, rel=1e-6), feature


def test_ties_of_missing_values_are_those_of_the_explanation(live):
    picture = small_shop_picture(document=15, against=1)
    figure = live(picture)
    missing = 0
    for row in figure.rows("flips"):
        values = picture.pair.a.values if row["doc"] == "A" else picture.pair.b.values
        if not np.isnan(values[row["f"]["k"]]):
            continue
        missing += 1
        expected = _flip(picture, row)
        assert (row["v"] is None) == (expected is None), row["f"]["name"]
        if expected is not None:
            assert row["v"] == pytest.approx(expected, rel=2e-3), row["f"]["name"]
    assert missing > 0


def _flip(picture, row):
    from glassrank.core.additive.flip import flip_value

    effect, way = picture.effects.features[row["f"]["k"]], 1 if row["doc"] == "A" else -1
    needed = effect.missing_effect - way * picture.pair.difference
    return flip_value(effect, np.nan, needed)


def test_documents_are_in_the_cell_of_their_values(live):
    picture = tree_picture()
    figure = live(picture)
    figure.press(figure.dot(figure.rows("sliders")[0]["f"]["name"], "A"), "PageUp")
    for dot in figure.rows("map_dots"):
        both = picture.effects.interactions[dot["k"] - len(picture.effects.features)]
        drawn = picture.layout.lines[dot["k"]].map
        values = now(figure)["AB".index(dot["doc"])][None]
        i, j = (
            axis.of_state[int(states(values[:, k])[0])]
            for axis, states, k in zip(
                (drawn.across, drawn.up), (both.first_axis, both.second_axis), both.features, strict=True
            )
        )
        cell = next(cell for cell in figure.rows("cells") if (cell["k"], cell["i"], cell["j"]) == (dot["k"], i, j))
        assert cell["x"] < dot["x"] < cell["x"] + cell["w"]
        assert cell["y"] < dot["y"] < cell["y"] + 16
        assert cell["effects"] == pytest.approx(drawn.effects[i, j])


def test_another_pair_shows_its_own_interactions(live):
    picture = tree_picture()
    figure = live(picture)
    for query, a, b in (("q5", 0, 4), ("q9", 3, 8)):
        pair = picture.pair_to_show(tree_shop(), query=query, document=a, against=b)
        figure.host.evaluate("(host, pair) => host.glassrank.show(pair)", pair)
        figure.settle()
        assert figure.signal("total") == pytest.approx(
            -np.diff(tree_model().predict(tree_rows(query, a, b)))[0], abs=1e-7
        )
        expected = tree_picture(query, a, b)
        shown = sorted(figure.rows("placed"), key=lambda place: place["top"])
        assert [place["k"] for place in shown] == list(expected.layout.arrangement.shown)
        assert [place["top"] for place in shown] == pytest.approx([p.top for p in expected.layout.arrangement.places])
        assert figure.signal("bottom") == pytest.approx(expected.layout.bottom)
        assert {row["f"]["kind"] for row in figure.rows("tie_notes")} <= {TOGETHER}
        assert collisions(text_boxes(figure.page)) == []


def test_values_alone_show_another_pair(live):
    """Effects of interactions and groups follow from the values."""
    figure = live(tree_picture())
    values = [[None if np.isnan(value) else value for value in row] for row in tree_rows("q9", 3, 8)]
    pair = {"dots": [{"values": row} for row in values]}
    figure.host.evaluate("(host, pair) => host.glassrank.show(pair)", pair)
    figure.settle()
    assert figure.signal("total") == pytest.approx(predicted(figure), abs=1e-3)
    figure = live(grouped_picture(rows=30))
    rows = random_data(30).X[4:6]
    pair = {"dots": [{"values": row.tolist()} for row in rows]}
    figure.host.evaluate("(host, pair) => host.glassrank.show(pair)", pair)
    figure.settle()
    sums = {row["k"]: row["d"] for row in figure.rows("rows")}
    assert sums[30] == pytest.approx((WEIGHTS * (rows[0] - rows[1]))[list(MEMBERS)].sum(), abs=1e-6)


def test_a_group_opens_and_closes_from_the_keyboard(live):
    figure, own = live(grouped_picture(rows=30)), contributions()
    total, bottom = figure.signal("total"), figure.signal("bottom")
    button = figure.page.get_by_role("button", name="Text match: 4 features that move together")
    assert button.get_attribute("aria-expanded") == "false"
    figure.press(button, "Enter")
    assert button.get_attribute("aria-expanded") == "true"
    members = [place["k"] for place in figure.rows("placed") if place["part"] == "member"]
    assert members == sorted(MEMBERS, key=lambda k: -abs(own[k]))
    assert figure.text("Inside: signs are not meaningful")
    assert figure.signal("total") == total
    assert collisions(text_boxes(figure.page)) == []
    expected = grouped_picture(rows=30, open_groups=True).layout
    assert figure.signal("bottom") > bottom
    tops = {place["k"]: place["top"] for place in figure.rows("placed")}
    at = {place.k: place.top for place in expected.arrangement.places}
    assert {k: tops[k] - tops[30] for k in members} == pytest.approx({k: at[k] - at[30] for k in members})
    assert Axe().run(figure.page).response["violations"] == []
    figure.press(button, "Escape")
    assert figure.signal("bottom") == bottom


def test_a_moved_member_changes_its_group(live):
    figure, data = live(grouped_picture(rows=30)), random_data(30)
    figure.press(figure.page.get_by_role("button", name="Text match"), "Enter")
    figure.press(figure.dot("feature 8", "A"), "PageUp")
    a, b = (np.array(figure.values(document)) for document in "AB")
    assert (a != data.X[0]).any()
    sums = {row["k"]: row["d"] for row in figure.rows("rows")}
    assert sums[30] == pytest.approx((WEIGHTS * (a - b))[list(MEMBERS)].sum(), abs=1e-6)
    assert figure.signal("total") == pytest.approx((WEIGHTS * (a - b)).sum(), abs=1e-6)


def test_the_rest_opens_twenty_rows_at_a_time_with_numbers_that_go_on(live):
    picture = random_picture(136)
    figure = live(picture)
    before = figure.signal("total")
    rest = figure.rows("rest")[0]
    button = figure.page.get_by_role("button", name="Rows of all the rest")
    figure.press(button, "Enter")
    n = len(picture.layout.rows)
    hidden = sorted(picture.layout.rest.columns, key=lambda k: -abs(picture.overlay.contributions[k]))
    opened = [place for place in figure.rows("placed") if place["part"] == "rest"]
    assert [place["k"] for place in opened] == hidden[:20]
    assert [place["number"] for place in opened] == list(range(n + 1, n + 21))
    assert [row["end"] <= 740.001 for row in figure.rows("lines")] == [True] * (n + 20)
    figure.press(figure.page.get_by_role("button", name="20 more of"), "Enter")
    assert len(figure.rows("placed")) == n + 40
    assert figure.rows("rest")[0]["d"] == rest["d"]
    assert figure.rows("rest")[0]["count"] == rest["count"]
    assert figure.signal("total") == before
    assert collisions(text_boxes(figure.page)) == []
    figure.press(button, "Escape")
    assert len(figure.rows("placed")) == n


def test_a_pinned_row_has_its_number_and_stays_part_of_the_rest(live):
    picture = random_picture(136)
    figure = live(picture)
    hidden = sorted(picture.layout.rest.columns, key=lambda k: -abs(picture.overlay.contributions[k]))
    name = picture.layout.lines[hidden[50]].feature.name
    rest = figure.rows("rest")[0]
    figure.page.locator("summary").click()
    figure.page.get_by_role("searchbox").fill(name)
    figure.page.get_by_role("button", name=f"Pin {name}", exact=True).press("Enter")
    figure.settle()
    assert figure.text(f"{len(picture.layout.rows) + 51}  {name}")
    assert figure.text("pinned by you")
    assert figure.rows("rest")[0]["d"] == rest["d"]
    assert Axe().run(figure.page).response["violations"] == []
    figure.page.get_by_role("button", name=f"Unpin {name}", exact=True).press("Enter")
    figure.settle()
    assert figure.text("pinned by you") is None


def test_a_line_beyond_100_points_is_cut(live):
    """A feature with a long line on which the documents are close is part of the rest."""
    weights = np.array([0.3, 0.2, 40.0])
    X = np.array([[0.0, 5.0, 1.0], [5.0, 0.0, 1.00001], [1.0, 2.0, 0.0], [2.0, 1.0, 9.0]])
    figure = live(_picture_of(weights, X))
    figure.press(figure.page.get_by_role("button", name="Rows of all the rest"), "Enter")
    row = next(row for row in figure.rows("lines") if row["place"]["part"] == "rest")
    assert row["whole_end"] > 740
    assert row["end"] == 740


def _picture_of(weights, X):
    from glassrank.data.ranking_data import RankingData
    from glassrank.nomograms.figure.nomogram import nomogram
    from tests.nomograms.figure.examples import model_of

    data = RankingData(X, [2, 0, 1, 1], ["q"] * 4, None, ["one", "two", "long"])
    return nomogram(model_of(weights), data, query="q", document=0, against=1, rows=2)
