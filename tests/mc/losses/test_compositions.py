"""Compositions of finite pairs against their enumeration, by every route, and of all pairs against one another."""

import math
from fractions import Fraction

import flint
import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from filterproof.mc.losses.composition import Composition
from filterproof.theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
)
from tests.mc.losses.enumerated import real
from tests.mc.worst_case.small_games import masses_of

RATIOS = st.fractions(Fraction(10, 9), 9, max_denominator=9)
SHARES = st.fractions(0, 1, max_denominator=40) | st.sampled_from([Fraction(1, 10**9), Fraction(1, 10**300)])
SIZES = st.sampled_from([5e-324, 0.25, 0.5, 1.0, 50.0, 720.0, 1e9, 1e300])
#: One output may be many times as likely as others, or impossible.
WEIGHTS = st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from([0, 1, 7, 10**6, 10**30]))
MASSES = WEIGHTS.filter(sum).map(lambda w: tuple(Fraction(k, sum(w)) for k in w))
HALF = (Fraction(1, 2), Fraction(1, 2))
TWO_OUTPUTS = st.one_of(
    st.builds(RandomizedResponse.from_ratio, RATIOS | st.just(Fraction(2**1090))),
    st.builds(KOV.from_ratio, RATIOS, SHARES),
    st.builds(RandomizedResponse, SIZES),
    st.builds(KOV, SIZES, st.sampled_from([0.0, 1e-300, 1e-9, 0.5, 1.0])),
)
FINITE = TWO_OUTPUTS | st.builds(Erasure, SHARES) | st.builds(FinitePair, MASSES, MASSES)
NOTHING = {FinitePair(HALF, HALF): 2**40, RandomizedResponse(0.0): 10**6, Erasure(0.0): 1}
ONE = flint.arb(1)
#: Reveals less than a double next to 1 can tell, and has no finite list of outputs: beside it all is cut into cells.
FAINT = {Gaussian(1e-30): 1}


def enumerated(counts: dict[DominatingPair, int], epsilon: float, direction: str) -> mpmath.mpf:
    """H_{e^epsilon} of the composition: the sum over all multisets of outputs, in balls of the precision of mpmath."""
    with flint.ctx.workprec(mpmath.mp.prec):
        hidden, sums = ONE, [(ONE, _ball(mpmath.exp(real(epsilon))))]
        for pair, count in counts.items():
            distribution = [(_ball(real(p)), _ball(real(q))) for p, q in masses_of(pair)]
            distribution = [each if direction == "PQ" else each[::-1] for each in distribution]
            hidden *= (1 - sum(p for p, q in distribution if q == 0)) ** count
            more = _multisets([(p, q) for p, q in distribution if p != 0 and q != 0], count)
            sums = [(p * a, q * b) for p, q in sums for a, b in more]
        delta = 1 - hidden + sum(p - q for p, q in sums if p > q)
        mantissa, exponent = map(int, delta.mid().man_exp())
        return mpmath.ldexp(mantissa, exponent)


def _ball(x: mpmath.mpf) -> flint.arb:
    return flint.arb(x.man_exp)


def _multisets(
    distribution: list[tuple[flint.arb, flint.arb]], count: int
) -> list[tuple[flint.arb, flint.arb]]:
    """The masses of all multisets of `count` outputs."""
    if len(distribution) < 2:
        return [(p**count, q**count) for p, q in distribution]
    (p, q), rest = distribution[0], distribution[1:]
    sums, here, there = [], ONE, ONE
    for k in range(count + 1):
        ways = math.comb(count, k)
        sums += [(ways * here * a, ways * there * b) for a, b in _multisets(rest, count - k)]
        here, there = here * p, there * q
    return sums


@st.composite
def compositions(draw: st.DrawFn) -> dict[DominatingPair, int]:
    """At most three finite pairs, each at most four times; or two, one 600 times: more sums than are listed."""
    if draw(st.integers(0, 3)):
        return draw(st.dictionaries(FINITE, st.integers(1, 4), min_size=1, max_size=3))
    return {draw(FINITE): draw(st.integers(1, 4)), draw(TWO_OUTPUTS): 600}


EPSILONS = st.sampled_from([-2.0, 0.0, 0.1, 0.9, 2.5, 7.0, 20.0, 300.0, 690.0, 1e6, 1.7e308]) | st.floats(
    0, 4
)


