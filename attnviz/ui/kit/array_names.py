"""What the arrays of a lesson are called on screen."""

from attnviz.words import Words


def array_name(name: str, words: Words) -> str:
    """What an array that can be edited is called; the mask has a word, all others a symbol."""
    return words("edit.mask") if name == "keep" else NAMES[name]


NAMES = {
    "x": "x",
    "x_source": "x′",
    "w_q": "W_Q",
    "w_k": "W_K",
    "w_v": "W_V",
    "w_o": "W_O",
    "b_q": "b_Q",
    "b_k": "b_K",
    "b_v": "b_V",
    "b_o": "b_O",
    "query": "Q",
    "key": "K",
    "value": "V",
    "score_w": "W",
    "score_w_query": "W_q",
    "score_w_key": "W_k",
    "score_v": "v",
    "head_outputs": "O",
    "concat": "C",
    "contributions": "O W_O",
    "output": "Y",
    "scores": "S",
    "scaled": "S̃",
    "masked": "M",
    "weights": "A",
}
