"""The style sheet, the theme in .streamlit/config.toml and the palette of the pictures are one look."""

import re
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from attnviz.figures.palette import PALETTES, Palette
from attnviz.ui.kit import style

ROOT = Path(style.__file__).parents[3]
CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
RULES = (style.ASSETS / "style.css").read_text(encoding="utf-8")
themes = pytest.mark.parametrize("theme", PALETTES)


def theme_of_config(theme: str) -> dict[str, Any]:
    section: dict[str, Any] = CONFIG["theme"][theme]
    return section


def luminance(colour: str) -> float:
    """Relative luminance as in WCAG 2.1."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def variables(css: str) -> dict[str, str]:
    return dict(re.findall(r"(--[\w-]+):\s*([^;]+);", css.split("}")[0]))


@themes
def test_page_and_pictures_have_the_same_colours(theme: str) -> None:
    palette: Palette = PALETTES[theme]
    page = theme_of_config(theme)
    assert page["textColor"] == palette.ink
    assert page["backgroundColor"] == palette.surface
    assert page["borderColor"] == palette.line
    assert page["grayColor"] == page["grayTextColor"] == palette.muted
    assert page["primaryColor"] == style.FRAMES[theme]["primary"]
    assert page["secondaryBackgroundColor"] == style.FRAMES[theme]["panel"]


@themes
@pytest.mark.parametrize("shade", ["ink", "muted", "query_text", "key_text", "value_text", "output_text"])
def test_text_is_legible_on_page_and_sidebar(theme: str, shade: str) -> None:
    page = theme_of_config(theme)
    for ground in (page["backgroundColor"], page["sidebar"]["backgroundColor"]):
        assert contrast(getattr(PALETTES[theme], shade), ground) >= 4.5


@themes
def test_every_variable_that_a_rule_uses_has_a_value(theme: str) -> None:
    used = set(re.findall(r"var\((--[\w-]+)", RULES)) - {
        "--wide",
        "--step",
        "--pick",
        "--most",
    }  # set where they are used
    assert used <= set(variables(style.css(theme)))


def test_words_of_a_box_for_files_cannot_leave_their_rule() -> None:
    rule = style.upload_words("file_box_picture", 'a "b" \\ </style>', "2 MB")
    assert rule.startswith("<style>.st-key-file_box_picture {") and rule.count("<") == 2
    assert r'--pick: "a \"b\" \\ \3c /style>"' in rule
    with pytest.raises(ValueError, match="file_box"):
        style.upload_words("another", "", "")


@themes
def test_roles_are_css_variables_with_the_palette_s_values(theme: str) -> None:
    found = variables(style.css(theme))
    for role in ("query", "key", "value", "output"):
        assert found[f"--{role}"] == PALETTES[theme].role(role)
        assert found[f"--{role}-text"] == PALETTES[theme].role_text(role)


@themes
def test_the_style_is_one_style_element_and_nothing_else(theme: str) -> None:
    inside = style.css(theme).removeprefix("<style>").removesuffix("</style>")
    assert "<" not in inside
    assert inside.count("{") == inside.count("}")


def test_an_unknown_theme_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(ValueError, match="theme must be one of light, dark; got 'sepia'"):
        style.css("sepia")


def test_no_rule_leans_on_class_names_that_streamlit_makes_up() -> None:
    assert "emotion" not in RULES


@pytest.mark.parametrize("address", [style.logo("light"), style.logo("dark"), style.icon()])
def test_logos_are_drawn_without_fonts_or_anything_from_outside(address: str) -> None:
    path = ROOT / "static" / address.removeprefix(style.STATIC)
    root = ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {"svg", "g", "rect", "path"}


@pytest.mark.parametrize("width", [1, 240, 241, 620, 1999, 2001, 8000])
@pytest.mark.parametrize("theme", style.STYLES)
def test_a_wide_picture_gets_its_width_or_little_more_by_the_key_of_its_container(
    width: int, theme: str
) -> None:
    key = style.wide("map", width)
    (least,) = (
        int(found[2])
        for found in re.finditer(r'\[class\*="([^"]+)"\] \{ --wide: (\d+)px; \}', style.css(theme))
        if found[1] in f"st-key-{key}"
    )
    assert key.startswith("wide_map_")
    assert width <= least <= max(240, 1.25 * width)


def test_the_page_s_font_lies_with_its_licence_where_the_theme_looks_for_it() -> None:
    (face,) = CONFIG["theme"]["fontFaces"]
    font = ROOT / face["url"].removeprefix("app/")
    assert font.read_bytes()[:4] == b"wOF2"
    assert "SIL OPEN FONT LICENSE" in (font.parent / "Inter-LICENSE.txt").read_text(encoding="utf-8")


def test_nothing_leaves_the_machine_and_the_first_start_asks_nothing() -> None:
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["server"]["showEmailPrompt"] is False
    assert "headless" not in CONFIG["server"]


def test_streamlit_knows_every_option_of_the_config_file() -> None:
    from streamlit import config

    known = config.get_config_options()

    def names(table: dict[str, Any], prefix: str = "") -> list[str]:
        return [
            name
            for key, value in table.items()
            for name in (names(value, f"{prefix}{key}.") if isinstance(value, dict) else [f"{prefix}{key}"])
        ]

    assert set(names(CONFIG)) <= set(known)
