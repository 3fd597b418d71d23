"""The audit of a release function refutes faulty noise, and its interval agrees with closed forms."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import filterproof as fp
from tests.mc.estimate.planted_mechanisms import EPSILON, PLANTED
from tests.slow_cases import slow_but

TWO, ONE = [1.0, 1.0], [1.0]
Release = Callable[[Any, np.random.Generator], object]


def _laplace(data: Any, rng: np.random.Generator) -> float:
    return float(sum(data) + rng.laplace(scale=2.0))


def _gaussian(data: Any, rng: np.random.Generator) -> object:
    return np.full(3, sum(data)) / math.sqrt(3) + rng.normal(size=3)


def _response(data: Any, rng: np.random.Generator) -> bool:
    return (len(data) == 2) ^ bool(rng.random() < 1 / (1 + math.e))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("release", "pair"),
    [(_laplace, fp.Laplace(2.0)), (_gaussian, fp.Gaussian(1.0)), (_response, fp.RandomizedResponse(1.0))],
)
def test_right_noise_is_not_refuted_and_its_bound_is_below_the_closed_form(
    release: Release, pair: fp.DominatingPair, seed: int
) -> None:
    audit = fp.audit_mechanism(release, TWO, ONE, pair, n=4000, seed=seed)
    assert audit.verdict.outcome is fp.Outcome.UNDECIDED
    assert audit.estimate.low <= float(pair.hockey_stick(audit.epsilon))
    # half the promised loss is refuted by the same samples, so the search for events is not idle
    assert (
        fp.audit_mechanism(release, TWO, ONE, fp.PureDP(0.1), n=20_000, seed=seed).verdict.outcome
        is fp.Outcome.REFUTED
    )


def test_the_interval_misses_as_often_as_it_says() -> None:
    truth, misses, failure = 1 / (1 + math.e), 0, 0.05
    for seed in range(80):
        audit = fp.audit_mechanism(
            _response, TWO, ONE, fp.PureDP(1.0), epsilons=[0.5], n=200, seed=seed, failure=failure
        )
        assert audit.event in ("output = 0", "output = 1")
        p, q = (1 - truth, truth) if (audit.event == "output = 1") != audit.exchanged else (truth, 1 - truth)
        misses += not audit.estimate.low <= p - math.exp(0.5) * q <= audit.estimate.high
    assert misses <= stats.binom.isf(1e-6, 80, failure)


FAULTS: dict[str, tuple[Release, fp.Guarantee]] = {
    "raw value now and then": (
        lambda data, rng: len(data) + rng.laplace() * (rng.random() > 0.01),
        fp.PureDP(1.0),
    ),
    "noise cut off": (lambda data, rng: len(data) + np.clip(rng.laplace(), -3, 3), fp.PureDP(1.0)),
    "NaN for one data set": (
        lambda data, rng: math.nan if len(data) > 1 and rng.random() < 0.01 else 0.0,
        fp.PureDP(1.0),
    ),
    "variance for deviation": (lambda data, rng: len(data) + rng.normal(scale=0.5), fp.GaussianDP(1.0)),
    "no noise": (lambda data, rng: len(data), fp.ZCDP(0.5)),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faulty_noise_is_refuted(name: str) -> None:
    release, promise = FAULTS[name]
    audit = fp.audit_mechanism(release, TWO, ONE, promise, n=20_000)
    assert audit.verdict.outcome is fp.Outcome.REFUTED
    assert audit.verdict.evidence is fp.Evidence.STATISTICAL
    assert audit.estimate.low > audit.promised
    assert str(audit.estimate) in str(audit)


def test_what_cannot_be_audited_is_refused() -> None:
    with pytest.raises(TypeError, match="Guarantee or a DominatingPair"):
        fp.audit_mechanism(_laplace, TWO, ONE, 1.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="real numbers"):
        fp.audit_mechanism(lambda data, rng: "yes", TWO, ONE, fp.PureDP(1.0), n=100)
    with pytest.raises(ValueError, match="one shape"):
        fp.audit_mechanism(lambda data, rng: [0.0] * len(data), TWO, ONE, fp.PureDP(1.0), n=100)
    with pytest.raises(ValueError, match="at least one number, got an empty output"):
        fp.audit_mechanism(lambda data, rng: [], TWO, ONE, fp.PureDP(1.0), n=100)
    with pytest.raises(ValueError, match="seed must be an integer >= 0"):
        fp.audit_mechanism(_laplace, TWO, ONE, fp.PureDP(1.0), n=100, seed=-1)
    with pytest.raises(TypeError, match="copied for each call"):
        fp.audit_mechanism(_laplace, (one for one in TWO), ONE, fp.PureDP(1.0), n=100)
    for epsilons in ([], [-1.0], [400.0], [math.nan]):
        with pytest.raises(ValueError, match="epsilons must be numbers in"):
            fp.audit_mechanism(_laplace, TWO, ONE, fp.PureDP(1.0), epsilons=epsilons, n=100)


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
    audit = fp.audit_mechanism(release, data, neighbour, fp.PureDP(1.0), n=4000)
    assert audit.verdict.outcome is fp.Outcome.UNDECIDED
    assert "independent calls" in audit.verdict.scope
    assert data.tolist() == [1.0, 1.0]


def test_zero_of_either_sign_is_one_output() -> None:
    def release(data: Any, rng: np.random.Generator) -> object:
        two_or_zero = 0.45 if data == TWO else 0.05
        place = np.searchsorted([two_or_zero, 2 * two_or_zero], rng.random())
        return np.array([[2.0, 5.0], [1.0, 0.0], [1.0, -0.0]][place])

    audit = fp.audit_mechanism(release, TWO, ONE, fp.PureDP(0.1), n=4000)
    assert audit.verdict.outcome is fp.Outcome.REFUTED
    assert audit.event.endswith(("= 2", "= 5", "= [2.0, 5.0]", "= 7"))


def test_outputs_with_nan_are_told_apart_by_their_other_entries() -> None:
    even, odd = ([0, 1, 2], [1, 2, 0], [2, 0, 1]), ([0, 2, 1], [1, 0, 2], [2, 1, 0])

    def release(data: Any, rng: np.random.Generator) -> object:
        return [*(even if data == TWO else odd)[rng.integers(3)], math.nan]

    audit = fp.audit_mechanism(release, TWO, ONE, fp.PureDP(0.1), n=4000)
    assert audit.verdict.outcome is fp.Outcome.REFUTED
    drawn = odd if audit.exchanged else even
    assert set(audit.event.split(" or ")) == {f"output = {[*map(float, one), math.nan]}" for one in drawn}


def test_integers_are_compared_exactly_or_refused() -> None:
    exact = fp.audit_mechanism(lambda data, rng: 2**60 + 256 * len(data), TWO, ONE, fp.PureDP(1.0), n=400)
    assert exact.verdict.outcome is fp.Outcome.REFUTED
    for release in (
        lambda data, rng: 2**60 + len(data),
        lambda data, rng: (2**60 + len(data), rng.laplace()),
    ):
        with pytest.raises(
            ValueError, match="integers that a double can hold, got 1152921504606846978; return"
        ):
            fp.audit_mechanism(release, TWO, ONE, fp.PureDP(1.0), n=400)


@pytest.mark.parametrize("promise", [fp.PureDP(1000.0), fp.Laplace(0.001), fp.Laplace(1 / 300)])
def test_a_promise_of_a_large_epsilon_is_compared_and_not_refuted(
    promise: fp.Guarantee | fp.DominatingPair,
) -> None:
    audit = fp.audit_mechanism(_laplace, TWO, ONE, promise, n=400)
    assert audit.verdict.outcome is fp.Outcome.UNDECIDED
    assert math.isfinite(audit.estimate.low)


#: These need many samples.
MANY = {name for name in PLANTED if name.endswith(("(iSVT 2)", "(iSVT 3)", "(iSVT 4)"))}


@pytest.mark.parametrize("name", slow_but({*PLANTED} - MANY, PLANTED))
def test_the_faults_of_ding_are_found_and_their_sound_forms_are_not_refuted(name: str) -> None:
    planted = PLANTED[name]
    n = 160_000 if "iSVT 4" in name else 20_000
    audit = fp.audit_mechanism(
        planted.release, planted.data, planted.neighbour, fp.PureDP(EPSILON), n=n, confidence=1 - 1e-6
    )
    assert (audit.verdict.outcome is fp.Outcome.REFUTED) is planted.faulty
    assert audit.estimate == audit.stops[-1]
    assert [one.low > audit.promised for one in audit.stops] == [False] * (len(audit.stops) - 1) + [
        planted.faulty
    ]
    assert (audit.samples < n) is planted.faulty
