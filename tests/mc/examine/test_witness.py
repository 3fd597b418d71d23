"""A witness replays from data alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest

from filters import (
    ApproximateDPFilter,
    BasicFilter,
    GaussianFilter,
    NaiveRealisationFilter,
    PrivacyFilter,
    knowingly,
)
from filters.catalogue import CATALOGUE
from mc.engine.adversaries import Constant, EraserForever, OneShot
from mc.engine.encoding import encode, nameable
from mc.estimate.simulate import simulate
from mc.examine.attack import attack
from mc.examine.measure import Measure
from mc.examine.witness import Replayed, ReplayError, Witness, replay, replayed, witness
from theory.guarantees import ZCDP
from theory.numerics.stable import log_fraction
from theory.pairs import DominatingPair, Gaussian, RandomizedResponse


@pytest.fixture(scope="module")
def eraser() -> Witness:
    return witness(naive(), EraserForever(), epsilon=1.0, n=9000, seed=5, rounds=60, closed_form=1 - 0.99**60)


def test_a_witness_replays_after_a_passage_through_json(eraser: Witness) -> None:
    estimate = replay(json.dumps(eraser.to_data()))
    assert (estimate.value, estimate.low, estimate.high) == tuple(
        eraser.data[name] for name in ("value", "low", "high")
    )
    assert eraser.replay().refutes
    assert eraser.data["low"] <= 1 - 0.99**60 <= eraser.data["high"]


def test_a_witness_says_what_the_adversary_really_played(eraser: Witness) -> None:
    assert eraser.data["adversary"] == {"type": "EraserForever", "p": 0.01}


def test_the_last_bits_of_an_estimate_are_the_processors(eraser: Witness) -> None:
    elsewhere = {name: eraser.data[name] * (1 - 2.0**-44) for name in ("value", "low", "high")}
    assert replayed(eraser.to_data() | elsewhere).result == eraser.replay().result


@dataclass(frozen=True)
class Mine(PrivacyFilter):
    """A filter that the catalogue does not know."""

    budget: float
    promise = ZCDP(0.5)

    def start(self, n: int) -> Any:
        return np.zeros(n)

    def admits(self, state: Any, request: DominatingPair) -> Any:
        return state + request.zcdp_rho <= self.budget

    def spend(self, state: Any, request: DominatingPair) -> Any:
        return state + request.zcdp_rho


def test_a_filter_from_outside_the_catalogue_is_replayed_with_the_filter_itself() -> None:
    told = witness(Mine(0.5), Constant(Gaussian(0.5)), epsilon=1.0, n=500, seed=1)
    assert told.data["filter"] == {"outside": "Mine"}
    with pytest.raises(ValueError, match="filt must be the Mine"):
        replay(told.data)
    assert replay(told).value == replay(told.data, filt=Mine(0.5)).value == told.data["value"]
    with pytest.raises(ValueError, match="replay within"):
        replay(told, filt=Mine(0.25))


def test_a_filter_of_ones_own_is_named_by_its_class() -> None:
    arguments: dict[str, Any] = {"epsilon": 1.0, "n": 500, "seed": 1}
    told = witness(Mine(0.5), Constant(Gaussian(0.5)), kinds=(Mine,), **arguments)
    with pytest.raises(ValueError, match="must name a member of the catalogue, got 'Mine'"):
        replay(told.data)
    assert replay(told.data, Mine).value == told.data["value"]


def naive() -> NaiveRealisationFilter:
    with knowingly():
        return NaiveRealisationFilter(epsilon=1.0, delta=0.01)


def test_the_witness_of_an_attack_is_replayed_exactly() -> None:
    told = json.loads(json.dumps(attack(naive()).witness))
    assert replay(told) == Fraction(199, 10000)
    assert replayed(told).refutes
    with pytest.raises(ReplayError, match="replay to the bit"):
        replay(told | {"value": "1/2"})
    with pytest.raises(ReplayError, match="ratio must be e"):
        replay(told | {"ratio": "1"})
    with pytest.raises(ReplayError, match="denial"):
        replay(told | {"filter": told["filter"] | {"delta": 0.001}, "promised": 0.001})


def test_a_forged_promise_refutes_nothing(eraser: Witness) -> None:
    with pytest.raises(ReplayError, match="must state what the filter promises, got promised=0"):
        replay(eraser.to_data() | {"promised": 0.0})
    sound = witness(ApproximateDPFilter(1.0, 1e-5), Constant(RandomizedResponse(0.05)), epsilon=1.0, n=5000)
    assert not replayed(sound).refutes


def test_a_run_of_more_paths_than_anyone_can_wait_for_is_refused() -> None:
    with pytest.raises(ValueError, match="n must be at most 1,000,000,000,000 paths, got n=1e"):
        simulate(ApproximateDPFilter(1.0, 1e-5), Constant(Gaussian(0.01)), epsilon=1.0, n=1e99)


def forged(ratio: Fraction, filt: PrivacyFilter, pair: RandomizedResponse) -> dict[str, Any]:
    """The witness of one request, its worth at that ratio computed by hand."""
    known = nameable()
    assert pair.exact_masses is not None
    worth = sum(
        max(p - ratio * q, Fraction(0)) for p, q in zip(pair.exact_masses.p, pair.exact_masses.q, strict=True)
    )
    return {
        "filter": encode(filt, known),
        "epsilon": filt.promise.epsilon,  # type: ignore[attr-defined]
        "ratio": str(ratio),
        "promised": float(filt.promise.delta(filt.promise.epsilon)),  # type: ignore[attr-defined]
        "direction": "PQ",
        "plan": {"request": encode(pair, known), "then": [None, None]},
        "value": str(worth),
    }


HALVES = Fraction(3, 2)


@pytest.mark.parametrize("below", [Fraction(9, 10**13), Fraction(1, 10**15)])
def test_a_plan_at_a_ratio_below_the_promises_is_no_witness(below: Fraction) -> None:
    told = forged(
        HALVES * (1 - below), BasicFilter(log_fraction(HALVES)), RandomizedResponse.from_ratio(HALVES)
    )
    assert Fraction(told["value"]) > told["promised"] == 0
    with pytest.raises(ReplayError, match="ratio must be e"):
        replay(told)


@pytest.mark.parametrize("k", range(2, 40))
def test_what_a_rounded_epsilon_leaves_refutes_nothing(k: int) -> None:
    # the epsilon as a double is the logarithm rounded up; a ratio at e to it is not below the exact one
    exact = 1 + Fraction(1, k)
    epsilon = float(RandomizedResponse.from_ratio(exact).pure_epsilon)
    with flint.ctx.workprec(160):
        power = flint.arb(epsilon).exp().upper()
    mantissa, exponent = power.man_exp()
    ratio = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    told = forged(ratio, BasicFilter(epsilon), RandomizedResponse.from_ratio(exact))
    again = replayed(told)
    assert again.result == Fraction(told["value"])
    assert not again.refutes


def test_a_worth_above_the_promise_by_less_than_its_rounding_refutes_nothing() -> None:
    value = Fraction(1, 3)
    assert not Replayed(naive(), Measure.hockey_stick(1.0), float(value) * (1 - 1e-12), value, value).refutes
    assert Replayed(naive(), Measure.hockey_stick(1.0), float(value) * (1 - 1e-8), value, value).refutes


def test_a_filter_that_states_its_ratio_is_refuted_at_that_ratio() -> None:
    with knowingly():
        natural = CATALOGUE["NaturalFilter"].example()
    told = json.loads(json.dumps(attack(natural).witness))
    assert told["ratio"] == "9/4"
    assert replayed(told).refutes
    with pytest.raises(ReplayError, match="ratio must be e"):
        replay(told | {"ratio": str(Fraction(9, 4) * (1 - Fraction(9, 10**13)))})


@pytest.fixture(scope="module")
def planned() -> dict[str, Any]:
    told: dict[str, Any] = json.loads(json.dumps(attack(naive()).witness))
    return told


def test_a_plan_nested_beyond_reason_is_refused_in_one_sentence(planned: dict[str, Any]) -> None:
    plan: Any = None
    for _ in range(5000):
        plan = {"request": {"type": "Erasure", "delta": 0.5}, "then": [None, plan]}
    with pytest.raises(ValueError, match="data must"):
        replay(planned | {"plan": plan})


def test_a_failure_probability_that_leaves_room_for_chance_refutes_nothing() -> None:
    """Whoever writes a witness chooses its seed: of a thousand seeds one is wrong at a failure of one in a thousand."""
    told = {"epsilon": 1.0, "n": 50, "confidence": 0.02, "method": "plain"}
    every = [
        witness(GaussianFilter(mu=1.0), OneShot(family=Gaussian), seed=seed, **told) for seed in range(20)
    ]
    lucky = next(one for one in every if one.data["low"] > one.data["promised"])
    assert not replayed(lucky).refutes
