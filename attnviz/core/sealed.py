"""Results that stay as they are: frozen dataclasses whose arrays nobody can write to."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array


def sealed(array: Array) -> Array:
    """The same array, which cannot be written to from now on."""
    array.setflags(write=False)
    return array


def sealed_copy(values: ArrayLike) -> Array:
    """The values in an array of our own that cannot be written to, whatever the caller does to his."""
    return sealed(np.array(values))


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
