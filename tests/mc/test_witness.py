"""A witness replays to the bit from data alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from filters import ApproximateDPFilter, NaiveRealisationFilter, PrivacyFilter, RealisationFilter, knowingly
from mc.adversaries import Constant, EraserForever, LossChasing
from mc.anytime import Decision
from mc.attack import attack
from mc.catalogue import catalogue, decode, encode
from mc.challenge import challenge
from mc.simulate import simulate
from mc.witness import ReplayError, Witness, replay, replayed, witness
from theory.conversions import SIMPLE
from theory.guarantees import ZCDP, ApproxDP
from theory.pairs import DominatingPair, Gaussian, RandomizedResponse


@pytest.fixture(scope="module")
def eraser() -> Witness:
    with knowingly():
        filt = NaiveRealisationFilter(epsilon=1.0, delta=0.01)
    return witness(filt, EraserForever(), epsilon=1.0, n=9000, seed=5, rounds=60, closed_form=1 - 0.99**60)


def test_a_witness_replays_to_the_bit_after_a_passage_through_json(eraser: Witness) -> None:
    estimate = replay(json.dumps(eraser.to_data()))
    assert (estimate.value, estimate.low, estimate.high) == (eraser.value, eraser.low, eraser.high)
    assert eraser.refutes
    assert eraser.low <= 1 - 0.99**60 <= eraser.high


def test_a_witness_says_what_the_adversary_really_played(eraser: Witness) -> None:
    assert eraser.adversary == {"type": "EraserForever", "p": 0.01}


def test_a_witness_that_does_not_replay_is_refused(eraser: Witness) -> None:
    data = eraser.to_data() | {"value": eraser.value + 1e-6}
    with pytest.raises(ValueError, match="must replay to the bit"):
        replay(data)


def test_data_with_other_fields_is_refused(eraser: Witness) -> None:
    with pytest.raises(ValueError, match="exactly the fields of a witness"):
        replay(eraser.to_data() | {"code": "print(1)"})


@pytest.mark.parametrize(
    "value",
    [
        LossChasing(low=0.1, high=0.25, family=RandomizedResponse),
        Constant(Gaussian(0.3)),
        ApproximateDPFilter(1.0, 1e-5, SIMPLE),
        RealisationFilter(10.0, 1e-5, 48, (Gaussian(0.5),)),
        RandomizedResponse.from_ratio(3),
        Gaussian(np.array([0.1, 1 / 3])),
        ZCDP(0.1 + 0.2),
    ],
    ids=lambda v: type(v).__name__,
)
def test_values_of_the_catalogue_survive_the_passage(value: Any) -> None:
    known = catalogue()
    again = decode(json.loads(json.dumps(encode(value, known))), known)
    assert again == value
    assert type(again) is type(value)


@pytest.mark.parametrize(
    "data",
    [
        {"type": "os.system", "command": "true"},
        {"type": "even_level"},
        {"type": "__import__", "name_": "os"},
        {"type": "Gaussian", "mu": 1.0, "__class__": "x"},
        {"type": ["Gaussian"]},
    ],
)
def test_data_names_the_catalogue_or_nothing(data: Any) -> None:
    with pytest.raises(ValueError, match="must"):
        decode(data, catalogue())


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
    assert told.filter == {"outside": "Mine"}
    with pytest.raises(ValueError, match="filt must be the Mine"):
        replay(told)
    assert replay(told, filt=Mine(0.5)).value == told.value
    with pytest.raises(ValueError, match="replay to the bit"):
        replay(told, filt=Mine(0.25))


def test_a_filter_of_ones_own_is_named_by_its_class() -> None:
    arguments: dict[str, Any] = {"epsilon": 1.0, "n": 500, "seed": 1}
    told = witness(Mine(0.5), Constant(Gaussian(0.5)), kinds=(Mine,), **arguments)
    with pytest.raises(ValueError, match="must name a member of the catalogue, got 'Mine'"):
        replay(told)
    assert replay(told, Mine).value == told.value


def naive() -> NaiveRealisationFilter:
    with knowingly():
        return NaiveRealisationFilter(epsilon=1.0, delta=0.01)


def test_the_witness_of_a_challenge_is_replayed_to_the_bit() -> None:
    verdict = challenge(
        naive(), [EraserForever()], epsilons=[1.0], rounds=6, most=50_000, workers=1
    ).verdict()
    told = json.loads(json.dumps(verdict.witness))
    again = replayed(told)
    assert again.refutes
    assert isinstance(again.result, Decision)
    assert (again.result.n, again.result.log_e_above) == (told["n"], told["log_e_above"])
    with pytest.raises(ReplayError, match="replay to the bit"):
        replay(told | {"log_e_above": told["log_e_above"] * 2})


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


def test_the_attack_on_a_filter_of_ones_own_is_replayed_with_that_filter() -> None:
    class Lax(Mine):
        promise = ApproxDP(1.0, 1e-3)

        def admits(self, state: Any, request: DominatingPair) -> Any:
            return state + request.pure_epsilon <= 4

    told = json.loads(json.dumps(attack(Lax(1.0)).witness))
    with pytest.raises(ValueError, match=r"must name a member of the catalogue|filt must be the Lax"):
        replay(told)
    assert replay(told, filt=Lax(1.0)) == Fraction(told["value"])


def test_a_forged_promise_refutes_nothing(eraser: Witness) -> None:
    with pytest.raises(ReplayError, match="must state what the filter promises, got promised=0"):
        replay(eraser.to_data() | {"promised": 0.0})
    sound = witness(ApproximateDPFilter(1.0, 1e-5), Constant(RandomizedResponse(0.05)), epsilon=1.0, n=5000)
    assert not replayed(sound).refutes


@pytest.mark.parametrize(
    "change",
    [
        {"n": 1e99},
        {"n": "many"},
        {"seed": -1},
        {"confidence": "sure"},
        {"epsilon": None},
        {"method": "guessed"},
        {"direction": "sideways"},
        {"rounds": "three"},
        {"adversary": {"type": "Gaussian", "mu": 1.0}},
        {"adversary": 7},
        {"filter": {"type": "Gaussian", "mu": 1.0}},
        {"filter": {"outside": "Mine"}},
        {"filter": None},
    ],
    ids=str,
)
def test_what_is_no_witness_is_refused_before_anything_is_played(
    eraser: Witness, change: dict[str, Any]
) -> None:
    with pytest.raises((ValueError, TypeError), match="must") as caught:
        replay(eraser.to_data() | change)
    assert not isinstance(caught.value, ReplayError)


@pytest.mark.parametrize(
    "data",
    [
        {"fraction": "1e999999999"},
        {"fraction": "1/0"},
        {"fraction": 3},
        {"float": "1e5"},
        {"array": [1.0], "shape": [10**9], "dtype": "f"},
        {"array": [1.0], "shape": [1], "dtype": "O"},
        {"shape": [1]},
        {"name": "Gaussian", "type": "Gaussian"},
        {},
        pytest.param(object(), id="no data at all"),
    ],
    ids=str,
)
def test_what_encode_does_not_write_is_not_read(data: Any) -> None:
    with pytest.raises(ValueError, match="data must"):
        decode(data, catalogue())


def test_a_run_of_more_paths_than_anyone_can_wait_for_is_refused() -> None:
    with pytest.raises(ValueError, match="n must be at most 1,000,000,000,000 paths, got n=1e"):
        simulate(ApproximateDPFilter(1.0, 1e-5), Constant(Gaussian(0.01)), epsilon=1.0, n=1e99)
