"""A mechanism's audit refutes code that draws more than its pair allows, and the pair is what a filter charges.

An interval misses, and a right mechanism is refuted, with a probability of at most 1e-6. With eleven audits the tests
fail for another seed with a probability of at most 1.1e-5, if the audits find the faults.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from tests.slow_cases import slow_but

TWO, ONE, LARGE = [1.0, 1.0], [1.0], [1.0, 3.0]
Release = Callable[[Any, np.random.Generator], object]
#: 1 / TINY overflows.
TINY = 1e-309
#: The mass of Laplace noise of scale 1, truncated to [-3, 3], beyond the support of the same noise shifted by 1.
TRUNCATED = (math.exp(-2) - math.exp(-3)) / (2 - 2 * math.exp(-3))


def _noisy_sum(epsilon: float) -> Release:
    """Return Laplace noise that is left out where its scale overflows."""
    scale = math.inf if epsilon < 5.6e-309 else 1.0 / epsilon
    return lambda data, rng: sum(data) + (scale * rng.laplace() if math.isfinite(scale) else 0.0)


def _truncated(support: float) -> Release:
    """Return Laplace noise that is drawn again until it lies in [-support, support]."""

    def release(data: Any, rng: np.random.Generator) -> float:
        while abs(noise := rng.laplace()) > support:
            pass
        return float(sum(data) + noise)

    return release


def _clipped_sum(clip: float, scale: float) -> Release:
    return lambda data, rng: np.clip(data, 0, clip).sum() + rng.normal(scale=scale)


#: A mechanism, a neighbour of ONE, and an upper bound on the hockey-stick divergence of the drawn outputs.
Case = tuple[fp.Mechanism, list[float], Callable[[float], float]]
FAULTS: dict[str, Case] = {
    "noise divided by the dimension": (
        fp.Mechanism(lambda data, rng: sum(data) + rng.laplace(size=4) / 4, fp.Laplace(0.25)),
        TWO,
        lambda epsilon: fp.Composition({fp.Laplace(0.25): 4}).delta(epsilon).high,
    ),
    "sensitivity not scaled": (
        fp.Mechanism(_clipped_sum(clip=3.0, scale=1.0), fp.Gaussian(1.0)),
        LARGE,
        lambda epsilon: float(fp.Gaussian(3.0).hockey_stick(epsilon)),
    ),
    "raw value at infinite scale": (
        fp.Mechanism(_noisy_sum(TINY), fp.RandomizedResponse(TINY)),
        TWO,
        lambda epsilon: 1.0,
    ),
    "truncation short": (
        fp.Mechanism(_truncated(3.0), fp.Laplace(1.0)),
        TWO,
        lambda epsilon: float(fp.KOV(1.0, TRUNCATED).hockey_stick(epsilon)),
    ),
    # the samples show it at the epsilon of the pair, and at no other
    "truncation short of a pair between two epsilons of the grid": (
        fp.Mechanism(_truncated(3.0), fp.Laplace(0.4)),
        TWO,
        lambda epsilon: float(fp.KOV(1.0, TRUNCATED).hockey_stick(epsilon)),
    ),
}
RIGHT: dict[str, Case] = {
    "noise in every dimension": (
        fp.Mechanism(lambda data, rng: sum(data) + 4 * rng.laplace(size=4), fp.Laplace(1.0)),
        TWO,
        lambda epsilon: float(fp.Laplace(1.0).hockey_stick(epsilon)),
    ),
    "sensitivity scaled": (
        fp.Mechanism(_clipped_sum(clip=3.0, scale=3.0), fp.Gaussian(1.0)),
        LARGE,
        lambda epsilon: float(fp.Gaussian(1.0).hockey_stick(epsilon)),
    ),
    "a finite scale": (
        fp.Mechanism(_noisy_sum(1.0), fp.Laplace(1.0)),
        TWO,
        lambda epsilon: float(fp.Laplace(1.0).hockey_stick(epsilon)),
    ),
    "the largest scale": (
        fp.Mechanism(_noisy_sum(6e-309), fp.RandomizedResponse(6e-309)),
        TWO,
        lambda epsilon: float(fp.RandomizedResponse(6e-309).hockey_stick(epsilon)),
    ),
    "truncation that is charged": (
        fp.Mechanism(_truncated(3.0), fp.KOV(1.0, TRUNCATED)),
        TWO,
        lambda epsilon: float(fp.KOV(1.0, TRUNCATED).hockey_stick(epsilon)),
    ),
}


@pytest.mark.parametrize("name", slow_but([*FAULTS][:3] + [*RIGHT][:2], [*FAULTS, *RIGHT]))
def test_faulty_noise_is_refuted_and_right_noise_is_undecided(name: str) -> None:
    mechanism, data, divergence = (FAULTS | RIGHT)[name]
    audit = mechanism.audit(data, ONE, n=20_000)
    assert audit.verdict.outcome is (fp.Outcome.REFUTED if name in FAULTS else fp.Outcome.UNDECIDED)
    assert audit.estimate.low <= divergence(audit.epsilon)
    exact = float(
        mechanism.pair.hockey_stick(audit.epsilon)
    )  # the bound adds at most the errors that it states
    assert exact <= audit.promised <= exact * (1 + 2.0**-39) + 2.0**-49 * audit.epsilon + 2.0**-1069


def test_a_filter_charges_the_pair_that_the_audit_compares() -> None:
    def mean(data: Any, rng: np.random.Generator) -> float:  # noise for half the loss
        return float(sum(data) + rng.laplace(scale=1.0)) / 2

    mechanism = fp.Mechanism(mean, fp.Laplace(2.0))
    session = fp.BasicFilter(1.0).open()
    assert [session.request(mechanism.pair) for _ in range(3)] == [True, True, False]
    audit = mechanism.audit([1.0, 1.0], [1.0, 0.0], n=20_000)
    assert audit == fp.audit_mechanism(mean, [1.0, 1.0], [1.0, 0.0], fp.Laplace(2.0), n=20_000)
    assert audit.verdict.outcome is fp.Outcome.REFUTED


def test_what_is_no_mechanism_is_refused() -> None:
    with pytest.raises(TypeError, match="release must be callable"):
        fp.Mechanism(1.0, fp.Laplace(1.0))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="DominatingPair"):
        fp.Mechanism(_noisy_sum(1.0), fp.PureDP(1.0))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="single pair"):
        fp.Mechanism(_noisy_sum(1.0), fp.Gaussian(np.array([0.5, 1.0])))
