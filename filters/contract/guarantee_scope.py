"""Holds: bounds that a filter keeps on every path, whatever the adversary asks and the mechanisms draw.

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
    """Bounds on the sums over the rounds of every path, with d_t = P(L_t = inf) and D_s of the finite losses L_t:

    sum_t D_s <= s zcdp at every order s > 1; sum_t D_a <= r for each (a, r) of `orders`, and so at lower orders;
    sum_t epsilon_t <= pure, round t being epsilon_t-DP where its losses are finite; sum_t d_t <= infinite.

    In both directions, in nats. By default zcdp, orders and pure state nothing, and infinite states that no loss
    is infinite. Estimates choose their tilted laws by these bounds, and a guard of the engine enforces them: a false
    statement makes an interval wider, never wrong. `rule` names the theorem by which a rule's own code keeps the
    bounds. The engine trusts it for filters of this project's catalogue alone, and checks their finished runs.
    Raises ValueError for negative bounds, orders at most 1 and an `infinite` outside [0, 1].
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
                f"orders must be pairs (order, bound), got {self.orders!r}; pass ((2.0, 0.5),), say"
            ) from None
        orders = tuple(
            (float(check_order("orders", alpha)), float(check_at_least_zero("orders", rho)))
            for alpha, rho in pairs
        )
        object.__setattr__(self, "orders", orders)
        object.__setattr__(self, "infinite", float(check_probability("infinite", self.infinite)))

    @classmethod
    def suggested(cls, promise: Guarantee) -> GuaranteeScope | None:
        """Bounds that a filter with this promise probably keeps, None if no bound follows; not a theorem."""
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
        said = [f"zCDP {self.zcdp:.6g}"] if self.zcdp < math.inf else []
        said += [f"divergence {rho:.6g} of order {alpha:g}" for alpha, rho in self.orders]
        said += [f"pure epsilon {self.pure:.6g}"] if self.pure < math.inf else []
        said += [f"infinite mass {self.infinite:.6g}"] if self.infinite > 0 else []
        return ", ".join(said) or "nothing"
