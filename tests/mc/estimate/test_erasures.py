"""Infinite losses weighed instead of drawn, against closed forms and against the distribution of every transcript."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.engine.batches import play_batch
from filterproof.mc.engine.streams import Batch
from filterproof.mc.estimate.path_bound import PathBound, proven_bounds
from tests.mc.estimate.small_filters import SKEWED, Silent, Tree
from tests.slow_cases import slow_but

# Null of every containment below: the interval is valid, so it misses with probability at most 1e-6.

FILTERS = [
    fp.ApproximateZCDPFilter(rho=0.1, xi=0.1),
    fp.BasicFilter(epsilon=1.3, delta=0.1),
    fp.WhitehouseFilter(epsilon=2.0, delta=0.2),
    fp.RogersFilter(epsilon=2.0, delta=0.2),
]
ROUNDS = fp.KOV(0.125, 1 / 128)


def composed(pair: fp.KOV, rounds: int, epsilon: float) -> float:
    """H_{e^epsilon} of rounds that are chosen in advance."""
    return fp.Composition({pair: rounds}).delta(epsilon).high


TILTED: dict[str, Any] = {"method": "tilted", "rounds": 10, "n": 20_000}
#: Filter, pair, rounds that are granted, epsilons, how it is simulated, and the relative width at most.
COMPOSED: list[tuple[fp.PrivacyFilter, fp.KOV, int, list[float], dict[str, Any], float]] = [
    *(
        (filt, ROUNDS, 10, [0.0, 0.5, 0.9, 1.2], {**TILTED, "direction": way}, 0.09)
        for filt in FILTERS
        for way in ("PQ", "QP")
    ),
    # tails of 1e-10, of which plain paths see nothing
    *(
        (
            fp.ApproximateZCDPFilter(rho=0.0201, xi=101 * delta),
            fp.KOV(0.02, delta),
            100,
            [1.2],
            {"method": method, "rounds": 100, "n": 30_000},
            0.13,
        )
        for delta, method in ((1e-12, "auto"), (1e-18, "tilted"))
    ),
    # above the pure budget nothing is left but the erasures; ten doubles 0.1 are more than 1
    (fp.BasicFilter(epsilon=1.0, delta=1e-8), fp.KOV(0.1, 1e-9), 9, [1.0, 1.7, 30.0], {"n": 20_000}, 0.01),
]


@pytest.mark.parametrize(
    ("filt", "pair", "rounds", "epsilons", "how", "width"), slow_but(COMPOSED[::4] + COMPOSED[-1:], COMPOSED)
)
def test_rounds_of_kov_have_their_exact_composition(
    filt: fp.PrivacyFilter,
    pair: fp.KOV,
    rounds: int,
    epsilons: list[float],
    how: dict[str, Any],
    width: float,
) -> None:
    for epsilon, estimate in fp.simulate(filt, fp.Constant(pair), epsilon=epsilons, **how):
        assert composed(pair, rounds, epsilon) in estimate
        assert estimate.method.startswith("weighed erasures, ")
        assert " + tilted to order " in estimate.method
        assert estimate.relative_half_width < width
        if width == 0.01:  # a round less, or more, would show
            assert not any(composed(pair, rounds + change, epsilon) in estimate for change in (-1, 1))


STEPS: tuple[Any, ...] = (
    fp.KOV(0.4, 0.01),
    (SKEWED, fp.KOV(0.8, 0.03)),
    (fp.Erasure(0.02), fp.RandomizedResponse(0.6)),
    (fp.KOV(0.3, 0.01), fp.Erasure(0.05)),
)
#: Without infinite losses.
FINITE: tuple[Any, ...] = (
    fp.RandomizedResponse(0.4),
    (SKEWED, fp.RandomizedResponse(0.8)),
    (fp.RandomizedResponse(0.6), fp.RandomizedResponse(0.2)),
)
TREES: list[tuple[fp.PrivacyFilter, tuple[Any, ...], str]] = [
    *((fp.ZCDPFilter(rho=3.0), FINITE, method) for method in ("plain", "tilted")),
    *(
        (filt, STEPS, "tilted")
        for filt in (
            fp.BasicFilter(epsilon=2.5, delta=0.055),  # the last round is denied to some
            fp.ApproximateZCDPFilter(rho=0.41, xi=0.2),  # the second round is denied to some
            fp.WhitehouseFilter(epsilon=5.0, delta=0.3, tail=0.1),
        )
    ),
]


@pytest.mark.parametrize(("filt", "steps", "method"), TREES)
def test_an_adaptive_tree_matches_its_evaluation(
    filt: fp.PrivacyFilter, steps: tuple[Any, ...], method: Any
) -> None:
    ways: tuple[Any, Any] = ("PQ", "QP")
    grid, tree = [-0.2, 0.3, 1.0], Tree(steps)
    reference_values = [fp.evaluate(filt, tree, epsilon=grid, direction=way) for way in ways]
    for way, values, (_, other, _) in zip(ways, reference_values, reference_values[::-1], strict=True):
        curve = fp.simulate(filt, tree, epsilon=grid, n=30_000, seed=4, direction=way, method=method)
        for (_, estimate), truth in zip(curve, values, strict=True):
            assert truth.low in estimate
            assert estimate.relative_half_width < (0.1 if method == "tilted" else 0.9)
        # the control: halting, the direction and erasures all show
        assert abs(curve[0.3].value - other.low) > 0.05 * other.low


# -- what bounds the two terms, and how they are played ---------------------------------------------------------


def ceiling_of(filt: fp.PrivacyFilter) -> PathBound | None:
    """What holds every path against an adversary that does not say what it asks for."""
    return proven_bounds(
        fp.runs.Game.between(filt, fp.RandomSpender(family=fp.RandomizedResponse, level=0.01)), 1000
    )


@pytest.mark.parametrize("filt", FILTERS, ids=lambda f: type(f).__name__)
@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_both_integrands_stay_within_their_bounds(filt: fp.PrivacyFilter, epsilon: float) -> None:
    caps = ceiling_of(filt)
    assert caps is not None
    order = caps.best_order(epsilon)
    # one large round is what the bound of basic composition is for, many small ones what the others are for
    pair = fp.KOV(1.25, 0.07) if isinstance(filt, fp.BasicFilter) else ROUNDS
    game = replace(fp.runs.Game.between(filt, fp.Constant(pair), rounds=40), erasures="weighed")
    paths = play_batch(game.at(order), Batch(3, 0, 20_000))
    assert np.isfinite(paths.loss).all()
    lost = -np.expm1(paths.log_finite)
    assert 0 < lost.min() <= lost.max() <= caps.infinite
    assert lost.max() > 0.5 * caps.infinite
    gain = np.exp(paths.log_weight + paths.log_finite) * -np.expm1(np.minimum(epsilon - paths.loss, 0.0))
    most = math.exp(caps.log_bound(order, epsilon))
    assert 0.1 * most < gain.max() <= most  # a bound ten times lower would be broken


@pytest.mark.parametrize(
    "filt",
    [fp.BasicFilter(1.0, 0.1, at=0.2), fp.RogersFilter(1.0, 0.1, at=0.2)],
    ids=repr,
)
def test_mechanisms_declared_at_one_epsilon_bound_no_weight(filt: fp.PrivacyFilter) -> None:
    adversary = fp.RandomSpender(family=lambda e: fp.KOV(e, 1e-3), level=0.1)
    assert filt.holds is None
    assert ceiling_of(filt) is None
    with pytest.raises(ValueError, match="no bound on likelihood-ratio weights is known"):
        fp.simulate(filt, adversary, epsilon=0.5, n=1000, rounds=5, method="tilted")
    estimate = fp.simulate(filt, adversary, epsilon=0.5, n=1000, rounds=2)
    assert estimate.method.startswith("plain")
    # what the adversary can ask for bounds it all the same
    bounded = fp.simulate(filt, fp.Constant(fp.KOV(0.1, 1e-3)), epsilon=0.15, n=20_000, rounds=2)
    assert composed(fp.KOV(0.1, 1e-3), 2, 0.15) in bounded
    assert "all possible requests of the adversary, 2 rounds of KOV" in bounded.rests_on


class Noting(fp.Constant):
    """Notes where its random numbers start."""

    def start(self, filt: fp.PrivacyFilter, n: int, rng: np.random.Generator) -> None:
        STREAMS.append(rng.random())


STREAMS: list[float] = []


def test_the_second_play_goes_on_where_the_first_one_ended_with_random_numbers_of_its_own() -> None:
    STREAMS.clear()
    seen: list[tuple[int, Any]] = []
    estimate = fp.simulate(
        fp.ApproximateZCDPFilter(rho=0.1, xi=0.1),
        Noting(ROUNDS),
        epsilon=0.5,
        n=200_000,
        rounds=10,
        method="tilted",
        workers=1,
        progress=lambda progress, so_far: seen.append((progress.done, so_far)),
    )
    done = [paths for paths, _ in seen]
    assert done == sorted(done)
    assert done[-1] == estimate.n == 200_000
    assert seen[-1][1] == (estimate,)
    assert seen[0][1] is None
    runs = STREAMS[STREAMS.count(STREAMS[0]) :]  # the pilots share theirs
    assert len({STREAMS[0], *runs}) == 1 + len(runs) >= 3


def test_few_paths_are_refused_or_left_to_the_plain_estimator() -> None:
    filt, adversary = fp.ApproximateZCDPFilter(rho=0.1, xi=0.1), fp.Constant(ROUNDS)
    assert fp.simulate(filt, adversary, epsilon=0.5, n=2, rounds=2).method.startswith("plain")
    with pytest.raises(ValueError, match="n must be at least 4 for 2 terms, got n=2"):
        fp.simulate(filt, adversary, epsilon=0.5, n=2, rounds=2, method="tilted")
    assert fp.simulate(filt, adversary, epsilon=0.5, n=4, rounds=2, method="tilted").n == 4
    grid = [0.0, 1.0, 3.0, 6.0, 9.0, 20.0]  # of many orders
    assert (
        len(fp.simulate(fp.ZCDPFilter(0.5), Silent(fp.Gaussian(0.5)), epsilon=grid, n=4, workers=1).at) == 6
    )
    with pytest.raises(ValueError, match="n must be at least"):
        fp.simulate(
            fp.ZCDPFilter(0.5), Silent(fp.Gaussian(0.5)), epsilon=grid, n=4, method="tilted", workers=1
        )


def test_a_decision_on_a_filter_with_infinite_losses_is_made_on_plain_paths() -> None:
    filt = fp.ApproximateZCDPFilter(rho=0.1, xi=0.1)
    truth = composed(ROUNDS, 10, 0.5)
    for delta, side in ((0.8 * truth, "above"), (1.2 * truth, "below")):
        decision = fp.sequential_test(filt, fp.Constant(ROUNDS), epsilon=0.5, delta=delta, rounds=10)
        assert side in decision.side.value
