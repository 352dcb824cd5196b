"""The live nomogram: dots follow pointer and keyboard, and its numbers are the model's."""

import numpy as np
import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from glassrank.core.additive.effect_samples import EffectSamples
from glassrank.core.additive.effects import AdditiveEffects, FeatureEffect, LinearCurve
from glassrank.core.additive.flip import flip_value
from glassrank.data.ranking_data import RankingData
from glassrank.nomograms.explanation import explain_pair
from glassrank.nomograms.figure.nomogram import nomogram
from glassrank.ranking.calibration import PairCalibrator
from glassrank.ranking.rank_svm import RankSVM
from glassrank.simulation.ranking import simulate_ranking
from tests.browser.boxes import collisions, text_boxes
from tests.browser.live import LiveNomogram
from tests.nomograms.figure.examples import random_data, random_picture
from tests.nomograms.figure.shop import brand_picture, small_shop_picture
from tests.reference.nomogram import chosen_rows

pytestmark = pytest.mark.browser

P_TOLERANCE = 1e-3


def saturating(values):
    return 2.0 * np.tanh(np.asarray(values) / 3.0)


def hump(values):
    return 1.5 * np.exp(-(((np.asarray(values) - 4.0) / 2.0) ** 2))


@pytest.fixture(scope="module")
def data():
    return simulate_ranking(30, 15, random_state=0).data


@pytest.fixture(scope="module")
def models(data):
    made = {kernel: PairCalibrator(RankSVM(C=10.0, kernel=kernel), random_state=0) for kernel in ("linear", "lrbf")}
    return {kernel: model.fit(data.X, data.y, qid=data.qid) for kernel, model in made.items()}


@pytest.fixture
def live(tmp_path, open_page):
    """Save a picture, open it, and take hold of its figure."""

    def opened(picture, **options):
        page = open_page(picture.save(tmp_path / "why.html"), **options)
        assert page.complaints == []
        return LiveNomogram(page.page)

    return opened


def pair_of(model, data, lines="box", **options):
    return nomogram(model, data, query=data.qid[0], document=0, against=1, lines=lines, **options)


def one_of_each_kind(figure):
    """A feature per kind of line; a group has no value of its own to move."""
    movable = {row["f"]["name"] for row in figure.rows("sliders")}
    rows = [row["f"] for row in reversed(figure.rows("dots")) if row["f"]["name"] in movable]
    return {feature["kind"]: feature["name"] for feature in rows}


@pytest.mark.parametrize(("kernel", "lines"), [("linear", "box"), ("lrbf", "box"), ("lrbf", "folded")])
def test_dragging_and_keys_give_the_models_own_probability(live, models, data, kernel, lines):
    model = models[kernel]
    figure = live(pair_of(model, data, lines))
    recorded = np.array([figure.values("A"), figure.values("B")])
    np.testing.assert_allclose(recorded, data.X[:2], rtol=1e-12)
    assert figure.signal("probability") == pytest.approx(model.predict_pair_proba(*data.X[:2, None])[0], abs=1e-9)
    kinds = one_of_each_kind(figure)
    assert set(kinds) >= ({"line"} if kernel == "linear" else {"box" if lines == "box" else "fold"})
    for name in kinds.values():
        figure.drag(figure.dot(name, "A"), 17, 6)
        figure.press(figure.dot(name, "B"), "ArrowRight", "ArrowRight", "ArrowUp", "PageUp", "ArrowLeft")
        a, b = np.array([figure.values("A")]), np.array([figure.values("B")])
        assert (a != recorded[:1]).any()
        assert (b != recorded[1:]).any()
        expected = model.predict_pair_proba(a, b)[0]
        assert figure.signal("probability") == pytest.approx(expected, abs=P_TOLERANCE)
        assert float(figure.page.locator(".big text").text_content()) == pytest.approx(expected, abs=P_TOLERANCE + 5e-4)


def test_the_dot_follows_the_pointer_along_its_line(live, models, data):
    figure = live(pair_of(models["linear"], data))
    name = one_of_each_kind(figure)["line"]
    dot = figure.dot(name, "A")
    before = dot.bounding_box()
    way = 25 if before["x"] < 500 else -25
    figure.drag(dot, way)
    assert dot.bounding_box()["x"] - before["x"] == pytest.approx(way, abs=1.5)


