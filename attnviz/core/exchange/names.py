"""Which library's names there are, and for which layers."""

from collections.abc import Collection, Iterator

from .errors import ExchangeError, shortened
from .keras import KERAS
from .layouts import Layer, Layout
from .own import OWN
from .pytorch import LINEARS, TORCH

LISTED = 400  # characters of names in a message

LAYOUTS = (OWN, *TORCH, *LINEARS, KERAS)


def layers(names: Collection[str], among: Collection[Layout] = LAYOUTS) -> tuple[Layer, ...]:
    """The layers whose names are among these, in their order: whole ones; without any, the one that lacks least.

    Names may have a prefix, with dots or slashes between its parts. Where less than half of a layer is there it is
    no layer, but of our own names one is enough.
    """
    written = {_plain(name): name for name in names}
    found: dict[str, Layer] = {}
    partial: list[Layer] = []
    for layout, prefix in _candidates(written, among):
        layer = Layer.of(layout, prefix, written)
        if layer.share == 1:
            found.setdefault(prefix, layer)
        elif layer.share >= 0.5 or layout is OWN:
            partial.append(layer)
    return tuple(found.values()) or tuple(sorted(partial, key=lambda one: -one.share)[:1])


def chosen(
    names: Collection[str], layer: str | None = None, among: Collection[Layout] = LAYOUTS, place: str = ""
) -> Layer:
    """The one layer that these names have, or the one with the prefix `layer`.

    Raises ExchangeError, naming `place` and what is there, where there is none, or several and none was chosen.
    """
    found = layers(names, among)
    if not found:
        raise unknown(names, among, place)
    titles = ", ".join(one.title or "(without a prefix)" for one in found)
    if layer is not None:
        wanted = _plain(layer).strip(".")
        fitting = [one for one in found if _plain(one.title) == wanted]
        if not fitting:
            raise ExchangeError("layer", "layer", repr(layer), names=shortened(titles, LISTED))
        return fitting[0]
    if len(found) > 1:
        raise ExchangeError(place, "one_layer", shortened(f"{len(found)}: {titles}", LISTED))
    return found[0]


def unknown(names: Collection[str], among: Collection[Layout] = LAYOUTS, place: str = "") -> ExchangeError:
    """What is to be said of names of which none is known; without any, that the first of our own is missing."""
    if not names and OWN in among:
        return ExchangeError("w_q", "array", axes=f"({', '.join(OWN.axes['w_q'])})")
    libraries: dict[str, str] = {}
    for layout in among:
        libraries.setdefault(layout.library, layout.names[layout.matrices[0]])
    known = ", ".join(f"{library} ({name}, …)" for library, name in libraries.items())
    return ExchangeError(place, "known", shortened(", ".join(names), LISTED), names=known)


def _candidates(written: Collection[str], among: Collection[Layout]) -> Iterator[tuple[Layout, str]]:
    """Each layout with each prefix before one of its matrices, in the order of the names."""
    ends: dict[str, list[Layout]] = {}
    for layout in among:
        for role in layout.matrices:
            ends.setdefault(layout.names[role], []).append(layout)
    deepest = max(end.count(".") for end in ends)
    seen: set[tuple[int, str]] = set()
    for name in written:
        parts = name.split(".")
        for depth in range(1, deepest + 2):
            prefix = name[: len(name) - len(".".join(parts[-depth:]))]
            for layout in ends.get(name[len(prefix) :], ()):
                if (id(layout), prefix) not in seen:
                    seen.add((id(layout), prefix))
                    yield layout, prefix


def _plain(name: str) -> str:
    """The name with dots between its parts, and without TensorFlow's number of an output."""
    return name.removesuffix(":0").replace("/", ".")
