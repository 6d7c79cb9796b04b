"""What the app needs besides the core."""

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from packaging.requirements import Requirement


def unmet(requirements: str) -> list[str]:
    """The lines of a requirements.txt that this Python does not meet."""
    said = (line.partition("#")[0].strip() for line in requirements.splitlines())
    lines = [line for line in said if line]
    try:
        from packaging.requirements import Requirement
    except ModuleNotFoundError:  # it comes with Streamlit
        return lines
    return [line for line in lines if not _is_met(Requirement(line))]


def _is_met(requirement: "Requirement") -> bool:
    try:
        return requirement.specifier.contains(version(requirement.name), prereleases=True)
    except PackageNotFoundError:
        return False
