"""Results that stay as they are: frozen dataclasses whose arrays nobody can write to."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array

Record = TypeVar("Record", bound="Sealed")


def sealed(array: Array) -> Array:
    """The same array, which cannot be written to from now on."""
    array.setflags(write=False)
    return array


def sealed_copy(values: ArrayLike) -> Array:
    """The values in an array of our own that cannot be written to, whatever the caller does to his."""
    return sealed(np.array(values))


def sealed_record(cls: type[Record], numbers: dict[str, Any]) -> Record:
    """The same as cls(**numbers), in a third of the time: a frozen dataclass sets its fields one by one.

    Its arrays must be sealed already.
    """
    record = object.__new__(cls)
    object.__setattr__(record, "__dict__", numbers)
    return record


def sealed_parameters(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """The numbers and arrays by name as a mapping that cannot be changed, arrays copied."""
    if not parameters:
        return NOTHING
    return MappingProxyType({name: _own(value) for name, value in parameters.items()})


class Sealed:
    """A frozen dataclass that owns its arrays: made by hand, copied or unpickled, they cannot be written to."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            object.__setattr__(self, name, _own(value))

    def __getstate__(self) -> dict[str, Any]:
        plain = vars(self).items()
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in plain}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: _seal(value) for name, value in state.items()})


class Shown(Sealed):
    """A trace as a notebook shows it. The pictures stand above the core and are fetched when they are asked for."""

    def __repr__(self) -> str:
        arrays = [
            f"{name} {value.shape}" for name, value in vars(self).items() if isinstance(value, np.ndarray)
        ]
        lines = [", ".join(arrays[start : start + 4]) for start in range(0, len(arrays), 4)]
        return "\n  ".join([f"{type(self).__name__} of", *lines])

    def to_dict(self) -> dict[str, Any]:
        """Every array by name, the layer's parameters and the score function's among them, and the recipe's settings."""
        held = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray | bool)}
        recipe = vars(self)["recipe"]
        plain = ("scale", "scale_name", "temperature", "softcap", "rotary", "bias")
        settings = {name: getattr(recipe, name) for name in plain if getattr(recipe, name) is not None}
        names = {"score": recipe.score.name, "normalizer": recipe.normalizer.name}
        given = {f"score_{name}": value for name, value in vars(self)["score_parameters"].items()}
        parameters: dict[str, Any] = vars(self)["layer"].parameters()
        return held | parameters | given | names | settings

    def explain(self, name: str, *, head: int = 0, row: int = 0, column: int = 0, query: int | None = None,
                key: int | None = None) -> Any:  # fmt: skip
        """The arithmetic of one cell of an array: trace.explain("weights", head=0, query=1, key=2).

        query is another word for the row, key for the column; both count from 0. Raises ValueError for a name or a
        place that there is not.
        """
        from attnviz.notebook import arithmetic

        self._require_one_sentence()
        row, column = row if query is None else query, column if key is None else key
        return arithmetic(cast(Any, self), name, head, row, column)

    def plot(self, name: str = "weights", *, head: int | None = None, tokens: Any = None) -> Any:
        """An array of the trace as a Plotly figure, one head or all; tokens name its rows (and keys) where they fit.

        Raises ModuleNotFoundError where Plotly is missing, ValueError for a name or a head that there is not.
        """
        from attnviz.notebook import plot

        self._require_one_sentence()
        return plot(cast(Any, self), name, head, tokens)

    def _repr_html_(self) -> str | None:
        from attnviz.notebook import html

        return html(cast(Any, self)) if vars(self)["x"].ndim == 2 else None

    def _require_one_sentence(self) -> None:
        x = vars(self)["x"]
        if x.ndim != 2:
            raise ValueError(f"trace must be of one sentence; got a batch, x {x.shape}")


def _own(value: Any) -> Any:
    """What cannot be changed as it is, an array or a mapping that could be as a copy that cannot."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        return sealed_copy(value)
    if isinstance(value, Mapping) and not isinstance(value, MappingProxyType):
        return sealed_parameters(value)
    return value


def _seal(value: Any) -> Any:
    """An array or a mapping of arrays that are ours alone, made unchangeable without a copy."""
    if isinstance(value, np.ndarray):
        return sealed(value)
    if isinstance(value, Mapping):
        return MappingProxyType({name: _seal(entry) for name, entry in value.items()})
    return value


NOTHING: Mapping[str, Any] = MappingProxyType({})