@settings(deadline=None, max_examples=8)
@given(counts=compositions(), epsilon=EPSILONS, relative=st.sampled_from([0.1, 1e-3]))
@example(counts={RandomizedResponse(5e-324): 600}, epsilon=0.0, relative=1e-3)
@example(counts={KOV(0.5, 1.0): 1, RandomizedResponse(0.5): 2}, epsilon=0.1, relative=0.1)
@example(counts={KOV(1e9, 1.0): 1}, epsilon=1.7e308, relative=0.1)
@example(counts={RandomizedResponse(1e300): 1}, epsilon=1.7e308, relative=1e-3)
def test_bounds_of_finite_pairs_enclose_the_enumeration_by_every_route(counts, epsilon, relative):
    composition = Composition(counts)
    with mpmath.workdps(400):
        truth = {way: enumerated(counts, epsilon, way) for way in ("PQ", "QP")}
        truth["both"] = max(truth.values())
        off = mpmath.mpf(10) ** -380  # of the enumeration itself
        for way, exact in truth.items():
            bounds = composition.delta(epsilon, direction=way)
            assert bounds.low - off <= exact <= bounds.high + off
            assert bounds.high <= 1
            assert bounds.high - bounds.low <= 0.05 * exact + 1e-9 or epsilon > 1e3
            reverse = Composition(dict(reversed(counts.items()))).delta(epsilon, direction=way, relative=0.1)
            assert reverse.low - off <= exact <= reverse.high + off
        # cut into cells, coarse ones or fine
        exact = truth["PQ"]
        cut = Composition(counts | FAINT).delta(epsilon, direction="PQ", relative=relative)
        assert cut.low <= exact + 1e-30
        assert exact <= cut.high + off
        assert cut.high - cut.low <= 0.05 * exact + 1e-9 or epsilon > 1e3
    assert Composition(counts | NOTHING).delta(epsilon) == composition.delta(epsilon)


@pytest.mark.parametrize("times", [13, 14, 20, 40])
@pytest.mark.parametrize("epsilon", [0.0, 300.0, 600.0, 690.0])
def test_a_q_mass_below_all_doubles_is_counted(times, epsilon):
    """An output is e^50 times rarer under Q: of forty the product has a Q-mass below all doubles, and a P-mass."""
    thin = {FinitePair(HALF, (Fraction(1, 10**22), 1 - Fraction(1, 10**22))): times}
    with mpmath.workdps(400):
        exact = enumerated(thin, epsilon, "PQ")
        for counts in (thin, thin | FAINT):
            bounds = Composition(counts).delta(epsilon, direction="PQ")
            assert bounds.low <= exact + 1e-30
            assert exact <= bounds.high


SMOOTH = st.one_of(
    st.builds(Gaussian, st.sampled_from([0.1, 0.5, 1.0])),
    st.builds(Laplace, st.sampled_from([3.0, 10.0])),
    st.builds(
        SubsampledGaussian,
        st.sampled_from([0.1, 0.4]),  # far in the tail of smaller rates a bound takes seconds
        st.sampled_from([0.8, 2.0]),
        adjacency=st.sampled_from(["removal", "addition"]),
    ),
    st.builds(RandomizedResponse, st.sampled_from([0.3, 1.0])),
)


@settings(deadline=None, max_examples=4)
@given(
    counts=st.dictionaries(SMOOTH, st.sampled_from([2, 30]), min_size=1, max_size=2),
    growths=st.lists(st.floats(1.0, 9.0), min_size=2, max_size=2, unique=True).map(sorted),
)
def test_bounds_of_all_pairs_agree_by_every_route_and_have_the_shape_of_divergences(counts, growths):
    composition = Composition(counts)
    at = [math.log(growth) for growth in (growths[0], sum(growths) / 2, growths[1])]
    first, middle, last = (composition.delta(epsilon) for epsilon in at)
    assert first.high >= middle.low
    assert middle.high >= last.low
    assert middle.low <= (first.high + last.high) / 2
    one_more = Composition(counts | {Laplace(3.0): counts.get(Laplace(3.0), 0) + 1})
    assert one_more.delta(at[0]).high >= first.low
    assert composition.delta(at[0], direction="PQ") == Composition(
        {pair.swapped: count for pair, count in counts.items()}
    ).delta(at[0], direction="QP")
    assert Composition(counts | NOTHING).delta(at[0]) == first
    for other, relative in ((counts | FAINT, 0.01), (dict(reversed(counts.items())), 0.1)):
        bounds = Composition(other).delta(at[0], relative=relative)
        assert bounds.low <= first.high + 1e-30
        assert first.low <= bounds.high
