"""Bounds on the divergences and infinite losses of every run of a game, each with its justification."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from filterproof.filters import GuaranteeScope
from filterproof.filters.catalogue import CATALOGUE
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.mc.engine.budget_monitor import BudgetMonitor
from filterproof.mc.engine.game import Game
from filterproof.mc.estimate.declared_spending import (
    FEW_POSITIONS,
    MAX_POSITIONS,
    DeclaredSpending,
    expand_spending,
    listed_requests,
    spending_if_all_granted,
)
from filterproof.theory.numerics.golden_section import lowest_at
from filterproof.theory.pairs import RandomizedResponse, is_ours

#: The relative allowance on every bound for the rounding of sums along a path.
_SLACK = 1e-9
#: log M_s if no loss can exceed epsilon, so that the integrand is zero up to the rounding of losses; and the smallest
#: log M_s in use, well within the doubles.
_ROUNDED, _MIN_LOG_BOUND = -27.0, -600.0
#: A bound counts as lower than another if it is below this multiple of it.
_LOWER = 0.9
#: The orders s are 1 + t, t in this range.
_ORDERS = (1e-3, 1e4)
_STEEP = 200.0
#: Paths per expanded position, whose time is that of a round or less.
_AS_MANY = 1000


@dataclass(frozen=True, slots=True)
class PathBound:
    """Bounds on every path of a game: sum_t D_s <= divergence(s), s > 1, and P(some L_t = inf) <= infinite.

    D_s is the Rényi divergence of a round's finite losses, t runs over the released rounds. With
    K = prod_t P(L_t < inf) along a path, P~ the distribution in which every round is drawn from the finite
    outcomes of P, and L the loss of the path,

        H_{e^eps}(P||Q) = E_P~[1 - K] + E_P~[K (1 - e^{eps - L})_+].

    Proof: a path with an infinite loss contributes 1 whatever follows; one without has P-probability K P~, because
    P(L_t = inf) is known before round t is drawn; and E_P~[K] is the probability of meeting no infinite loss.
    The first integrand lies in [0, infinite]. The second is drawn from finite outcomes tilted to order s; its weight
    is e^{C - (s-1) L}, C = sum_t log E_P[e^{(s-1) L_t} | L_t < inf], and since (1 - e^{-x})_+ <= c_s e^{(s-1) x},
    c_s = (1 - 1/s)^s / (s-1), weight times (1 - e^{eps - L})_+ is at most c_s e^{C - (s-1) eps}, and this is at most
    M_s = c_s e^{(s-1) (divergence(s) - eps)} as C <= (s-1) divergence(s). The factor K <= 1 keeps the bound.
    """

    bounds: tuple[DeclaredSpending, ...]

    @property
    def infinite(self) -> float:
        """The bound on the probability of an infinite loss."""
        return min(1.0, min(bound.infinite for bound in self.bounds) * (1 + _SLACK))

    @property
    def squares(self) -> float:
        """The bound on sum_t mu_t^2 if every round is Gaussian(mu_t)."""
        return min(bound.squares for bound in self.bounds)

    def is_clearly_lower(self, other: PathBound) -> bool:
        """Whether this bound is clearly lower than `other` at some order."""
        return any(self.divergence(order) < _LOWER * other.divergence(order) for order in (1.5, 4.0, 32.0))

    def divergence(self, order: float) -> float:
        """Return the bound on sum_t D_s, s = `order`."""
        return min(bound.divergence(order) for bound in self.bounds) * (1 + _SLACK)

    def justification(self, order: float, epsilon: float) -> str:
        """Return why the bounds at this order and up to this epsilon hold: one reason, or several joined by "and"."""
        used: list[Callable[[DeclaredSpending], float]] = [lambda bound: bound.infinite]
        if order > 1:
            used.insert(0, lambda bound: bound.divergence(order))
        if epsilon >= self.finite_loss_bound:
            used.append(lambda bound: bound.pure)
        vouching: list[DeclaredSpending] = []
        for size in used:
            best = self._best_bound(size)
            if not any(size(bound) <= size(best) for bound in vouching):
                vouching.append(best)
        return " and ".join(dict.fromkeys(bound.justification for bound in vouching))

    @property
    def justification_of_mu_squares(self) -> str:
        """Return why the bound on sum_t mu_t^2 holds."""
        return self._best_bound(lambda bound: bound.squares).justification

    def _best_bound(self, size: Callable[[DeclaredSpending], float]) -> DeclaredSpending:
        """Return the first of the bounds whose `size` is smallest, up to rounding."""
        least = min(map(size, self.bounds))
        # the first of nearly equal bounds, which is the theorem's if there is one
        return next(bound for bound in self.bounds if size(bound) <= least * (1 + 1e-6))

    @property
    def finite_loss_bound(self) -> float:
        """The bound on the sum of the finite losses of a path."""
        return min(bound.pure for bound in self.bounds)

    def log_bound(self, order: float, epsilon: float) -> float:
        """Return an upper bound on the log of the weighted integrand, log M_s or slightly more; 0 at order 1."""
        if epsilon >= self.finite_loss_bound:
            return _ROUNDED
        return (
            max(log_weight_bound(order, self.divergence(order), epsilon), _MIN_LOG_BOUND)
            if order > 1
            else 0.0
        )

    def best_order(self, epsilon: float) -> float:
        """Return the tilting order with the smallest bound on weights; 1 if none is below 1."""
        if epsilon >= self.finite_loss_bound:
            return _STEEP  # no loss exceeds epsilon, so any order will do
        size, order = min(self._least_log_bound_and_order(bound, max(epsilon, 0.0)) for bound in self.bounds)
        return order if size < 0 else 1.0

    def _least_log_bound_and_order(self, bound: DeclaredSpending, epsilon: float) -> tuple[float, float]:
        """Return the smallest log M_s over the orders s by one of the bounds, and its order."""

        def log_bound_at(log_t: float) -> float:
            """Return log M_s at s = 1 + e^{log_t}; inf where it is no number."""
            order = 1 + math.exp(log_t)
            size = log_weight_bound(order, bound.divergence(order), epsilon)
            return size if math.isfinite(size) else math.inf

        low, high = math.log(_ORDERS[0]), math.log(min(_ORDERS[1], bound.highest - 1))
        if high <= low:
            return log_bound_at(high), 1 + math.exp(high)
        # (s-1) D_s is convex in s, and so is log M_s: it decreases, then increases, also on a logarithmic scale; 24
        # steps are within 1e-4 of the minimising log_t, where log M_s is flat
        best = lowest_at(log_bound_at, low, high, steps=24)
        order = (
            bound.highest
            if log_bound_at(high) <= log_bound_at(best) and bound.highest < _ORDERS[1]
            else 1 + math.exp(best)
        )
        return log_bound_at(math.log(order - 1)), order

    def monitor(self, order: float, act: Literal["truncate", "flag", "assert"]) -> BudgetMonitor:
        """Return the monitor that enforces this bound at one order."""
        divergence = self.divergence(order) if order > 1 else math.inf
        return BudgetMonitor.at(
            order, divergence, self.infinite, act, ours=act == "assert" and self.rests_on_rule_theorem
        )

    @property
    def rests_on_rule_theorem(self) -> bool:
        """Whether one of the bounds is a theorem about a filter's rule."""
        return any(bound.ruled for bound in self.bounds)


