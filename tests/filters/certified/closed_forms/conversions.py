"""The conversions at doubles, each held against the infimum over the orders that it stands for, or its inverse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from flint import arb, ctx

from filterproof.filters.certified.comparison import CLOSE, Comparison, Comparisons
from filterproof.filters.certified.conversion_references import (
    cks_log_delta,
    cks_order_less_one,
    positive_part,
)
from filterproof.theory.conversions import (
    BUN_STEINKE,
    CKS,
    Conversion,
    gaussian_epsilon,
    max_gaussian_mu,
    renyi_epsilon,
)
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs.normal_distribution import hockey_stick
from filterproof.theory.pairs.reference_values import ball_of
from tests.filters.certified.closed_form import LEAST, called, closed_form, grid, in_balls

_Points: TypeAlias = Sequence[tuple[float, ...]]
#: The log of the delta that a conversion gives, of rho and epsilon.
LogDelta: TypeAlias = Callable[[arb, arb], arb]

_RHOS = (1e-8, 1e-3, 0.0208, 0.5, 8.0, 300.0)
#: (rho, epsilon).
_RHO_EPSILON_GRID = (
    *grid(_RHOS, (0.0, 0.01, 0.3, 1.0, 4.0, 40.0, 400.0)),
    *((1e9, 1e9 + 1e5), (800.0, 900.0), (1e-300, 1e-200), (1e-17, 1e-9), (740.0, 740.0)),
)


def numbers() -> Iterator[Comparison]:
    """delta, epsilon, budget and order of both conversions; max_gaussian_mu, gaussian_epsilon and renyi_epsilon."""
    for conversion in (BUN_STEINKE, CKS):
        yield from _conversion(conversion, _RHO_EPSILON_GRID, [(0.5, 1e-6)], [(1.0, 1e-5)])
    for epsilon, delta in (
        (1e-150, 1e-300),
        (1e-3, 1e-12),
        (1.0, 0.9),
        (8.0, 0.4),
        (700.0, 1e-100),
        (1e6, 1e-5),
    ):
        yield from numbers_at(epsilon, delta)


def numbers_at(epsilon: float, delta: float) -> Iterator[Comparison]:
    """The same at one epsilon and delta, with a third of the zCDP and all of the GDP that they allow."""
    rho, mu = float(CKS.budget(epsilon, delta)) / 3, float(max_gaussian_mu(epsilon, delta))
    for conversion in (BUN_STEINKE, CKS):
        yield from _conversion(conversion, [(rho, epsilon)], [(rho, delta)], [(epsilon, delta)])
    yield from _gaussian([(epsilon, delta)], [(mu, delta)])
    yield from _renyi([(alpha, 0.5, delta) for alpha in (1.25, 8.0)])


def _conversion(
    conversion: Conversion, losses: _Points, goals: _Points, allowed: _Points
) -> Iterator[Comparison]:
    key = "B*" if conversion is BUN_STEINKE else "CKS"
    log_delta = simple_log_delta if conversion is BUN_STEINKE else cks_log_delta
    best = in_balls(_simple_order if conversion is BUN_STEINKE else _cks_order)
    says, least = f"{conversion}.delta({{!r}}, {{!r}})", in_balls(partial(_exp, log_delta))
    yield from closed_form(key, says, conversion.delta, least, losses, least=LEAST)
    yield from closed_form(key, f"{conversion}.order({{!r}}, {{!r}})", conversion.order, best, losses)
    for (rho, delta), value in called(conversion.epsilon, goals):
        says = f"{conversion}.epsilon({rho!r}, {delta!r})"
        # nearer to zero epsilon is a difference: of numbers of the size of rho + sqrt(rho)
        room = CLOSE * (rho + rho**0.5)
        with PRECISION_LOCK, ctx.workprec(256):
            free = log_delta(arb(rho), arb(0)) < arb(delta).log()
        yield _epsilon(key, says, value, free, partial(above_goal, log_delta, rho, delta), room)
    for (epsilon, delta), value in called(conversion.budget, allowed):
        says = f"{conversion}.budget({epsilon!r}, {delta!r})"
        with PRECISION_LOCK, ctx.workprec(64):
            slack = 2.0**-45 * (1 - float(arb(delta).log().mid()))
        margin = partial(below_goal, log_delta, epsilon, delta)
        yield Comparisons(key).by_margin(says, value, "<=", margin, slack=slack, least=2.0**-1066)


def _epsilon(
    key: str, says: str, value: float, free: bool, margin: Callable[[arb], arb], room: float
) -> Comparison:
    """Zero where no epsilon is needed, else the root of a margin."""
    if free:
        return Comparisons(key).equal(says, value, 0)
    return Comparisons(key).by_margin(says, value, "=", margin, slack=CLOSE, least=room)


def _gaussian(allowed: _Points, spent: _Points) -> Iterator[Comparison]:
    key = "Gaussian hockey-stick"
    for (epsilon, delta), value in called(max_gaussian_mu, allowed):
        says, margin = f"max_gaussian_mu({epsilon!r}, {delta!r})", partial(mu_left, epsilon, delta)
        yield Comparisons(key).by_margin(says, value, "<=", margin, slack=CLOSE)
    for (mu, delta), value in called(gaussian_epsilon, spent):
        says = f"gaussian_epsilon({mu!r}, {delta!r})"
        with PRECISION_LOCK, ctx.workprec(256):
            free = hockey_stick(arb(mu), arb(0)) < arb(delta)
        yield _epsilon(key, says, value, free, partial(stick_left, mu, delta), CLOSE * mu)


def _renyi(points: _Points) -> Iterator[Comparison]:
    def room(alpha: float, rho: float, delta: float) -> float:
        with PRECISION_LOCK, ctx.workprec(64):
            return CLOSE * (rho + float((_gain(alpha) - arb(delta).log()).mid()) / (alpha - 1))

    says, truth = "renyi_epsilon({!r}, {!r}, {!r})", in_balls(_order_epsilon)
    return closed_form("CKS", says, renyi_epsilon, truth, points, least=room)


def _exp(log_delta: LogDelta, rho: float, epsilon: float) -> arb:
    return log_delta(arb(rho), arb(epsilon)).exp()


def _simple_order(rho: float, epsilon: float) -> arb:
    return 1 + positive_part(arb(epsilon) - arb(rho)) / (2 * arb(rho))


def _cks_order(rho: float, epsilon: float) -> arb:
    return 1 + cks_order_less_one(arb(rho), arb(epsilon))


def _gain(alpha: float) -> arb:
    """-log((1 - 1/a)^a / (a - 1)), times nothing else: t log(1 + 1/t) + log(1 + t) at t = a - 1."""
    a = arb(alpha)
    return (a - 1).log() - a * (1 - 1 / a).log()


def _order_epsilon(alpha: float, rho: float, delta: float) -> arb:
    a = arb(alpha)
    return positive_part(arb(rho) + (1 - 1 / a).log() - (a * arb(delta)).log() / (a - 1))


def simple_log_delta(rho: arb, epsilon: arb) -> arb:
    """The least over a > 1 of (a-1)(a rho - epsilon), 0 where that is above 0: -(epsilon - rho)_+^2 / (4 rho)."""
    return -(positive_part(epsilon - rho) ** 2) / (4 * rho)


def above_goal(log_delta: LogDelta, rho: float, delta: float, x: arb) -> arb:
    """Zero or more where epsilon = x gives delta or more: x is at most the least epsilon."""
    return log_delta(ball_of(rho), x) - ball_of(delta).log()


def below_goal(log_delta: LogDelta, epsilon: float, delta: float, x: arb) -> arb:
    """Zero or more where x-zCDP gives delta or less."""
    return arb(1) if x <= 0 else ball_of(delta).log() - log_delta(x, ball_of(epsilon))


def mu_left(epsilon: float, delta: float, x: arb) -> arb:
    """Zero or more where x-GDP gives delta or less."""
    return arb(1) if x <= 0 else ball_of(delta) - hockey_stick(x, ball_of(epsilon))


def stick_left(mu: float, delta: float, x: arb) -> arb:
    """Zero or more where mu-GDP gives delta or more at epsilon = x."""
    return hockey_stick(ball_of(mu), x) - ball_of(delta)
