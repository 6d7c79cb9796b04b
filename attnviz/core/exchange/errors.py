"""What is wrong with parameters from outside: the place, what was expected there, and what was found."""

import json
from typing import Any

LONGEST = 60  # characters


class ExchangeError(ValueError):
    """Parameters that cannot be taken, and why.

    `place` is the name of an array, a path in a header of JSON, or "" for the file as a whole; `expected` names a
    text of EXPECTED with its `values`; `found` is a piece of what was given (data, never markup), "" for nothing.
    """

    def __init__(self, place: str, expected: str, found: str = "", **values: object) -> None:
        self.place, self.expected, self.values = shortened(place, 2 * LONGEST), expected, values
        self.found = found
        super().__init__(self.sentence())

    def sentence(self) -> str:
        """The whole message in English."""
        place = "The file" if self.place in ("", "$") else self.place
        return f"{place}: expected {EXPECTED[self.expected].format(**self.values)}; found {self.found or 'nothing'}."


def excerpt(value: Any) -> str:
    """A value of a JSON file as a short text: what it holds, or of a list or an object how much."""
    if isinstance(value, list):
        return f"[…] ({len(value)})"
    if isinstance(value, dict):
        return f"{{…}} ({len(value)})"
    return shortened(json.dumps(value, ensure_ascii=False))


def shortened(text: str, longest: int = LONGEST) -> str:
    """At most so many characters that can be shown: what is not printable as its escape."""
    cut = text[: longest + 1]
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


# In English, as a notebook says them; words/*/file.toml says the same to a reader of the app, by the same names.
EXPECTED = {
    "utf8": "text in UTF-8 (a lesson file), .npz or .safetensors; byte {byte} is neither",
    "json": "well-formed JSON at line {line}, column {column}",
    "shallow": "lists no deeper than the axes of a matrix",
    "object": "an object with {names}",
    "names": "one of {names}",
    "once": "each name once",
    "there": "a value",
    "zip": "a sound .npz (zip) file",
    "members": "at most {most} members",
    "deflated": "a member stored or deflated, without a password",
    "unpacked": "arrays of at most {most} bytes when unpacked",
    "npy": "an array in NumPy's .npy format, version 1 or 2",
    "unpickled": "numbers; pickled objects are never loaded",
    "type": "one of the types {names}",
    "sides": "sides from 1 to {most}",
    "bytes": "{count} bytes for shape {shape} of {dtype}",
    "finite": "a finite number",
    "header": "a header of at most {most} bytes",
    "offsets": "begin and end in this order, at most {most}",
    "wholes": "whole numbers from 0 on",
    "apart": "bytes that belong to no other array",
    "array": "an array of shape {axes}",
    "shape": "shape {axes} = {shape}",
    "kind": ".npz or .safetensors",
    "known": "names of {names}",
    "layer": "one of the layers {names}",
    "one_layer": "one layer, or layer= to choose one",
    "count": "{count} arrays, or half as many without biases",
    "heads": "a whole number of heads from 1 on",
    "divides": "a multiple of the number of heads, {heads}",
    "thirds": "three equal parts for query, key and value",
    "parts": "parts that add up to {count}, two equal ones for query and key and one for value",
    "floats": "floating-point numbers; a quantised matrix means nothing without its scale",
    "grouped": "as many heads of keys and values as of queries, shape {axes} = {shape}",
    "foreign": "no such parameter: the layer here would compute something else",
    "pointed": "the name of an initializer of shape ({axes})",
    "numpy": "what NumPy can read as numbers",
    "hdf5": ".npz or .safetensors; HDF5 is opened by Keras, whose layer.get_weights() from_keras takes",
    "pickle": ".npz or .safetensors; a pickle is never loaded: torch.load opens it, from_torch takes its state dict",
    "split": "H × d_k = H × d_v = d_model, as PyTorch's layer has it",
}