def proven_bounds(game: Game, n: int) -> PathBound | None:
    """Return the bounds on every path of n plays that do not use the filter's own statement, or None.

    They come from a theorem about the catalogue rule that runs, from the rounds and the pairs of the adversary, or from
    an expansion of all reachable states through the filter's code.
    """
    ruled = _bounds_from_rule_theorem(game)
    # if a theorem already gives a bound, only a small expansion, which may give a lower one, is worth its time: a
    # position takes as long as many thousand rounds of play
    most = max(min(FEW_POSITIONS, n // _AS_MANY), 2) if ruled else MAX_POSITIONS
    spent = (spending_if_all_granted(game), expand_spending(game, n, most=most))
    bounds = (*ruled, *(bound for bound in spent if bound is not None))
    return PathBound(bounds) if bounds else None


def bounds_stated_by_filter(game: Game) -> PathBound | None:
    """Return the bounds that the filter states in `holds`, for a monitor to enforce, or None."""
    holds = game.filter.holds
    return (
        None
        if holds is None
        else PathBound(bounds_of_guarantee_scope(holds, f"a monitor at {holds}", ruled=False))
    )


def scope_proven_by_rule_theorem(filt: FilterBase) -> GuaranteeScope | None:
    """Return the scope that a theorem proves for a catalogue filter; None for other code."""
    entry, holds = CATALOGUE.get(type(filt).__name__), filt.holds
    ours = entry is not None and entry.filter_class is type(filt)
    return holds if ours and holds is not None and holds.rule else None


def _bounds_from_rule_theorem(game: Game) -> tuple[DeclaredSpending, ...]:
    """Return the bounds that a theorem about the filter's rule proves for this game."""
    holds, asks = scope_proven_by_rule_theorem(game.filter), listed_requests(game.adversary)
    if holds is None or (asks is not None and not all(map(is_ours, asks))):
        return ()
    # if the adversary does not state its pairs, they must be of this library: any other raises Exceeded in play
    scope = "" if asks is not None else ", for pairs of this library"
    return bounds_of_guarantee_scope(holds, f"{holds.rule}{scope}", ruled=True)


def bounds_of_guarantee_scope(
    holds: GuaranteeScope, why: str, *, ruled: bool
) -> tuple[DeclaredSpending, ...]:
    """Return the bounds that `holds` states, one by one, each with its bound on infinite losses.

    `ruled` says whether a theorem proves them. Otherwise a monitor enforces the divergences of one order, which bound
    no single loss.
    """
    stated_parts = [
        GuaranteeScope(zcdp=holds.zcdp),
        *(GuaranteeScope(orders=(at_order,)) for at_order in holds.orders),
        GuaranteeScope(pure=holds.pure),
    ]
    parts = [replace(part, infinite=holds.infinite) for part in stated_parts if part != GuaranteeScope()]
    return tuple(
        DeclaredSpending(
            why,
            _divergence_function_of_scope(part),
            part.infinite,
            part.pure if ruled else math.inf,
            # D_a of Gaussian(mu) is a mu^2/2
            2 * min((part.zcdp, *(rho / alpha for alpha, rho in part.orders))),
            min((math.inf, *(alpha for alpha, _ in part.orders))),
            ruled,
        )
        for part in parts or [GuaranteeScope(infinite=holds.infinite)]
    )


def _divergence_function_of_scope(part: GuaranteeScope) -> Callable[[float], float]:
    """Return the function from an order to the bound on the Rényi divergence."""
    if part.pure < math.inf:
        # the composition of RR(e_t) is (sum e_t)-DP, so RR(sum e_t) dominates it
        return lambda order: float(RandomizedResponse(part.pure).renyi(order))
    # D_s increases with s
    return lambda order: min((order * part.zcdp, *(rho for alpha, rho in part.orders if alpha >= order)))


def log_weight_bound(order: float, divergence: float, epsilon: float) -> float:
    """Return log M_s, an upper bound on the log of the weighted integrand at order s.

    s is `order`, rho_s is `divergence`, a bound on the sum of the rounds' Rényi divergences of order s.
    """
    t = order - 1
    return t * (divergence - epsilon) - t * math.log1p(1 / t) - math.log1p(t)
