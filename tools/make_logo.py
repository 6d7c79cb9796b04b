"""Remake the logos of static/: a small attention map beside the name, one SVG a theme.

An SVG used as an image cannot use the page's font, so the name is drawn as outlines of static/Inter.woff2.
Needs `python -m pip install fonttools brotli`; run from the project's root:

    python tools/make_logo.py
"""

from pathlib import Path

from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "static"

WEIGHTS = ((1.0, 0.35, 0.15), (0.45, 0.85, 0.2), (0.2, 0.55, 1.0))
SQUARE, PITCH, GRID = 7, 8, 23  # px
HEIGHT, TOP = 32, 4  # px; the height is what st.logo(size="large") shows
NAME, NAME_X, BASELINE, FONT_SIZE = "attnviz", 34, 23, 22  # px
COLOURS = {"light": ("#123E70", "#1A2330"), "dark": ("#86B8EA", "#E4E9F0")}  # squares, name


def squares(colour: str) -> str:
    """The 3 x 3 map: one colour, one opacity a weight."""
    return "".join(
        f'<rect x="{column * PITCH}" y="{row * PITCH}" width="{SQUARE}" height="{SQUARE}" rx="1.2"'
        f' fill="{colour}" fill-opacity="{weight}"/>'
        for row, weights in enumerate(WEIGHTS)
        for column, weight in enumerate(weights)
    )


def name_path() -> tuple[str, float]:
    """The name's outlines as SVG path data, and where they end (px)."""
    font = instantiateVariableFont(TTFont(STATIC / "Inter.woff2"), {"wght": 650, "opsz": 32})
    glyphs, cmap = font.getGlyphSet(), font.getBestCmap()
    scale = FONT_SIZE / font["head"].unitsPerEm
    pen = SVGPathPen(glyphs, ntos=lambda number: f"{number:.2f}".rstrip("0").rstrip("."))
    x = float(NAME_X)
    for letter in NAME:
        glyph = glyphs[cmap[ord(letter)]]
        glyph.draw(TransformPen(pen, (scale, 0, 0, -scale, x, BASELINE)))
        x += glyph.width * scale
    return pen.getCommands(), x


def main() -> None:
    """Write logo_light.svg, logo_dark.svg and icon.svg (the map alone, for the browser's tab)."""
    outlines, width = name_path()
    for theme, (squares_colour, name_colour) in COLOURS.items():
        (STATIC / f"logo_{theme}.svg").write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{HEIGHT}"'
            f' viewBox="0 0 {width:.0f} {HEIGHT}" role="img" aria-label="{NAME}">'
            f'<g transform="translate(0 {TOP})">{squares(squares_colour)}</g>'
            f'<path fill="{name_colour}" d="{outlines}"/></svg>\n',
            encoding="utf-8",
        )
    (STATIC / "icon.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{GRID}" height="{GRID}" viewBox="0 0 {GRID} {GRID}">'
        f"{squares('#2F6BA8')}</svg>\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
