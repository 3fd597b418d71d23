"""Cells hold all of a distribution, and the two distributions made of them lie on either side of it."""

from dataclasses import replace
from fractions import Fraction

import flint
import numpy as np
import pytest

from filterproof.mc.losses.balls import BITS, exact_fraction, to_ball
from filterproof.mc.losses.loss_cells import LossCells, loss_cells
from filterproof.mc.losses.tails import tails_of_points
from filterproof.theory.pairs import (
    KOV,
    BoundedRange,
    DiscreteGaussian,
    DiscreteLaplace,
    Erasure,
    FinitePair,
    Gaussian,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
)

PAIRS = [
    Gaussian(0.25),
    Gaussian(2.0),
    Laplace(0.7),
    SubsampledGaussian(0.3, 1.0),
    SubsampledGaussian(0.3, 1.0, adjacency="addition"),
    RandomizedResponse(0.7),
    KOV(0.3, 0.01),
    Erasure(0.1),
    Erasure(1.0),
    BoundedRange(0.5),
    DiscreteLaplace(2.0, 3),
    DiscreteGaussian(2.1),
    FinitePair(
        tuple(Fraction(k, 12) for k in (3, 5, 3, 1, 0)), tuple(Fraction(k, 12) for k in (0, 3, 3, 4, 2))
    ),
]


def _cut(pair, tilt=1.0, variance=1e-3):
    return loss_cells(pair, Fraction(1, 128), tilts=(tilt,), variance=variance)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_the_cells_and_what_lies_beyond_them_have_mass_one(pair):
    cut = _cut(pair)
    assert (sum(cut.p, cut.below) + cut.above + cut.infinite).contains(1)
    assert float(cut.below) < 1e-20
    assert float(cut.above) < 1e-100
    assert np.all(cut.widths_in_steps >= 1)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("step", [0.11])
def test_the_laws_made_of_cells_lie_on_either_side(pair, step):
    cut = loss_cells(pair, Fraction(step), tilts=(0.0, 4.0), variance=step**2)
    bound, lower, upper = cut.lower_bound_pld(), cut.lower(), cut.upper()
    some, all_of = (
        sum(map(Fraction, distribution.masses.tolist()), Fraction(distribution.revealed))
        for distribution in (lower, upper)
    )
    assert 1 - 1e-12 <= some <= 1 <= all_of <= 1 + 1e-12  # each mass is rounded down, or up
    assert bound.q.masses.sum() <= 1 + 1e-12
    for epsilon in np.linspace(-3.0, 6.0, 31):
        exact = float(pair.hockey_stick(epsilon))
        gain = np.maximum(bound.p.masses - np.exp(epsilon) * bound.q.masses, 0.0)
        for low in (bound.p.revealed + float(gain.sum()), _hockey_stick(lower, step, epsilon)):
            assert low <= exact * (1 + 1e-12) + 1e-300
        assert _hockey_stick(upper, step, epsilon) >= exact * (1 - 1e-12)


def _hockey_stick(distribution, step, epsilon):
    return distribution.revealed + float(
        distribution.masses @ np.maximum(-np.expm1(epsilon - distribution.places * step), 0.0)
    )


def test_the_tail_at_a_loss_that_no_precision_tells_from_x_holds_it_and_its_absence():
    with flint.ctx.workprec(BITS):
        loss = to_ball(2.0).log()
        p, q = tails_of_points([(loss, to_ball(0.25), to_ball(0.125))], to_ball(0.0)).above(
            exact_fraction(loss.mid())
        )
        assert p.contains(0)
        assert p.contains(0.25)
        assert q.contains(0)
        assert q.contains(0.125)


def test_the_upper_law_keeps_what_lies_outside_of_its_cells_at_their_ends_and_at_infinity():
    cut = _cut(PAIRS[0])
    with flint.ctx.workprec(BITS):
        beyond = cut.q_above + to_ball(0.125) * to_ball(-float(cut.edges[-1] * cut.step)).exp()
        below = replace(cut, below=cut.below + to_ball(0.25)).upper()
        above = replace(cut, above=cut.above + to_ball(0.25), q_above=beyond).upper()
    assert below.places[0] == cut.edges[0]
    assert below.masses[0] - cut.upper().masses[0] == pytest.approx(0.25)
    assert above.masses[-1] == pytest.approx(0.125)
    assert above.revealed - cut.upper().revealed == pytest.approx(0.125)


@pytest.mark.parametrize("seed", range(3))
def test_the_lower_law_lies_between_the_cells_and_their_lower_ends_without_an_atom_at_the_first_edge(seed):
    rng = np.random.default_rng(seed)
    # some cells lie at their lower end, as far as doubles tell, or a rounding below it; the last is all that is above
    p = rng.dirichlet(np.ones(7))
    ratios = np.exp(0.5 * (np.arange(7) + np.where(rng.random(7) < 0.4, -1e-15, rng.random(7))))
    distribution = LossCells(
        Fraction(1, 2),
        np.arange(7),
        tuple(map(to_ball, p[:6])),
        tuple(map(to_ball, (p / ratios)[:6])),
        to_ball(0.0),
        to_ball(p[6]),
        to_ball(p[6] / ratios[6]),
        to_ball(0.0),
        ((Fraction(0), to_ball(0.25)),),
    ).lower()
    assert np.all(distribution.report.share >= 0)
    for epsilon in np.linspace(-1.0, 3.0, 33):
        least, most = (
            float(np.maximum(p - np.exp(epsilon) * p / ends, 0.0).sum())
            for ends in (np.exp(0.5 * np.arange(7)), ratios)
        )
        assert least - 1e-14 <= _hockey_stick(distribution, 0.5, epsilon) <= most + 1e-14
