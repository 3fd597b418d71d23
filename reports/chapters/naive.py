"""The naive realisation filter is refuted by an adversary that asks for erasures for ever."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from filterproof import mc
from filterproof.filters import NaiveRealisationFilter, suppress_unsound_warning
from filterproof.reports.chapters.common import judge_promise, simulations
from filterproof.reports.finding import Claim, Told
from filterproof.reports.study import Study

EPSILON, DELTA = 1.0, 0.01
ROUNDS = (1, 2, 5, 10, 20, 50, 100, 200)


def reached(p: float, rounds: int) -> float:
    """1 - (1-p)^N: the probability that N erasure mechanisms reveal the bit at least once."""
    return float(-np.expm1(rounds * np.log1p(-p)))


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    with suppress_unsound_warning():
        filt = NaiveRealisationFilter(epsilon=EPSILON, delta=DELTA)
    rows = [
        study.simulate(filt, mc.EraserForever(p=DELTA), epsilon=EPSILON, n=200_000, rounds=rounds)
        for rounds in ROUNDS
    ]
    caption = "The naive filter against an adversary that asks for erasures for ever."
    table = simulations(caption, rows, lead=("rounds", [str(rounds) for rounds in ROUNDS]))
    note = (
        f"In closed form the eraser reaches 1 - (1-p)^N: {reached(DELTA, ROUNDS[-1]):.6g} after {ROUNDS[-1]} rounds, "
        f"where the filter promised {DELTA:g}."
    )
    finding = judge_promise(
        study, claims[0], rows[::-1], closed_form=lambda row: reached(DELTA, row.rounds or 0)
    )
    return Told((finding,), (table,), notes=(note,))
