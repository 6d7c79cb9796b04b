"""Run the app without a browser and read what it shows: the helper of all page tests."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnviz.lesson.settings import Settings
from attnviz.ui.kit.session import KEY, Session
from tests.apps import AppTest

ROOT = Path(__file__).parents[2]
TIMEOUT = 30  # seconds; a run takes a tenth of one, but the machine may be busy


def open_page(page: str = "playground", *, locale: str = "en", **link: object) -> AppTest:
    """A page as a browser of this locale gets it that follows a link with these parameters."""
    app = AppTest.from_file(ROOT / "app.py", default_timeout=TIMEOUT)
    app.context["locale"] = locale
    for name, value in link.items():
        app.query_params[name] = str(value)
    if page != "playground":
        app.switch_page(f"pages/{page}.py")
    return checked(app.run())


def checked(app: AppTest) -> AppTest:
    """The app; AssertionError where its last run ended in an exception (whose traceback is in the log)."""
    assert not app.exception, [exception.message for exception in app.exception]
    return app


def open_more(app: AppTest) -> AppTest:
    """The app with the controls under More, which are drawn only where it is open."""
    app.session_state["more_box"] = True
    return checked(app.run())


def settings(app: AppTest) -> Settings:
    """The settings of the session."""
    return session(app).settings


def session(app: AppTest) -> Session:
    """What the app remembers of the session besides its widgets."""
    found: Session = app.session_state[KEY]
    return found


def link(app: AppTest) -> dict[str, str]:
    """The address bar's parameters."""
    return {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}


def figures(app: AppTest) -> dict[str, dict[str, Any]]:
    """What is sent to be drawn, by the figure's key: {"data": [...], "layout": {...}, "alt": "..."}.

    Arrays are NumPy arrays of the type in which they travel.
    """
    charts = {
        _key(chart.proto.id): _decoded(json.loads(chart.proto.spec)) | {"alt": chart.proto.alt}
        for chart in app.get("plotly_chart")
    }
    return charts | {
        key: _decoded(sent["figure"]) | {"alt": sent["label"]} for key, sent in pictures(app).items()
    }


def pictures(app: AppTest) -> dict[str, dict[str, Any]]:
    """All that is sent to our own renderer with a figure of matrices, by the figure's key."""
    return {
        _key(part.proto.id): json.loads(part.proto.json)
        for part in app.get("bidi_component")
        if part.proto.component_name == "attnviz_map"
    }


def _key(widget: str) -> str:
    return widget.rsplit("-", 1)[1]


def heatmaps(figure: dict[str, Any]) -> list[NDArray[np.floating]]:
    """The matrices of a figure's heat maps, in their order."""
    return [trace["z"] for trace in figure["data"] if trace["type"] == "heatmap"]


def weights(app: AppTest) -> NDArray[np.floating]:
    """The matrix in the large picture of the weights."""
    return heatmaps(figures(app)["main_weights"])[0]


def html(app: AppTest) -> str:
    """All HTML of our own on the page, without style sheets."""
    bodies = [str(element.proto.body) for element in app.get("html")]
    return "\n".join(body for body in bodies if not body.startswith("<style>"))


def markdown(app: AppTest) -> list[str]:
    """All that Streamlit reads as Markdown: paragraphs, labels and options."""
    groups = [option for group in app.button_group for option in group.options]
    return [*(text.value for text in app.markdown), *groups, *(button.label for button in app.button)]


def notices(app: AppTest) -> str:
    """What the page says about values and sentences that it could not take as given."""
    return "\n".join(part for part in html(app).splitlines() if 'role="status"' in part)


def _decoded(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() >= {"dtype", "bdata"}:
            shape = [int(size) for size in str(value.get("shape", "-1")).split(",")]
            return np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"]).reshape(shape)
        return {name: _decoded(inner) for name, inner in value.items()}
    return [_decoded(inner) for inner in value] if isinstance(value, list) else value