@pytest.mark.parametrize("width", [1280, 1000])
def test_a_box_is_dragged_by_height_also_where_the_picture_is_scaled(live, width):
    figure = live(hand_made(), width=width)
    dot = figure.dot("hump")
    before = dot.bounding_box()
    figure.drag(dot, 0, -12)
    assert dot.bounding_box()["y"] - before["y"] == pytest.approx(-12, abs=1.5)


def hand_made(**options):
    """A straight, a saturating and a rising-and-falling feature, known by formula."""
    features = (
        FeatureEffect("straight", LinearCurve(-0.4), 0.0, 5.0, 2.0),
        FeatureEffect("saturating", saturating, 0.0, 10.0, 3.0),
        FeatureEffect("hump", hump, 0.0, 10.0, 5.0),
    )
    X = np.random.default_rng(0).uniform(0, 5, size=(30, 3))
    X[0], X[1] = [1.0, 3.0, 4.5], [2.0, 2.0, 2.5]
    data = RankingData(X, np.arange(30) % 3, feature_names=["straight", "saturating", "hump"])
    made = AdditiveEffects(features, 0.0, "log-odds")
    return nomogram(made, data, query=0, document=0, against=1, **options)


@pytest.mark.parametrize("lines", ["box", "folded"])
def test_flip_values_are_those_of_the_solver_before_and_after_a_change(live, lines):
    picture = hand_made(lines=lines)
    figure = live(picture)
    for change in (None, ("straight", "A"), ("hump", "B")):
        if change:
            figure.press(figure.dot(*change), "PageUp", "ArrowRight")
        total = figure.signal("total")
        for row in figure.rows("flips"):
            effect = picture.effects.features[row["f"]["k"]]
            value = figure.values(row["doc"])[row["f"]["k"]]
            way = 1 if row["doc"] == "A" else -1
            expected = flip_value(effect, value, float(effect(np.array(value))) - way * total)
            assert (row["v"] is None) == (expected is None)
            if expected is not None:
                assert row["v"] == pytest.approx(expected, abs=0.02)
                moved = float(effect(np.array(row["v"])) - effect(np.array(value)))
                assert total + way * moved == pytest.approx(0, abs=2e-3)


@pytest.mark.parametrize("lines", ["box", "folded"])
@pytest.mark.parametrize("name", ["straight", "saturating", "hump"])
def test_every_kind_of_line_gives_the_formulas_probability(live, name, lines):
    """−0.4 x, 2 tanh(x/3) and 1.5 exp(−((x − 4)/2)²), added up here once more."""
    figure = live(hand_made(lines=lines))
    start = figure.signal("probability")
    for move in (
        lambda: figure.drag(figure.dot(name, "A"), -23, 9),
        lambda: figure.press(figure.dot(name, "B"), "PageUp"),
    ):
        move()
        (x, y, z), (x2, y2, z2) = figure.values("A"), figure.values("B")
        a, b = -0.4 * x + saturating(y) + hump(z), -0.4 * x2 + saturating(y2) + hump(z2)
        assert figure.signal("probability") != start
        assert figure.signal("probability") == pytest.approx(1 / (1 + np.exp(b - a)), abs=P_TOLERANCE)


def test_a_change_is_told_shown_and_taken_back(live):
    figure = live(hand_made())
    before = figure.signal("probability")
    assert figure.sentence() == ""
    figure.press(figure.dot("straight", "B"), "ArrowRight", "ArrowRight")
    after = figure.signal("probability")
    assert figure.sentence() == (
        f"What if: B’s straight moved from 2.00 to 2.10. P(A above B) rises from {before:.3f} to {after:.3f}."
    )
    assert figure.badges() == 1
    assert [row["px"] == pytest.approx(row["px0"]) for row in figure.rows("dots") if row["moved"]] == [False]
    figure.page.get_by_role("button", name="Reset").click()
    figure.settle()
    assert figure.signal("probability") == before
    assert figure.sentence() == ""
    assert figure.badges() == 0


