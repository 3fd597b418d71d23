"""Whole trainings simulated and audited: intervals hold the truth, broken sums are caught, sound ones are not."""

import math
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import filterproof as fp
from filterproof.theory.pairs import Gaussian
from tests.mc.training.made_up import CANARY, MAKE, PEOPLE, PlainSums, ToTheData, Two


@pytest.mark.parametrize("direction", ["PQ", "QP"])
@pytest.mark.parametrize("epsilon", [0.5, 6.0])
def test_a_canary_that_uses_its_budget_up_gives_the_promise(direction: str, epsilon: float) -> None:
    """Gaussian shifts whose squares sum to 1 on every path: the divergence is Gaussian(1)'s, however small."""
    estimate = fp.training.simulate_training(
        CANARY,
        MAKE,
        epsilon=epsilon,
        steps=20,
        person=12,
        n=2000,
        seed=1,
        direction=direction,  # type: ignore[arg-type]
    )
    exact = float(Gaussian(1.0).hockey_stick(epsilon))
    assert estimate.low <= exact <= estimate.high
    assert estimate.high < 1.5 * exact
    how = {"epsilon": 0.5, "steps": 9, "n": 300, "person": 12}
    short, same, other = (fp.training.simulate_training(CANARY, MAKE, seed=seed, **how) for seed in (1, 1, 2))  # type: ignore[arg-type]
    assert short == same != other
    assert "Koskela, Tobaben & Honkela (2023), Theorem 12" in estimate.rests_on


@pytest.mark.parametrize(("direction", "drawn", "sign"), [("PQ", 0.25, 1), ("QP", -0.75, -1)])
def test_two_steps_are_what_quadrature_over_the_first_noise_says(
    direction: Any, drawn: float, sign: int
) -> None:
    """Adaptive quadrature, formulas written out: at theta = 0 the gradients are 1, person 0's, and -3/4."""
    training = fp.training.LogisticTraining(np.array([[2.0], [1.5]]), np.array([0, 1]), rate=0.4)
    make = fp.training.ClippedSums.factory(fp.GaussianFilter(3.0), clip=9.0, sigma=1.0)

    def inner(z: float) -> float:
        second = 2.0 / (1 + math.exp(2.0 * 0.4 * (drawn + z)))
        gap = 0.2 - (sign * z + 0.5)
        return float(stats.norm.pdf(z) * Gaussian(second).hockey_stick(gap))

    exact = integrate.quad(inner, -9, 9, epsabs=1e-13, limit=500)[0]
    estimate = fp.training.simulate_training(
        training, make, epsilon=0.2, steps=2, n=20_000, seed=2, direction=direction
    )
    assert estimate.low <= exact <= estimate.high
    assert estimate.relative_half_width < 0.15


def promising(mu: float, kind: type = fp.training.ClippedSums) -> type:
    """The same sums, which promise mu-GDP whatever they keep."""
    return type("Promising", (kind,), {"promise": property(lambda self: fp.GaussianDP(mu))})


def test_sums_that_promise_too_much_are_refuted_and_not_trusted() -> None:
    make = promising(0.5).factory(fp.GaussianFilter(1.0), clip=1.0, sigma=4.0)
    how = {"steps": 20, "person": 12, "n": 1000}
    estimate = fp.training.simulate_training(CANARY, make, epsilon=0.5, **how)  # type: ignore[arg-type]
    exact = float(Gaussian(1.0).hockey_stick(0.5))
    assert estimate.low <= exact <= estimate.high
    assert estimate.over_bound == 1000
    assert "Theorem" not in estimate.rests_on
    # with a bound that is true of them the interval is narrow, and above what they promise
    estimate = fp.training.simulate_training(CANARY, make, epsilon=0.5, squares=1.0, **how)  # type: ignore[arg-type]
    assert estimate.low <= exact <= estimate.high
    assert estimate.over_bound == 0
    assert estimate.low > fp.GaussianDP(0.5).delta(0.5)


class Theirs:
    """Somebody else's closed form, of the same vectors."""

    people, start, step = PEOPLE.people, PEOPLE.start, PEOPLE.step

    def vectors(self, parameters: np.ndarray) -> fp.training.ImplicitVectors:
        return PEOPLE.vectors(parameters)


def test_what_is_not_the_librarys_is_not_trusted() -> None:
    ours, theirs = (
        fp.training.simulate_training(of, MAKE, epsilon=0.5, steps=3, n=500) for of in (PEOPLE, Theirs())
    )  # type: ignore[arg-type]
    assert "Theorem" in ours.rests_on
    assert "Theorem" not in theirs.rests_on
    assert ours.high < theirs.high
    estimate = fp.training.simulate_training(
        Two(0.02, late=50.0), PlainSums, epsilon=5.0, steps=2, n=200, squares=1.0
    )
    assert "Theorem" not in estimate.rests_on
    assert estimate.high > 5e-4 > estimate.low


# -- audits ----------------------------------------------------------------------------------------------------


