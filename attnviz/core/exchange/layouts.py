"""How a library calls and shapes the parameters of a layer, and one layer found among the names of a file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

from numpy.typing import ArrayLike

from ..arrays import Array
from .errors import ExchangeError
from .given import Given


@dataclass(frozen=True)
class Layout:
    """How a library calls the parameters of one layer, and what makes ours of them.

    `names` gives the library's name for what an array is to us (see Given), `axes` its shape in words; biases may be
    missing. `foreign` are names of parameters with which the library computes what a layer here does not. `splits`:
    the heads stand side by side, and how many there are has to be said.
    """

    library: str
    names: Mapping[str, str]
    axes: Mapping[str, tuple[str, ...]]
    convert: Callable[[Given], dict[str, Array]]
    foreign: tuple[str, ...] = ()
    splits: bool = True

    @property
    def matrices(self) -> tuple[str, ...]:
        """What has to be there."""
        return tuple(role for role in self.names if role.startswith("w"))


@dataclass(frozen=True)
class Layer:
    """One layer found among names: `prefix` is what stands before them, `names` how they are written, by role."""

    layout: Layout
    prefix: str
    names: Mapping[str, str]
    foreign: tuple[str, ...] = ()

    @classmethod
    def of(cls, layout: Layout, prefix: str, written: Mapping[str, str]) -> Self:
        """The layer with this prefix: `written` says how a plain name is written, and has at least one of it."""
        plain = {role: prefix + name for role, name in layout.names.items()}
        names = {role: written[name] for role, name in plain.items() if name in written}
        foreign = tuple(written[prefix + name] for name in layout.foreign if prefix + name in written)
        return cls(layout, next(iter(names.values()))[: len(prefix)], names, foreign)

    @property
    def title(self) -> str:
        """The prefix as one chooses the layer by it."""
        return self.prefix.rstrip("./")

    @property
    def share(self) -> float:
        """How much of what has to be there is there: 1 for a whole layer."""
        return sum(role in self.names for role in self.layout.matrices) / len(self.layout.matrices)

    def parameters(self, arrays: Mapping[str, ArrayLike], num_heads: int | None = None) -> dict[str, Array]:
        """Our parameters from the arrays by their written names; ExchangeError where one is missing or wrong."""
        for name in self.foreign:
            raise ExchangeError(name, "foreign", name)
        for role in self.layout.matrices:
            if role not in self.names:
                axes = f"({', '.join(self.layout.axes[role])})"
                raise ExchangeError(self.prefix + self.layout.names[role], "array", axes=axes)
        by_role = {role: arrays[name] for role, name in self.names.items()}
        return self.layout.convert(Given(by_role, self.names, num_heads))
