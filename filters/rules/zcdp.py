"""The filter of zero-concentrated differential privacy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from filterproof.filters.accounting.charge_rules import zcdp_charge
from filterproof.filters.accounting.ledger import Budget
from filterproof.filters.contract.guarantee_scope import GuaranteeScope
from filterproof.filters.contract.parameters import one_positive, store_checked_parameters
from filterproof.filters.rules.additive import AdditiveFilter
from filterproof.theory.guarantees import ZCDP, Guarantee


@dataclass(frozen=True, slots=True)
class ZCDPFilter(AdditiveFilter):
    """The filter of zero-concentrated differential privacy (zCDP).

    It grants a request while the sum of the zCDP parameters is at most rho; the transcript is rho-zCDP::

        sum_{s <= t} rho_s <= rho

    Parameters
    ----------
    rho : float, > 0
        The budget, in nats.

    Attributes
    ----------
    promise : ZCDP
        rho-zCDP.
    budget : Budget
        rho.

    Raises
    ------
    ValueError
        If rho is not positive and finite.

    Notes
    -----
    Feldman & Zrnic (2021), "Individual Privacy Accounting via a Rényi Filter", Remark 4.4: the stopping rule of
    Theorem 4.3 is the same at every order. Rounding never admits a sum above rho.

    Examples
    --------
    >>> import filterproof as fp
    >>> session = fp.ZCDPFilter(rho=0.5).open("retry")
    >>> session.request(fp.Gaussian(0.8)), session.request(fp.Gaussian(0.7)), session.request(fp.Gaussian(0.5))
    (True, False, True)
    """

    rho: float
    promise: Guarantee = field(init=False, repr=False, compare=False)
    budget: Budget = field(init=False, repr=False, compare=False)
    charge = zcdp_charge
    theorem: ClassVar[str | None] = "RDP filter"
    proof: ClassVar[str] = (
        "Feldman & Zrnic (2021), Remark 4.4: the stopping rule of Theorem 4.3 does not depend on the order"
    )

    def __post_init__(self) -> None:
        (rho,) = store_checked_parameters(self, rho=one_positive)
        object.__setattr__(self, "promise", ZCDP(rho))
        object.__setattr__(self, "budget", Budget.of(rho))

    @property
    def holds(self) -> GuaranteeScope:
        return GuaranteeScope(
            self.budget.limit,
            rule="Feldman & Zrnic (2021), Remark 4.4: the ledger admits no larger sum of zCDP charges",
        )
