"""One table of colours for pages and pictures."""

import re
from dataclasses import fields

import pytest

from glassrank.drawing.theme import DARK, FONTS, LIGHT, PAGE, THEMES, Theme, css_variables
from tests.reference.contrast import contrast

TOKENS = [field.name for field in fields(Theme)]
TEXT_TOKENS = ["ink", "ink2", "ink3", "a", "b"]


def test_the_contrast_twin_reproduces_the_values_of_the_guidelines():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)
    assert contrast((118, 118, 118), "#FFFFFF") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("token", TEXT_TOKENS)
@pytest.mark.parametrize("ground", ["page", "subtle"])
def test_text_colours_reach_a_contrast_of_4_5(theme, token, ground):
    assert contrast(getattr(theme, token), getattr(theme, ground)) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_lines_and_marks_reach_a_contrast_of_3(theme):
    for token in ("line", "mark", "a", "b"):
        assert contrast(getattr(theme, token), theme.page) >= 3


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_each_document_shows_on_its_own_tint(theme):
    assert contrast(theme.a, theme.tint_a) >= 3
    assert contrast(theme.b, theme.tint_b) >= 3


@pytest.mark.parametrize(("name", "theme"), THEMES.items())
def test_every_token_is_a_colour(name, theme):
    assert name in ("light", "dark")
    assert all(re.fullmatch(r"#[0-9A-Fa-f]{6}", getattr(theme, token)) for token in TOKENS)


def test_both_themes_declare_the_same_variables():
    declared = [re.findall(r"(--[\w-]+): (#\w{6});", css_variables(theme)) for theme in (LIGHT, DARK)]
    assert [name for name, _ in declared[0]] == [name for name, _ in declared[1]]
    assert len(declared[0]) == len(TOKENS)
    assert [value for _, value in declared[1]] == [getattr(DARK, token) for token in TOKENS]


def test_the_page_theme_names_a_declared_variable_for_every_token():
    declared = set(re.findall(r"(--[\w-]+):", css_variables(LIGHT)))
    named = [re.fullmatch(r"var\((--[\w-]+)\)", getattr(PAGE, token))[1] for token in TOKENS]
    assert set(named) == declared
    assert len(set(named)) == len(TOKENS)


def test_fonts_end_in_a_generic_family_and_download_nothing():
    assert FONTS.endswith("sans-serif")
    assert "url" not in FONTS
