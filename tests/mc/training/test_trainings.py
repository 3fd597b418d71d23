"""Whole trainings simulated and audited: intervals hold the truth, broken sums are caught, sound ones are not."""

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import filterproof as fp
from theory.pairs import Gaussian

RNG = np.random.default_rng(0)
FEATURES, LABELS = RNG.uniform(0, 1, (12, 4)), RNG.integers(0, 2, 12)
CANARY = fp.WithCanary(fp.LogisticTraining(FEATURES, LABELS, rate=0.2), 1e4)
MAKE = fp.ClippedSums.making(fp.GaussianFilter(1.0), clip=1.0, sigma=4.0)  # 16 clipped steps


@pytest.mark.parametrize("direction", ["PQ", "QP"])
@pytest.mark.parametrize("epsilon", [0.5, 3.0, 6.0])
def test_a_canary_that_uses_its_budget_up_gives_the_promise(direction: str, epsilon: float) -> None:
    """Gaussian shifts whose squares sum to 1 on every path: the divergence is Gaussian(1)'s, however small."""
    found = fp.simulate_training(
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
    assert found.low <= exact <= found.high
    assert found.high < 1.5 * exact
    how = {"epsilon": 0.5, "steps": 9, "n": 300, "person": 12}
    short, same, other = (fp.simulate_training(CANARY, MAKE, seed=seed, **how) for seed in (1, 1, 2))  # type: ignore[arg-type]
    assert short == same != other
    assert "003 Theorem 12" in found.rests_on


@pytest.mark.parametrize(("direction", "drawn", "sign"), [("PQ", 0.25, 1), ("QP", -0.75, -1)])
def test_two_steps_are_what_quadrature_over_the_first_noise_says(
    direction: Any, drawn: float, sign: int
) -> None:
    """Adaptive quadrature, formulas written out: at theta = 0 the gradients are 1, person 0's, and -3/4."""
    training = fp.LogisticTraining(np.array([[2.0], [1.5]]), np.array([0, 1]), rate=0.4)
    make = fp.ClippedSums.making(fp.GaussianFilter(3.0), clip=9.0, sigma=1.0)

    def inner(z: float) -> float:
        second = 2.0 / (1 + math.exp(2.0 * 0.4 * (drawn + z)))
        gap = 0.2 - (sign * z + 0.5)
        return float(stats.norm.pdf(z) * Gaussian(second).hockey_stick(gap))

    exact = integrate.quad(inner, -9, 9, epsabs=1e-13, limit=500)[0]
    found = fp.simulate_training(training, make, epsilon=0.2, steps=2, n=20_000, seed=2, direction=direction)
    assert found.low <= exact <= found.high
    assert found.relative_half_width < 0.15


def promising(mu: float, kind: type[fp.ClippedSums] = fp.ClippedSums) -> type[fp.ClippedSums]:
    """The same sums, which promise mu-GDP whatever they keep."""
    return type("Promising", (kind,), {"promise": property(lambda self: fp.GaussianDP(mu))})


def test_sums_that_promise_too_much_are_refuted_and_not_trusted() -> None:
    make = promising(0.5).making(fp.GaussianFilter(1.0), clip=1.0, sigma=4.0)
    how = {"steps": 20, "person": 12, "n": 1000}
    found = fp.simulate_training(CANARY, make, epsilon=0.5, **how)  # type: ignore[arg-type]
    exact = float(Gaussian(1.0).hockey_stick(0.5))
    assert found.low <= exact <= found.high
    assert found.beyond == 1000
    assert "Theorem" not in found.rests_on
    # with a bound that is true of them the interval is narrow, and above what they promise
    found = fp.simulate_training(CANARY, make, epsilon=0.5, squares=1.0, **how)  # type: ignore[arg-type]
    assert found.low <= exact <= found.high
    assert found.beyond == 0
    assert found.low > fp.GaussianDP(0.5).delta(0.5)


def test_norms_of_somebody_elses_closed_form_are_not_trusted() -> None:
    inner = fp.LogisticTraining(FEATURES, LABELS, rate=0.2)

    class Theirs:
        people, start, step = inner.people, inner.start, inner.step

        def vectors(self, parameters: np.ndarray) -> fp.Vectors:
            return inner.vectors(parameters)

    found = fp.simulate_training(Theirs(), MAKE, epsilon=0.5, steps=3, n=500)  # type: ignore[arg-type]
    assert "Theorem" not in found.rests_on
    ours = fp.simulate_training(inner, MAKE, epsilon=0.5, steps=3, n=500)
    assert "Theorem" in ours.rests_on
    assert ours.high < found.high


def test_a_promise_without_a_bound_on_squares_asks_for_one() -> None:
    make = fp.ClippedSums.making(fp.BasicFilter(1.0, 1e-3), clip=1.0, sigma=1.0)

    class Other(fp.ClippedSums):
        pass

    with pytest.raises(ValueError, match="squares must be given"):
        fp.simulate_training(
            CANARY, Other.making(fp.BasicFilter(1.0, 1e-3), clip=1.0, sigma=1.0), epsilon=1.0, steps=1
        )
    # basic composition admits no Gaussian: nothing is released about anybody
    assert fp.simulate_training(CANARY, make, epsilon=1.0, steps=2, n=10).value == 0.0


# -- audits ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [16, 48])
def test_an_audit_of_sound_sums_finds_what_is_promised_and_no_more(steps: int) -> None:
    found = fp.audit_training(CANARY, MAKE, epsilon=0.5, steps=steps, person=12, n=2000, failure=1e-6)
    exact = float(Gaussian(1.0).hockey_stick(0.5))
    assert found.promised == exact
    assert found.reached.low <= exact <= found.reached.high
    assert not found.refutes
    assert 0.5 < found.mu_low < 1.0
    growth = math.exp(0.5)
    assert found.reached.value == pytest.approx(found.hit.value - growth * found.false_alarm.value, abs=1e-12)
    # bets on pairs know that both probabilities are not at their worst at once
    counted = found.hit.high - found.hit.low + growth * (found.false_alarm.high - found.false_alarm.low)
    assert found.reached.high - found.reached.low < 0.8 * counted
    # the test's own errors, in closed form: accuse where the loss N(+-1/2, 1) passes 1/2
    assert found.hit.low <= 0.5 <= found.hit.high
    assert found.false_alarm.low <= 0.15865525 <= found.false_alarm.high


@pytest.mark.parametrize(
    ("kind", "steps", "refuted"),
    [(fp.ClippingAfterAdding, 4, True), (fp.ForgettingSums, 16, False), (fp.ForgettingSums, 60, True)],
)
def test_an_audit_catches_clipping_after_adding_and_who_forgets_inactive_rounds(
    kind: type[fp.ClippedSums], steps: int, refuted: bool
) -> None:
    with fp.knowingly():
        make = kind.making(fp.GaussianFilter(1.0), clip=1.0, sigma=4.0)
        found = fp.audit_training(CANARY, make, epsilon=0.5, steps=steps, person=12, n=1000, failure=1e-6)
    assert found.refutes == refuted
    assert not refuted or found.mu_low > 1
    (row,) = found.rows()
    assert json.dumps(row)
    assert row["refutes"] == refuted
    assert str(found).startswith("reached ")


class _Quiet(fp.ClippedSums):
    """Says that its noise is larger than it is."""

    def release(self, vectors: object, rng: np.random.Generator) -> fp.PrivateSum:
        released = super().release(vectors, rng)  # type: ignore[arg-type]
        return fp.PrivateSum(released.value, 3 * released.sigma)


def test_an_audit_believes_nothing_that_is_said_of_the_noise() -> None:
    make = _Quiet.making(fp.GaussianFilter(3.0), clip=1.0, sigma=1.0)

    found = fp.audit_training(CANARY, make, epsilon=0.5, steps=9, person=12, n=1000, failure=1e-6)
    assert not found.refutes
    cheat = promising(1.0, _Quiet).making(fp.GaussianFilter(3.0), clip=1.0, sigma=1.0)
    assert fp.audit_training(CANARY, cheat, epsilon=0.5, steps=9, person=12, n=1000, failure=1e-6).refutes


def test_an_audit_sees_a_delta_that_is_a_fifth_too_large() -> None:
    mu = 1.11979  # at which the delta at 1/2 is 1.2 times that of 1-GDP
    assert Gaussian(mu).hockey_stick(0.5) == pytest.approx(1.2 * Gaussian(1.0).hockey_stick(0.5), rel=1e-3)

    cheat = promising(1.0).making(fp.GaussianFilter(mu), clip=1.0, sigma=1 / mu)
    found = fp.audit_training(CANARY, cheat, epsilon=0.5, steps=1, person=12, n=20_000, failure=2e-9)
    assert found.refutes
    # with the same noise an accusation without the person implies one with him: the pairs' variance is exact
    hit, alarm, growth = found.hit.value, found.false_alarm.value, math.exp(0.5)
    spread = (hit - alarm) + alarm * (growth - 1) ** 2 - (hit - growth * alarm) ** 2
    normal = math.sqrt(2 * math.log(4 / 2e-9) * spread / 10_000)
    assert found.reached.value - found.reached.low < 1.1 * normal


def test_what_breaks_its_promise_says_so_when_it_is_made() -> None:
    people = fp.IndividualFilter(fp.GaussianFilter(1.0), 2)
    for kind in (fp.ClippingAfterAdding, fp.ForgettingSums):
        with pytest.warns(fp.UnsoundFilterWarning, match=kind.__name__):
            kind(people, clip=1.0, sigma=1.0)


# -- what an examiner found ------------------------------------------------------------------------------------


class _Two:
    """Two people, of whom one counts with `size` and the other not; the parameters are what was released."""

    people = 2

    def __init__(self, size: float, late: float | None = None) -> None:
        self.size, self.late = size, size if late is None else late

    def start(self, runs: int) -> np.ndarray:
        return np.zeros((runs, 1))

    def vectors(self, parameters: np.ndarray) -> np.ndarray:
        own = np.where(parameters > 1.0, self.late, self.size)
        return np.stack([own, 0 * own], axis=1)

    def step(self, parameters: np.ndarray, released: np.ndarray) -> np.ndarray:
        return released.copy()


class _Plain:
    """The sum and noise, without a clip or a budget."""

    promise = fp.GaussianDP(1.0)

    def release(self, vectors: np.ndarray, rng: np.random.Generator) -> fp.PrivateSum:
        total = vectors.sum(axis=1)
        return fp.PrivateSum(total + rng.standard_normal(total.shape), 1.0)


class _ToTheData(_Plain):
    """Noise scaled to the largest vector there is: it says who is there."""

    def release(self, vectors: np.ndarray, rng: np.random.Generator) -> fp.PrivateSum:
        total, sigma = vectors.sum(axis=1), 2 * float(np.abs(vectors).max()) + 1e-3
        return fp.PrivateSum(total + sigma * rng.standard_normal(total.shape), sigma)


def test_noise_that_depends_on_a_person_is_refused_and_found() -> None:
    with pytest.raises(ValueError, match="tells about that person"):
        fp.simulate_training(_Two(100.0), lambda people, runs: _ToTheData(), epsilon=1.0, steps=1)
    found = fp.audit_training(_Two(100.0), lambda people, runs: _ToTheData(), epsilon=1.0, steps=1, n=200)
    assert found.refutes


def test_a_large_leak_is_an_estimate_too() -> None:
    for size in (6.0, 12.0):
        found = fp.simulate_training(
            _Two(size), lambda people, runs: _Plain(), epsilon=0.3, steps=1, n=400, squares=size * size
        )
        assert found.low <= float(Gaussian(size).hockey_stick(0.3)) <= found.high <= 1.0


def _unclipped(people: int, runs: int) -> fp.ClippedSums:
    """The library's sums over people of whom a method was put in later."""
    holders = fp.IndividualFilter(fp.GaussianFilter(1.0), people * runs)
    holders.clip = lambda norms, *, sigma, most: np.ones_like(norms)  # type: ignore[method-assign, misc, assignment]
    return fp.ClippedSums(holders, clip=1.0, sigma=1.0, runs=runs)


def _lenient(people: int, runs: int) -> fp.ClippedSums:
    """The library's sums under a filter of which a method was put in later."""
    filt = fp.GaussianFilter(1.0)
    object.__setattr__(filt, "affordable", lambda state, family: np.full(len(state[0]), 99.0))
    object.__setattr__(filt, "grant", lambda state, request: (np.ones(len(state[0]), dtype=np.bool_), state))
    return fp.ClippedSums(fp.IndividualFilter(filt, people * runs), clip=99.0, sigma=1.0, runs=runs)


@pytest.mark.parametrize("make", [_unclipped, _lenient])
def test_methods_put_in_later_are_not_trusted(make: Any) -> None:
    found = fp.simulate_training(_Two(0.02, late=50.0), make, epsilon=5.0, steps=2, n=200)
    assert "Theorem" not in found.rests_on
    assert found.high > 5e-4 > found.low


def test_what_is_trusted_is_what_is_played() -> None:
    honest = fp.ClippedSums.making(fp.GaussianFilter(1.0), clip=1.0, sigma=1.0)
    with pytest.raises(TypeError, match="whatever the number of runs"):
        fp.simulate_training(
            _Two(0.5),
            lambda people, runs: honest(people, runs) if runs == 1 else _unclipped(people, runs),
            epsilon=1.0,
            steps=2,
            n=50,
        )


class _OneNoiseForAll(_Plain):
    """Each world by itself is 1-GDP; all worlds of one object share their noise."""

    def release(self, vectors: np.ndarray, rng: np.random.Generator) -> fp.PrivateSum:
        return fp.PrivateSum(vectors.sum(axis=1) + rng.standard_normal(1), 1.0)


def test_worlds_of_their_own_need_not_be_independent_within_an_object() -> None:
    how = {"epsilon": 0.3, "steps": 1, "n": 400, "failure": 1e-6}
    make = lambda people, runs: _OneNoiseForAll()  # noqa: E731
    together = [fp.audit_training(_Two(1.0), make, seed=k, **how).refutes for k in range(6)]  # type: ignore[arg-type]
    alone = [fp.audit_training(_Two(1.0), make, seed=k, together=1, **how).refutes for k in range(6)]  # type: ignore[arg-type]
    assert any(together), "which the docstring says"
    assert not any(alone)


def test_a_huge_canary_beside_a_table_reaches_the_promise() -> None:
    canary = fp.WithCanary(_Two(0.0), 1e160)
    found = fp.simulate_training(canary, MAKE, epsilon=0.5, steps=20, person=2, n=500)
    assert found.low <= float(Gaussian(1.0).hockey_stick(0.5)) <= found.high
    assert found.low > 0.1


@pytest.mark.parametrize("wrong", [{"epsilon": 800.0}, {"squares": 1e300}])
def test_numbers_whose_exponentials_no_sum_can_hold_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be at most 500 in size"):
        fp.simulate_training(CANARY, MAKE, **({"epsilon": 1.0, "steps": 2, "n": 20} | wrong))
