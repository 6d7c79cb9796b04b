"""How a setting is declared: one line, which says all that is known of it."""

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from attnviz.lesson.kinds import Kind

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True)
class Setting:
    """What is known of a setting besides its name.

    With `look`, no number of a lesson's trace depends on it, so that what keeps or compares lessons passes over it;
    a page may still compute something of its own with it. `page` is the only page that it is for, "" where it is
    for all.
    """

    default: Any
    kind: Kind
    look: bool = False
    page: str = ""


def setting(default: Any, kind: Kind, *, look: bool = False) -> Any:
    """The field of a frozen dataclass that declares a setting."""
    return field(default=default, metadata={"setting": Setting(default, kind, look)})


def declared_in(group: "type[DataclassInstance]", page: str = "") -> dict[str, Setting]:
    """The settings that the fields of a dataclass declare, by their names."""
    found = {f.name: f.metadata["setting"] for f in fields(group) if "setting" in f.metadata}
    return {name: replace(one, page=page) for name, one in found.items()}
