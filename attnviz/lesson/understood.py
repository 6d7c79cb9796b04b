"""What of a text of the link is understood, and the problem with the rest: the texts that are more than words."""

from attnviz.core.scores import SCORE_FUNCTIONS
from attnviz.lesson.edits import KEPT, read_edits

# The matrices whose cells can be asked about, besides the arrays of the score function.
ASKED = (
    "x", "x_source", "w_q", "w_k", "w_v", "query", "key", "value", "scores", "scaled", "masked", "weights",
    "head_outputs", "concat", "w_o", "contributions", "output",
)  # fmt: skip


def understood_edits(text: str) -> tuple[str, str]:
    """The text where it carries edits, or may name some; else nothing, and the problem "unknown"."""
    if text.startswith(KEPT):
        return text, ""
    try:
        read_edits(text)
    except ValueError:
        return "", "unknown"
    return text, ""


def understood_cell(text: str) -> tuple[str, str]:
    """The text where it is the name of a matrix with places behind it, as in `query.3`; else "unknown"."""
    name, *places = text.split(".")
    scores = (f"score_{array}" for score in SCORE_FUNCTIONS.values() for array in score.arrays)
    is_cell = name in (*ASKED, *scores) and all(p.isascii() and p.isdigit() and len(p) < 6 for p in places)
    return (text, "") if is_cell or not text else ("", "unknown")
