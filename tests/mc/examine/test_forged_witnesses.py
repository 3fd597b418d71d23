"""Whatever stands in any place of what is read from outside: it is refused in one sentence, or it says the truth."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filters.catalogue import CATALOGUE
from mc.engine.adversaries import Constant, EraserForever, LossChasing
from mc.engine.encoding import decode, encode, nameable
from mc.examine.attack import attack
from mc.examine.challenge import challenge
from mc.examine.measure import Measure
from mc.examine.sequence import Sequence
from mc.examine.witness import menu_witness, replayed, witness
from mc.worst_case.calibrated_threshold import CalibratedThreshold
from tests.mc.examine.sound import Forgets
from tests.mc.examine.test_bounds_replayed import forgotten
from tests.mc.examine.test_witness import naive
from tests.mc.forged import read_as_refused_or_true


def an_estimate() -> Any:
    return witness(naive(), EraserForever(), epsilon=1.0, n=300, seed=5, rounds=6).to_data()


def a_decision() -> Any:
    return (
        challenge(naive(), [EraserForever()], epsilons=[1.0], rounds=6, most=20_000, workers=1)
        .verdict()
        .witness
    )


def a_plan() -> Any:
    return attack(naive()).witness


def a_menu() -> Any:
    with fp.knowingly():
        filt = CATALOGUE["NaturalFilter"].example()
    at = Measure.hockey_stick(float(filt.epsilon))
    worst = fp.worst_case(filt, filt.menu, epsilon=at.at, rounds=2, direction="PQ")
    return menu_witness(filt, filt.menu, at, rounds=2, low=worst.low, high=worst.high).to_data()


WITNESSES = {
    "estimate": (an_estimate, "value"),
    "decision": (a_decision, "log_e_above"),
    "plan": (a_plan, "value"),
    "menu": (a_menu, "low"),
    "sequence": (forgotten, "low"),
}


@pytest.mark.parametrize("kind", WITNESSES)
def test_a_witness_with_any_place_changed_is_refused_or_ends_in_its_own_number(kind: str) -> None:
    make, name = WITNESSES[kind]
    data = json.loads(json.dumps(make()))
    number = Fraction(data[name])

    def own(again: Any) -> bool:
        found = again.result if isinstance(again.result, Fraction) else getattr(again.result, name)
        return abs(Fraction(found) / number - 1) < Fraction(
            1, 10**11
        )  # more than the last bits of a processor

    taken = read_as_refused_or_true(
        data, lambda other: replayed(other, filt=Forgets() if kind == "sequence" else None), own
    )
    for place in ("filter", "promised", name):
        assert not any(where.startswith(f".{place} ") for where in taken)


SEQUENCE = Sequence(
    ((fp.Gaussian(0.5), 2), (fp.RandomizedResponse.from_ratio(3), 10**12), (fp.Erasure(0.25), 1))
)


def test_a_sequence_is_read_as_what_says_so_alone() -> None:
    data = json.loads(json.dumps(SEQUENCE.to_data(nameable())))
    assert Sequence.from_data(data, nameable()) == SEQUENCE

    def as_written(other: Any) -> tuple[Any, Sequence]:
        return other, Sequence.from_data(other, nameable())

    def true(both: tuple[Any, Sequence]) -> bool:
        again = Sequence.from_data(json.loads(json.dumps(both[1].to_data(nameable()))), nameable())
        return again == both[1] and [times for _, times in again.steps] == [one["times"] for one in both[0]]

    taken = read_as_refused_or_true(data, as_written, true)
    assert not any(".times" in where for where in taken)


@pytest.mark.parametrize(
    "value",
    [
        LossChasing(low=0.1, high=0.25, family=fp.RandomizedResponse),
        Constant(fp.Gaussian(0.3)),
        fp.ApproximateDPFilter(1.0, 1e-5, fp.SIMPLE),
        fp.RealisationFilter(10.0, 1e-5, 48, (fp.Gaussian(0.5),)),
        fp.RandomizedResponse.from_ratio(3),
        fp.Gaussian(np.array([0.1, 1 / 3])),
        fp.ZCDP(0.1 + 0.2),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_is_read_as_what_was_written_and_as_what_is_of_the_catalogue(value: Any) -> None:
    known = nameable()
    data = json.loads(json.dumps(encode(value, known)))
    assert decode(data, known) == value

    def comes_back(found: Any) -> bool:
        again = decode(json.loads(json.dumps(encode(found, known))), known)
        return repr(again) == repr(found)

    with fp.knowingly():
        read_as_refused_or_true(data, lambda other: decode(other, known), comes_back)


def test_a_row_of_the_table_is_read_only_in_its_own_form_and_confirmed_only_if_it_is_true() -> None:
    row = fp.calibrated(1.0, 1e-5, each=0.1).certificate

    def confirmed_by_a_game(found: Any) -> bool:
        try:
            found.recheck()
        except ValueError:
            return found != row
        return found == row  # who made it is free text

    read_as_refused_or_true(
        json.loads(json.dumps(row.to_dict())), CalibratedThreshold.from_dict, confirmed_by_a_game
    )
