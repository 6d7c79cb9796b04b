"""The state of a lesson as one frozen value: field = widget key = link parameter."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from attnviz.core.drawn import LONGEST_DRAWN
from attnviz.core.presets import WEIGHT_PRESETS
from attnviz.lab.images.images import IMAGES, SIDE
from attnviz.lab.notations.torch_walk import WALK_STEPS
from attnviz.lab.scaling.components import COMPONENTS
from attnviz.lab.scaling.limits import LIMIT_DRAWS, LIMIT_KEYS
from attnviz.lesson.edits import LONGEST_TEXT
from attnviz.lesson.kinds import Choice, Kind, Notice, Real, Switch, Text, Whole
from attnviz.words import languages

LIMIT_TOKENS = 512
LIMIT_CHARACTERS = 20_000
LIMIT_FITTED = 32  # tokens of a sentence that a tiny decoder is fitted to
# H * d_model * max(d_k, d_v): at the limit the weights take 32 MB. How many tokens then fit: budget.py.
LIMIT_PRODUCT = 2**20

# Weight presets whose values are as wide as the layer, and the notice that says why.
WIDE_VALUES = {"folded": "folded", "three_linear": "no_output"}
PATCH_SIZES = ("6", "8", "12", "16", "24")  # pixels; all divide the side of the built-in images
MOST_PATCHES = 64

STAGES = ("x", "qkv", "scores", "scaled", "masked", "weights", "heads", "concat", "output")


def _setting(default: Any, kind: Kind) -> Any:
    return field(default=default, metadata={"kind": kind})


@dataclass(frozen=True)
class Settings:
    """Everything that a lesson's numbers and its screen depend on.

    `head` counts from 1, as on screen; `query` and `key` count tokens from 0, as their
    subscripts do; `key = -1` is the key with the largest weight.
    """

    sentence: str = _setting("I have a pen.", Text(LIMIT_CHARACTERS))
    source: str = _setting("", Text(LIMIT_CHARACTERS))
    tokenizer: str = _setting("words", Choice(("words", "characters")))
    embedding: str = _setting(
        "auto", Choice(("auto", "normal", "integer", "uniform", "standardised", "pretrained"))
    )
    position: str = _setting("none", Choice(("none", "sinusoidal")))
    d_model: int = _setting(8, Whole(1, 512))
    num_heads: int = _setting(2, Whole(1, 16))
    d_k: int = _setting(4, Whole(1, 512))
    d_v: int = _setting(4, Whole(1, 512))
    score: str = _setting("dot", Choice(("dot", "general", "additive", "cosine", "gaussian")))
    beta: float = _setting(5.0, Real(0.1, 50.0))
    sigma: float = _setting(1.0, Real(0.1, 50.0))
    scale: str = _setting("auto", Choice(("auto", "sqrt_d_k", "none", "sqrt_d_model", "number")))
    divisor: float = _setting(2.0, Real(0.01, 1000.0))
    temperature: float = _setting(1.0, Real(0.05, 20.0))
    softcap: float = _setting(0.0, Real(0.0, 100.0))
    bias_kind: str = _setting("none", Choice(("none", "alibi")))
    rotary: bool = _setting(False, Switch())
    normalizer: str = _setting("softmax", Choice(("softmax", "sparsemax", "sigmoid")))
    mask: str = _setting(
        "none", Choice(("none", "causal", "causal_bottom_right", "window", "padding", "drawn"))
    )
    window: int = _setting(1, Whole(0, 64))
    padding: int = _setting(1, Whole(0, 64))
    drawn: str = _setting("", Text(LONGEST_DRAWN))
    residual: bool = _setting(False, Switch())
    bias: bool = _setting(False, Switch())
    preset: str = _setting("random", Choice(tuple(WEIGHT_PRESETS)))
    seed: int = _setting(0, Whole(0, 999_999))
    edits: str = _setting("", Text(LONGEST_TEXT))
    # From here on: what is looked at and how; no number of the trace depends on it (see LOOKS).
    notation: str = _setting("rows", Choice(("rows", "columns")))
    language: str = _setting("auto", Choice(lambda: ("auto", *languages())))
    stage: str = _setting("weights", Choice((*STAGES, "overview")))
    head: int = _setting(1, Whole(1, 16))
    query: int = _setting(3, Whole(0, LIMIT_TOKENS - 1))
    key: int = _setting(-1, Whole(-1, LIMIT_TOKENS - 1))
    full_scale: bool = _setting(True, Switch())
    hide: str = _setting("", Text(200))
    ask: str = _setting("", Text(40))
    pinned: str = _setting("", Text(500_000))  # two sentences at their limit, percent-encoded
    lines: bool = _setting(False, Switch())
    # every lesson page
    reveal: bool = _setting(False, Switch())
    present: bool = _setting(False, Switch())
    step: int = _setting(1, Whole(1, 20))
    # pages/heads
    channel_image: str = _setting("house", Choice(tuple(IMAGES)))
    pixel: int = _setting(15 * SIDE + 23, Whole(0, SIDE * SIDE - 1))
    muted: str = _setting("1", Text(60))
    # pages/masks
    given: int = _setting(3, Whole(1, LIMIT_FITTED - 1))
    fitted: bool = _setting(False, Switch())
    # pages/embedding
    swap_one: int = _setting(0, Whole(0, LIMIT_TOKENS - 1))
    swap_other: int = _setting(3, Whole(0, LIMIT_TOKENS - 1))
    word_list: str = _setting("", Text(400))
    word_sum: str = _setting("", Text(200))
    vectors_shown: str = _setting("pretrained", Choice(("pretrained", "normal")))
    likeness: str = _setting("dot", Choice(("dot", "cosine")))
    # pages/scores
    stretch: float = _setting(2.0, Real(0.0, 4.0))
    turn: int = _setting(90, Whole(0, 360))
    query_angle: int = _setting(30, Whole(-180, 180))
    query_length: float = _setting(1.5, Real(0.0, 3.0))

    # pages/conventions
    torch_step: str = _setting("in_proj_weight", Choice((*WALK_STEPS, "equal")))
    # pages/scaling
    draws: int = _setting(10_000, Whole(100, LIMIT_DRAWS))
    distribution: str = _setting("normal", Choice(tuple(COMPONENTS)))
    num_keys: int = _setting(10, Whole(2, LIMIT_KEYS))
    many_tokens: int = _setting(64, Whole(8, 2048))
    cure_temperature: float = _setting(8.0, Real(0.5, 64.0))
    cure_beta: float = _setting(5.0, Real(0.5, 50.0))
    vector_size: float = _setting(1.0, Real(0.25, 4.0))
    learned_d_k: str = _setting("64", Choice(("4", "64", "512")))
    # pages/images
    image: str = _setting("house", Choice(tuple(IMAGES)))
    patch_size: str = _setting("8", Choice(PATCH_SIZES))
    patch: int = _setting(9, Whole(0, MOST_PATCHES - 1))

    def __post_init__(self) -> None:
        for name, kind in KINDS.items():
            kind.check(name, getattr(self, name))


def to_link(settings: Settings) -> dict[str, str]:
    """The link parameters of `settings`: only what differs from the defaults."""
    return {
        name: kind.write(getattr(settings, name))
        for name, kind in KINDS.items()
        if getattr(settings, name) != getattr(DEFAULTS, name)
    }


def from_link(link: Mapping[str, str]) -> tuple[Settings, tuple[Notice, ...]]:
    """The settings of a link, and a notice for every value that could not be taken as it stands.

    Unknown parameters are passed over; a bad value falls back to the default, a number outside
    its limits is clamped, a text that is too long is cut.
    """
    values: dict[str, Any] = {}
    notices: list[Notice] = []
    for name, kind in KINDS.items():
        if name not in link:
            continue
        values[name], problem = kind.read(link[name], getattr(DEFAULTS, name))
        if problem:
            notices.append(Notice(name, problem, link[name], kind.write(values[name])))
    settings, more = fit(Settings(**values))
    if settings.head != values.get("head", settings.head):
        notices.append(Notice("head", "clamped", link["head"], str(settings.head)))
    return settings, (*notices, *more)


def change(settings: Settings, **values: Any) -> tuple[Settings, tuple[Notice, ...]]:
    """`settings` with `values` put in and whatever depends on them brought within the limits."""
    return fit(replace(settings, **values))


def fit(settings: Settings) -> tuple[Settings, tuple[Notice, ...]]:
    """`settings` with d_k and d_v small enough that H * d_model * max(d_k, d_v) keeps its limit."""
    notices: list[Notice] = []
    if settings.preset in WIDE_VALUES and settings.d_v != settings.d_model:
        settings = replace(settings, d_v=settings.d_model)
        notices.append(Notice("d_v", WIDE_VALUES[settings.preset], "", str(settings.d_v)))
    most = LIMIT_PRODUCT // (settings.num_heads * settings.d_model)
    for name, given in (("d_k", settings.d_k), ("d_v", settings.d_v)):
        if given > most:
            notices.append(Notice(name, "product", str(given), str(most)))
    settings = replace(settings, d_k=min(settings.d_k, most), d_v=min(settings.d_v, most))
    if settings.preset in WIDE_VALUES and settings.d_v != settings.d_model:
        notices.append(Notice("preset", "product", settings.preset, "random"))
        settings = replace(settings, preset="random")
    if settings.head > settings.num_heads:
        settings = replace(settings, head=settings.num_heads)
    return settings, tuple(notices)


KINDS: dict[str, Kind] = {f.name: f.metadata["kind"] for f in fields(Settings)}
DEFAULTS = Settings()
# Fields from `notation` on change what is seen but no number of the playground's trace.
LOOKS = tuple(KINDS)[tuple(KINDS).index("notation") :]

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
        **{name: getattr(DEFAULTS, name) for name in ("d_model", "num_heads", "d_k", "d_v")},
        "scale": "sqrt_d_k",
        "bias": True,
        "notation": "rows",
    },
    "three_linear": {
        **{name: getattr(DEFAULTS, name) for name in _WHOLE},
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
    return {field: getattr(DEFAULTS, field) for field in _PLAIN} | SETUPS[name]
