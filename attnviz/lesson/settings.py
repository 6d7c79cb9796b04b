"""The state of a lesson as one frozen value: setting = widget key = link parameter.

The settings below are for all pages. The number parameters of the score functions are settings too, and so are the
knobs that a page's folder declares (see `knobs`): what is registered is in links, lesson files and comparisons from
then on.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from attnviz.core.drawn import LONGEST_DRAWN, understood_drawn
from attnviz.core.normalizers import NORMALIZERS
from attnviz.core.presets import WEIGHT_PRESETS
from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.lesson.declared import Setting, declared_in, setting
from attnviz.lesson.edits import LONGEST_TEXT
from attnviz.lesson.kinds import Choice, Notice, Real, Switch, Text, Whole, names_among
from attnviz.lesson.understood import understood_cell, understood_edits
from attnviz.words import languages

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Group = TypeVar("Group", bound="DataclassInstance")

LIMIT_TOKENS = 512
LIMIT_CHARACTERS = 20_000
# H * d_model * max(d_k, d_v): at the limit the weights take 32 MB. How many tokens then fit: budget.py.
LIMIT_PRODUCT = 2**20

# Weight presets whose values are as wide as the layer, and the notice that says why.
WIDE_VALUES = {"folded": "folded", "three_linear": "no_output"}

# The settings whose controls can be taken off the screen.
HIDEABLE = (
    "d_model", "num_heads", "d_k", "d_v", "score", "scale", "mask", "seed", "source", "preset", "tokenizer",
    "embedding", "position", "rotary", "temperature", "softcap", "bias_kind", "normalizer", "residual", "bias",
)  # fmt: skip

NOTHING_SET = "-"  # the text that keeps settings which are all at their defaults

STAGES = ("x", "qkv", "scores", "scaled", "masked", "weights", "heads", "concat", "output")


@dataclass(frozen=True)
class Settings:
    """Everything that a lesson's numbers and its screen depend on; `settings[name]` is any setting by its name.

    `head` counts from 1, as on screen; `query` and `key` count tokens from 0, as their
    subscripts do; `key = -1` is the key with the largest weight.
    """

    sentence: str = setting("I have a pen.", Text(LIMIT_CHARACTERS))
    source: str = setting("", Text(LIMIT_CHARACTERS))
    tokenizer: str = setting("words", Choice(("words", "characters")))
    embedding: str = setting(
        "auto", Choice(("auto", "normal", "integer", "uniform", "standardised", "pretrained"))
    )
    position: str = setting("none", Choice(("none", "sinusoidal")))
    d_model: int = setting(8, Whole(1, 512))
    num_heads: int = setting(2, Whole(1, 16))
    d_k: int = setting(4, Whole(1, 512))
    d_v: int = setting(4, Whole(1, 512))
    score: str = setting("dot", Choice(SCORE_FUNCTIONS))
    scale: str = setting("auto", Choice(("auto", "sqrt_d_k", "none", "sqrt_d_model", "number")))
    divisor: float = setting(2.0, Real(0.01, 1000.0))
    temperature: float = setting(1.0, Real(0.05, 20.0))
    softcap: float = setting(0.0, Real(0.0, 100.0))
    bias_kind: str = setting("none", Choice(("none", "alibi")))
    rotary: bool = setting(False, Switch())
    normalizer: str = setting("softmax", Choice(NORMALIZERS))
    mask: str = setting(
        "none", Choice(("none", "causal", "causal_bottom_right", "window", "padding", "drawn"))
    )
    window: int = setting(1, Whole(0, 64))
    padding: int = setting(1, Whole(0, 64))
    drawn: str = setting("", Text(LONGEST_DRAWN, understood_drawn))
    residual: bool = setting(False, Switch())
    bias: bool = setting(False, Switch())
    preset: str = setting("random", Choice(WEIGHT_PRESETS))
    seed: int = setting(0, Whole(0, 999_999))
    edits: str = setting("", Text(LONGEST_TEXT, understood_edits))
    notation: str = setting("rows", Choice(("rows", "columns")), look=True)
    language: str = setting("auto", Choice(lambda: ("auto", *languages())), look=True)
    stage: str = setting("weights", Choice((*STAGES, "overview")), look=True)
    head: int = setting(1, Whole(1, 16), look=True)
    query: int = setting(3, Whole(0, LIMIT_TOKENS - 1), look=True)
    key: int = setting(-1, Whole(-1, LIMIT_TOKENS - 1), look=True)
    full_scale: bool = setting(True, Switch(), look=True)
    hide: str = setting("", Text(200, names_among(HIDEABLE)), look=True)
    ask: str = setting("", Text(40, understood_cell), look=True)
    # Two sentences at their limit, percent-encoded.
    pinned: str = setting("", Text(500_000, lambda text: _understood_pin(text)), look=True)
    lines: bool = setting(False, Switch(), look=True)
    reveal: bool = setting(False, Switch(), look=True)
    present: bool = setting(False, Switch(), look=True)
    step: int = setting(1, Whole(1, 20), look=True)

    joined: tuple[tuple[str, Any], ...] = ()
    """Of the settings that are declared elsewhere, those that differ from their defaults."""

    def __post_init__(self) -> None:
        for name, one in SHARED.items():
            one.kind.check(name, getattr(self, name))
        for name, value in self.joined:
            find_setting(name).kind.check(name, value)
        differing = {name: value for name, value in self.joined if value != find_setting(name).default}
        object.__setattr__(self, "joined", tuple(sorted(differing.items())))

    def __getitem__(self, name: str) -> Any:
        if name in SHARED:
            return getattr(self, name)
        return dict(self.joined).get(name, find_setting(name).default)

    def of(self, group: type[Group]) -> Group:
        """The values of the knobs that `group` declares."""
        return group(**{f.name: self[f.name] for f in fields(group)})

    def differing(self) -> dict[str, Any]:
        """The settings that differ from their defaults, by their names."""
        shared = {name: getattr(self, name) for name in SHARED}
        return {n: value for n, value in shared.items() if value != SHARED[n].default} | dict(self.joined)

    def put(self, **values: Any) -> "Settings":
        """These settings with `values` in place of what there was, whoever declares them; see also `change`."""
        elsewhere = {name: value for name, value in values.items() if name not in SHARED}
        if not elsewhere:
            return replace(self, **values)
        shared = {name: value for name, value in values.items() if name in SHARED}
        return replace(self, **shared, joined=tuple((dict(self.joined) | elsewhere).items()))


def knobs(page: str) -> Callable[[type[Group]], type[Group]]:
    """Class decorator: the fields of this frozen dataclass are knobs of `page`, settings like all others.

    A page has one such class; another one takes the place of the first. ValueError where a name is not the
    page's own.
    """

    def join(group: type[Group]) -> type[Group]:
        found = declared_in(group, page)
        others = {name for name, one in all_settings().items() if one.page != page}
        if others & found.keys():
            taken = ", ".join(sorted(others & found.keys()))
            raise ValueError(f"the knobs of {page!r} must have names of their own; got {taken}")
        for name in [name for name, one in KNOBS.items() if one.page == page]:
            del KNOBS[name]
        KNOBS.update(found)
        return group

    return join


def all_settings() -> dict[str, Setting]:
    """Every setting that there is now, by its name: shared ones, parameters of score functions, knobs of pages."""
    return SHARED | _score_parameters() | KNOBS


def find_setting(name: str) -> Setting:
    """What is known of the setting `name`; ValueError where there is none."""
    found = SHARED.get(name) or KNOBS.get(name) or _score_parameters().get(name)
    if found is None:
        raise ValueError(f"a setting must be one of {', '.join(all_settings())}; got {name!r}")
    return found


def _score_parameters() -> dict[str, Setting]:
    """The number parameters of the score functions; ValueError where two do not agree about one of the same name."""
    found: dict[str, Setting] = {}
    for score in SCORE_FUNCTIONS.values():
        for name, parameter in score.parameters.items():
            if parameter.kind == "array":
                continue
            assert parameter.low is not None and parameter.high is not None
            one = Setting(parameter.default, Real(parameter.low, parameter.high))
            if name in SHARED or found.setdefault(name, one) != one:
                raise ValueError(f"score {score.name!r} must have parameters of its own; got another {name}")
    return found


def without_looks(settings: Settings) -> Settings:
    """`settings` with all that changes no number of the trace at its default: the same ones, the same numbers."""
    looks = [name for name in settings.differing() if find_setting(name).look]
    return settings.put(**{name: find_setting(name).default for name in looks})


def to_link(settings: Settings) -> dict[str, str]:
    """The link parameters of `settings`: only what differs from the defaults."""
    return {name: find_setting(name).kind.write(value) for name, value in settings.differing().items()}


def from_link(link: Mapping[str, str]) -> tuple[Settings, tuple[Notice, ...]]:
    """The settings of a link, and a notice for every value that could not be taken as it stands.

    Unknown parameters are passed over; a bad value falls back to the default, a number outside
    its limits is clamped, a text that is too long is cut.
    """
    values: dict[str, Any] = {}
    notices: list[Notice] = []
    for name, one in all_settings().items():
        if name not in link:
            continue
        values[name], found = read(name, link[name], one.default)
        notices += found
    settings, more = change(DEFAULTS, **values)
    if settings.head != values.get("head", settings.head):
        notices.append(Notice("head", "clamped", link["head"], str(settings.head)))
    return settings, (*notices, *more)


def read(name: str, text: str, default: Any) -> tuple[Any, tuple[Notice, ...]]:
    """The value of the setting `name` that stands in `text`, and a notice of all that could not be taken as given."""
    kind = find_setting(name).kind
    value, problem = kind.read(text, default)
    if problem == "inside":
        return value, tuple(replace(notice, within=name) for notice in read_pinned(text)[1])
    return value, (Notice(name, problem, text, kind.write(value)),) if problem else ()


def repeated(pairs: Iterable[tuple[str, str]]) -> tuple[Notice, ...]:
    """A notice for each setting that has several values, of which the last counts."""
    values: dict[str, list[str]] = {}
    for name, text in pairs:
        if name in all_settings():
            values.setdefault(name, []).append(text)
    return tuple(
        Notice(name, "twice", texts[0], texts[-1]) for name, texts in values.items() if len(set(texts)) > 1
    )


def write_pinned(settings: Settings) -> str:
    """What of `settings` makes numbers, as a text like `d_k=3&seed=7`."""
    return urlencode(to_link(without_looks(settings))) or NOTHING_SET


def read_pinned(text: str) -> tuple[Settings | None, tuple[Notice, ...]]:
    """The settings that such a text keeps, and notices of what of it was not taken; None where it keeps none."""
    if text == NOTHING_SET:
        return DEFAULTS, ()
    numeric = {name for name, one in all_settings().items() if not one.look}
    # Each is written once: a text of more parts is none of ours.
    pairs = parse_qsl(text, keep_blank_values=True) if text.count("&") < len(all_settings()) else []
    link = {name: value for name, value in pairs if name in numeric}
    if not link:
        return None, ()
    settings, notices = from_link(link)
    others = "&".join(f"{name}={value}" for name, value in pairs if name not in numeric)
    passed = (Notice("pinned", "passed_over", others, ""),) if others else ()
    return settings, (*repeated(pairs), *notices, *passed)


def _understood_pin(text: str) -> tuple[str, str]:
    settings, notices = read_pinned(text)
    if settings is None:
        return "", "unknown" if text else ""
    return (write_pinned(settings), "inside") if notices else (text, "")


def change(settings: Settings, **values: Any) -> tuple[Settings, tuple[Notice, ...]]:
    """`settings` with `values` put in and whatever depends on them brought within the limits."""
    return fit(settings.put(**values))


def fit(settings: Settings) -> tuple[Settings, tuple[Notice, ...]]:
    """`settings` with d_k and d_v small enough that H * d_model * max(d_k, d_v) keeps its limit."""
    notices: list[Notice] = []
    most = LIMIT_PRODUCT // (settings.num_heads * settings.d_model)
    if settings.preset in WIDE_VALUES and settings.d_model > most:
        notices.append(Notice("preset", "wide", settings.preset, "random"))
        settings = replace(settings, preset="random", d_v=settings.d_model)
    elif settings.preset in WIDE_VALUES and settings.d_v != settings.d_model:
        settings = replace(settings, d_v=settings.d_model)
        notices.append(Notice("d_v", WIDE_VALUES[settings.preset], "", str(settings.d_v)))
    for name, given in (("d_k", settings.d_k), ("d_v", settings.d_v)):
        if given > most:
            notices.append(Notice(name, "product", str(given), str(most)))
    settings = replace(settings, d_k=min(settings.d_k, most), d_v=min(settings.d_v, most))
    if settings.head > settings.num_heads:
        settings = replace(settings, head=settings.num_heads)
    return settings, tuple(notices)


SHARED = declared_in(Settings)
KNOBS: dict[str, Setting] = {}
DEFAULTS = Settings()