def test_keys_do_the_same_on_lines_and_boxes(live):
    figure = live(hand_made())
    for name in ("straight", "saturating", "hump"):
        dot = figure.dot(name)
        low, high, start = (float(dot.get_attribute(f"aria-value{end}")) for end in ("min", "max", "now"))
        step = (high - low) / 100
        steps = {"ArrowRight": 1, "ArrowUp": 1, "ArrowLeft": -1, "ArrowDown": -1, "PageUp": 10, "PageDown": -10}
        for key, moved in (steps | {"Shift+ArrowRight": 10}).items():
            figure.press(dot, key)
            assert float(dot.get_attribute("aria-valuenow")) == pytest.approx(start + moved * step)
            figure.press(dot, "Escape")
            assert float(dot.get_attribute("aria-valuenow")) == start
        figure.press(dot, "Home")
        assert float(dot.get_attribute("aria-valuenow")) == low
        figure.press(dot, "End")
        assert float(dot.get_attribute("aria-valuenow")) == high


def test_dots_are_sliders_in_the_order_of_rows_a_before_b(live):
    figure = live(hand_made())
    dots = figure.page.locator(".handles path").all()
    assert {dot.get_attribute("role") for dot in dots} == {"slider"}
    assert [dot.get_attribute("aria-label")[:10] for dot in dots] == ["Document A", "Document B"] * 3
    said = {dot.get_attribute("aria-label"): dot.get_attribute("aria-valuetext") for dot in dots}
    assert said["Document A, straight 1.00"] == "1.00"


def test_another_pair_is_shown_from_outside(live, models, data):
    model = models["lrbf"]
    picture = pair_of(model, data)
    figure = live(picture)
    figure.press(figure.dot(one_of_each_kind(figure)["box"]), "PageUp")
    query = data.qid[-1]
    rows = np.flatnonzero(data.qid == query)
    pair = picture.pair_to_show(data, query=query, document=3, against=4)
    figure.host.evaluate("(host, pair) => host.glassrank.show(pair)", pair)
    figure.settle()
    expected = model.predict_pair_proba(data.X[rows[[3]]], data.X[rows[[4]]])[0]
    assert figure.signal("probability") == pytest.approx(expected, abs=1e-9)
    assert figure.sentence() == ""
    assert figure.text(f"A  {data.doc_ids[rows[3]]}")
    assert figure.text(f"Query {query}")


@pytest.mark.parametrize("n_features", [6, 136])
def test_another_pair_has_its_own_rows_in_the_order_of_its_contributions(live, n_features):
    """Row, number, piece, bar and amount of each feature follow |contribution| of the pair that is shown."""
    picture, data = random_picture(n_features), random_data(n_features)
    figure = live(picture)
    for query, a, b in (("q3", 2, 7), ("q8", 11, 4)):
        pair = picture.pair_to_show(data, query=query, document=a, against=b)
        figure.host.evaluate("(host, pair) => host.glassrank.show(pair)", pair)
        figure.settle()
        why = explain_pair(picture.effects, data, query=query, document=a, against=b)
        amounts = {feature.name: feature.contribution for feature in why.by_size}
        half = picture.layout.amounts.resolution / 2
        expected = chosen_rows([feature.contribution for feature in why.features], 2 * half)
        bars = [row for row in figure.rows("bars") if row["slot"] >= 0]
        bars.sort(key=lambda row: row["at"])
        assert [row["k"] for row in bars] == expected
        assert [row["said"] for row in bars] == [feature.name for feature in why.by_size[: len(bars)]]
        assert [row["d"] for row in bars] == pytest.approx([amounts[row["said"]] for row in bars], abs=1e-8)
        assert [row["place"]["number"] for row in bars] == list(range(1, len(bars) + 1))
        rest = [row for row in figure.rows("bars") if row["slot"] == -1]
        assert sum(row["d"] for row in [*bars, *rest]) == pytest.approx(why.total, abs=1e-7)
        assert shown_names(figure) == [f"{place}  {row['said']}" for place, row in enumerate(bars, start=1)]
        pieces = {row["k"]: abs(row["xa"] - row["xb"]) for row in figure.rows("segments")}
        assert [pieces[k] for k in expected] == sorted(pieces.values(), reverse=True)
        # 100 points are the longest line that is shown.
        ends = [row["end"] for row in figure.rows("lines")]
        assert max(ends) == pytest.approx(740, abs=0.01)
        assert collisions(text_boxes(figure.page)) == []


def shown_names(figure):
    """The names of the rows, from top to bottom."""
    rows = sorted(figure.rows("lines"), key=lambda row: row["top"])
    return [row["title"] for row in rows]


