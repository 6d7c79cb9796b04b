"""The steps of the page on sqrt(d_k): what each draws, and which guess is right."""

from attnviz.lab.scaling.training import Plan
from attnviz.ui.kit.page.sentence import sentence_box
from attnviz.ui.kit.page.steps import Step
from attnviz.ui.lessons.scaling import answers
from attnviz.ui.lessons.scaling import cached as measures
from attnviz.ui.lessons.scaling import first_steps as measured
from attnviz.ui.lessons.scaling import last_steps as judged
from attnviz.ui.lessons.scaling.learning.panel import training
from attnviz.ui.lessons.scaling.look import Look


def scaling_steps(look: Look) -> list[Step]:
    """The steps for these settings; nothing is measured before a guess is made."""
    s = look.settings
    plan = Plan(seed=s.seed)
    question = {"num_keys": plan.task.num_keys, "sizes": len(plan.step_sizes)}
    return [
        Step("sentence", lambda: measured.sentence(look), lambda: _sentence_answer(look), sentence_box),
        Step("cause", lambda: measured.cause(look), lambda: _cause_answer(look)),
        Step(
            "softmax",
            lambda: measured.softmax(look),
            lambda: answers.softmax(measures.weights(s)),
            values={"m": look.knobs.num_keys},
        ),
        Step("gradient", lambda: measured.gradient(look), lambda: answers.gradient(measures.gradients(s))),
        Step(
            "learning",
            lambda: judged.learning(look, plan),
            lambda: answers.learning(training(s.seed).verdicts),
            values=question,
        ),
        Step("wrong", lambda: judged.wrong(look), lambda: answers.wrong(measures.by_tokens(s))),
        Step("cures", lambda: judged.cures(look), lambda: answers.cures(measures.cures(s))),
    ]


def _sentence_answer(look: Look) -> int:
    sweep = measures.sentence(look.settings)
    return answers.sentence(sweep) if sweep else 0


def _cause_answer(look: Look) -> int:
    """The question is about components of variance 1, which projected ones are not."""
    s = look.settings
    return answers.cause(
        measures.variances(s.put(distribution="normal") if look.knobs.distribution == "xavier" else s)
    )
