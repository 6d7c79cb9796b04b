"""How the pictures and words of the page on sqrt(d_k) look: words, colours, size, axes, digits."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from attnviz.figures.curve_axes import LARGE, SCREEN, Axis, Type
from attnviz.figures.labels import number
from attnviz.figures.palette import Palette
from attnviz.lesson.settings import Settings
from attnviz.ui.lessons.scaling.knobs import ScalingKnobs
from attnviz.words import Words


@dataclass(frozen=True)
class Look:
    """In which words, colours and size a picture is drawn, and for which settings."""

    words: Words
    palette: Palette
    settings: Settings

    @property
    def type_(self) -> Type:
        """Large where a class looks on."""
        return LARGE if self.settings.present else SCREEN

    @property
    def knobs(self) -> ScalingKnobs:
        """The page's own settings."""
        return self.settings.of(ScalingKnobs)

    def __call__(self, name: str, **values: object) -> str:
        """The words of the page."""
        return self.words(f"scaling.{name}", **values)

    def html(self, name: str, **values: object) -> Markup:
        """The words of the page as HTML, every value escaped."""
        return self.words.html(f"scaling.{name}", **values)

    def joined(self, sentences: Iterable[Markup]) -> Markup:
        """Sentences one after another, as the language sets them apart."""
        return Markup(self("between")).join(sentences)

    def tall(self, pixels: int, large: int = 0) -> int:
        """The height of a picture, another one (by default the same) where a class looks on."""
        return large if large and self.settings.present else pixels


def d_k_axis(*, sparse: bool = False) -> Axis:
    """d_k from 1 to 4096 on a logarithmic axis."""
    return binary("dₖ", (1, 64, 4096) if sparse else (1, 8, 64, 512, 4096), 0.8, 5200)


def binary(title: str, ticks: tuple[float, ...], low: float, high: float) -> Axis:
    """A logarithmic axis with ticks at powers of two."""
    return Axis(title, low, high, log=True, ticks=ticks, texts=tuple(f"{tick:g}" for tick in ticks))


def powers(title: str, base: float, lowest: int, highest: int, by: int = 1) -> Axis:
    """A logarithmic axis from base^lowest to base^highest and a little beyond, with every by-th power named."""
    exponents = range(lowest, highest + 1, by)
    little = 0.02 * (highest - lowest)
    low, high = base ** (lowest - 2 * little), base ** (highest + little)
    texts = tuple(f"{base**p:g}" if p >= -4 else f"{base:g}{superscript(p)}" for p in exponents)
    return Axis(title, low, high, True, tuple(float(base) ** p for p in exponents), texts)


def superscript(number_: int) -> str:
    """A whole number in superscript digits."""
    return str(number_).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def significant(value: float) -> str:
    """Three significant digits, never in powers of ten, with a true minus sign."""
    if value == 0 or not np.isfinite(value):
        return number(value)
    digits = max(0, 2 - int(np.floor(np.log10(abs(value)))))
    return number(value, min(digits, 8))


def tidy(value: float) -> str:
    """A whole number as it is, any other in three digits."""
    return f"{value:.0f}" if float(value).is_integer() else significant(value)


def short(value: float) -> str:
    """A setting as it was given: 8, 0.5."""
    return f"{value:g}"


def ticks_to(top: float) -> tuple[float, ...]:
    """Round numbers from 0 to just below `top`."""
    step = 0.5 if top < 2 else 1.0 if top < 5 else 2.0
    return tuple(float(t) for t in np.arange(0.0, top, step))


def texts_of(ticks: tuple[float, ...]) -> tuple[str, ...]:
    """The ticks as they are written."""
    return tuple(f"{tick:g}" for tick in ticks)
