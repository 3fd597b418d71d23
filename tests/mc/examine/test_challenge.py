"""One verdict over many adversaries, epsilons and directions."""

import json

import pytest

from filters import GaussianFilter, ZCDPFilter, knowingly
from mc.engine.adversaries import Constant, EraserForever, LossChasing, OneShot
from mc.engine.encoding import decode, nameable
from mc.estimate.decide import decide
from mc.examine.challenge import challenge
from mc.intervals.anytime import Side
from tests.mc.examine.test_witness import naive
from theory.evidence import Evidence, Outcome
from theory.pairs import Gaussian, RandomizedResponse


def test_a_broken_promise_is_refuted_with_a_witness_that_replays_to_the_bit():
    result = challenge(
        naive(), [OneShot(), EraserForever()], epsilons=[1.0], rounds=6, most=50_000, workers=1
    )
    verdict = result.verdict()
    assert verdict.outcome is Outcome.REFUTED
    assert verdict.evidence is Evidence.STATISTICAL
    assert {type(one.adversary) for one in result.refutations} == {EraserForever}
    assert "2 adversaries x 1 epsilons x 2 directions = 4 comparisons, 2.5e-07 each" in verdict.scope
    data = json.loads(json.dumps(verdict.witness))
    n, log_e = data.pop("n"), data.pop("log_e_above")
    with knowingly():
        filt, adversary = (decode(data.pop(name), nameable()) for name in ("filter", "adversary"))
    again = decide(filt, adversary, workers=1, **data)
    assert again.side is Side.ABOVE
    assert (again.n, again.log_e_above) == (n, log_e)


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


def test_an_empty_challenge_is_refused():
    with pytest.raises(ValueError, match="adversaries must be an integer >= 1, got adversaries=0"):
        challenge(ZCDPFilter(rho=0.5), [], epsilons=[1.0])
    with pytest.raises(ValueError, match="epsilons must be an integer >= 1, got epsilons=0"):
        challenge(ZCDPFilter(rho=0.5), [Constant(RandomizedResponse(0.1))], epsilons=[])
