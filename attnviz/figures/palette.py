"""The colours of the two themes. Query, key, value and output keep theirs everywhere."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Scale = tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class Palette:
    """One theme's colours; `*_text` is the shade of a role that is legible as text (>= 4.5 : 1)."""

    ink: str
    muted: str
    line: str
    surface: str
    query: str
    key: str
    value: str
    output: str
    query_text: str
    key_text: str
    value_text: str
    output_text: str
    weights: Scale
    signed: Scale

    def role(self, name: str) -> str:
        """The fill of a role; the muted colour for what has none."""
        return {"query": self.query, "key": self.key, "value": self.value, "output": self.output}.get(
            name, self.muted
        )

    def role_text(self, name: str) -> str:
        """The text shade of a role; the ink for what has none."""
        return {
            "query": self.query_text,
            "key": self.key_text,
            "value": self.value_text,
            "output": self.output_text,
        }.get(name, self.ink)


def cell_inks(shares: NDArray[np.floating], scale: Scale) -> NDArray[np.str_]:
    """The text colour for each cell, given where it lies on `scale` (0 to 1).

    Soft ink where its contrast reaches 4.5 : 1, else white where that does, else black:
    with these three no point of our scales falls below 4.5 (contrast as in WCAG 2.1).
    """
    light = _luminance(_on_scale(shares, scale))
    soft = _luminance(np.array(_rgb(SOFT_INK)))
    on_soft = (light + 0.05) / (soft + 0.05) >= 4.5
    on_white = 1.05 / (light + 0.05) >= 4.5
    return np.where(on_soft, SOFT_INK, np.where(on_white, "#FFFFFF", "#000000"))


def cell_colours(shares: NDArray[np.floating], scale: Scale) -> NDArray[np.str_]:
    """The colour of each cell, given where it lies on `scale` (0 to 1), as #rrggbb: the heat map's own."""
    levels = np.rint(_on_scale(shares, scale) * 255).astype(int)
    codes = levels[..., 0] << 16 | levels[..., 1] << 8 | levels[..., 2]
    return np.array([f"#{code:06x}" for code in codes.ravel()]).reshape(codes.shape)


def _on_scale(shares: NDArray[np.floating], scale: Scale) -> NDArray[np.float64]:
    """Red, green and blue (0 to 1) at each place of the scale."""
    stops = np.array([position for position, _ in scale])
    channels = np.array([_rgb(colour) for _, colour in scale])  # (stops, 3)
    return np.stack([np.interp(shares, stops, channels[:, c]) for c in range(3)], axis=-1)


def _rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))


def _luminance(rgb: NDArray[np.floating]) -> NDArray[np.floating]:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance: NDArray[np.floating] = linear @ np.array([0.2126, 0.7152, 0.0722])
    return luminance


SOFT_INK = "#141B25"

LIGHT = Palette(
    ink="#1A2330",
    muted="#5A6675",
    line="#DDE2E8",
    surface="#FFFFFF",
    query="#0072B2",
    key="#D55E00",
    value="#009E73",
    output="#CC79A7",
    query_text="#00629B",
    key_text="#B34A00",
    value_text="#00734F",
    output_text="#9C4A78",
    weights=(
        (0, "#F3F6FA"),
        (0.1, "#DDE8F3"),
        (0.25, "#B0CAE5"),
        (0.45, "#6E9FCE"),
        (0.7, "#2F6BA8"),
        (1, "#103A6A"),
    ),
    signed=((0, "#A45A12"), (0.25, "#E0B684"), (0.5, "#F5F6F7"), (0.75, "#93B7DC"), (1, "#2563A0")),
)

DARK = Palette(
    ink="#E4E9F0",
    muted="#9AA8B8",
    line="#2B3644",
    surface="#10151C",
    query="#5AB0E6",
    key="#F28A3C",
    value="#2FC39A",
    output="#DB97BD",
    query_text="#6DB9EA",
    key_text="#FF9E60",
    value_text="#3CCB9F",
    output_text="#E3A6C8",
    weights=(
        (0, "#1A222D"),
        (0.1, "#1F3147"),
        (0.25, "#294F77"),
        (0.45, "#3F7BB4"),
        (0.7, "#7FB3E2"),
        (1, "#DCECFB"),
    ),
    signed=((0, "#E9A961"), (0.25, "#7C5630"), (0.5, "#1C242F"), (0.75, "#315E8C"), (1, "#8CBCEC")),
)

PALETTES = {"light": LIGHT, "dark": DARK}
