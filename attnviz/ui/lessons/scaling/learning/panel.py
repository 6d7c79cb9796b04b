"""The training on the page: it goes on a little at a time, so that it can be seen, stopped and left."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import streamlit as st
from markupsafe import Markup

from attnviz.lab.scaling.training import Plan, Progress, train
from attnviz.lab.scaling.verdict import Verdict, judge
from attnviz.ui.kit import state
from attnviz.ui.kit.pictures.charts import chart
from attnviz.ui.kit.session import session
from attnviz.ui.kit.text.prose import label
from attnviz.ui.lessons.scaling.learning.pictures import final_panels, run_panels
from attnviz.ui.lessons.scaling.look import Look

WORK = 0.4  # seconds of training between two looks at it
PAUSE = 0.1  # seconds from one look to the next
KEPT = 4  # finished trainings, some kB each


@dataclass
class Training:
    """One training of a session: where it stands, and whether it goes on."""

    plan: Plan
    run: Iterator[Progress] | None = None
    progress: Progress | None = None
    running: bool = False
    drawn: int = 0
    verdicts: tuple[Verdict, ...] = field(default=())

    @property
    def fraction(self) -> float:
        """How much of it is done, 0 to 1."""
        return self.progress.fraction if self.progress else 0.0

    @property
    def done(self) -> bool:
        """Whether all of it is."""
        return bool(self.verdicts)

    def advance(self, seconds: float) -> None:
        """Train for about so long, up to the next loss at least; at the end judge what came out."""
        self.run = self.run or train(self.plan)
        end = time.monotonic() + seconds
        for progress in self.run:
            self.progress = progress
            if time.monotonic() >= end:
                return
        assert self.progress is not None
        self.verdicts = tuple(judge(learned) for learned in self.progress.finished)
        self.run, self.running = None, False  # and let go of the matrices


@dataclass
class Trainings:
    """The trainings of a session, by their seeds."""

    by_seed: dict[int, Training] = field(default_factory=dict)


def training(seed: int) -> Training:
    """The training of this session with this seed; another seed's is kept only if it is finished."""
    kept = session().of(Trainings).by_seed
    if seed not in kept:
        for other in [number for number, found in kept.items() if not found.done]:
            del kept[other]
        while len(kept) >= KEPT:
            del kept[next(iter(kept))]
        kept[seed] = Training(Plan(seed=seed))
    return kept[seed]


def learning_panel(look: Look) -> None:
    """The button, the progress and the curves, a fragment that runs again and again while it trains."""
    ticking = training(look.settings.seed).running
    # A fragment at rest too: with and without one, the same places of the page would hold other elements.
    st.fragment(_panel, run_every=PAUSE if ticking else None)(look, ticking)


def _panel(look: Look, ticking: bool) -> None:
    found = training(look.settings.seed)
    if found.running:
        found.advance(WORK)
    if found.running == ticking:
        _bar(look, found)
        _pictures(look, found)
    else:  # begun, stopped or finished: the page around it has to know
        st.rerun()


def _bar(look: Look, found: Training) -> None:
    """Train, stop or go on; how far it is."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="training_bar"):
        if not found.done:
            name = "stop" if found.running else "again" if found.progress else "start"
            st.button(
                look(f"learning.{name}"),
                icon=":material/stop:" if found.running else ":material/play_arrow:",
                type="secondary" if found.running else "primary",
                key="training",
                on_click=_toggle,
                args=(found,),
            )
        if found.progress is not None and not found.done:
            st.progress(found.fraction, _where(look, found), width="stretch")


def line_key(look: Look) -> None:
    """Which line is which, where small pictures have no room for names."""
    key = Markup('<span class="av-lines"><i></i>{} <i class="quiet"></i>{}</span>')
    st.html(key.format(look("scaled"), look("unscaled")), width="content")


def _toggle(found: Training) -> None:
    found.running = not found.running


def _where(look: Look, found: Training) -> str:
    assert found.progress is not None
    current = found.progress.current
    if not found.running:
        return look("learning.stopped", percent=round(100 * found.fraction))
    return look("learning.working", d_k=current.d_k, step=int(current.steps[-1]), steps=found.plan.steps)


def _pictures(look: Look, found: Training) -> None:
    progress = found.progress
    if progress is None:
        return
    learned = progress.current
    if found.done:
        learned = next(one for one in progress.finished if str(one.d_k) == look.knobs.learned_d_k)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="run_of"):
        label(look("learning.run", d_k=learned.d_k), width="content")
        line_key(look)
        if found.done:
            st.segmented_control(
                look("learning.curves_of"),
                [str(d_k) for d_k in found.plan.d_k],
                format_func=lambda d_k: f"dₖ = {d_k}",
                required=True,
                label_visibility="collapsed",
                **state.widget("learned_d_k"),
            )
    # A figure that is the same again is sent as a reference, and Streamlit 1.67 then drops the container around
    # it, but not the reference, when a fragment starts before the queue is sent: the page goes white. A tick that
    # was on its way when Stop was pressed is enough, so no drawing is ever like the one before.
    found.drawn += 1
    chart(
        run_panels(look, learned).update_layout(meta=found.drawn),
        key="run",
        alt=look("learning.alt_run", d_k=learned.d_k),
        least=640,
    )
    label(look("learning.final", steps=found.plan.steps, seeds=found.plan.runs))
    alt = look("learning.alt_final", d_k=", ".join(str(d_k) for d_k in found.plan.d_k))
    final = final_panels(look, found.plan, progress.finished).update_layout(meta=found.drawn)
    chart(final, key="final", alt=alt, least=560)
