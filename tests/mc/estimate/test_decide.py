"""Playing until a promise is decided: right, early, at the boundary, and the same everywhere.

Null of every decision below: wrong with probability at most 1e-6.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest

import filterproof as fp
from filterproof.mc.engine.streams import BATCH_SIZE
from filterproof.mc.estimate.sequential_test import ThresholdSide

GDP, CHASING = fp.GaussianFilter(mu=1.0), fp.HighWhileLossPositive(pace=5)


@pytest.mark.parametrize("epsilon", [0.0, 11.0])
@pytest.mark.parametrize(("share", "side"), [(0.9, ThresholdSide.ABOVE), (1.1, ThresholdSide.BELOW)])
def test_a_tenth_off_the_truth_is_told_from_it_with_a_few_tiles(epsilon, share, side):
    """At epsilon = 11 the truth is 4e-27: tilted paths decide it as early as any other."""
    delta = share * fp.Gaussian(1.0).hockey_stick(epsilon)
    decision = fp.sequential_test(GDP, CHASING, epsilon=epsilon, delta=delta, workers=1)
    assert decision.side is side
    assert decision.n < BATCH_SIZE, "the first look decides"
    assert decision.threshold == delta


@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_plain_paths_decide_a_broken_promise(direction):
    """Erasure leaks 1 - (1 - p)^5 = 0.049 at every epsilon, in either direction, where 0.01 was promised."""
    with fp.suppress_unsound_warning():
        filt = fp.NaiveRealisationFilter(epsilon=1.0, delta=0.01)
    how = {"rounds": 5, "workers": 1, "direction": direction, "most": 50_000}
    decision = fp.sequential_test(filt, fp.EraserForever(), epsilon=1.0, **how)
    assert decision.threshold == pytest.approx(0.01)
    assert decision.side is ThresholdSide.ABOVE


def test_a_weight_bound_that_is_the_promise_itself_decides_at_once():
    """For a zCDP promise delta is the bound on the weights, so that no path can speak against it."""
    decision = fp.sequential_test(fp.ZCDPFilter(rho=0.5), CHASING, epsilon=1.0, workers=1)
    assert decision.side is ThresholdSide.BELOW
    assert decision.n < BATCH_SIZE


def test_a_decision_is_the_same_on_two_threads_and_from_a_store(tmp_path):
    question = {
        "delta": 0.9997 * fp.Gaussian(1.0).hockey_stick(1.0),
        "failure": 1e-9,
        "most": 20 * BATCH_SIZE,
    }
    with ThreadPoolExecutor(2) as threads:
        alone, shared, again = (
            fp.sequential_test(GDP, CHASING, epsilon=1.0, **question, **where)
            for where in (
                {"workers": 1},
                {"executor": threads, "store": tmp_path / "run.db"},
                {"workers": 1, "store": tmp_path / "run.db"},
            )
        )
    assert alone.n > BATCH_SIZE
    assert alone.side is ThresholdSide.ABOVE
    assert alone == shared == again


@pytest.mark.parametrize(("charge", "side"), [(0.1, ThresholdSide.UNDECIDED), (0.11, ThresholdSide.ABOVE)])
def test_a_pure_promise_falls_to_one_path_beyond_it_but_not_to_rounding(charge, side):
    """Three responses at 0.1 reach a loss of 0.3 and, summed in doubles, 4e-17 more."""
    assert 0.1 + 0.1 + 0.1 > 0.3
    how = {"rounds": 3, "most": 50_000, "workers": 1}
    response = fp.Constant(fp.RandomizedResponse(charge))
    decision = fp.sequential_test(fp.ZCDPFilter(rho=0.5), response, epsilon=0.3, delta=0.0, **how)
    assert decision.side is side
    assert decision.n == 50_000 or side is ThresholdSide.ABOVE, "all its paths are used, and not one more"
    assert decision.threshold == 0
