"""No charge is below what is due, and no promise above what was asked for: to the last place, against balls."""

import math
import random
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq

import filterproof as fp
from filterproof.filters.accounting.approximate_charges import approximate_charge
from filterproof.filters.accounting.charge_rules import renyi_charge
from filterproof.filters.catalogue import CATALOGUE, CatalogueEntry
from filterproof.filters.contract import parameters
from filterproof.theory.numerics import reproducible_math as rm


def ball(x: Any) -> arb:
    return arb(fmpq(*x.as_integer_ratio()))


@pytest.mark.parametrize("num", [3, 103, 290, 10**6 + 1])
def test_a_finite_pair_is_charged_its_whole_hockey_stick_near_its_loss(num: int) -> None:
    tiny, ratio = Fraction(1, 10**30), 1 + Fraction(num, 100)
    half = Fraction(1, 2)
    pair = fp.FinitePair((tiny, half, half - tiny), (Fraction(0), half / ratio, 1 - half / ratio))
    at = sorted(float(loss) for loss, _ in pair.outputs)[-2]
    with ctx.workprec(400):
        power = arb(at).exp()
        terms = [ball(p) - power * ball(q) for p, q in zip(pair.p, pair.q, strict=True)]
        due = sum((term for term in terms if term > 0), arb(0))
        epsilon, delta = approximate_charge(pair, at)
        assert epsilon == at
        assert due <= arb(float(delta)) <= due * (1 + arb(2) ** -50)
    assert 0 < float(approximate_charge(pair, 1e300)[1]) < 2e-30  # e^at is beyond every number


@pytest.mark.parametrize("entry", CATALOGUE.values(), ids=lambda entry: entry.name)
def test_a_labelled_pair_is_decided_on_as_the_pair_is(entry: CatalogueEntry) -> None:
    filt = entry.example()
    for pair in (fp.Gaussian(0.1), fp.Laplace(5.0), fp.KOV(0.1, 1e-4), fp.Gaussian(np.array([0.1, 0.3]))):
        both = (pair, fp.LabelledRequest(pair, {"site": "a"}))
        granted = {repr((filt.admits(filt.start(2), one), filt.spend(filt.start(2), one))) for one in both}
        assert len(granted) == 1


def test_a_divergence_whose_moment_is_below_the_normal_doubles_is_charged_in_full() -> None:
    b, a = 1 / 9.581016473565568e-149, 1.0000000000000013
    with ctx.workprec(3000):
        e, t = 1 / arb(b), arb(a) - 1
        due = ((arb(a) * (t * e).exp() + t * (-arb(a) * e).exp()) / (2 * arb(a) - 1)).log() / t
        assert arb(float(renyi_charge(fp.Laplace(b), a).x)) >= due  # type: ignore[union-attr]


GAUSSIANS = [(1.795177467150758e-05, 0.0006825453983571504), (0.00986665719632134, 0.3754949367210595)]


@pytest.mark.parametrize(("mu", "at"), [*GAUSSIANS, (2.0, 0.1), (3.0, 0.1), (50.0, 1.0)])
def test_a_gaussian_is_charged_its_hockey_stick_however_small_it_is(mu: float, at: float) -> None:
    with ctx.workprec(600):
        m, e, root = arb(mu), arb(at), arb(2).sqrt()
        due = (((e / m - m / 2) / root).erfc() - e.exp() * ((e / m + m / 2) / root).erfc()) / 2
        delta = float(approximate_charge(fp.Gaussian(mu), at)[1])
        assert due <= arb(delta) <= due * (1 + arb(2) ** -39) + arb(2) ** -1069


def test_portable_functions_keep_the_sign_of_zero_and_say_what_they_err() -> None:
    for function in (rm.expm1, rm.log1p, rm.tanh):
        assert np.signbit(function(-0.0))
        assert not np.signbit(function(0.0))
    x = np.linspace(-3.0, 3.0, 301)
    y = np.array([float(rm.log(-rm.expm1(v))) if v < 0 else v for v in x])  # where they cancel
    with ctx.workprec(200):
        for u, v, got in zip(x.tolist(), y.tolist(), rm.logaddexp(x, y).tolist(), strict=True):
            error = abs(arb(got) - (arb(u).exp() + arb(v).exp()).log())
            assert error <= 3 * arb(2) ** -52 * max(abs(u), abs(v), 1.0)


