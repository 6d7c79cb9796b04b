"""Every number on screen against our own computation."""

import re

import numpy as np

from attnviz.figures.labels import number
from tests.e2e.screen import Screen


def assert_weights_are_those_of_the_link(screen: Screen) -> None:
    """The large map, its printed numbers, the small maps and the sum line, against our own computation."""
    settings, weights = screen.settings, screen.lesson().trace.weights
    large, small = screen.charts()
    head = weights[settings.head - 1]
    np.testing.assert_array_equal(large.maps()[0], head.astype(np.float32))
    np.testing.assert_array_equal(np.stack(small.maps()), weights.astype(np.float32))
    if large.texts():
        assert large.texts() == [number(value) for value in head.ravel()]
    assert_sum_line_recomputes(screen)


def assert_sum_line_recomputes(screen: Screen) -> None:
    """ "head 1, pen: 0.33 x v(I) + ... = (-0.86, ...)": each weight and the result as the trace has them."""
    settings, trace = screen.settings, screen.lesson().trace
    head, query = settings.head - 1, min(settings.query, trace.weights.shape[1] - 1)
    left, right = screen.sum_line.rsplit(" = ", 1)
    assert re.findall(r"([\d.]+) × v", left) == [number(w) for w in trace.weights[head, query]]
    outputs = trace.head_outputs[head, query]
    assert right.strip("(…, )").split(", ") == [number(value) for value in outputs[:6]]
