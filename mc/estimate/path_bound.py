"""Bounds on every path of a game, and those that a filter's `Holds` states."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from filters import Holds
from theory.pairs import RandomizedResponse

__all__ = ["PathBound", "bounds_held"]


@dataclass(frozen=True, slots=True)
class PathBound:
    """Bounds on every path of a game, for losses in the direction of play, and `why` they hold.

    divergence(s) bounds sum_t D_s of the rounds' finite losses, for orders 1 < s <= highest; infinite the probability
    of having met an infinite loss; pure the sum of finite losses; squares sum_t mu_t^2 where every round is
    Gaussian(mu_t). ruled: `why` is a theorem about a filter's rule, which covers pairs of this library only.
    """

    why: str
    divergence: Callable[[float], float]
    infinite: float
    pure: float
    squares: float
    highest: float = math.inf
    ruled: bool = False


def bounds_held(holds: Holds, why: str, *, ruled: bool) -> tuple[PathBound, ...]:
    """The bounds that `holds` states, one by one, each with its bound on infinite losses.

    ruled says whether a theorem proves them. Without one a guard enforces the divergences of one order, which bound no
    single loss.
    """
    stated = [
        Holds(zcdp=holds.zcdp),
        *(Holds(orders=(at_order,)) for at_order in holds.orders),
        Holds(pure=holds.pure),
    ]
    parts = [replace(part, infinite=holds.infinite) for part in stated if part != Holds()]
    return tuple(
        PathBound(
            why,
            _divergence(part),
            part.infinite,
            part.pure if ruled else math.inf,
            # D_a of Gaussian(mu) is a mu^2/2
            2 * min((part.zcdp, *(rho / alpha for alpha, rho in part.orders))),
            min((math.inf, *(alpha for alpha, _ in part.orders))),
            ruled,
        )
        for part in parts or [Holds(infinite=holds.infinite)]
    )


def _divergence(part: Holds) -> Callable[[float], float]:
    if part.pure < math.inf:
        # the composition of RR(e_t) is (sum e_t)-DP, so RR(sum e_t) dominates it
        return lambda order: float(RandomizedResponse(part.pure).renyi(order))
    # D_s grows with s
    return lambda order: min((order * part.zcdp, *(rho for alpha, rho in part.orders if alpha >= order)))
