"""What does not fit a layer is refused with what was expected and what was found."""

from typing import Any

import numpy as np
import pytest

from attnviz.core import MultiHeadAttention
from attnviz.core.arrays import Array
from tests.core.layers import X, layer


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x": np.ones((5, 6))}, r"x must have shape \(tokens, d_model=7\); got \(5, 6\)"),
        ({"x": np.ones(7)}, r"x must have shape \(tokens, d_model=7\); got \(7,\)"),
        (
            {"x_source": np.ones((2, 5, 7))},
            r"x_source must have shape \(tokens, d_model=7\); got \(2, 5, 7\)",
        ),
        ({"x": np.ones((2, 5, 6))}, r"x must have shape \(sentences, tokens, d_model=7\); got \(2, 5, 6\)"),
        (
            {"x": np.ones((1, 2, 5, 7))},
            r"x must have shape \(sentences, tokens, d_model=7\); got \(1, 2, 5, 7\)",
        ),
        (
            {"x": np.ones((2, 5, 7)), "x_source": np.ones((3, 5, 7))},
            r"x_source must have shape \(sentences=2, tokens, d_model=7\); got \(3, 5, 7\)",
        ),
        (
            {"x": np.ones((2, 5, 7)), "x_source": np.ones((5, 7))},
            r"x_source must have shape \(sentences=2, tokens, d_model=7\); got \(5, 7\)",
        ),
        (
            {"x": np.ones((3, 5, 7)), "keep": np.ones((2, 5, 5), bool)},
            r"keep must have one mask a sentence, \(3, n, m\); got \(2, 5, 5\)",
        ),
        ({"x": np.where(X.min() < X, X, np.nan)}, r"x must be finite; got nan at"),
        ({"x_source": np.full((2, 7), np.inf)}, r"x_source must be finite; got inf at \(0, 0\)"),
        (
            {"x": np.full((2, 7), 1e308)},
            "the projections of x must be finite; x or the parameters are too large",
        ),
        ({"x": 1e200 * X}, "the scores must be finite where a query may look; got -?inf at"),
        (
            {"keep": np.ones((3, 4, 4), bool)},
            r"keep must broadcast to the shape \(\.\.\., n, m\) = \(2, 4, 4\)",
        ),
        (
            {"score": "general", "w": np.ones((3, 3, 3))},
            r"w must have shape \(d_k=3, d_k=3\) or \(H, d_k=3, d_k=3\)",
        ),
        (
            {"scale": "sqrt_dk"},
            "scale must be one of auto, sqrt_d_k, none, sqrt_d_model or a positive number",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_what_was_expected(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        layer()(**({"x": X} | arguments))


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("w_q", np.ones((7, 3)), r"w_q must have the axes .*; got \(7, 3\)"),
        (
            "w_k",
            np.ones((2, 7, 4)),
            r"w_k must have shape \(num_heads, d_model, d_k\) = \(2, 7, 3\); got \(2, 7, 4\)",
        ),
        (
            "w_v",
            np.ones((3, 7, 5)),
            r"w_v must have shape \(num_heads, d_model, d_v\) = \(2, 7, 5\); got \(3, 7, 5\)",
        ),
        (
            "w_o",
            np.ones((10, 7)),
            r"w_o must have shape \(num_heads, d_v, d_model\) = \(2, 5, 7\); got \(10, 7\)",
        ),
        ("b_q", np.ones(3), r"b_q must have shape \(num_heads, d_k\) = \(2, 3\); got \(3,\)"),
        ("b_o", np.ones((2, 7)), r"b_o must have shape \(d_model\) = \(7,\); got \(2, 7\)"),
        ("w_q", np.full((2, 7, 3), np.nan), r"w_q must be finite; got nan at \(0, 0, 0\)"),
        ("w_q", np.ones((0, 7, 3)), "every size must be at least 1; got"),
        ("w_q", np.ones((2, 7, 3)) * 1j, "w_q must be made of real numbers; got dtype complex128"),
    ],
)
def test_a_parameter_that_does_not_fit_is_told_with_what_was_expected(
    name: str, array: Array, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention(**(layer().parameters() | {name: array}))
