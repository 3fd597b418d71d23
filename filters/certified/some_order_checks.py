"""The numbers of the filter at some order besides its budgets: the share of delta that its orders use."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from flint import arb

from filterproof.filters.catalogue import SomeOrderMarkovFilter
from filterproof.filters.certified.comparison import Comparison, Comparisons
from filterproof.filters.certified.decisions import constructor_refuses
from filterproof.theory.pairs.reference_values import ball_of
from filterproof.theory.thresholds.some_order_delta_share import some_order_rule_delta_share

_CLAIMS, _SHARE = Comparisons("some order kept"), "the share of delta that its orders take"
#: (epsilon, delta, orders) that use more than delta; for the first, a game breaks the guarantee.
_TOO_LOW = ((80.0, 0.01, (1.1, 1.3)), (8.0, 1e-5, tuple(2.5 + j / 8 for j in range(64))))


def some_order_comparisons(filt: SomeOrderMarkovFilter, name: str) -> Iterator[Comparison]:
    """Yield comparisons of the orders' total share of delta, and of orders that must be refused."""
    of, share = _CLAIMS.of(name), some_order_rule_delta_share(filt.usable, filt.delta)
    yield delta_share_comparison(of, filt.usable, filt.delta)
    yield of.at_most(_SHARE, share, Fraction(1), slack=None)
    for epsilon, delta, orders in _TOO_LOW:
        says = f"{type(filt).__name__}({epsilon}, {delta}, ...) of {len(orders)} orders: refused"
        yield _CLAIMS.equal(
            says, constructor_refuses(partial(SomeOrderMarkovFilter, epsilon, delta, orders)), 1
        )


def delta_share_comparison(of: Comparisons, alphas: tuple[float, ...], delta: float) -> Comparison:
    """Return the comparison of the orders' computed total share of delta with the true one."""
    says, truth = _SHARE, partial(_total_delta_share, alphas, Fraction(delta))
    return of.at_least(says, some_order_rule_delta_share(alphas, delta), truth, slack=2.0**-29)


def _total_delta_share(alphas: tuple[float, ...], delta: Fraction) -> arb:
    """Return the total share of delta in balls; each order pays what the lower orders leave."""
    log, paid, total = ball_of(delta).log(), list[tuple[arb, arb]](), arb(0)
    for alpha in sorted(alphas):
        u = ball_of(alpha) - 1
        left = 1 - sum((m * (log * (1 - t / u)).exp() for t, m in paid), arb(0))
        paid.append((u, left.max(arb(0))))
        total += paid[-1][1] * (u * (u / (1 + u)).log()).exp() / (1 + u)
    return total