def test_intervals_are_those_of_the_replicates_and_only_for_recorded_values(live):
    slopes = np.array([-0.4, -0.3, -0.5, -0.45, -0.2])
    X = np.random.default_rng(0).uniform(0, 5, size=(30, 2))
    data = RankingData(X, np.arange(30) % 3, feature_names=["one", "two"])

    def made(slope):
        curves = (LinearCurve(slope), LinearCurve(2.0 * slope + 1.0))
        features = (
            FeatureEffect(name, curve, 0.0, 5.0, 2.0) for name, curve in zip(data.feature_names, curves, strict=True)
        )
        return AdditiveEffects(tuple(features), 0.0, "log-odds")

    samples = EffectSamples(tuple(made(slope) for slope in slopes))
    figure = live(nomogram(made(-0.4), data, query=0, document=0, against=1, samples=samples))
    moved = X[0] - X[1]
    totals = slopes * moved[0] + (2 * slopes + 1) * moved[1]
    ends = 1 / (1 + np.exp(-np.quantile(totals, [0.025, 0.975])))
    assert figure.text(f"95 % interval of P {ends[0]:.2f} to {ends[1]:.2f}")
    errors = {row["said"]: row["se"] for row in figure.rows("bars")}
    assert errors["one"] == pytest.approx(np.std(slopes * moved[0], ddof=1))
    figure.press(figure.dot("one"), "PageUp")
    assert figure.text("95 % interval, as recorded")


@pytest.fixture(scope="module")
def pages_by_kind():
    """Rows with a category and their classifier."""
    rng = np.random.default_rng(0)
    kinds = rng.choice(["news", "shop", "wiki"], 300)
    frame = pd.DataFrame({"age": rng.normal(50, 15, 300), "kind": kinds, "links": rng.poisson(5, 300).astype(float)})
    z = (frame.age - 50) / 15 + frame.kind.map({"news": 1.2, "shop": -1.2, "wiki": 0.0})
    y = rng.random(300) < 1 / (1 + np.exp(-z))
    columns = make_column_transformer((OneHotEncoder(), ["kind"]), (StandardScaler(), ["age", "links"]))
    return frame, make_pipeline(columns, LogisticRegression()).fit(frame, y)


def test_a_classifiers_dot_jumps_between_categories(live, pages_by_kind):
    frame, model = pages_by_kind
    picture = nomogram(model, frame, document=5)
    figure = live(picture)
    names = [feature.name for feature in picture.effects.features]
    for keys in (["Home"], ["ArrowRight"], ["ArrowRight"]):
        figure.press(figure.dot("kind"), *keys)
        figure.press(figure.dot("age"), "ArrowUp")
        values = dict(zip(names, figure.values(), strict=True))
        category = picture.effects.features[names.index("kind")].categories[int(values["kind"])]
        row = frame.iloc[[5]].assign(kind=category, age=values["age"])
        assert figure.signal("probability") == pytest.approx(model.predict_proba(row)[0, 1], abs=P_TOLERANCE)
    figure.drag(figure.dot("kind"), -900)
    assert figure.values()[names.index("kind")] in (0, 1, 2)


def test_whole_numbers_stay_whole_under_the_pointer(live, pages_by_kind):
    frame, model = pages_by_kind
    figure = live(nomogram(model, frame, document=5))
    figure.drag(figure.dot("links"), 9)
    links = next(row for row in figure.rows("all") if row["f"]["name"] == "links")
    assert links["v"] != links["v0"]
    assert links["v"] == round(links["v"])


def test_with_136_features_the_rest_is_found_by_name_and_moved_by_keyboard(live):
    picture = random_picture(136)
    figure = live(picture)
    hidden = picture.layout.lines[picture.layout.rest.columns[-1]].feature.name
    figure.page.locator("summary").focus()
    figure.page.keyboard.press("Enter")
    figure.page.get_by_role("searchbox").fill(hidden)
    field = figure.page.get_by_role("spinbutton", name=f"A, {hidden}", exact=True)
    before, k = figure.signal("total"), picture.effects.names.index(hidden)
    value = picture.pair.a.values[k]
    field.fill(str(value + 1.0))
    field.press("Enter")
    figure.settle()
    slope = picture.effects.features[k].curve.slope
    assert figure.signal("total") == pytest.approx(before + slope * (figure.values()[k] - value), rel=1e-6)
    assert figure.sentence().startswith(f"What if: A’s {hidden} moved")


