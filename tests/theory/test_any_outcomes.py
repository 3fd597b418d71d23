"""Analysts who choose by real numbers, by quadrature over their outcomes, against the filters' own code."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

import filterproof as fp
from theory.claims.table import KERNEL
from theory.kernel.statement import FINITE
from theory.pairs import DominatingPair

Floats = NDArray[np.float64]
#: Densities under the two data sets, at outcomes.
Densities = Callable[[Floats], tuple[Floats, Floats]]
#: What is asked for after an outcome: the mechanism and its declaration.
Choice = Callable[[float], tuple[Densities, DominatingPair]]
Admits = Callable[[list[DominatingPair]], bool]

# Gauss-Legendre on pieces that end at the kinks of the Laplace densities, 0 and 1
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(40)
_EDGES = np.array([-40.0, -16.0, -8.0, -4.0, -2.0, 0.0, 1.0, 3.0, 5.0, 9.0, 17.0, 41.0])
_HALF = np.diff(_EDGES) / 2
NODES = (_EDGES[:-1, None] + _HALF[:, None] * (1 + _POINTS)).ravel()
MASSES = (_HALF[:, None] * _WEIGHTS).ravel()


def normal(sigma: float) -> tuple[Densities, DominatingPair]:
    """N(1, sigma^2) against N(0, sigma^2)."""

    def densities(x: Floats) -> tuple[Floats, Floats]:
        both = [
            np.exp(-(((x - mean) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi)) for mean in (1, 0)
        ]
        return both[0], both[1]

    return densities, fp.Gaussian(1 / sigma)


def laplace(scale: float) -> tuple[Densities, DominatingPair]:
    """Laplace noise about 1 against the same about 0."""

    def densities(x: Floats) -> tuple[Floats, Floats]:
        both = [np.exp(-np.abs(x - mean) / scale) / (2 * scale) for mean in (1, 0)]
        return both[0], both[1]

    return densities, fp.Laplace(scale)


def admitted(filt: fp.PrivacyFilter, asked: list[DominatingPair]) -> bool:
    """Whether the filter, which granted all but the last, grants that one too."""
    state = filt.start(1)
    for one in asked[:-1]:
        state = filt.spend(state, one)
    return bool(filt.admits(state, asked[-1])[0])


def late(filt: fp.PrivacyFilter, asked: list[DominatingPair]) -> bool:
    """The same by what was granted before alone: the decision after the release."""
    return len(asked) == 1 or admitted(filt, asked[:-1])


def integral(
    admits: Admits,
    first: tuple[Densities, DominatingPair],
    then: Choice,
    payoff: Callable[[Floats, Floats], Floats],
) -> float:
    """The iterated integral over the transcripts of two requests, the second chosen by the first outcome."""
    assert admits([first[1]])
    p, q = first[0](NODES)
    inner = np.empty_like(p)
    for place, outcome in enumerate(NODES):
        densities, declared = then(float(outcome))
        if admits([first[1], declared]):
            more, less = densities(NODES)
            inner[place] = MASSES @ payoff(p[place] * more, q[place] * less)
        else:
            inner[place] = payoff(p[place : place + 1], q[place : place + 1])[0]
    return float(MASSES @ inner)


def moment(order: float, p: Floats, q: Floats) -> Floats:
    value, live = np.zeros_like(p), (p > 0) & (q > 0)  # far out densities are zero in doubles
    value[live] = np.exp(order * np.log(p[live]) + (1 - order) * np.log(q[live]))
    return value


def excess(epsilon: float, p: Floats, q: Floats) -> Floats:
    return np.maximum(p - math.exp(epsilon) * q, 0.0)


@pytest.mark.parametrize("order", [1.5, 2.0, 3.0])
def test_the_moment_of_an_analyst_who_chooses_by_a_real_number_is_at_most_that_of_the_budget(
    order: float,
) -> None:
    rho = 0.5
    filt = fp.ZCDPFilter(rho)
    bound = math.exp((order - 1) * order * rho)
    payoff = partial(moment, order)
    first = normal(2.0)  # charged 1/8, which leaves 3/8

    def some(outcome: float) -> tuple[Densities, DominatingPair]:
        return normal(1.2 + abs(math.sin(outcome)))  # charged between .10 and .35

    def more(outcome: float) -> tuple[Densities, DominatingPair]:
        return normal(0.8 if outcome > 1 else 1.2)  # one of the two is denied

    def all_of_it(outcome: float) -> tuple[Densities, DominatingPair]:
        return normal(math.sqrt(4 / 3) * (1 + 1e-9))

    kept = [integral(partial(admitted, filt), first, then, payoff) for then in (some, more, all_of_it)]
    assert all(1 < value <= bound * (1 + 1e-9) for value in kept)
    assert kept[2] == pytest.approx(bound, rel=1e-6)
    assert kept[0] < 0.98 * bound
    # the rule that decides after the release lets the dear one through
    assert integral(partial(late, filt), first, lambda outcome: normal(0.8), payoff) > 1.3 * bound


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "delta", "noise"), [(normal, 1.0, 0.05, 3.5), (laplace, 0.4, 0.4, 2.5)]
)
def test_what_the_filter_of_theorem_4_9_grants_of_real_releases_keeps_its_delta(
    mechanism: Callable[[float], tuple[Densities, DominatingPair]], epsilon: float, delta: float, noise: float
) -> None:
    filt = fp.ApproximateDPFilter(epsilon, delta)
    first = mechanism(noise)
    seen = set()

    def then(outcome: float) -> tuple[Densities, DominatingPair]:
        asked = mechanism(max(noise - outcome, 0.5))  # the more it saw, the more it asks for
        seen.add(admitted(filt, [first[1], asked[1]]))
        return asked

    kept = integral(partial(admitted, filt), first, then, partial(excess, epsilon))
    assert seen == {True, False}
    assert 0 < kept <= delta


def test_laplace_releases_of_real_numbers_within_a_sum_of_epsilons_keep_it_and_hardly_less() -> None:
    filt = fp.BasicFilter(1.0, 0.0)
    first = laplace(2.5)  # charged .4

    def all_of_it(outcome: float) -> tuple[Densities, DominatingPair]:
        return laplace(1 / 0.599)

    def dear(outcome: float) -> tuple[Densities, DominatingPair]:
        return laplace(1 / 0.7) if outcome > 0.5 else laplace(2.5)

    def value(admits: Callable[..., bool], then: Choice, epsilon: float) -> float:
        return integral(partial(admits, filt), first, then, partial(excess, epsilon))

    assert value(admitted, all_of_it, 1.0) == 0 == value(admitted, dear, 1.0)
    assert value(admitted, all_of_it, 0.99) > 1e-4
    assert value(late, dear, 1.0) > 1e-2


def test_a_charge_of_the_kernels_is_that_of_the_pair_that_a_request_declares() -> None:
    for sigma in (0.7, 1.0, 3.0):
        densities, declared = normal(sigma)
        assert declared.zcdp_rho == pytest.approx(1 / (2 * sigma**2))
        value = MASSES @ moment(2.0, *densities(NODES))
        assert math.log(value) == pytest.approx(2 * declared.zcdp_rho, rel=1e-9)
    for scale in (1.0, 2.5):
        densities, declared = laplace(scale)
        assert declared.pure_epsilon == pytest.approx(1 / scale)
        p, q = densities(NODES)
        assert np.max(np.abs(np.log(p / q))) <= 1 / scale + 1e-12
        assert MASSES @ p == pytest.approx(1, abs=1e-6)  # what lies beyond the nodes


@pytest.mark.parametrize("name", [name for name in fp.THEOREMS if name.endswith(", any outcomes")])
def test_a_theorem_on_outcomes_of_any_kind_says_so_and_no_other_does(
    name: str, proofs: dict[str, fp.Proof]
) -> None:
    proof = proofs[name]
    assert proof.holds
    assert "outcomes of any kind" in proof.verdict().scope
    assert "finitely many outcomes" not in proof.joined
    for step in proof.theorem.decided:
        assert step.kernel is not None
        assert "Tonelli" in step.kernel.beyond
    finite = proofs["RDP filter"]
    assert "finitely many outcomes" in finite.verdict().scope
    assert f"for {FINITE} and" in finite.joined


def test_a_statement_of_the_kernel_says_which_mechanisms_it_covers_where_they_are_not_finite() -> None:
    wide = {name for name, theorem in KERNEL.items() if theorem.covers != FINITE}
    assert {KERNEL[name].module for name in wide} == {
        *("AllOrdersAnyOutcomes", "AnyOutcomes", "AnyOutcomesFilters", "BasicAnyOutcomes", "PureAnyOutcomes"),
        *("RealLine", "RealGaussian", "RealLaplace", "TradeOff"),
        *("BoundedRange", "GaussianSlack", "NoisyAnswers", "SparseVector"),
    }
    for name, theorem in KERNEL.items():
        assert theorem.words == (f"{theorem.says} For {theorem.covers}." if name in wide else theorem.says)
