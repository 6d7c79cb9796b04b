"""The lessons, a folder each. Importing this package has the knobs of every page join the settings."""

from importlib import import_module
from pkgutil import walk_packages


def join_knobs() -> None:
    """Import every module called `knobs` in the folders below: what it declares is a setting from then on."""
    for module in walk_packages(__path__, f"{__name__}."):
        if module.name.endswith(".knobs"):
            import_module(module.name)


join_knobs()
