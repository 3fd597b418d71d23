"""The divergence of what a realisation filter releases, against simulation, composition and another grid."""

import math

import numpy as np
import pytest
from flint import arb

from filterproof.theory.numerics.gauss_legendre import gauss_legendre
from filterproof.theory.pairs import Gaussian
from filterproof.theory.stopping_level import (
    kappa,
    kappa_survival,
    optimal_split,
    realisation_filter_hockey_stick,
)

MU, ROUNDS, DELTA = 0.5, 48, 1e-5


def limit(epsilon: float) -> float:
    split = optimal_split(ROUNDS, DELTA)
    return float(kappa(epsilon, 1 / MU, split.dhat, split.theta))


# The reference values come from scipy alone, by Simpson's rule on the density of the loss; they took 5 seconds:
#
#     import numpy as np
#     from scipy import integrate, optimize, stats
#
#     mu, rounds, delta, z, n = 0.5, 48, 1e-5, stats.norm.isf, 801
#
#     def h(m, e):  # the hockey-stick divergence of Gaussian(m) at e
#         return stats.norm.sf(e / m - m / 2) - np.exp(e + stats.norm.logsf(e / m + m / 2))
#
#     def distribution(loss):  # the density of the loss of one output
#         return stats.norm.pdf(loss, mu**2 / 2, mu)
#
#     def quantiles(d):  # z_dhat + z_theta at dhat = d
#         return z(d) + z((delta - d) / (1 - d) / rounds)
#
#     bounds = (1e-8, delta - 1e-8)
#     best = optimize.minimize_scalar(quantiles, bounds=bounds, method="bounded", options={"xatol": 1e-13}).fun
#     for epsilon in (8.0, 10.0, 12.0):
#         kappa = epsilon - mu**2 - mu * best
#         inside, beyond = np.linspace(-kappa, kappa, n), np.linspace(kappa, kappa + 12 * mu, n)
#         density, total = distribution(inside), 0.0
#         for k in range(1, rounds - 1):  # the loss leaves after k outputs: output k + 1 is the last released
#             for outside in (beyond, -beyond[::-1]):
#                 left = distribution(outside)
#                 if k > 1:
#                     left = integrate.simpson(distribution(outside[:, None] - inside) * density, x=inside)
#                 total += integrate.simpson(left * h(mu, epsilon - outside), x=outside)
#             if k > 1:
#                 density = integrate.simpson(distribution(inside[:, None] - inside) * density, x=inside)
#         print(epsilon, total + integrate.simpson(density * h(2**0.5 * mu, epsilon - inside), x=inside))


@pytest.mark.parametrize(
    ("epsilon", "printed"),
    [(8.0, 1.205e-13), (10.0, 9.433e-14), (12.0, 5.964e-14)],
    ids=["eps=8", "eps=10", "eps=12"],
)
def test_the_fixed_strategy_stays_eight_decades_below_the_promise(epsilon: float, printed: float) -> None:
    """The filter that promises (epsilon, 1e-5)-DP, at that epsilon, on two grids."""
    value = realisation_filter_hockey_stick(limit(epsilon), mu=MU, rounds=ROUNDS, epsilon=epsilon)
    assert value == pytest.approx(printed, rel=5e-4, abs=0)
    finer = realisation_filter_hockey_stick(limit(epsilon), mu=MU, rounds=ROUNDS, epsilon=epsilon, nodes=400)
    assert finer == pytest.approx(value, rel=1e-9, abs=0)


@pytest.mark.parametrize("rounds", [1, 2, 3, 12])
def test_a_walk_that_is_never_stopped_composes(rounds: int) -> None:
    value = realisation_filter_hockey_stick(60.0, mu=MU, rounds=rounds, epsilon=2.0, nodes=600)
    assert value == pytest.approx(float(Gaussian(math.sqrt(rounds) * MU).hockey_stick(2.0)), rel=1e-9)


@pytest.mark.parametrize("limit", [0.3, 5.0, 20.0])
def test_the_fewest_nodes_that_are_taken_do_and_fewer_are_refused(limit: float) -> None:
    least = math.ceil(5 * max(limit / MU, 6 + MU / 4))
    few, many = (
        realisation_filter_hockey_stick(limit, mu=MU, rounds=ROUNDS, epsilon=3.0, nodes=nodes)
        for nodes in (least, 300)
    )
    assert few == pytest.approx(many, rel=1e-9)
    with pytest.raises(
        ValueError, match=rf"nodes must be at least 5 for each step .* pass nodes={least} or more"
    ):
        realisation_filter_hockey_stick(limit, mu=MU, rounds=ROUNDS, epsilon=3.0, nodes=least - 1)
    with pytest.raises(ValueError, match=r"got nodes=256 for 500 steps; pass nodes=2500"):
        kappa_survival(5.0, sigma=100.0, rounds=1000)


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_the_first_two_releases_are_decided_before_any_loss_is_known(rounds: int) -> None:
    left = kappa_survival(1.0, sigma=2.0, rounds=rounds).tolist()
    assert [chance == 1.0 for chance in left] == [t < 2 for t in range(rounds)]


def test_no_chance_is_above_one_whatever_is_rounded() -> None:
    for limit in range(8, 13):
        assert kappa_survival(float(limit), sigma=2.0, rounds=8).max() <= 1


@pytest.mark.parametrize("nodes", [1, 2, 7, 64])
def test_nodes_and_weights_integrate_polynomials_and_are_those_of_balls(nodes: int) -> None:
    at, weight = gauss_legendre(nodes)
    powers = np.arange(2 * nodes)
    exact = np.where(powers % 2, 0.0, 2 / (powers + 1))
    assert weight @ at[:, None] ** powers == pytest.approx(exact, rel=0, abs=1e-14)
    balls = [arb.legendre_p_root(nodes, k, weight=True) for k in reversed(range(nodes))]
    for mine, theirs in zip((at, weight), zip(*balls, strict=True), strict=True):
        assert mine == pytest.approx([float(ball) for ball in theirs], rel=0, abs=1e-14)
