"""What is said on the walk through PyTorch's tensors, with the numbers of this case."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attnviz.figures.labels import magnitude, number
from attnviz.lab.notations.conventions import case_of
from attnviz.lab.notations.notations import largest_difference
from attnviz.lab.notations.torch_walk import WALK_STEPS, TorchWalk, without_transpose
from attnviz.ui.kit.pictures.scene import Scene
from attnviz.ui.lessons.conventions.story import query
from attnviz.words import Words


def torch_answer(way: TorchWalk) -> int:
    """1 E rows, 2 three times as many, 3 that for each head."""
    rows, size = way.parameters.in_proj_weight.shape
    return {1: 1, 3: 2}.get(rows // size, 3)


def step_label(step: str, way: TorchWalk, words: Words, cross: bool) -> str:
    """A step as the stepper lists it: its line of code and the shape of what it makes; no user text."""
    if step == "equal":
        return words("conventions.torch.equal_label")
    made = WALK_STEPS[step]
    shapes = dict.fromkeys(str(tensor.shape).replace(",)", ")") for tensor in made.tensors(way))
    return f"`{made.line(cross)}`  :small[:gray[{', '.join(shapes)}]]"


def step_text(step: str, way: TorchWalk, scene: Scene) -> Markup:
    """What happens at a step."""
    heads, n, m = way.weights.shape[1:]
    values: dict[str, object] = {
        "num_heads": heads,
        "d_model": way.x.shape[2],
        "rows": way.parameters.in_proj_weight.shape[0],
        "d_k": way.parameters.head_dim,
        "n": n,
        "m": m,
        "count": way.output.size,
        **_view_values(way),
        **_scale_values(way, scene),
        **_weight_values(way, scene),
    }
    return Markup("").join(
        scene.words.html(f"conventions.torch.{name}", **values) for name in _texts(step, way, scene)
    )


def _texts(step: str, way: TorchWalk, scene: Scene) -> list[str]:
    """The words of a step; several where the case has something to add."""
    if step == "in_proj" and len(way.in_proj) == 2:
        return ["in_proj_cross"]
    if step == "view" and way.parameters.num_heads == 1:
        return ["view_one"]
    if step == "scaled" and not _is_own_scale(way, scene):
        return ["scaled_own"]
    if step == "masked" and scene.lesson.trace.keep is None:
        return ["masked_none"]
    if step == "weights" and scene.lesson.trace.empty_rows.any():
        return ["weights", "weights_empty"]
    if step == "equal" and scene.lesson.trace.residual:
        return ["equal", "equal_residual"]
    return [step]


def _is_own_scale(way: TorchWalk, scene: Scene) -> bool:
    return bool(np.isclose(case_of(scene.lesson).divisor, np.sqrt(way.parameters.head_dim)))


def _view_values(way: TorchWalk) -> dict[str, object]:
    wrong = without_transpose(way.chunks[0], way.parameters.num_heads) != way.query
    return {"wrong": int(wrong.sum()), "all": wrong.size}


def _scale_values(way: TorchWalk, scene: Scene) -> dict[str, object]:
    divisor, root = case_of(scene.lesson).divisor, np.sqrt(way.parameters.head_dim)
    return {"root": number(float(root)), "divisor": number(divisor), "factor": number(float(root / divisor))}


def _weight_values(way: TorchWalk, scene: Scene) -> dict[str, object]:
    row = way.weights[0, scene.focus.head, scene.focus.query]
    return {
        "query": query(scene),
        "head": scene.words("common.head_n", n=scene.focus.head + 1),
        "sum": number(float(row.sum())),
        "largest": number(float(row.max())),
        "hidden": int(np.isneginf(way.masked).sum()) // way.masked.shape[1],
        "cells": way.masked[0, 0].size,
    }


def compared(step: str, way: TorchWalk, scene: Scene) -> Markup | None:
    """The line that compares a step with our trace; None where we have no such tensor."""
    ours = {
        "scaled": (way.scaled[0], scene.lesson.trace.scaled, "scaled"),
        "weights": (way.weights[0], scene.lesson.trace.weights, "weights"),
        "head_outputs": (way.head_outputs[0], scene.lesson.trace.head_outputs, "head_outputs"),
        "concat": (way.concat[0], scene.lesson.trace.concat, "concat"),
        "out_proj": (way.output[0], _without_residual(scene), "output"),
        "equal": (way.output[0], _without_residual(scene), "output"),
    }
    if _is_own_scale(way, scene):
        ours |= {
            "view": (way.query[0], scene.lesson.trace.query, "query"),
            "scores": (way.scores[0], scene.lesson.trace.scores, "scores"),
        }
    if step not in ours:
        return None
    theirs, mine, name = ours[step]
    return scene.words.html(
        "conventions.torch.compared", ours=name, difference=magnitude(largest_difference((mine,), (theirs,)))
    )


def _without_residual(scene: Scene) -> NDArray[np.floating]:
    trace = scene.lesson.trace
    return trace.output - trace.x if trace.residual else trace.output


def torch_nearest(words: Words, moved: Sequence[str], torch_scene: Scene) -> Markup:
    """Which sizes PyTorch's walk takes, where they are not the reader's."""
    layer = torch_scene.lesson.trace.layer
    return words.html(
        "conventions.torch.nearest",
        d_model=layer.d_model,
        num_heads=layer.num_heads,
        d_k=layer.d_k,
        more=words("conventions.torch.nearest_preset") if "preset" in moved else "",
    )
