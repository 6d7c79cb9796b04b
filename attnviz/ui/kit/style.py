"""What Streamlit's theme cannot say: a little CSS, one constant string a theme, for one `st.html`.

The rules are assets/style.css and right_to_left.css, the same for both themes; only the colours before them differ.
HTML of our own takes the roles' colours as `var(--query)` (fill) and `var(--query-text)` (text).
"""

from dataclasses import fields
from pathlib import Path

from attnviz.figures.palette import PALETTES, Palette, Scale

ASSETS = Path(__file__).with_name("assets")
WIDTHS = (
    *range(240, 2000, 40),
    *range(2000, 8001, 400),
)  # of pictures, in pixels: rules sent once, not with each
SPLIT = (1.6, 1)  # one split for every station and step: what is beside never jumps while stepping
SHEETS = ("style.css", "right_to_left.css")
STATIC = "/app/static/"  # served once; a path to an SVG would be sent whole with every answer


def css(theme: str) -> str:
    """The `<style>` element of `theme`; ValueError for one that is not in STYLES."""
    return _of(theme, STYLES)


def logo(theme: str) -> str:
    """The address of the logo of `theme`, for `st.logo`; ValueError for one that is not in STYLES."""
    return _of(theme, LOGOS)


def icon() -> str:
    """The address of the mark without the name, for the browser's tab."""
    return f"{STATIC}icon.svg"


def wide(key: str, width: int) -> str:
    """The key of a container that scrolls where there is no room for `width` px, rounded up to one of WIDTHS."""
    return f"wide_{key}_{next((step for step in WIDTHS if step >= width), WIDTHS[-1])}px"


def _widths() -> str:
    return "".join(f'[class*="_{step}px"] {{ --wide: {step}px; }}\n' for step in WIDTHS)


def upload_words(key: str, pick: str, most: str) -> str:
    """The `<style>` element with our words for a box for files in the container `key`, which starts with "file_box".

    Streamlit's own know one language only. The words are ours, from the locale files.
    """
    if not (key.startswith("file_box") and key.isidentifier()):
        raise ValueError(f'key must be a name that starts with "file_box"; got {key!r}')
    return f"<style>.st-key-{key} {{ --pick: {_quoted(pick)}; --most: {_quoted(most)}; }}</style>"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("<", "\\3c ") + '"'


def _of(theme: str, table: dict[str, str]) -> str:
    if theme not in table:
        raise ValueError(f"theme must be one of {', '.join(table)}; got {theme!r}")
    return table[theme]


def _style(palette: Palette, frame: dict[str, str]) -> str:
    rules = "".join((ASSETS / file).read_text(encoding="utf-8") for file in SHEETS)
    return f"<style>:root {{ {_variables(palette, frame)} }}\n{_widths()}{rules}</style>"


def _variables(palette: Palette, frame: dict[str, str]) -> str:
    """A theme's colours as CSS variables: a field `query_text` of the palette is `--query-text`."""
    named = {field.name: getattr(palette, field.name) for field in fields(palette)} | frame
    colours = {name: value for name, value in named.items() if isinstance(value, str)}
    scales = {"scale_weights": _gradient(palette.weights), "scale_signed": _gradient(palette.signed)}
    return " ".join(f"--{name.replace('_', '-')}: {value};" for name, value in (colours | scales).items())


def _gradient(scale: Scale) -> str:
    stops = ", ".join(f"{colour} {position:.0%}" for position, colour in scale)
    return f"linear-gradient(to right, {stops})"


# The colours of .streamlit/config.toml that no picture uses.
FRAMES = {
    "light": {"primary": "#3A4757", "panel": "#F1F3F6"},
    "dark": {"primary": "#C3CDD9", "panel": "#1B232E"},
}
STYLES = {theme: _style(PALETTES[theme], frame) for theme, frame in FRAMES.items()}
LOGOS = {theme: f"{STATIC}logo_{theme}.svg" for theme in FRAMES}
