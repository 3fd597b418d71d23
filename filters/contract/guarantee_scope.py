"""Bounds that a filter guarantees on every path, for every adversary and every output of the mechanisms.

>>> import filterproof as fp
>>> print(fp.BasicFilter(epsilon=1.0, delta=1e-3).holds)
zCDP 0.5, pure epsilon 1, infinite mass 0.001
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from filterproof.theory.argument_checks import check_at_least_zero, check_order, check_probability
from filterproof.theory.guarantees import ZCDP, GaussianDP, Guarantee, PureDP, RenyiDP


@dataclass(frozen=True, slots=True)
class GuaranteeScope:
    """Upper bounds on sums of charges over all rounds that a filter guarantees on every path.

    For losses L_t of round t, with d_t = P(L_t = inf) and D_s the Rényi divergence of order s of the finite losses::

        sum_t D_s(L_t) <= s zcdp       for every order s > 1
        sum_t D_a(L_t) <= r            for each (a, r) in orders, and for lower orders
        sum_t epsilon_t <= pure        where the finite losses of round t are epsilon_t-DP
        sum_t d_t <= infinite

    Parameters
    ----------
    zcdp : float, >= 0
        The bound on the zCDP parameters. The default inf states nothing.
    orders : tuple of (float, float)
        Pairs of a Rényi order > 1 and a bound in nats. The default states nothing.
    pure : float, >= 0
        The bound on the epsilons, in nats. The default inf states nothing.
    infinite : float in [0, 1]
        The bound on the probabilities of infinite losses. The default 0 states that no loss is infinite.
    rule : str
        The theorem by which the code of the filter itself guarantees the bounds.

    Raises
    ------
    ValueError
        For a negative bound, an order of at most 1, or `infinite` outside [0, 1].
    TypeError
        If `orders` is no sequence of pairs.

    Notes
    -----
    The bounds apply in both directions. Estimates choose their importance sampling by these bounds. The engine
    enforces them, so a false bound makes an interval wider and never wrong. The engine trusts `rule` for the
    catalogue's filters alone, and checks their finished runs.
    """

    zcdp: float = math.inf
    orders: tuple[tuple[float, float], ...] = ()
    pure: float = math.inf
    infinite: float = 0.0
    rule: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        for name in ("zcdp", "pure"):
            value = getattr(self, name)
            if value != math.inf:
                object.__setattr__(self, name, float(check_at_least_zero(name, value)))
        try:
            pairs = [(alpha, rho) for alpha, rho in self.orders]
        except (TypeError, ValueError):
            raise TypeError(
                f"orders must be pairs (order, bound), got {self.orders!r}; pass e.g. ((2.0, 0.5),)"
            ) from None
        orders = tuple(
            (float(check_order("orders", alpha)), float(check_at_least_zero("orders", rho)))
            for alpha, rho in pairs
        )
        object.__setattr__(self, "orders", orders)
        object.__setattr__(self, "infinite", float(check_probability("infinite", self.infinite)))

    @classmethod
    def suggested_from_promise(cls, promise: Guarantee) -> GuaranteeScope | None:
        """Return the bounds that a filter with this promise probably keeps, or None; no theorem states them."""
        if isinstance(promise, ZCDP):
            return cls(zcdp=promise.rho)
        if isinstance(promise, GaussianDP):
            return cls(zcdp=promise.mu * promise.mu / 2)
        if isinstance(promise, RenyiDP) and promise.alpha > 1:
            return cls(orders=((promise.alpha, promise.rho),))
        if isinstance(promise, PureDP):
            return cls(zcdp=promise.epsilon * promise.epsilon / 2, pure=promise.epsilon)
        return None

    def __str__(self) -> str:
        terms = [f"zCDP {self.zcdp:.6g}"] if self.zcdp < math.inf else []
        terms += [f"divergence {rho:.6g} of order {alpha:g}" for alpha, rho in self.orders]
        terms += [f"pure epsilon {self.pure:.6g}"] if self.pure < math.inf else []
        terms += [f"infinite mass {self.infinite:.6g}"] if self.infinite > 0 else []
        return ", ".join(terms) or "nothing"
