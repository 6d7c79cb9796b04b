"""What the lesson that opens first draws, and the output that an oracle makes of its arrays."""

import numpy as np
from numpy.typing import NDArray

from attnviz.core.embedding import embed
from attnviz.core.layer import MultiHeadAttention
from tests.e2e.screen import Screen

TOKENS = ["I", "have", "a", "pen", "."]
Arrays = dict[str, NDArray[np.float64]]


def drawn() -> Arrays:
    """Everything that the default lesson draws, without a lesson."""
    layer = MultiHeadAttention.random(d_model=8, num_heads=2, d_k=4, d_v=4, seed=0)
    return {"x": embed(TOKENS, 8, 0)} | {name: array.copy() for name, array in layer.parameters().items()}


def by_hand(a: Arrays, keep: NDArray[np.bool_] | None = None) -> Arrays:
    """The definition in plain NumPy, head by head, from the arrays alone."""
    outputs, weights = 0.0, []
    for h in range(len(a["w_q"])):
        scores = (a["x"] @ a["w_q"][h]) @ (a["x"] @ a["w_k"][h]).T / np.sqrt(a["w_q"].shape[2])
        powers = np.exp(scores) * (1.0 if keep is None else keep)
        weights.append(powers / powers.sum(axis=1, keepdims=True))
        outputs = outputs + weights[-1] @ (a["x"] @ a["w_v"][h]) @ a["w_o"][h]
    return {"output": np.asarray(outputs), "weights": np.array(weights)}


def assert_output(screen: Screen, arrays: Arrays, keep: NDArray[np.bool_] | None = None) -> None:
    """The output on screen is what the arrays make."""
    if screen.link.get("stage") != "output":
        screen.page.keyboard.press("Escape")
        screen.of("path").get_by_role("radio").last.click()
        screen.wait_for_link(stage="output")
    shown = screen.charts()[0].maps()
    expected = by_hand(arrays, keep)["output"]
    columns = screen.link.get("notation") == "columns"
    np.testing.assert_allclose(shown[0].T if columns else shown[-1], expected, atol=1e-6)