def test_all_levels_of_a_category_are_listed_by_effect_from_the_keyboard(live):
    picture = brand_picture()
    figure = live(picture)
    page = figure.page
    page.get_by_role("button", name="Brand: list all levels").focus()
    page.keyboard.press("Enter")
    levels = page.locator(".levels")
    assert levels.locator(".title").inner_text() == "Brand: all 200 levels by effect"
    rows = [row.split("\t") for row in levels.locator("tbody tr").all_inner_texts()]
    curve = picture.effects.features[0].curve
    names = picture.effects.features[0].categories
    expected = sorted(range(200), key=lambda code: (-curve.levels[code], code))
    assert [row[1].removesuffix(" (rare)") for row in rows] == [names[code] for code in expected]
    own = {
        names[int(document.values[0])]: letter
        for letter, document in zip("AB", (picture.pair.a, picture.pair.b), strict=True)
    }
    assert {row[1]: row[0] for row in rows if row[0]} == own
    page.keyboard.type(names[7])
    assert "1 of 200" in levels.inner_text()
    assert Axe().run(page).response["violations"] == []
    page.keyboard.press("Escape")
    assert not levels.is_visible()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Brand: list all levels"


@pytest.mark.parametrize("document", ["A", "B"])
def test_the_levels_of_the_documents_are_named_below_the_line(live, document):
    picture = brand_picture()
    figure = live(picture)
    names = picture.effects.features[0].categories
    figure.press(figure.dot("Brand", document), "ArrowRight")
    code = int(figure.values(document)[0])
    labels = {row["doc"]: row["label"] for row in figure.rows("own_levels")}
    assert labels[document] == names[code]
    assert collisions(text_boxes(figure.page)) == []


def test_ties_of_whole_numbers_and_levels_are_those_of_the_explanation(live):
    """With missing values, categories, yes/no values and whole numbers; rare levels are never proposed."""
    for picture in (small_shop_picture(document=3, against=5), brand_picture()):
        figure = live(picture)
        for row in figure.rows("flips"):
            effect = picture.effects.features[row["f"]["k"]]
            values = picture.pair.a.values if row["doc"] == "A" else picture.pair.b.values
            value, way = values[row["f"]["k"]], 1 if row["doc"] == "A" else -1
            if np.isnan(value):
                continue
            needed = float(effect(np.array(value))) - way * picture.pair.difference
            expected = flip_value(effect, value, needed)
            assert (row["v"] is None) == (expected is None), effect.name
            if expected is not None:
                assert row["v"] == pytest.approx(expected, rel=2e-3, abs=0.02), effect.name
                assert row["v"] == round(row["v"]) or not (effect.whole or effect.categories)


def test_the_still_picture_and_the_live_one_say_the_same(live, tmp_path):
    from tests.drawing.svg import says

    picture = hand_made()
    figure = live(picture)
    still = says(picture.save(tmp_path / "why.svg").read_text())
    shown = [" ".join(text.split()) for text in figure.page.locator(".nomogram svg text").all_text_contents()]
    assert [text for text in shown if text] == still


def test_the_page_forbids_every_script_but_its_own(tmp_path, open_page):
    opened = open_page(hand_made().save(tmp_path / "why.html"))
    opened.page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hurt = 1\">')")
    opened.page.wait_for_timeout(100)
    assert opened.page.evaluate("window.hurt") is None
    policy = opened.page.locator("meta[http-equiv]").get_attribute("content")
    assert "unsafe-eval" not in policy
    assert "script-src 'sha256-" in policy


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_a_changed_figure_with_its_list_open(live, scheme):
    figure = live(hand_made(), scheme=scheme)
    figure.press(figure.dot("hump"), "PageUp")
    figure.page.locator("summary").click()
    found = Axe().run(figure.page).response["violations"]
    assert [(violation["id"], violation["help"]) for violation in found] == []


def test_on_a_narrow_page_the_figure_scrolls_and_the_page_does_not(live):
    figure = live(hand_made(), width=480)
    assert figure.page.evaluate("document.documentElement.scrollWidth") <= 480
    inside, shown = figure.page.locator("figure").evaluate("figure => [figure.scrollWidth, figure.clientWidth]")
    assert inside > shown
