"""What every pair owes: one contract, checked for each class from its loss distribution."""

import math
from typing import Any

import numpy as np
import pytest

from filterproof.theory.pairs import (
    KOV,
    DiscreteGaussian,
    DiscreteLaplace,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    Laplace,
    PairPerRun,
    RandomizedResponse,
    SubsampledGaussian,
    example_pairs,
)

each_pair = pytest.mark.parametrize("pair", example_pairs(), ids=repr)

#: Every statistical check below raises a false alarm with probability at most this, at any seed.
FALSE_ALARM = 1e-6
DRAWS = 20_000


def scale(pair: DominatingPair) -> float:
    """A typical loss, to place grids."""
    for loss in (pair.loss_isf(0.3), pair.loss_isf(0.6)):
        if math.isfinite(loss) and loss != 0:
            return abs(float(loss))
    return 1.0


@each_pair
def test_the_quantile_is_the_inverse_of_the_cdf(pair: DominatingPair) -> None:
    for tail in (0.001, 0.05, 0.19, 0.21, 0.4, 0.499, 0.7, 0.95, 0.999):
        level = float(pair.loss_isf(tail))
        step = 1e-9 * scale(pair)
        if level == math.inf:
            assert 1 - float(pair.loss_cdf(1e300)) > tail
            continue
        # inf{x : P(L > x) <= tail}: true just above, false just below; 1e-12 is for rounding in the cdf
        assert 1 - float(pair.loss_cdf(level + step)) <= tail + 1e-12
        assert 1 - float(pair.loss_cdf(level - step)) > tail - 1e-12


def lead_back(drawn: np.ndarray, pair: DominatingPair, order: float, left_out: float) -> None:
    """Tilted samples, weighted back, exceed a level as often as the distribution says."""
    log_weight = pair.log_weight(drawn, order)
    assert np.all(log_weight[np.isposinf(drawn)] == 0)
    for tail in (0.02, 0.25, 0.45, 0.8, 0.97):
        level = float(pair.loss_isf(left_out + (1 - left_out) * tail)) - 1e-9 * scale(pair)
        if not math.isfinite(level):
            continue
        weights = np.where(drawn > level, np.exp(log_weight), 0.0)
        # a weight falls with the loss, so above the level it is at most the weight there: Hoeffding
        most = max(1.0, math.exp(float(pair.log_weight(np.array([level]), order)[0])))
        assert weights.max(initial=0.0) <= most
        radius = most * math.sqrt(math.log(2 / (FALSE_ALARM / 5)) / (2 * len(drawn)))
        above = (1 - float(pair.loss_cdf(level)) - left_out) / (1 - left_out)
        assert abs(weights.mean() - above) <= radius


@each_pair
@pytest.mark.parametrize("order", [1.0, 2.5])
def test_weights_lead_back_to_the_untilted_law_and_to_that_of_finite_losses(
    pair: DominatingPair, order: float
) -> None:
    lost = float(pair.infinite_mass)
    assert lost == pytest.approx(1 - float(pair.loss_cdf(1e300)), abs=1e-12)
    drawn, finite = (
        draw(np.random.default_rng(5), DRAWS, order) for draw in (pair.sample, pair.sample_finite)
    )
    assert np.isfinite(finite).all()
    assert lost or np.array_equal(drawn, finite)
    lead_back(drawn, pair, order, 0.0)
    lead_back(finite, pair, order, lost)


@each_pair
def test_at_infinite_arguments_are_the_ends_of_a_law_and_nan_is_charged_all(pair: DominatingPair) -> None:
    for side in (pair, pair.swapped):
        assert float(side.renyi(math.inf)) == pytest.approx(float(side.loss_isf(0.0)), rel=1e-12)
        revealed = float(side.infinite_mass)
        for far, above in ((1e300, revealed), (math.inf, 0.0)):
            ends = (
                side.hockey_stick(far),
                1 - side.hockey_stick(-far),
                side.loss_cdf(-far),
                1 - side.loss_cdf(far),
            )
            assert ends == pytest.approx((revealed, 0.0, 0.0, above), rel=0, abs=1e-15)
            either = max(revealed, float(side.swapped.infinite_mass))
            assert either <= side.hockey_stick_upper_bound(far) <= either * (1 + 1e-9)
        assert side.hockey_stick_upper_bound(math.nan) == math.inf
        assert side.loss_isf(1.0) == -math.inf


@each_pair
def test_a_quieter_mechanism_is_one_whose_hockey_stick_is_no_larger(pair: DominatingPair) -> None:
    assert bool(pair.more_private_variants) is not isinstance(
        pair, (FinitePair, DiscreteGaussian)
    )  # of which none is known
    for quiet in pair.more_private_variants:
        for epsilon in (0.0, 0.1, 0.4):
            assert float(quiet.hockey_stick(epsilon)) <= float(pair.hockey_stick(epsilon)) * (1 + 1e-9)