def test_an_audit_of_sound_sums_finds_what_is_promised_and_no_more() -> None:
    audit = fp.training.audit_training(CANARY, MAKE, epsilon=0.5, steps=24, person=12, n=2000, failure=1e-6)
    exact = float(Gaussian(1.0).hockey_stick(0.5))
    assert audit.promised == exact
    assert audit.reached.low <= exact <= audit.reached.high
    assert not audit.refutes
    assert 0.5 < audit.mu_low < 1.0
    growth = math.exp(0.5)
    assert audit.reached.value == pytest.approx(audit.hit.value - growth * audit.false_alarm.value, abs=1e-12)
    # bets on pairs know that both probabilities are not at their worst at once
    counted = audit.hit.high - audit.hit.low + growth * (audit.false_alarm.high - audit.false_alarm.low)
    assert audit.reached.high - audit.reached.low < 0.8 * counted
    # the test's own errors, in closed form: accuse where the loss N(+-1/2, 1) passes 1/2
    assert audit.hit.low <= 0.5 <= audit.hit.high
    assert audit.false_alarm.low <= 0.15865525 <= audit.false_alarm.high


class Quiet(fp.training.ClippedSums):
    """Says that its noise is larger than it is."""

    def release(self, vectors: object, rng: np.random.Generator) -> fp.training.NoisySum:
        released = super().release(vectors, rng)  # type: ignore[arg-type]
        return fp.training.NoisySum(released.value, 3 * released.sigma)


@pytest.mark.parametrize(
    ("kind", "mu", "steps", "refuted"),
    [
        (fp.training.ClippingAfterAdding, 1.0, 4, True),
        (fp.training.ForgettingSums, 1.0, 60, True),
        (Quiet, 3.0, 9, False),
        (promising(1.0, Quiet), 3.0, 9, True),
    ],
)
def test_an_audit_catches_what_is_broken_and_believes_nothing_that_is_said_of_the_noise(
    kind: type[fp.training.ClippedSums], mu: float, steps: int, refuted: bool
) -> None:
    make = kind.factory(fp.GaussianFilter(mu), clip=1.0, sigma=4.0 if mu == 1.0 else 1.0)
    # what breaks its promise says so when it is made
    with pytest.warns(fp.UnsoundFilterWarning, match=kind.__name__) if mu == 1.0 else nullcontext():
        audit = fp.training.audit_training(
            CANARY, make, epsilon=0.5, steps=steps, person=12, n=1000, failure=1e-6
        )
    assert audit.refutes == refuted
    assert not refuted or audit.mu_low > 1


def test_an_audit_sees_a_delta_that_is_a_fifth_too_large() -> None:
    mu = 1.11979  # at which the delta at 1/2 is 1.2 times that of 1-GDP
    assert Gaussian(mu).hockey_stick(0.5) == pytest.approx(1.2 * Gaussian(1.0).hockey_stick(0.5), rel=1e-3)

    cheat = promising(1.0).factory(fp.GaussianFilter(mu), clip=1.0, sigma=1 / mu)
    audit = fp.training.audit_training(CANARY, cheat, epsilon=0.5, steps=1, person=12, n=20_000, failure=2e-9)
    assert audit.refutes
    # with the same noise an accusation without the person implies one with him: the pairs' variance is exact
    hit, alarm, growth = audit.hit.value, audit.false_alarm.value, math.exp(0.5)
    spread = (hit - alarm) + alarm * (growth - 1) ** 2 - (hit - growth * alarm) ** 2
    normal = math.sqrt(2 * math.log(4 / 2e-9) * spread / 10_000)
    assert audit.reached.value - audit.reached.low < 1.1 * normal


class Other(fp.training.ClippedSums):
    """Somebody else's sums."""


def test_noise_that_tells_about_a_person_and_sums_of_two_kinds_are_refused() -> None:
    others = Other.factory(fp.GaussianFilter(1.0), clip=1.0, sigma=4.0)
    for training, make, sentence in (
        (Two(100.0), ToTheData, "sigma must be .*reveals the person"),
        (
            Two(0.5),
            lambda people, runs: (others if runs > 1 else MAKE)(people, runs),
            "the same kind of sums",
        ),
        (CANARY, Other.factory(fp.BasicFilter(1.0, 1e-3), clip=1.0, sigma=1.0), "squares is missing"),
    ):
        with pytest.raises((TypeError, ValueError), match=sentence):
            fp.training.simulate_training(training, make, epsilon=1.0, steps=2, n=20)


# -- what an examiner found ------------------------------------------------------------------------------------


def test_what_is_large_is_an_estimate_too() -> None:
    with_table = fp.training.TrainingWithCanary(Two(0.0), 1e160)  # a canary beside a table
    for training, make, person, steps, squares, mu in (
        (Two(12.0), PlainSums, 0, 1, 144.0, 12.0),
        (with_table, MAKE, 2, 20, None, 1.0),
    ):
        estimate = fp.training.simulate_training(
            training, make, epsilon=0.3, steps=steps, person=person, n=500, squares=squares
        )
        assert 0.1 < estimate.low <= float(Gaussian(mu).hockey_stick(0.3)) <= estimate.high <= 1.0


def test_an_audit_finds_noise_that_depends_on_a_person() -> None:
    assert fp.training.audit_training(Two(100.0), ToTheData, epsilon=1.0, steps=1, n=200).refutes


def test_worlds_of_their_own_need_not_be_independent_within_an_object() -> None:
    """Each world by itself is 1-GDP; all worlds of one object share their noise."""

    def refuted(**together: int) -> list[bool]:
        how = {"epsilon": 0.3, "steps": 1, "n": 400, "failure": 1e-6} | together
        return [
            fp.training.audit_training(Two(1.0), partial(PlainSums, alone=False), seed=k, **how).refutes
            for k in range(4)
        ]  # type: ignore[arg-type]

    assert any(refuted()), "which the docstring says"
    assert not any(refuted(together=1))