LITTLE = Fraction(1, 10**200)
TINY: tuple[fp.DominatingPair, ...] = (
    fp.Laplace(1e200),
    fp.KOV(1e-200, 0.0),
    fp.SubsampledGaussian(1e-200, 1.0),
    fp.FinitePair((Fraction(1, 2) + LITTLE, Fraction(1, 2) - LITTLE), (Fraction(1, 2), Fraction(1, 2))),
)


@pytest.mark.parametrize("pair", TINY, ids=lambda pair: type(pair).__name__)
@pytest.mark.parametrize("filt", [fp.ZCDPFilter(0.5), fp.GaussianFilter(1.0), fp.RenyiFilter(4.0, 1.0)])
def test_a_filter_notices_what_underflows(filt: Any, pair: fp.DominatingPair) -> None:
    assert filt.budget.value(filt.spend(filt.start(1), pair))[0] > 0


@pytest.mark.parametrize("given", [Fraction, lambda x: np.array(x, dtype=object)])
@pytest.mark.parametrize("name", [name for name in parameters.__all__ if name.startswith("one_")])
def test_a_parameter_that_is_no_double_is_the_largest_one_below_it(name: str, given: Any) -> None:
    value = Fraction(3 if "order" in name else 1, 2) - Fraction(1, 2**80)
    kept = getattr(parameters, name)("it", given(value))
    assert Fraction(kept) < value < Fraction(np.nextafter(kept, 9.0))


@pytest.mark.parametrize("dtype", [np.int64, np.longdouble, object])
def test_arrays_of_other_numbers_are_charged_one_by_one(dtype: Any) -> None:
    x = np.array([2**53 + 1, 2**53], dtype=dtype)
    budget = fp.Budget.of(2.0**53)
    assert budget.fits(budget.start(2), fp.charges.LinearCharge(x)).tolist() == [False, True]


def random_masses(rng: random.Random, outcomes: int) -> list[Fraction]:
    scales = (0, 0, 1, 5, 20, 150, 290, 300, 307, 310, 322, 330, 500)
    masses = [Fraction(rng.random()) / 2 / outcomes / 10 ** rng.choice(scales) for _ in range(outcomes - 1)]
    return [*masses, 1 - sum(masses)]


def divergence(p: Any, q: Any, alpha: float) -> arb:
    b = ball(alpha) - 1
    terms = (ball(x) * (b * ball(Fraction(x) / Fraction(y)).log()).exp() for x, y in zip(p, q, strict=True))
    return sum(terms, arb(0)).log() / b


@cache
def random_pairs() -> list[fp.FinitePair]:
    rng = random.Random(5)
    pairs = [
        fp.FinitePair(random_masses(rng, k), random_masses(rng, k)) for k in (2, 3, 5) for _ in range(20)
    ]
    # in both directions an outcome that is e^704 times as likely, and beside it nearly nothing
    tiny, small, large = Fraction(1, 10**900), Fraction(1, 10**594), Fraction(93, 100)
    less = large * (1 - Fraction(5, 10**18))
    p, q = (tiny, small, large), (small, tiny, less)
    return [*pairs, fp.FinitePair((*p, 1 - sum(p)), (*q, 1 - sum(q)))]


@pytest.mark.parametrize("alpha", [1 + 2.0**-52, 1 + 1e-9, 1.5, 17.3, 1e3])
def test_a_charge_is_at_least_the_divergence_in_both_directions_whatever_the_masses(alpha: float) -> None:
    with ctx.workprec(6000):
        for pair in random_pairs():
            charged = float(renyi_charge(pair, alpha).x)  # type: ignore[union-attr]
            for p, q in ((pair.p, pair.q), (pair.q, pair.p)):
                assert math.isinf(charged) or divergence(p, q, alpha) <= arb(charged), pair
