"""What the last three steps say: learning, the wrong ideas, the other cures, each by what was measured."""

import math
from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from attnviz.figures.labels import number
from attnviz.lab.scaling.softmax_sweep import Sweep
from attnviz.lab.scaling.spread import LARGER, UNDECIDED
from attnviz.lab.scaling.token_count import EntropyGrowth, PairVariance
from attnviz.lab.scaling.training import Plan
from attnviz.lab.scaling.verdict import Verdict, overall
from attnviz.ui.lessons.scaling import answers
from attnviz.ui.lessons.scaling.cached import compared, place_of
from attnviz.ui.lessons.scaling.look import Look, short, significant, tidy


def learning_text(look: Look, plan: Plan) -> Markup:
    """The task, with its numbers."""
    task = plan.task
    return look.html(
        "learning.task",
        num_keys=task.num_keys,
        batch=plan.batch,
        held_out=plan.held_out,
        blind=significant(task.blind_loss),
    )


def learning_table(look: Look, verdicts: Sequence[Verdict]) -> Markup:
    """One row a d_k: the best loss of each rule, its step size, at how many it learned, and who wins where."""
    head = Markup("").join(
        Markup("<th>{}</th>").format(text)
        for text in ("dₖ", look("learning.with"), look("learning.without"), look("learning.verdict"))
    )
    rows = Markup("").join(_row(look, verdict) for verdict in verdicts)
    return Markup('<table class="av-table"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>').format(
        head, rows
    )


def learning_rule(look: Look, plan: Plan) -> Markup:
    """When one of the two has won, and what learned means."""
    return look.html("learning.rule", blind=significant(plan.task.blind_loss))


def learning_sum_up(look: Look, verdicts: Sequence[Verdict]) -> Markup:
    """The verdict over all d_k, and whose best loss is better at each."""
    best = [look.html(f"learning.best_{verdict.best}", d_k=verdict.d_k) for verdict in verdicts]
    return look.html(f"learning.sum_up_{overall(verdicts)}", best=look.joined(best))


def _row(look: Look, verdict: Verdict) -> Markup:
    cells = [Markup("<b>{}</b>").format(verdict.d_k)]
    for best, name in ((verdict.scaled, "scaled"), (verdict.unscaled, "unscaled")):
        text = look.html(
            "learning.cell",
            loss=significant(best.loss) if math.isfinite(best.loss) else look("learning.diverged"),
            size=short(best.step_size),
            n=best.learned_at,
            all=len(verdict.step_sizes),
        )
        cells.append(Markup("<b>{}</b>").format(text) if verdict.best == name else text)
    cells.append(Markup("{}").format(look(f"learning.key_{verdict.key}")))
    return Markup("<tr>{}</tr>").format(Markup("").join(Markup("<td>{}</td>").format(c) for c in cells))


def tokens_text(look: Look, by_tokens: PairVariance, by_d_k: PairVariance) -> Markup:
    """The variance over all numbers of tokens, and over all d_k."""
    return look.html(
        "wrong.tokens",
        low=significant(float(by_tokens.variance.min())),
        high=significant(float(by_tokens.variance.max())),
        law=int(by_tokens.law[0]),
        reached=int((np.abs(by_tokens.variance - by_tokens.law) <= 4 * by_tokens.error).sum()),
        all=len(by_tokens.variance),
        narrow=significant(float(by_d_k.variance[0])),
        wide=significant(float(by_d_k.variance[-1])),
    )


def keys_text(look: Look, found: EntropyGrowth) -> Markup:
    """What the number of keys changes: the entropy."""
    return look.html(
        "wrong.keys",
        first=number(float(found.scaled.mean[0])),
        last=number(float(found.scaled.mean[-1])),
        flat=number(float(found.flat[-1])),
        unscaled=number(float(found.unscaled.mean[-1])),
    )


def d_model_text(look: Look, sweep: Sweep) -> Markup:
    """sqrt(d_model) in the place of sqrt(d_k): the same, too flat, too sharp, as measured."""
    s = look.settings
    place = place_of(sweep.d_k, s.d_k)
    found = compared(sweep, "largest", s.d_k, "sqrt_d_model").mean
    spread = sweep.measured["largest"].spread
    name = "undecided" if found == UNDECIDED else "sharp" if found == LARGER else "flat"
    return look.html(
        f"wrong.d_model_{'same' if s.d_k == s.d_model else name}",
        d_model=s.d_model,
        d_k=s.d_k,
        divisor=tidy(math.sqrt(s.d_model)),
        right=tidy(math.sqrt(s.d_k)),
        wrong=number(float(spread["sqrt_d_model"].mean[place])),
        good=number(float(spread["sqrt_d_k"].mean[place])),
    )


def wrong_sum_up(look: Look, found: PairVariance) -> Markup:
    """Whether the variance stayed, as measured at the fewest and the most tokens."""
    return look.html(f"wrong.sum_up_{'stays' if answers.wrong(found) == answers.SECOND else 'moves'}")


def cures_text(look: Look, sweep: Sweep) -> Markup:
    """How far each cure lets the largest weight range, and what the size of the vectors does."""
    knobs = look.knobs
    rules = ("none", "sqrt_d_k", "temperature", "cosine", "qk_norm")
    text = look.html("cures.text", **{rule: number(answers.moved(sweep, rule)) for rule in rules})
    spread = sweep.measured["largest"].spread
    size = look.html(
        f"cures.size_{'one' if knobs.vector_size == 1 else 'other'}",
        size=short(knobs.vector_size),
        variance=tidy(knobs.vector_size**4),
        sqrt_d_k=number(float(spread["sqrt_d_k"].mean[-1])),
        qk_norm=number(float(spread["qk_norm"].mean[-1])),
    )
    return look.joined((text, size))


def cure_uses(look: Look) -> list[Markup]:
    """One sentence on each cure: where it is right, and where it is used."""
    right = tidy(look.knobs.cure_temperature**2)
    return [
        look.html("cures.use_temperature", right=right),
        look.html("cures.use_cosine"),
        look.html("cures.use_qk_norm"),
    ]


def cures_sum_up(look: Look, sweep: Sweep) -> Markup:
    """The cure that moves least."""
    name = ("temperature", "cosine", "qk_norm")[answers.cures(sweep) - 1]
    return look.html(f"cures.sum_up_{name}", range=number(answers.moved(sweep, name)))


def cure_ranges(look: Look, sweep: Sweep) -> str:
    """The first and the last mean of each cure, in words."""
    spread = sweep.measured["largest"].spread
    ends = {rule: np.asarray(spread[rule].mean)[[0, -1]] for rule in spread}
    values = {"t": short(look.knobs.cure_temperature), "beta": short(look.knobs.cure_beta)}
    return "; ".join(
        f"{look(f'cures.name_{rule}', **values)} {number(float(a))} → {number(float(b))}"
        for rule, (a, b) in ends.items()
    )
