"""attnviz: multi-head attention with every number kept. For a notebook: the core's names."""

from .core import *
from .core import __all__ as __all__
