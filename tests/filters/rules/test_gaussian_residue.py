"""The Gaussian residue filter: its charges by mpmath, its promise in the game, its rounds beside the GDP filter's."""

import math
from fractions import Fraction

import numpy as np

import filterproof as fp


class Underpaid(fp.GaussianResidueFilter):
    """Charges nine tenths of what is due."""

    def _charge_by_floor(self, request: fp.DominatingPair) -> np.ndarray:
        return fp.GaussianResidueFilter._charge_by_floor(self, request) * 9 // 10


def test_gaussians_fill_the_budget_to_the_last() -> None:
    for mu in (0.1, 0.3, 1.0, 1e-5, 2.0**300):
        filt = fp.GaussianResidueFilter(mu)
        assert filt.open().request(fp.Gaussian(mu))
        assert not filt.open().request(fp.Gaussian(math.nextafter(mu, math.inf)))
    session = fp.GaussianResidueFilter(1.0).open("retry")
    assert sum(session.request(fp.Gaussian(0.25)) for _ in range(20)) == 16


def test_no_adversary_passes_the_promise_and_one_passes_with_too_small_charges() -> None:
    menu = [
        fp.RandomizedResponse.from_ratio(Fraction(5, 4)),
        fp.RandomizedResponse.from_ratio(Fraction(25, 16)),
    ]
    promised = fp.GaussianDP(0.6).delta(0.0)
    found = fp.worst_case(fp.GaussianResidueFilter(0.6), menu, epsilon=0.0)
    assert 0.9 * promised < float(found.low) <= float(found.high) <= promised
    assert float(fp.worst_case(Underpaid(0.6), menu, epsilon=0.0).low) > promised


def test_one_that_charges_less_is_refused() -> None:
    assert {one.status.name for one in fp.certify(Underpaid(1.0)).refused} == {"UNSOUND"}


def test_the_first_level_is_at_most_the_square_of_mu() -> None:
    for mu in np.random.default_rng(4).uniform(1e-3, 30.0, 50).tolist():
        filt = fp.GaussianResidueFilter(mu)
        first = filt._first_level * Fraction(2) ** filt._exponent
        assert Fraction(mu) ** 2 * (1 - Fraction(2) ** -49) < first <= Fraction(mu) ** 2
        assert not filt.open().request(fp.Gaussian(math.nextafter(mu, math.inf)))


def test_squares_of_mu_are_paid_for_whatever_their_size() -> None:
    """By fractions, at squares next to whole numbers of units, and where they underflow."""
    filt = fp.GaussianResidueFilter(1.0)
    roots = np.sqrt(np.ldexp(np.arange(1.0, 400.0), filt._exponent))
    mus = [5e-324, 1e-200, 1e-100, 1e-9, 0.3, 0.999, 1.0]
    mus += [*roots.tolist(), *np.nextafter(roots, 0.0).tolist(), *np.nextafter(roots, 1.0).tolist()]
    unit = Fraction(2) ** filt._exponent
    for mu in mus:
        charge = filt._first_level - int(filt.spend(filt.start(1), fp.Gaussian(mu))[0])
        assert Fraction(mu) ** 2 <= charge * unit or charge == filt._first_level, mu
        assert (charge - 1) * unit < Fraction(mu) ** 2, mu
