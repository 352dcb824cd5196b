"""The picture: its texts and marks, its files and its string form."""

import struct

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.data.ranking_data import RankingData
from glassrank.drawing.theme import DARK, LIGHT
from glassrank.nomograms.figure.nomogram import nomogram
from tests.drawing.svg import lines, named_marks, place, says, texts
from tests.nomograms.figure.examples import (
    curved_picture,
    curved_samples,
    model_of,
    random_data,
    random_picture,
    read_number,
    small_picture,
)


def svg_of(picture, tmp_path, theme="light"):
    return picture.save(tmp_path / "picture.svg", theme=theme).read_text()


def test_the_picture_says_rank_score_and_judgement(tmp_path):
    """Scores 0.3 · 10 − 0.5 · 1 = 2.5 and 0.3 · 0 − 0.5 · 4 = −2."""
    said = says(svg_of(small_picture(), tmp_path))
    for expected in ["A d1", "rank 1 of 4 · score 2.50judged 2", "B d2", "rank 4 of 4 · score −2.00judged 0"]:
        assert expected in said


def test_the_picture_says_values_contributions_and_the_total(tmp_path):
    said = says(svg_of(small_picture(), tmp_path))
    for expected in ["1 clicks", "A 10", "B 0", "2 spam", "A 1", "B 4", "+3.00", "+1.50", "+4.50", "A above B"]:
        assert expected in said
    assert said.count("+4.50") == 2


def test_units_are_shown_after_the_names_of_lines(tmp_path):
    assert "1 clicks, per day" in says(svg_of(small_picture(units={"clicks": "per day"}), tmp_path))


def test_a_negative_judgement_has_a_real_minus(tmp_path):
    data = RankingData([[1.0], [2.0]], [0, -1])
    svg = svg_of(nomogram(model_of([1.0]), data, query=0, document=0, against=1), tmp_path)
    assert "rank 1 of 2 · score 2.00judged −1" in says(svg)


@pytest.mark.parametrize(("strength", "text"), [(1.0, "of P 0.71 to 0.78"), (3.0, "0.71 to 0.78 excludes P")])
def test_an_interval_that_excludes_its_estimate_says_so(strength, text, tmp_path):
    """The replicates are those of strength 1: totals of 0.88 to 1.26 against 1.05 or three times as much."""
    assert f"95 % interval {text}" in says(
        svg_of(curved_picture(strength=strength, samples=curved_samples()), tmp_path)
    )


def test_marks_in_the_svg_are_where_arithmetic_puts_them(tmp_path):
    svg = svg_of(small_picture(), tmp_path)
    marks = named_marks(svg)
    assert place(marks["Document A, clicks 10"])[0] == pytest.approx(740)
    assert place(marks["Document B, clicks 0"])[0] == pytest.approx(240)
    assert place(marks["Document A, spam 1"])[0] == pytest.approx(490)
    assert [(x1, x2) for x1, x2, _ in lines(svg, "1.6")] == [pytest.approx((240, 740)), pytest.approx((240, 490))]
    assert [(x1, x2) for x1, x2, _ in lines(svg, "4")] == [pytest.approx((740, 240)), pytest.approx((490, 240))]


@pytest.mark.parametrize("n_features", [5, 25])
def test_every_line_of_the_svg_starts_at_240(tmp_path, n_features):
    drawn = lines(svg_of(random_picture(n_features), tmp_path), "1.6")
    picture = random_picture(n_features)
    assert len(drawn) == len(picture.layout.rows)
    assert {x1 for x1, _, _ in drawn} == {240}
    assert max(x2 for _, x2, _ in drawn) == pytest.approx(740)


def test_a_row_names_its_feature_at_the_height_of_its_line(tmp_path):
    """The name's centre is on the line, and the values share their baseline with the tick labels."""
    svg = svg_of(small_picture(), tmp_path)
    _, _, y = lines(svg, "1.6")[0]
    beside = {" ".join(text.says.split()): text for text in texts(svg) if text.x < 240}
    name, value = beside["1 clicks"], beside["A 10"]
    assert name.y - 0.3 * name.size == pytest.approx(y, abs=1.5)
    baseline = min(text.y for text in texts(svg) if text.size == 11 and text.y > y and text.x >= 240)
    assert value.y == pytest.approx(baseline, abs=1.0)


def test_a_rare_value_has_a_line_under_its_segment(tmp_path):
    """One document of 1000 has the value 1 of a feature that is otherwise 0."""
    rare = np.zeros((1000, 1))
    rare[0] = 1.0
    data = RankingData(rare, np.arange(1000) % 2)
    svg = svg_of(nomogram(model_of([2.0]), data, query=0, document=0, against=1), tmp_path)
    assert [(x1, x2) for x1, x2, _ in lines(svg, "1.6")] == [pytest.approx((240, 740))]


