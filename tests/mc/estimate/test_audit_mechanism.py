"""The audit of a release function refutes faulty noise, and its interval agrees with closed forms."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import filterproof as fp
from tests.mc.estimate.planted_mechanisms import DING, MANY, ONE, PLANTED, TWO, noisy_sum, response
from tests.slow_cases import slow_but

laplace = noisy_sum(2.0)


@pytest.mark.parametrize("name", slow_but({*PLANTED} - MANY, PLANTED))
def test_faulty_noise_is_refuted_and_right_noise_is_undecided(name: str) -> None:
    """Null: an interval misses with a probability of at most 1e-6, so one of all with at most 3e-5."""
    mechanism = PLANTED[name]
    n = mechanism.n if mechanism.faulty else 5_000
    audit = fp.audit_mechanism(mechanism.release, mechanism.data, mechanism.neighbour, mechanism.promise, n=n)
    assert audit.verdict.outcome is (fp.Outcome.REFUTED if mechanism.faulty else fp.Outcome.UNDECIDED)
    assert audit.verdict.evidence is fp.Evidence.STATISTICAL
    assert audit.estimate == audit.stops[-1]
    assert str(audit.estimate) in str(audit)
    assert (audit.estimate.low > audit.promised) is mechanism.faulty
    assert mechanism.faulty or audit.samples == n
    if mechanism.promise is DING and mechanism.faulty:  # and then it stops
        assert audit.samples < n
        assert not any(stop.low > audit.promised for stop in audit.stops[:-1])
    if mechanism.drawn is not None:
        assert audit.estimate.low <= float(mechanism.drawn.hockey_stick(audit.epsilon))
    if isinstance(mechanism.promise, fp.DominatingPair):  # the bound adds at most the errors that it states
        exact = float(mechanism.promise.hockey_stick(audit.epsilon))
        assert exact <= audit.promised <= exact * (1 + 2.0**-39) + 2.0**-49 * audit.epsilon + 2.0**-1069


def test_the_interval_misses_as_often_as_it_says() -> None:
    truth, misses, failure = 1 / (1 + math.e), 0, 0.05
    for seed in range(40):
        audit = fp.audit_mechanism(
            response, TWO, ONE, fp.PureDP(1.0), epsilons=[0.5], n=200, seed=seed, failure=failure
        )
        assert audit.event in ("output = 0", "output = 1")
        p, q = (1 - truth, truth) if (audit.event == "output = 1") != audit.exchanged else (truth, 1 - truth)
        misses += not audit.estimate.low <= p - math.exp(0.5) * q <= audit.estimate.high
    assert misses <= stats.binom.isf(1e-6, 40, failure)


def test_the_samples_that_choose_an_event_do_not_test_it() -> None:
    """Of 40 outputs that tell nothing, some are more frequent by chance on one data set."""
    misses, failure = 0, 0.05
    for seed in range(40):
        audit = fp.audit_mechanism(
            lambda data, rng: rng.integers(40),
            *(TWO, ONE, fp.PureDP(1.0)),
            epsilons=[0.0],
            n=200,
            seed=seed,
            failure=failure,
        )
        misses += not all(stop.low <= 0 <= stop.high for stop in audit.stops)
    assert misses <= stats.binom.isf(1e-6, 40, failure)


def test_a_filter_charges_the_pair_that_the_audit_of_a_mechanism_compares() -> None:
    mechanism = fp.Mechanism(lambda data, rng: float(sum(data) + rng.laplace()) / 2, fp.Laplace(2.0))
    session = fp.BasicFilter(1.0).open()
    assert [session.request(mechanism.pair) for _ in range(3)] == [True, True, False]
    given: tuple[Any, ...] = ([1.0, 1.0], [1.0, 0.0])
    assert mechanism.audit(*given, n=400) == fp.audit_mechanism(
        mechanism.release, *given, mechanism.pair, n=400
    )


PURE = fp.PureDP(1.0)
REFUSED: list[tuple[Callable[[], object], type[Exception], str]] = [
    *(
        (lambda given=given: fp.audit_mechanism(*given, n=100), error, word)
        for given, error, word in (
            ((laplace, TWO, ONE, 1.0), TypeError, "promise"),
            ((lambda data, rng: "yes", TWO, ONE, PURE), TypeError, "real numbers"),
            ((lambda data, rng: [0.0] * len(data), TWO, ONE, PURE), ValueError, "one shape"),
            ((lambda data, rng: [], TWO, ONE, PURE), ValueError, "empty output"),
            ((lambda data, rng: 2**60 + len(data), TWO, ONE, PURE), ValueError, "1152921504606846978"),
            ((lambda data, rng: (2**60 + 2, rng.laplace()), TWO, ONE, PURE), ValueError, "a double can hold"),
            ((laplace, (one for one in TWO), ONE, PURE), TypeError, "copied"),
        )
    ),
    (lambda: fp.audit_mechanism(laplace, TWO, ONE, PURE, n=100, seed=-1), ValueError, "seed"),
    *(
        (
            lambda epsilons=epsilons: fp.audit_mechanism(laplace, TWO, ONE, PURE, epsilons=epsilons, n=100),
            ValueError,
            "epsilons",
        )
        for epsilons in ([], [-1.0], [400.0], [math.nan])
    ),
    *(
        (lambda given=given: fp.Mechanism(*given), TypeError, word)
        for given, word in (
            ((1.0, fp.Laplace(1.0)), "callable"),
            ((laplace, PURE), "DominatingPair"),
            ((laplace, fp.Gaussian(np.array([0.5, 1.0]))), "single pair"),
        )
    ),
]


@pytest.mark.parametrize(("call", "error", "word"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_audited_is_refused(call: Callable[[], object], error: Any, word: str) -> None:
    with pytest.raises(error, match=word):
        call()


@pytest.mark.parametrize("fault", ["one output array", "data changed in place"])
def test_arrays_that_a_release_uses_again_do_not_change_the_test(fault: str) -> None:
    buffer = np.zeros(2)

    def release(data: Any, rng: np.random.Generator) -> object:
        output = buffer if fault == "one output array" else np.zeros(2)
        noisy = data if fault == "data changed in place" else data.copy()
        noisy += rng.laplace(size=2)
        output[:] = noisy.sum(), 0.0
        return output

    data, neighbour = np.array([1.0, 1.0]), np.array([1.0, 0.0])
    audit = fp.audit_mechanism(release, data, neighbour, PURE, n=4000)
    assert audit.verdict.outcome is fp.Outcome.UNDECIDED
    assert "independent calls" in audit.verdict.scope
    assert data.tolist() == [1.0, 1.0]


def test_outputs_are_told_apart_by_entries_beside_nan_and_not_by_the_sign_of_zero() -> None:
    shown, hidden = ([0, 1, 2], [1, 2, 0], [2, 0, 1]), ([0, 2, 1], [1, 0, 2], [2, 1, 0])

    def release(data: Any, rng: np.random.Generator) -> object:
        return [*(shown if data == TWO else hidden)[rng.integers(3)], rng.choice([0.0, -0.0]), math.nan]

    audit = fp.audit_mechanism(release, TWO, ONE, fp.PureDP(0.1), n=4000)
    assert audit.verdict.outcome is fp.Outcome.REFUTED
    drawn = hidden if audit.exchanged else shown
    assert set(audit.event.split(" or ")) == {
        f"output = {[*map(float, value), 0.0, math.nan]}" for value in drawn
    }


def test_integers_that_are_doubles_are_compared_exactly() -> None:
    audit = fp.audit_mechanism(lambda data, rng: 2**60 + 256 * len(data), TWO, ONE, PURE, n=400)
    assert audit.verdict.outcome is fp.Outcome.REFUTED


@pytest.mark.parametrize("promise", [fp.PureDP(1000.0), fp.Laplace(0.001), fp.Laplace(1 / 300)])
def test_a_promise_of_a_large_epsilon_is_compared_and_not_refuted(
    promise: fp.Guarantee | fp.DominatingPair,
) -> None:
    audit = fp.audit_mechanism(laplace, TWO, ONE, promise, n=400)
    assert audit.verdict.outcome is fp.Outcome.UNDECIDED
    assert math.isfinite(audit.estimate.low)
