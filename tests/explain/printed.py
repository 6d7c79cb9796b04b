"""Lines of arithmetic computed from what is printed in them."""

import math

from attnviz.core.written import Line, Part

SIGNS = {"×": "*", "−": "-", "²": "**2", "b ": "", "x ": "", "|": "abs"}
FUNCTIONS = {"exp": math.exp, "tanh": math.tanh, "max": max, "abs": abs}


def value_of(term: tuple[Part, ...]) -> float:
    """A term computed from what is printed in it, with the unrounded values of its numbers."""
    text = "".join(p.text if p.value is None else f"({p.value!r})" for p in term)
    for sign, operator in SIGNS.items():
        text = text.replace(sign, operator)
    return float(eval(text, {"__builtins__": {}}, FUNCTIONS))


def printed(line: Line) -> float:
    """The sum of a line's terms."""
    return math.fsum(value_of(term) for term in line.terms)
