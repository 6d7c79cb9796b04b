"""The training on the page goes on when it is asked to, stops when it is not, and comes to what training comes to."""

import numpy as np

from attnviz.lab.scaling.training import Plan, train
from attnviz.lab.scaling.verdict import judge
from attnviz.ui.lessons.scaling.learning.panel import Training

PLAN = Plan(d_k=(2, 4), step_sizes=(0.1, 1.0, 10.0), steps=30, record_every=10, runs=3, batch=4, held_out=8)


def test_a_training_that_is_not_asked_to_go_on_stands_still() -> None:
    found = Training(PLAN)
    assert (found.fraction, found.done, found.running) == (0.0, False, False)
    found.advance(0.0)
    assert found.fraction == 0.0
    found.running = True
    while found.fraction < 0.5:
        found.advance(1e-9)  # at least one recorded step
    half, progress = found.fraction, found.progress
    assert not found.done
    assert (found.fraction, found.progress) == (half, progress)


def test_a_training_in_pieces_comes_to_what_it_comes_to_in_one() -> None:
    found = Training(PLAN, running=True)
    seen = [found.fraction]
    while not found.done:
        found.advance(1e-9)
        seen.append(found.fraction)
    assert seen == sorted(seen) and seen[-1] == 1.0
    assert not found.running and found.run is None
    whole = list(train(PLAN))[-1].finished
    assert found.progress is not None
    for piece, one in zip(found.progress.finished, whole, strict=True):
        np.testing.assert_array_equal(piece.losses, one.losses)
    assert found.verdicts == tuple(judge(learned) for learned in whole)
