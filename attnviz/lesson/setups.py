"""Whole layers from the literature, each put in at once."""

from typing import Any

from attnviz.lesson.settings import DEFAULTS

# What a setup puts back first, so that it always gives the same layer.
_PLAIN = (
    "score", "scale", "temperature", "softcap", "bias_kind", "rotary", "normalizer", "residual", "bias", "preset",
    "edits",
)  # fmt: skip
_WHOLE = ("source", "tokenizer", "embedding", "position", "mask", "d_model", "num_heads", "d_k", "d_v")

SETUPS: dict[str, dict[str, Any]] = {
    "paper": {"scale": "sqrt_d_k", "notation": "rows"},
    "mathematics": {"scale": "none", "residual": True, "preset": "folded", "notation": "columns"},
    "torch": {
        **{name: DEFAULTS[name] for name in ("d_model", "num_heads", "d_k", "d_v")},
        "scale": "sqrt_d_k",
        "bias": True,
        "notation": "rows",
    },
    "three_linear": {
        **{name: DEFAULTS[name] for name in _WHOLE},
        "embedding": "uniform",
        "d_model": 64,
        "num_heads": 1,
        "d_k": 64,
        "d_v": 64,
        "scale": "sqrt_d_model",
        "bias": True,
        "preset": "three_linear",
        "notation": "rows",
    },
}


def setup(name: str) -> dict[str, Any]:
    """The fields of the setup `name`, for `change`: what it does not speak of stays as the reader has it."""
    return {field: DEFAULTS[field] for field in _PLAIN} | SETUPS[name]
