"""Filters over several Rényi orders, with one sum of Rényi divergences per order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from reprlib import repr as short
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accounting.charge_kinds import Charge
from filterproof.filters.accounting.charge_rules import renyi_charge
from filterproof.filters.accounting.ledger import Budget, Sums, is_valid_sum, split_sums
from filterproof.filters.contract.guarantee_scope import GuaranteeScope
from filterproof.filters.contract.parameters import (
    one_delta,
    one_order,
    one_positive,
    store_checked_parameters,
)
from filterproof.filters.rules.additive import SumsFilter
from filterproof.filters.rules.guarantee_budget import order_budget
from filterproof.theory.argument_checks import Real
from filterproof.theory.conversions import BUN_STEINKE, Conversion
from filterproof.theory.display import digest_repr
from filterproof.theory.extremal import LargestDivergence, renyi_extremal
from filterproof.theory.guarantees import ApproxDP, Guarantee, RenyiDP
from filterproof.theory.pairs import DominatingPair, Gaussian
from filterproof.theory.thresholds.some_order_delta_share import some_order_rule_delta_share

#: The repr of a longer curve has only its first and last order.
_MAX_SHOWN_ORDERS = 8


def checked_orders(orders: object) -> tuple[float, ...]:
    """Return `orders` as at least one distinct Rényi order above 1."""
    if not isinstance(orders, (tuple, list, np.ndarray)) or len(orders) == 0:
        raise ValueError(f"orders must hold at least one Rényi order, got {orders!r}; pass e.g. (2.0, 32.0)")
    checked = tuple(one_order("orders", order) for order in orders)
    if len(set(checked)) < len(checked):
        raise ValueError(f"orders must be distinct, got {orders!r}; name each order once")
    return checked


@dataclass(frozen=True, slots=True)
class RenyiCurve(Guarantee):
    """Rényi differential privacy at several orders: (alphas[j], rhos[j])-RDP for every j.

    `delta(epsilon)` is the minimum of the conversions over the orders.

    Parameters
    ----------
    alphas : tuple of float, > 1
        The Rényi orders.
    rhos : tuple of float, >= 0
        The divergence at each order, in nats.
    """

    alphas: tuple[float, ...]
    rhos: tuple[float, ...]

    __repr__ = digest_repr

    def delta(self, epsilon: Real) -> Real:
        deltas = [RenyiDP(a, r).delta(epsilon) for a, r in zip(self.alphas, self.rhos, strict=True)]
        least: Real = np.min(np.stack(np.broadcast_arrays(*deltas)), axis=0)
        return least if np.ndim(least) else float(least)

    def _extremal(self, epsilon: float) -> LargestDivergence:
        return renyi_extremal(zip(self.alphas, self.rhos, strict=True), epsilon)

    @property
    def formula(self) -> str:
        return r", \quad ".join(RenyiDP(a, r).formula for a, r in zip(self.alphas, self.rhos, strict=True))

    def __str__(self) -> str:
        shown = [f"{a:g}" for a in self.alphas]
        if len(shown) > _MAX_SHOWN_ORDERS:
            return f"({shown[0]}, ..., {shown[-1]})-RDP curve of {len(shown)} orders"
        return f"({', '.join(shown)})-RDP curve"


class _PerOrderFilter(SumsFilter):
    """A rule on the sums of Rényi divergences at those orders that have a budget."""

    #: Each order with its budget, and the orders alone; other orders admit nothing.
    _order_budgets: tuple[tuple[float, float], ...]
    usable = cached_property(lambda self: tuple(alpha for alpha, _ in self._order_budgets))
    _sum_budgets = cached_property(lambda self: tuple(Budget.of(rho) for _, rho in self._order_budgets))

    def _sum_charges(self, request: DominatingPair) -> tuple[Charge, ...]:
        return tuple(renyi_charge(request, alpha) for alpha in self.usable)

    def remaining(self, state: Sums) -> NDArray[np.float64]:
        """Return the largest mu of a Gaussian that is still admitted."""
        return self.affordable(state, Gaussian)


@dataclass(frozen=True, slots=True, repr=False)
class AllOrdersFilter(_PerOrderFilter):
    """The filter of Rényi differential privacy at several orders.

    It grants a request while the sum of divergences stays within its budget at every order::

        sum_{s <= t} D_{alphas[j]}(mechanism s) <= rhos[j]   for every j

    Parameters
    ----------
    alphas : tuple of float, > 1
        Distinct Rényi orders.
    rhos : tuple of float, > 0
        The budget at each order, in nats.

    Attributes
    ----------
    promise : RenyiCurve
        (alphas[j], rhos[j])-RDP for every j.

    Raises
    ------
    ValueError
        If there is no order, an order is repeated, or a parameter is out of range.

    Notes
    -----
    Feldman & Zrnic (2021), Remark 4.4: their Theorem 4.3 at each order.

    Examples
    --------
    >>> import filterproof as fp
    >>> session = fp.AllOrdersFilter(alphas=(2.0, 8.0), rhos=(1.0, 4.0)).open("retry")
    >>> session.request(fp.Gaussian(mu=1.0)), session.request(fp.Gaussian(mu=0.1))
    (True, False)
    """

    alphas: tuple[float, ...]
    rhos: tuple[float, ...]
    promise = cached_property(lambda self: RenyiCurve(self.alphas, self.rhos))
    _order_budgets = cached_property(lambda self: tuple(zip(self.alphas, self.rhos, strict=True)))
    theorem: ClassVar[str | None] = "all orders"
    proof: ClassVar[str] = "Feldman & Zrnic (2021), Remark 4.4: Theorem 4.3 at each order"

    def __post_init__(self) -> None:
        alphas = checked_orders(self.alphas)
        if not isinstance(self.rhos, (tuple, list, np.ndarray)) or len(self.rhos) != len(alphas):
            raise ValueError(
                f"rhos must hold one budget per order, got {short(self.rhos)} for {len(alphas)}; match them"
            )
        rhos = tuple(one_positive("rhos", rho) for rho in self.rhos)
        object.__setattr__(self, "alphas", alphas)
        object.__setattr__(self, "rhos", rhos)

    @property
    def holds(self) -> GuaranteeScope:
        rule = "Feldman & Zrnic (2021), Remark 4.4: the ledgers admit no larger sum at any of the orders"
        return GuaranteeScope(orders=self._order_budgets, rule=rule)


@dataclass(frozen=True, slots=True, repr=False)
class SomeOrderRule(_PerOrderFilter):
    """Continue while at one order of a set the sum stays within the budget by `conversion`."""

    epsilon: float
    delta: float
    orders: tuple[float, ...]
    promise = cached_property(lambda self: ApproxDP(self.epsilon, self.delta))
    _order_budgets = cached_property(
        lambda self: tuple(
            (alpha, rho)
            for alpha in self.orders
            if (rho := order_budget(alpha, self.epsilon, self.delta, self.conversion)) > 0
        )
    )
    conversion: ClassVar[Conversion]

    def __post_init__(self) -> None:
        epsilon, delta = store_checked_parameters(self, epsilon=one_positive, delta=one_delta)
        orders = checked_orders(self.orders)
        object.__setattr__(self, "orders", orders)
        if not self.usable:
            raise ValueError(
                f"orders must include one that can give ({epsilon:g}, {delta:g})-DP, got {orders!r}; add larger orders"
            )

    def extremal(self, epsilon: float) -> LargestDivergence:
        """Return the worst mechanisms within the budget of one order; the effect of changing orders is not bounded."""
        worst = LargestDivergence(epsilon, 0.0, 1.0)
        for bound in self._order_budgets:
            try:
                worst = max(worst, renyi_extremal((bound,), epsilon), key=lambda divergence: divergence.low)
            except ArithmeticError:  # ball arithmetic finds no point of tangency
                continue
        return replace(worst, high=1.0)

    def _enough_fit(self, fits: NDArray[np.bool_]) -> NDArray[Any]:
        return np.asarray(fits.any(axis=0))

    def is_reachable_state(self, state: Sums) -> NDArray[Any]:
        # the sum at an order beyond its budget may be anything, inf or NaN
        valid = [is_valid_sum(pair) | np.isnan(pair[0]) | (pair[0] == np.inf) for pair in split_sums(state)]
        return np.asarray(SumsFilter.is_reachable_state(self, state) & np.all(valid, axis=0))


@dataclass(frozen=True, slots=True, repr=False)
class SomeOrderMarkovFilter(SomeOrderRule):
    """The filter of (epsilon, delta)-DP that lets any one of several Rényi orders justify each decision.

    It grants a request while the sum of divergences stays within the order's budget at one order or more. Markov's
    inequality gives the budget: (alpha, B(alpha))-RDP implies (epsilon, delta)-DP by BUN_STEINKE::

        sum_{s <= t} D_alpha(mechanism s) <= B(alpha)   for some alpha in orders

    Parameters
    ----------
    epsilon : float, > 0
        The epsilon of the promise, in nats.
    delta : float in (0, 1)
        The delta of the promise.
    orders : tuple of float, > 1
        The Rényi orders.

    Attributes
    ----------
    promise : ApproxDP
        (epsilon, delta)-DP.

    Raises
    ------
    ValueError
        If a parameter is out of range, no order gives the promise, or an adversary that changes the order may exceed
        delta.

    Notes
    -----
    Lécuyer, arXiv 2103.01379; theorem "some order kept". An adversary may change the order after each outcome. The
    theorem bounds the delta of such an adversary by a share of delta: 0.73 for the whole orders 2 to 64 at (6, 0.01),
    and 0.79 at (8, 1e-5). The constructor refuses orders with a share above 1: at epsilon = 80, delta = 0.01 and the
    orders 1.1 and 1.3, a game of two rounds reaches 1.1 delta. The CKS conversion makes the rule unsound at ordinary
    parameters: see SomeOrderFilter.

    Examples
    --------
    >>> import filterproof as fp
    >>> session = fp.SomeOrderMarkovFilter(epsilon=6.0, delta=0.01, orders=(2.0, 32.0)).open("retry")
    >>> session.request(fp.Gaussian(mu=1.0)), session.request(fp.Gaussian(mu=2.0))
    (True, False)
    """

    conversion: ClassVar[Conversion] = BUN_STEINKE
    theorem: ClassVar[str | None] = "some order kept"
    proof: ClassVar[str] = (
        "this project: each order pays at most what lower ones leave, and all of them at most delta"
    )

    def extremal(self, epsilon: float) -> LargestDivergence:
        """Return the worst mechanisms at one order, and from `epsilon` on the bound of the theorem."""
        worst = SomeOrderRule.extremal(self, epsilon)
        if epsilon < self.epsilon:
            return worst
        share = some_order_rule_delta_share(self.usable, self.delta)
        return replace(worst, high=max(worst.low, share * self.delta * (1 + 2.0**-50)))

    def __post_init__(self) -> None:
        SomeOrderRule.__post_init__(self)  # super() without arguments fails in a dataclass with slots
        share = some_order_rule_delta_share(self.usable, self.delta)
        if not share <= 1:
            raise ValueError(
                f"orders must take at most all of delta={self.delta:g} together, got {share:.3g} times that for "
                f"{len(self.usable)} orders from {min(self.usable):g}; pass fewer low orders"
            )
