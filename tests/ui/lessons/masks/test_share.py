"""What a mask takes from a query is shared out as the numbers say, also where a float cannot say them."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from attnviz.ui.lessons.masks.share import Before, before_and_after, share_answer, share_text
from tests.pages.app import html, open_page
from tests.ui.scenes import scene

# Case 45 of docs/cases.md: scores so far apart that all of the softmax goes to one key.
UNDERFLOW = {
    "sentence": "a b c d",
    "source": "",
    "scale": "number",
    "divisor": 0.01,
    "preset": "integers",
    "mask": "padding",
    "padding": 2,
    "query": 0,
    "key": 0,
    "notation": "rows",
}
NOBODY, IN_PROPORTION = 1, 2


def exact_shares(found: Before) -> tuple[list[float], float]:
    """The shares of the kept keys among themselves without the mask, and log10 of the factor, in 60 digits."""
    with localcontext(prec=60, Emin=-(10**9), Emax=10**9):
        exps = [Decimal(float(score)).exp() for score in found.scores]
        kept = [e for e, keep in zip(exps, found.keep, strict=True) if keep]
        return [float(e / sum(kept)) for e in kept], float((sum(exps) / sum(kept)).log10())


@pytest.mark.parametrize("seed", range(6))
def test_softmax_shares_out_in_proportion_however_far_apart_the_scores_are(seed: int) -> None:
    seen = scene(**UNDERFLOW | {"seed": seed})
    found = before_and_after(seen)
    assert found is not None
    shares, power = exact_shares(found)
    np.testing.assert_allclose(found.shares(), shares, rtol=1e-9, atol=1e-300)
    assert found.times()[1] == pytest.approx(power, rel=1e-9, abs=1e-12)
    assert share_answer(seen) == (IN_PROPORTION if power > 1e-6 else NOBODY)


def test_the_case_of_the_field_says_in_proportion_and_a_power_of_ten() -> None:
    found = before_and_after(scene(**UNDERFLOW))
    assert found is not None
    text = share_text(scene(**UNDERFLOW))
    assert "∞" not in text
    app = open_page("masks", **UNDERFLOW, reveal=1)
    assert "in proportion" in html(app).split("The measurement says")[1][:200]
    assert "10<sup>" in text


@pytest.mark.parametrize(("normalizer", "answer"), [("softmax", IN_PROPORTION), ("sigmoid", NOBODY)])
def test_the_answer_is_the_normalizers_also_with_small_scores(normalizer: str, answer: int) -> None:
    assert share_answer(scene(mask="causal", normalizer=normalizer)) == answer


def test_keys_that_had_nothing_at_all_cannot_be_raised_by_a_factor() -> None:
    found = Before(
        0, np.array([True, False]), np.array([0.0, 9.0]), np.array([0.0, 1.0]), np.array([0.0, 0.0]), False
    )
    assert found.shares().tolist() == [0.0]
    assert found.times() == (np.inf, np.inf)
