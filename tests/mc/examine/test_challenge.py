"""One verdict over many adversaries, epsilons and directions."""

import json
from itertools import product

import pytest

from filters import GaussianFilter
from mc.engine.adversaries import Constant, EraserForever, LossChasing, OneShot
from mc.engine.adversary import Adversary
from mc.examine.challenge import Challenge, Comparison, challenge
from mc.examine.replay import replayed
from mc.intervals.anytime import Decision, Side
from mc.intervals.multiplicity import Family
from tests.mc.examine.witnesses import naive
from theory.evidence import Evidence, Outcome
from theory.pairs import Gaussian


def test_a_broken_promise_is_refuted_with_a_witness_that_replays_to_the_bit():
    result = challenge(
        naive(), [OneShot(), EraserForever()], epsilons=[1.0], rounds=6, most=50_000, seed=3, workers=1
    )
    verdict = result.verdict()
    assert verdict.outcome is Outcome.REFUTED
    assert verdict.evidence is Evidence.STATISTICAL
    assert {type(one.adversary) for one in result.refutations} == {EraserForever}
    assert verdict.scope.startswith("EraserForever, OneShot against ")
    assert "2 adversaries x 1 epsilons x 2 directions = 4 comparisons, 2.5e-07 each" in verdict.scope
    assert verdict.witness is not None
    assert replayed(json.dumps(verdict.witness)).refutes


def test_each_comparison_is_decided_as_it_is_told_and_the_surest_is_the_witness(monkeypatch):
    asked = []

    def decided(filt, foe, *, epsilon, failure, most, direction, **how):
        asked.append((foe, epsilon, direction, failure))
        sure = 3.0 if (epsilon, direction) == (2.0, "QP") else float(len(asked)) / 10
        return Decision(Side.ABOVE, 0.1, sure, 0.0, failure, most)

    monkeypatch.setattr("mc.examine.challenge.decide", decided)
    foes = [OneShot(), Constant(Gaussian(0.6))]
    result = challenge(GaussianFilter(mu=1.0), foes, epsilons=[1.0, 2.0, 3.0], failure=6e-7, most=10)
    each = result.family.each
    assert 0 < each * len(result.comparisons) <= 6e-7
    assert asked == [(one.adversary, one.epsilon, one.direction, each) for one in result.comparisons]
    known = [foe.against(result.filter) for foe in foes]
    assert asked == [(*one, each) for one in product(known, (1.0, 2.0, 3.0), ("PQ", "QP"))]
    told = result.verdict().witness
    assert (told["epsilon"], told["direction"], told["log_e_above"]) == (2.0, "QP", 3.0)
    assert told["failure"] == each


class Greedy(Adversary):
    """As a user writes it: a plain class."""

    def request(self, view):
        return Gaussian(0.6)


def test_a_witness_keeps_an_adversary_that_it_cannot_name_by_its_class_and_says_so_when_it_is_replayed():
    sides = Decision(Side.ABOVE, 0.1, 3.0, 0.0, 1e-6, 10)
    asked = (Comparison(Greedy(), 1.0, "PQ", sides),)
    setting = (("most", 10), ("seed", 0), ("rounds", None), ("on_denial", "halt"))
    found = Challenge(naive(), Family.crossing(1e-6, foes=asked), asked, setting)
    for told in (found.verdict(), found.verdict(Greedy)):
        assert told.witness["adversary"] == {"outside": "Greedy"}
        with pytest.raises(
            ValueError, match="the class name 'Greedy' alone; make that class a frozen dataclass"
        ):
            replayed(json.dumps(told.witness))


def test_a_list_of_adversaries_with_another_thing_in_it_is_refused():
    with pytest.raises(TypeError, match="adversaries must be a list such as"):
        challenge(GaussianFilter(mu=1.0), [OneShot(), 5], epsilons=[1.0])


def test_a_kept_promise_is_undecided_and_never_holds():
    result = challenge(
        GaussianFilter(mu=1.0),
        [LossChasing(pace=5), Constant(Gaussian(0.6))],
        epsilons=[0.5, 2.0],
        most=50_000,
        workers=1,
    )
    verdict = result.verdict()
    assert verdict.outcome is Outcome.UNDECIDED
    # the exhausted budget sits on the promise, the unspent one below it
    sides = {(type(one.adversary), one.decision.side) for one in result.comparisons}
    assert sides == {(LossChasing, Side.UNDECIDED), (Constant, Side.BELOW)}
    assert verdict.detail == "4 comparisons were found below the promise, 4 could not be told from it."
    assert all(one.decision.failure == result.family.each for one in result.comparisons)
    assert result.family.size == len(result.comparisons) == 8
