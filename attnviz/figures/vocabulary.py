"""The words of Plotly that the renderer of matrices knows: a figure in them becomes what is sent to the browser.

A word that is not here raises, by its name, before anything is drawn. What only Plotly needs is known and left out.
"""

import base64
import re
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from attnviz.figures.base import Figure

Words: TypeAlias = frozenset[str]


def _words(text: str) -> Words:
    return frozenset(text.split())


# What each kind of thing may say; what only Plotly hears is known, and not sent.
TRACES = {
    "heatmap": _words("type z zmin zmax colorscale xgap ygap opacity name hovertemplate xaxis yaxis"),
    "scatter": _words("type mode x y text textfont marker opacity hovertemplate xaxis yaxis"),
    "image": _words("type source x0 y0 dx dy xaxis yaxis"),
}
LAYOUT = _words("height margin font shapes annotations")
AXIS = _words(
    "range domain anchor overlaying side showticklabels tickvals ticktext tickfont tickangle ticklabelstandoff "
    "scaleanchor constrain constraintoward"
)
NOTE = _words("text x y xref yref xanchor yanchor xshift yshift font")
SHAPE = _words("type xref yref x0 x1 y0 y1 yanchor ysizemode line")
UNHEARD_TRACE = _words("showscale hoverongaps hoverinfo cliponaxis")
UNHEARD_LAYOUT = _words("paper_bgcolor plot_bgcolor hoverlabel hovermode hoverdistance dragmode showlegend")
UNHEARD_AXIS = _words("showgrid showline zeroline ticks fixedrange automargin tickmode")
UNHEARD_NOTE = _words("showarrow")
UNHEARD_SHAPE = _words("layer")
PARTS = {
    "font": _words("size color family"),
    "textfont": _words("size color family"),
    "tickfont": _words("size color"),
    "marker": _words("symbol size color opacity"),
    "line": _words("color width dash"),
    "margin": _words("l r t b pad"),
}
# Words that may mean only one thing.
ONLY = {
    "mode": _words("text markers"),
    "symbol": _words("line-ne-open"),
    "side": _words("top"),
    "constrain": _words("domain"),
    "dash": _words("dot"),
    "ysizemode": _words("pixel"),
}
SHAPES = _words("rect line")
_AXES = re.compile(r"[xy]axis\d*")
_TAGS = re.compile(r"</?(b|sup|sub|span)>|<br>|<extra></extra>|<span style=\"[^\"<>]*\">")
_HOLES = re.compile(r"%\{(?:x|y|z(?::\.\df)?)\}")


def payload(figure: Figure) -> dict[str, Any]:
    """The figure as JSON takes it: arrays as dtype, base64 and shape, and only what the renderer reads.

    Raises ValueError for a word that the renderer does not know.
    """
    _check("a figure", figure, _words("data layout"))
    return {"data": [_trace(trace) for trace in figure["data"]], "layout": _layout(figure["layout"])}


def _trace(trace: Mapping[str, Any]) -> dict[str, Any]:
    kind = trace["type"]
    if kind not in TRACES:
        raise ValueError(f"a trace must be one of {', '.join(TRACES)}; got {kind!r}")
    return _heard(f"a trace {kind}", trace, TRACES[kind], UNHEARD_TRACE)


def _layout(layout: Mapping[str, Any]) -> dict[str, Any]:
    axes = {
        name: _heard(f"layout.{name}", a, AXIS, UNHEARD_AXIS)
        for name, a in layout.items()
        if _AXES.fullmatch(name)
    }
    rest = {name: value for name, value in layout.items() if name not in axes}
    heard = _heard(
        "layout",
        {n: v for n, v in rest.items() if n not in ("shapes", "annotations")},
        LAYOUT,
        UNHEARD_LAYOUT,
    )
    shapes = [_heard("a shape", shape, SHAPE, UNHEARD_SHAPE) for shape in layout["shapes"]]
    for shape in shapes:
        if shape["type"] not in SHAPES:
            raise ValueError(f"a shape must be one of {', '.join(sorted(SHAPES))}; got {shape['type']!r}")
    notes = [_heard("an annotation", note, NOTE, UNHEARD_NOTE) for note in layout["annotations"]]
    return {**heard, **axes, "shapes": shapes, "annotations": notes}


def _heard(what: str, said: Mapping[str, Any], known: Words, unheard: Words) -> dict[str, Any]:
    _check(what, said, known | unheard)
    return {name: _value(what, name, value) for name, value in said.items() if name in known}


def _check(what: str, said: Mapping[str, Any], known: Words) -> None:
    for name in said:
        if name not in known:
            raise ValueError(f"{what} must say only {', '.join(sorted(known))}; got {name!r}")


def _value(what: str, name: str, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _array(value)
    if name in PARTS:
        _check(f"{what}: {name}", value, PARTS[name])
        return {part: _value(what, part, inner) for part, inner in value.items()}
    if name in ONLY and value not in ONLY[name]:
        raise ValueError(f"{what}: {name} must be one of {', '.join(ONLY[name])}; got {value!r}")
    if name in ("text", "ticktext", "hovertemplate"):
        for text in (value,) if isinstance(value, str) else value:
            _check_markup(f"{what}: {name}", text, name == "hovertemplate")
    return value


def _check_markup(what: str, text: str, is_template: bool) -> None:
    if "<" in text and "<" in _TAGS.sub("", text):
        raise ValueError(f"{what} must have only b, sup, sub, span and br as tags; got {text!r}")
    if is_template and "%{" in _HOLES.sub("", text):
        raise ValueError(f"{what} must have only %{{x}}, %{{y}} and %{{z}} as holes; got {text!r}")


def _array(array: NDArray[Any]) -> dict[str, Any]:
    """As Plotly writes it: the type without its byte order, which is little."""
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return {
        "dtype": little.dtype.str[1:],
        "bdata": base64.b64encode(little.tobytes()).decode("ascii"),
        "shape": ", ".join(map(str, little.shape)),
    }
