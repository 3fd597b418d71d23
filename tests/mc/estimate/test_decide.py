"""Playing until a promise is decided: right, early, at the boundary, and the same everywhere."""

import numpy as np
import pytest

import filterproof as fp
from mc.engine.streams import TILE

# Null of every decision below: wrong with probability at most 1e-6.


@pytest.mark.parametrize("epsilon", [0.0, 2.0, 6.0, 11.0])
@pytest.mark.parametrize(("share", "side"), [(0.9, fp.Side.ABOVE), (1.1, fp.Side.BELOW)])
def test_a_tenth_off_the_truth_is_told_from_it_with_a_few_tiles(epsilon, share, side):
    """At epsilon = 11 the truth is 4e-27: tilted paths decide it as early as any other."""
    truth = fp.Gaussian(1.0).hockey_stick(epsilon)
    decision = fp.decide(
        fp.GaussianFilter(mu=1.0), fp.LossChasing(pace=5), epsilon=epsilon, delta=share * truth, workers=1
    )
    assert decision.side is side
    assert decision.n <= 20 * TILE
    assert decision.threshold == share * truth


@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_plain_paths_decide_a_broken_promise(direction):
    """Erasure leaks 1 - (1 - p)^5 = 0.049 at every epsilon, in either direction, where 0.01 was promised."""
    with fp.knowingly():
        filt = fp.NaiveRealisationFilter(epsilon=1.0, delta=0.01)
    decision = fp.decide(
        filt, fp.EraserForever(), epsilon=1.0, rounds=5, workers=1, direction=direction, most=50_000
    )
    assert decision.threshold == pytest.approx(0.01)
    assert decision.side is fp.Side.ABOVE


def test_a_weight_bound_that_is_the_promise_itself_decides_at_once():
    """For a zCDP promise delta is the bound on the weights, so that no path can speak against it."""
    for filt in (fp.ZCDPFilter(rho=0.5), fp.ApproximateDPFilter(epsilon=1.0, delta=1e-5)):
        decision = fp.decide(filt, fp.LossChasing(pace=5), epsilon=1.0, workers=1)
        assert decision.side is fp.Side.BELOW
        assert decision.n == TILE


def test_at_the_boundary_the_run_uses_all_its_paths_and_not_one_more():
    decision = fp.decide(
        fp.GaussianFilter(mu=1.0), fp.LossChasing(pace=5), epsilon=2.0, most=100_001, workers=1
    )
    assert decision.side is fp.Side.UNDECIDED
    assert decision.n == 100_001


def test_a_decision_is_the_same_on_two_workers_and_from_a_store(tmp_path):
    def answer(**where):
        return fp.decide(
            fp.GaussianFilter(mu=1.0),
            fp.LossChasing(pace=5),
            epsilon=1.0,
            delta=0.997 * fp.Gaussian(1.0).hockey_stick(1.0),
            failure=1e-9,
            most=40 * TILE,
            **where,
        )

    alone = answer(workers=1)
    assert alone.n > 5 * TILE
    assert alone.side is fp.Side.ABOVE
    assert answer(workers=2, store=tmp_path / "run.db") == alone
    assert answer(workers=1, store=tmp_path / "run.db") == alone


@pytest.mark.parametrize(("charge", "side"), [(0.1, fp.Side.UNDECIDED), (0.11, fp.Side.ABOVE)])
def test_a_pure_promise_falls_to_one_path_beyond_it_but_not_to_rounding(charge, side):
    """Three responses at 0.1 reach a loss of 0.3 and, summed in doubles, 4e-17 more."""
    assert 0.1 + 0.1 + 0.1 > 0.3
    decision = fp.decide(
        fp.ZCDPFilter(rho=0.5),
        fp.Constant(fp.RandomizedResponse(charge)),
        epsilon=0.3,
        delta=0.0,
        rounds=3,
        most=3 * TILE,
        workers=1,
    )
    assert decision.side is side
    assert decision.threshold < 1e-28


def test_one_epsilon_is_asked_for():
    with pytest.raises(TypeError, match=r"epsilon must be one number, got an array of shape \(2,\); ask"):
        fp.decide(fp.GaussianFilter(1.0), fp.OneShot(), epsilon=np.array([1.0, 2.0]), failure=0.01)
