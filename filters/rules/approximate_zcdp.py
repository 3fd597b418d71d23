"""Approximate zCDP: the filter that adds up rho and xi of xi-approximately rho-zCDP mechanisms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from filters.accounting.amounts import Charge
from filters.accounting.charges import approximate_zcdp_charge
from filters.accounting.ledger import Budget
from filters.contract.holds import Holds
from filters.contract.parameters import checked_parameters, one_delta, one_positive
from filters.rules.several_sums import SeveralSums, Sums
from theory.arguments import Real
from theory.conversions import CKS
from theory.extremal import Extremal, zcdp_extremal
from theory.guarantees import ZCDP, Guarantee
from theory.latex import tex_number
from theory.pairs import DominatingPair


@dataclass(frozen=True, slots=True)
class ApproximateZCDP(Guarantee):
    """xi-approximate rho-zCDP: D_a <= a rho for every a > 1, outside an event of probability xi.

    delta(eps) = xi + (1 - xi) CKS(rho, eps).
    """

    rho: float
    xi: float

    def delta(self, epsilon: Real) -> Real:
        bound: Real = self.xi + (1 - self.xi) * CKS.delta(self.rho, epsilon)
        return bound

    def _extremal(self, epsilon: float) -> Extremal:
        return zcdp_extremal(self.rho, epsilon).with_erasure(self.xi)

    @property
    def formula(self) -> str:
        return rf"{ZCDP(self.rho).formula} \text{{ outside an event of probability }} {tex_number(self.xi)}"

    def __str__(self) -> str:
        return f"{self.xi:g}-approximate {self.rho:g}-zCDP"


@dataclass(frozen=True, slots=True)
class ApproximateZCDPFilter(SeveralSums):
    """CONT while sum_t rho_t <= rho and sum_t xi_t <= xi, mechanism t being xi_t-approximately rho_t-zCDP.

    KOV(e, d) is charged (e^2/2, d), Erasure(p) (0, p), every other pair (its zcdp_rho, 0).
    Proof: let w = prod (1 - xi_t) along the path, at least 1 - xi, and P', Q' the laws of the good
    parts, which satisfy D_a <= a rho by the zCDP filter. Then H(P||Q) <= 1 - int w min(P', e^eps Q') <=
    1 - (1 - xi)(1 - H(P'||Q')).
    Source: Whitehouse, Ramdas, Rogers and Wu, arXiv 2203.05481; derived here.

    >>> import filterproof as fp
    >>> session = fp.ApproximateZCDPFilter(rho=0.5, xi=0.01).open("retry")
    >>> session.request(fp.KOV(0.5, 0.005)), session.request(fp.Erasure(0.01))
    (True, False)
    """

    rho: float
    xi: float
    promise: Guarantee = field(init=False, repr=False, compare=False)
    _rho: Budget = field(init=False, repr=False, compare=False)
    _xi: Budget = field(init=False, repr=False, compare=False)
    theorem: ClassVar[str | None] = "approximate zCDP filter"
    proof: ClassVar[str] = "the zCDP filter on the good parts; derived in the docstring"

    def __post_init__(self) -> None:
        rho, xi = checked_parameters(self, rho=one_positive, xi=one_delta)
        object.__setattr__(self, "promise", ApproximateZCDP(rho, xi))
        object.__setattr__(self, "_rho", Budget.of(rho))
        object.__setattr__(self, "_xi", Budget.of(xi))

    @property
    def holds(self) -> Holds:
        rule = "the ledger admits no larger sums of zCDP charges and of infinite mass"
        return Holds(self._rho.limit, infinite=self._xi.limit, rule=rule)

    @property
    def _budgets(self) -> tuple[Budget, Budget]:
        return self._rho, self._xi

    def _charges(self, request: DominatingPair) -> tuple[Charge, Charge]:
        return approximate_zcdp_charge(request)

    def remaining(self, state: Sums) -> NDArray[np.float64]:
        """The largest further rho."""
        return self._rho.left((state[0], state[1]))
