"""What was simulated and audited of whole trainings: clipped sums, and two kinds that break their promise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from filters import ClippedSums, ClippingAfterAdding, ForgettingSums, GaussianFilter, knowingly
from mc import Estimate, LogisticTraining, Training, WithCanary, audit_training, simulate_training
from mc.training.digits import pictures

__all__ = [
    "CLIP",
    "CLIPPED_STEPS",
    "NOISE",
    "PEOPLE",
    "PROMISE",
    "STEPS",
    "TRAINED_AT",
    "add_trainings",
]

#: Everyone's filter: a budget of 4 clipped steps.
PROMISE, CLIP, NOISE, CLIPPED_STEPS = GaussianFilter(mu=1.0), 1.0, 2.0, 4
#: People besides the canary, steps with filtering, and the epsilon of all divergences.
PEOPLE, STEPS, TRAINED_AT = 40, 16, 0.5
#: Steps of the audit of what is filtered: as many after the budget is spent as before.
_FILTERED = 2 * CLIPPED_STEPS
_RATE, _RUNS, _AUDITED, _SIZE = 0.05, 32_000, 4_000, 1e4


def add_trainings(add: Callable[..., None], size: Callable[[int], int]) -> None:
    """Add every comparison: the key of the claim, what is estimated, what is promised, what simulates it, and how."""
    training, promised, n = _digit_training(), PROMISE.promise.delta(TRAINED_AT), size(_RUNS) // 8
    for who, person, steps in (("a canary", training.people - 1, STEPS), ("a digit", 0, CLIPPED_STEPS)):
        for way, words in (("PQ", "removed"), ("QP", "added")):
            how: dict[str, Any] = {"epsilon": TRAINED_AT, "steps": steps, "person": person, "n": n}
            what = f"{who} {words}, {steps} steps"
            add("trainings", what, promised, _simulated, training, direction=way, **how)
    for key, what, kind, steps, runs in (
        # so many that a violation of a fifth would be seen, in the steps that spend the budget or in those after
        ("trainings", f"audited, {_FILTERED} steps with filtering", ClippedSums, _FILTERED, 5 * _AUDITED),
        ("clipping", "audited, clipping after adding", ClippingAfterAdding, CLIPPED_STEPS, _AUDITED),
        ("forgetting", "audited, forgetting who sat out", ForgettingSums, STEPS, _AUDITED),
    ):
        how = {"epsilon": TRAINED_AT, "steps": steps, "person": training.people - 1, "n": runs}
        add(key, what, promised, _audited, training, kind, **how)


def _digit_training() -> Training:
    """Logistic regression on threes and eights, and a canary, who is the last."""
    pixels, digit = pictures()
    some = np.flatnonzero((digit == 3) | (digit == 8))[:PEOPLE]
    return WithCanary(LogisticTraining(pixels[some] / 16, digit[some] == 8, rate=_RATE), _SIZE)


def _simulated(training: Training, **how: Any) -> Estimate:
    return simulate_training(training, ClippedSums.making(PROMISE, clip=CLIP, sigma=NOISE), **how)


def _audited(training: Training, kind: type[ClippedSums], **how: Any) -> Estimate:
    with knowingly():
        return audit_training(training, kind.making(PROMISE, clip=CLIP, sigma=NOISE), **how).reached