RUNS = np.array([0.2, 1.0, 7.0])
MENU = (
    Gaussian(0.3),
    RandomizedResponse(RUNS),
    Gaussian(RUNS[::-1]),
    Erasure(0.25),
    FinitePair((0.5, 0.5), (0.25, 0.75)),
)


PER_RUN = (
    Gaussian(RUNS),
    RandomizedResponse(RUNS),
    Erasure(np.array([0.1, 0.5, 0.9])),
    KOV(RUNS, np.array([0.1, 0.5, 0.9])),
    KOV(1.0, np.array([0.1, 0.5, 1.0])),
    Laplace(RUNS),
    DiscreteGaussian(np.array([0.4, 3.0, 50.0]), 3),
    DiscreteLaplace(RUNS, 2),
    SubsampledGaussian(np.array([0.2, 0.6, 1.0]), np.array([0.7, 1.0, 3.0])),
    SubsampledGaussian(0.3, np.array([0.7, 1.0, 3.0]), adjacency="addition"),
    PairPerRun(MENU, np.array([0, 1, 2])),
    PairPerRun(MENU, np.array([3, 1, 4])),
    PairPerRun(MENU[:3:2], np.array([False, True, False])),  # of one family
    PairPerRun(
        (FinitePair((0.5, 0.5), (0.25, 0.75)), FinitePair((0.5, 0.5), (0.0, 1.0))), np.array([0, 1, 0])
    ),
)
each_per_run = pytest.mark.parametrize("pair", PER_RUN, ids=repr)


@each_per_run
@pytest.mark.parametrize("argument", [0.3, np.array([0.0, 0.45, 0.8])], ids=["shared", "one each"])
def test_a_pair_for_each_run_is_the_pairs_one_by_one(pair: DominatingPair, argument: Any) -> None:
    singles, each = [pair.of_run(run) for run in range(3)], np.broadcast_to(argument, 3).tolist()
    assert pair.shape == (3,)
    assert {single.shape for single in singles} == {()}
    for name in ("pure_epsilon", "zcdp_rho", "gdp_mu", "infinite_mass"):
        user_class = np.broadcast_to(getattr(pair, name), 3)
        np.testing.assert_array_equal(user_class, [getattr(single, name) for single in singles])
    for name, shift in (("hockey_stick", 0.0), ("renyi", 1.0), ("loss_cdf", 0.0), ("loss_isf", 0.0)):
        expected = [getattr(s, name)(x + shift) for s, x in zip(singles, each, strict=True)]
        np.testing.assert_allclose(getattr(pair, name)(argument + shift), expected, rtol=1e-13)
    charged = [float(single.hockey_stick_upper_bound(0.3)) for single in singles]
    np.testing.assert_allclose(np.broadcast_to(pair.hockey_stick_upper_bound(0.3), 3), charged, rtol=1e-13)
    losses = np.broadcast_to(argument, 3)
    weights = [s.log_weight(np.array([x]), 2.0)[0] for s, x in zip(singles, each, strict=True)]
    np.testing.assert_allclose(pair.log_weight(losses, 2.0), weights, rtol=1e-13)
    selected = np.array([True, False, True])
    assert pair.take(selected) == pair.take(np.array([0, 2]))
    np.testing.assert_array_equal(pair.take(selected).zcdp_rho, np.asarray(pair.zcdp_rho)[selected])
    assert pair.swapped.swapped == pair


@each_per_run
def test_each_run_draws_from_the_law_that_it_asked_for(pair: DominatingPair) -> None:
    run, order = np.arange(DRAWS) % 3, 2.5
    many = pair.take(run)
    drawn, finite = (
        draw(np.random.default_rng(4), DRAWS, order) for draw in (many.sample, many.sample_finite)
    )
    assert np.isfinite(finite).all()
    for k in range(3):
        single = pair.of_run(k)
        lead_back(drawn[run == k], single, order, 0.0)
        if single.infinite_mass < 1:
            lead_back(finite[run == k], single, order, float(single.infinite_mass))


def test_a_pair_of_another_class_of_the_same_name_is_another_pair() -> None:
    ours, theirs = RandomizedResponse(0.5), type("RandomizedResponse", (RandomizedResponse,), {})(0.5)
    assert ours == RandomizedResponse(0.5)
    assert ours != theirs
    assert len({ours, theirs}) == 2


def test_a_law_is_overridden_by_no_subclass_that_would_inherit_the_rest_of_it() -> None:
    changed = {"hockey_stick": lambda pair, epsilon: 0.0 * epsilon}
    asked_for = {"_full_batch_level": lambda pair, *given: 0.0}
    for bases, own in (
        ((Gaussian,), changed),
        ((type("Beside", (), changed), Gaussian), {}),
        ((SubsampledGaussian,), asked_for),
    ):
        with pytest.raises(TypeError, match=r"Own must not override \w+\.\w+, because its other inherited"):
            type("Own", bases, own)
