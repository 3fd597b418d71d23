"""A witness of every kind says in one sentence who asks what, what is measured, and both numbers."""

from __future__ import annotations

import re
from typing import Any

import pytest

import filterproof as fp
from mc.examine.clock import Clock
from mc.examine.holders import GAMES
from mc.examine.measure import Bound, Measure
from mc.examine.replay import KINDS
from mc.examine.sequence import Sequence
from mc.examine.witness import Witness, measured_witness, menu_witness, sequence_witness

PROMISE = fp.ZCDPFilter(0.5)
HOLDER = fp.IndividualFilter(fp.GaussianFilter(1.0), 3)
H1, D2 = Measure.hockey_stick(1.0), Measure.renyi(2.0, "QP")
FOUR = (fp.Gaussian(1.0), fp.Gaussian(0.5), fp.Laplace(2.0), fp.RandomizedResponse(1.0))


def counted(kind: str, **told: Any) -> Witness:
    """A simulation or a decision, of which only what is said is filled in."""
    data = dict.fromkeys(KINDS[kind].fields) | {"epsilon": 1.0, "direction": "PQ", "rounds": 4, "seed": 7}
    return Witness(PROMISE, data | {"n": 20_000} | told)


def of_a_holder() -> Witness:
    game = next(iter(GAMES[HOLDER.played].proposed(HOLDER, Clock.of(60.0))))
    return measured_witness(HOLDER, H1, 0.25, 0.125, game=game.to_data())


def scheduled() -> Witness:
    schedule = {"menu": [], "moves": [["ask", 0], ["step", 0]]}
    return measured_witness(PROMISE, H1, 0.25, 0.0, schedule=schedule, epoch=None)


WITNESSES = {
    "sequence": (
        sequence_witness(PROMISE, Sequence(((fp.Gaussian(1.0), 2),)), D2, 2.0),
        "2 x Gaussian(mu=1): D of order 2, QP is at least 2 where 1 is promised, 2 times the promise",
    ),
    "menu": (
        menu_witness(PROMISE, FOUR, D2, rounds=1, low=1.01, high=None),
        "the best adversary of at most 1 round over Gaussian(mu=1), Gaussian(mu=0.5), Laplace(b=2) and 1 more: "
        "D of order 2, QP is at least 1.01 where 1 is promised, above the promise by 1 %",
    ),
    "holder": (
        of_a_holder(),
        "24 times whether person 0 takes part, by randomised response of e^epsilon = 2291/1024: "
        "H at epsilon=1, PQ is at least 0.25 where 0.125 is promised, 2 times the promise",
    ),
    "schedule": (
        scheduled(),
        "a schedule of 2 moves: H at epsilon=1, PQ is at least 0.25 where 0 is promised",
    ),
    "simulation": (
        counted("simulation", low=0.5, promised=0.25, confidence=1 - 1e-6),
        "a strategy of at most 4 rounds, played 20,000 times with seed 7: H at epsilon=1, PQ is at least 0.5, "
        "but for a chance of 1e-06, where 0.25 is promised, 2 times the promise",
    ),
    "decision": (
        counted("decision", delta=0.25, failure=1e-6),
        "a strategy of at most 4 rounds, played 20,000 times with seed 7: H at epsilon=1, PQ is above 0.25, "
        "which is promised, by a sequential test that errs with probability at most 1e-06",
    ),
}


@pytest.mark.parametrize("kind", WITNESSES)
def test_a_witness_says_itself_in_one_sentence(kind: str) -> None:
    witness, sentence = WITNESSES[kind]
    assert witness.kind == kind
    assert str(witness) == sentence


def test_every_kind_has_its_sentence_here_or_beside_its_numbers() -> None:
    assert set(WITNESSES) | {"plan"} == set(KINDS)  # a plan: tests/reports/test_examined.py


@pytest.mark.parametrize(
    ("low", "promised"), [(5.488749644612936e-05, 1e-05), (1 - 2.0**-53, 0.09), (2.0000006, 1.9), (0.3, 0.7)]
)
def test_what_is_said_to_be_reached_is_no_more_than_was_measured(low: float, promised: float) -> None:
    told = str(counted("simulation", low=low, promised=promised, confidence=1 - 1.4e-6))
    reached, chance, times = re.findall(
        r"at least (\S+), but for a chance of (\S+), .* is promised, (.*)", told
    )[0]
    assert 0.99999 * low < float(reached) <= low
    assert 1.4e-6 <= float(chance) < 1.5e-6
    share = low / promised
    said = float(re.sub("[^0-9.]", "", times))
    assert 0.99 * share < (1 + said / 100 if times.endswith("%") else said) <= share
    assert float(str(Bound(low)).split()[2]) <= low <= float(str(Bound(low, low)).split()[5])


def test_a_play_without_a_limit_is_said_to_have_none() -> None:
    endless = menu_witness(PROMISE, FOUR[:1], D2, rounds=None, low=1.01, high=None)
    assert str(endless).startswith("the best adversary over Gaussian(mu=1): D of order 2")
    simulated = counted("simulation", rounds=None, n=1, low=0.5, promised=0.25, confidence=0.9)
    assert str(simulated).startswith("a strategy, played 1 time with seed 7: H")
