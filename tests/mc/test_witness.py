"""A witness replays to the bit from data alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from filters import ApproximateDPFilter, NaiveRealisationFilter, PrivacyFilter, RealisationFilter, knowingly
from mc.adversaries import Constant, EraserForever, LossChasing
from mc.catalogue import catalogue, decode, encode
from mc.witness import Witness, replay, witness
from theory.conversions import SIMPLE
from theory.guarantees import ZCDP
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
