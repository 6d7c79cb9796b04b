"""The lessons, a folder each. Importing this package has the knobs of every page join the settings."""

from importlib import import_module
from pkgutil import walk_packages

for _module in walk_packages(__path__, f"{__name__}."):
    if _module.name.endswith(".knobs"):
        import_module(_module.name)