@pytest.mark.parametrize(("theme", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_a_theme_sets_the_colours_of_background_and_text(tmp_path, theme, colours):
    svg = svg_of(small_picture(), tmp_path, theme)
    assert f'fill="{colours.page}"' in svg
    allowed = {colours.ink, colours.ink2, colours.ink3, colours.a, colours.b}
    assert {text.fill for text in texts(svg)} <= allowed


def test_a_contribution_that_rounds_to_zero_has_the_colour_of_neither_document(tmp_path):
    data = RankingData([[1.0, 0.5], [0.0, 0.5], [0.0, 1.0]], [1, 0, 0])
    svg = svg_of(nomogram(model_of([1.0, 1.0]), data, query=0, document=0, against=1), tmp_path)
    fills = {text.fill for text in texts(svg) if text.says == "0.00"}
    assert fills
    assert fills.isdisjoint({LIGHT.a, LIGHT.b})


def test_a_tie_has_the_colour_of_neither_document(tmp_path):
    data = RankingData([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [1, 0, 0])
    svg = svg_of(nomogram(model_of([1.0, 1.0]), data, query=0, document=0, against=1), tmp_path)
    tie = next(text for text in texts(svg) if text.says == "A and B tie")
    assert tie.fill not in {LIGHT.a, LIGHT.b}


def test_files_are_of_the_kind_their_suffix_names(tmp_path):
    picture = random_picture(5)
    suffixes = (".svg", ".png", ".pdf", ".html")
    saved = {suffix: picture.save(tmp_path / f"why{suffix}").read_bytes() for suffix in suffixes}
    assert saved[".svg"].startswith(b"<svg ")
    assert saved[".png"].startswith(b"\x89PNG\r\n\x1a\n")
    assert saved[".pdf"].startswith(b"%PDF-")
    assert saved[".html"].startswith(b"<!doctype html>")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["why.html", "why.pdf", "why.png", "why.svg"]


def test_a_png_has_twice_the_nominal_size(tmp_path):
    picture = random_picture(5)
    width, height = struct.unpack(">II", picture.save(tmp_path / "why.png").read_bytes()[16:24])
    assert (width, height) == (2800, 2 * picture.specification()["height"])


def test_save_returns_the_path_and_takes_a_string(tmp_path):
    assert small_picture().save(str(tmp_path / "why.svg")) == tmp_path / "why.svg"


def test_the_same_picture_gives_the_same_bytes(tmp_path):
    for name in ("first", "second"):
        small_picture().save(tmp_path / f"{name}.svg")
        small_picture().save(tmp_path / f"{name}.html")
        small_picture().save(tmp_path / f"{name}.png")
    for suffix in (".svg", ".html", ".png"):
        assert (tmp_path / f"first{suffix}").read_bytes() == (tmp_path / f"second{suffix}").read_bytes()


@pytest.mark.parametrize("name", ["why.jpg", "why", "why.svg.zip"])
def test_an_unknown_suffix_is_refused_with_the_known_ones(tmp_path, name):
    with pytest.raises(DataError, match=r"'\.html', '\.svg', '\.png', '\.pdf'"):
        small_picture().save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_theme_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(DataError, match=r"'light', 'dark': got 'sepia'"):
        small_picture().save(tmp_path / "why.svg", theme="sepia")


def test_a_folder_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        small_picture().save(tmp_path / "nowhere" / "why.svg")


def test_a_notebook_shows_the_svg(tmp_path):
    assert small_picture()._repr_svg_() == svg_of(small_picture(), tmp_path)


def test_the_string_form_adds_up():
    picture = random_picture(25)
    head, *rest = str(picture).splitlines()
    total = read_number(head.split(" = ")[1].removesuffix(" score"))
    amounts = [read_number(line.split()[0]) for line in rest]
    half_a_digit = 0.5 * picture.layout.amounts.resolution
    assert abs(sum(amounts) - total) <= (len(amounts) + 1) * half_a_digit
    assert total == pytest.approx(picture.pair.difference, abs=half_a_digit)
    assert len(rest) == len(picture.layout.rows) + 1


def test_the_string_form_by_hand():
    assert str(small_picture()).splitlines() == [
        "Ranking nomogram: d1 (A) − d2 (B) = +4.50 score",
        "      +3.00  1  clicks",
        "      +1.50  2  spam",
    ]


@pytest.mark.parametrize("suffix", [".svg", ".html"])
def test_the_description_for_screen_readers_covers_the_whole_comparison(tmp_path, suffix):
    """Without a description, a screen reader would announce single dots only."""
    words = "document A, d1, against document B, d2. Difference of scores A minus B: +4.50."
    assert words in small_picture().save(tmp_path / f"why{suffix}").read_text()


def test_the_description_keeps_a_name_with_two_spaces():
    data = RankingData([[1.0], [2.0]], [0, 1], feature_names=["bm25  title"])
    picture = nomogram(model_of([1.0]), data, query=0, document=0, against=1)
    assert "bm25  title −1.00" in picture.specification()["description"]


def test_a_model_with_zero_weights_is_drawn_as_a_tie(tmp_path):
    for n_features in (1, 5):
        picture = random_picture(n_features, weights=np.zeros(n_features))
        assert "A and B tie" in says(svg_of(picture, tmp_path))
        assert "= 0.00 score" in str(picture)
        assert picture.save(tmp_path / "tie.png").read_bytes().startswith(b"\x89PNG")


def test_a_query_of_two_documents_and_one_feature_is_drawn(tmp_path):
    data = RankingData([[2.0], [1.0]], [1, 0])
    said = says(svg_of(nomogram(model_of([3.0]), data, query=0, document=0, against=1), tmp_path))
    assert "+3.00" in said
    assert any(text.startswith("Query 0 · 1 feature") for text in said)


def test_pictures_of_other_models_are_refused():
    with pytest.raises(DataError, match="got str"):
        nomogram("model", random_data(2), query="q0", document=0, against=1)
