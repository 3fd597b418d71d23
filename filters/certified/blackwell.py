"""The numbers of Blackwell's filter, against domination in balls."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from flint import arb

from filters.catalogue import BlackwellFilter
from filters.certified.decisions import last_admitted, last_from
from filters.certified.domination import gap
from filters.certified.families import FAMILIES
from filters.certified.running_number import Claims, RunningNumber
from filters.contract.checks import checked_admits, checked_spend, checked_start
from theory.guarantees import ZCDP
from theory.numerics.exact import rational

__all__ = ["blackwell"]

#: A cover is the least up to its grid of 1025 points, and one part in 10^9.
_GRID = Fraction(1, 2**12)
_MOST = 48


def blackwell(filt: BlackwellFilter, name: str) -> Iterator[RunningNumber]:
    """How often the filter admits the first randomised response of its menu, and what Gaussian it admits beside it."""
    of, mu, gaussians = Claims("Blackwell filter", name), Fraction(filt.mu), FAMILIES["Gaussian(x)"]
    if isinstance(filt.promise, ZCDP):
        yield of.at_least("promised rho", filt.promise.rho, "mu**2/2", mu=mu)
    last = last_admitted(filt, [], gaussians) or math.nan
    yield of.by_margin(
        "last x of Gaussian(x) admitted, nothing spent", last, "<=", "mu - x", slack=2.0**-40, mu=mu
    )
    pair = next((one for one in filt.menu if one.dominates_by == "pure_epsilon"), None)
    if pair is None:
        return
    epsilon, states = Fraction(float(pair.pure_epsilon)), [checked_start(filt, 1)]
    while len(states) <= _MOST and bool(checked_admits(filt, states[-1], pair, 1)[0]):
        states.append(checked_spend(filt, states[-1], pair, 1))
    times = len(states) - 1
    slack = None if times == _MOST else 0  # it was asked no more often
    margin = partial(_composed, mu, epsilon)
    yield of.by_margin(f"how often {pair!r} is admitted", times, "<=", margin, slack=slack, least=1)
    history = max(times // 2, 1)
    last = last_from(filt, states[history], gaussians) or math.nan
    says, margin = (
        f"last x of Gaussian(x) admitted after {history} of {pair!r}",
        partial(_beside, mu, epsilon, history),
    )
    yield of.by_margin(says, last, "<=", margin, slack=_GRID)


def _composed(mu: Fraction, epsilon: Fraction, count: arb) -> arb:
    """Whether Gaussian(mu) dominates so many randomised responses."""
    return gap(arb(rational(mu)), epsilon, int(float(count)))


def _beside(mu: Fraction, epsilon: Fraction, times: int, x: arb) -> arb:
    """Whether what Gaussian(x) leaves of Gaussian(mu) dominates so many randomised responses."""
    return gap((arb(rational(mu * mu)) - x * x).sqrt(), epsilon, times)
