"""Admission conditions: the requests that a theorem allows a filter to grant, in terms of the theorem's sums.

Those of the catalogue's filters are written from the parameters of a filter alone.

>>> condition = AdmissionCondition("RDP filter", ("rho - {B}",), {"Gaussian(x)": {"B": "{x}**2/2"}},
...     {"rho": Fraction(1, 2)})
>>> condition.margin("Gaussian(x)", [("Gaussian(x)", Fraction(1, 2), 3)])
'rho - (0 + 3*((1/2)**2/2) + x**2/2)'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import partial
from typing import Any

from filterproof.filters.accounting.charge_rules import (
    ChargeRule,
    GDPCharge,
    PureCharge,
    RenyiCharge,
    ZCDPCharge,
    pure_charge,
    renyi_charge,
    zcdp_charge,
)
from filterproof.filters.catalogue import (
    AllOrdersFilter,
    ApproximateZCDPFilter,
    BasicFilter,
    ExPostFilter,
    RogersFilter,
    SomeOrderMarkovFilter,
    WhitehouseFilter,
)
from filterproof.filters.certified.comparison import Comparison, Comparisons
from filterproof.filters.certified.conversion_references import largest_parameter
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.rules.additive import AdditiveFilter
from filterproof.theory.conversions import CKS, Conversion
from filterproof.theory.evidence import Evidence
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.pairs import Gaussian, Laplace, SubsampledGaussian
from filterproof.theory.pairs.reference_values import Exact
from filterproof.theory.theorems.theorem import RefusedError

#: The name of a family, its x, and the number of its releases.
Spent = tuple[str, Fraction, int]


@dataclass(frozen=True, slots=True)
class AdmissionCondition:
    """A request may be released if every margin, with the request in the sums, is zero or more.

    `margins` are formulas in {sums} and in the parameters `at`. `costs` are formulas in {x} for the charge of a request
    to each named sum; other sums are not charged. `denied` has the families of infinite cost. `some` says that one
    margin suffices. `slack` is the allowed waste of a decision, relative to x.
    """

    theorem: str
    margins: tuple[str, ...]
    costs: Mapping[str, Mapping[str, str]]
    at: Mapping[str, Any]
    slack: float = 2.0**-40
    denied: tuple[str, ...] = ()
    some: bool = False

    def margin(self, family: str, spent: Sequence[Spent]) -> str:
        """Return the margin of a request x of the family after earlier spending."""

        def total(name: str) -> str:
            parts = [f"{times}*({self._cost_formula(of, name, f'({size})')})" for of, size, times in spent]
            return f"({' + '.join(['0', *parts, self._cost_formula(family, name, 'x')])})"

        return self._least_margin(total)

    def repeated_request_margin(self, family: str, x: Fraction) -> str:
        """Return the margin of repeated requests of size `x`; the variable x is their number."""
        return self._least_margin(lambda name: f"(x*({self._cost_formula(family, name, f'({x})')}))")

    def _cost_formula(self, family: str, name: str, x: str) -> str:
        return self.costs[family].get(name, "0").format(x=x)

    def _least_margin(self, total: Callable[[str], str]) -> str:
        first, *rest = texts = [_SUM.sub(lambda found: total(found[1]), text) for text in self.margins]
        return f"{'max' if self.some else 'min'}({', '.join(texts)})" if rest else first


#: The name of a sum in a margin.
_SUM = re.compile(r"{(\w+)}")
#: Families with an outcome that only one distribution has, and those with unbounded losses.
_MASS_FAMILIES = ("KOV(x, 2^-40)", "KOV(1/64, x)", "Erasure(x)")
_UNBOUNDED_FAMILIES = ("Gaussian(x)", "SubsampledGaussian(1/8, x)")
#: The formulas of a pair whose losses are epsilon and -epsilon.
_COIN_FORMULAS = {
    "pure_epsilon": "epsilon",
    "zcdp_rho": "epsilon**2/2",
    "gdp_mu": "2*quantile(1/(1 + exp(epsilon)))",
    "entropy": "epsilon*tanh(epsilon/2)",
    "renyi": "log(cosh((alpha - 1/2)*epsilon)/cosh(epsilon/2))/(alpha - 1)",
}
#: The formulas of the pairs of each family, and the parameter that is its x.
_FORMULAS: Mapping[str, tuple[Mapping[str, str | None], str]] = {
    "Gaussian(x)": (Gaussian(1.0).reference_values.formulas, "mu"),
    "RandomizedResponse(x)": (_COIN_FORMULAS, "epsilon"),
    "Laplace(x)": (Laplace(1.0).reference_values.formulas, "b"),
    "SubsampledGaussian(1/8, x)": (SubsampledGaussian(1 / 8, 1.0).reference_values.formulas, "sigma"),
    "KOV(x, 0)": (_COIN_FORMULAS, "epsilon"),
}


def _costs(**rules: ChargeRule) -> dict[str, dict[str, str]]:
    """Return the formula of the charge to each sum for each family with known finite charges."""
    costs = {
        family: {name: formula for name, rule in rules.items() if (formula := _charge_formula(rule, *of))}
        for family, of in _FORMULAS.items()
    }
    return {family: own for family, own in costs.items() if len(own) == len(rules)}


def _charge_formula(rule: ChargeRule, formulas: Mapping[str, str | None], x: str) -> str | None:
    formula = None
    match rule:
        case PureCharge():
            formula = formulas["pure_epsilon"]
        case ZCDPCharge():
            formula = formulas["zcdp_rho"]
        case GDPCharge():
            formula = f"({formulas['gdp_mu']})**2"
        case RenyiCharge(alpha):
            formula = formulas.get("entropy" if alpha == 1 else "", formulas.get("renyi"))
            formula = formula and formula.replace("alpha", f"({Fraction(alpha)})")
    return formula and re.sub(rf"\b{x}\b", "{x}", formula)


def condition_of(filt: FilterBase) -> AdmissionCondition | None:
    """Return the admission condition of a catalogue filter or an additive one, or None if no theorem gives one."""
    match filt:
        case AdditiveFilter():
            return _additive_condition(filt)
        case BasicFilter():
            return _basic_condition("basic composition", filt, filt.at)
        case ExPostFilter():  # releases without an observed loss are charged their caps
            return _basic_condition("ex-post filter", filt, None)
        case WhitehouseFilter():
            return _whitehouse_condition(filt)
        case RogersFilter():
            return _rogers_condition(filt)
        case ApproximateZCDPFilter():
            costs = (
                _costs(B=zcdp_charge)
                | _costs_with_delta(lambda e: {"B": f"{e}**2/2"})
                | {"KOV(1/64, x)": {"B": "1/8192", "d": "{x}"}}
            )
            at = {"rho": filt.rho, "xi": filt.xi}
            return AdmissionCondition("approximate zCDP filter", ("rho - {B}", "xi - {d}"), costs, at)
        case AllOrdersFilter():
            margins = tuple(f"rho{place} - {{B{place}}}" for place in range(len(filt.rhos)))
            at = {f"rho{place}": rho for place, rho in enumerate(filt.rhos)}
            costs = _rdp_costs_by_order(filt.alphas)
            return AdmissionCondition("all orders", margins, costs, at, denied=_MASS_FAMILIES)
        case SomeOrderMarkovFilter():
            # Markov's inequality at each order: the sum at one order is within epsilon - log(1/delta)/(a-1)
            margins = tuple(
                f"epsilon - log(1/delta)/({Fraction(alpha)} - 1) - {{B{place}}}"
                for place, alpha in enumerate(filt.orders)
            )
            costs = _rdp_costs_by_order(filt.orders)
            at = {"epsilon": filt.epsilon, "delta": filt.delta}
            return AdmissionCondition("some order kept", margins, costs, at, denied=_MASS_FAMILIES, some=True)
    return None


# -- one sum ---------------------------------------------------------------------------------------------------

#: B*, the largest rho with rho + 2 sqrt(rho log(1/delta)) <= epsilon.
_B_STAR_FORMULA = "(epsilon/(sqrt(log(1/delta) + epsilon) + sqrt(log(1/delta))))**2"
#: The theorem, its content, and a margin that is zero or more if charges of at most B in total give the guarantee.
_JOINED: Mapping[tuple[type[ChargeRule], type[Guarantee]], tuple[str, str, str]] = {
    (PureCharge, PureDP): ("basic composition", "the sum of pure epsilons", "epsilon - {B}"),
    (PureCharge, ApproxDP): (
        *("pure conversion", "randomised response at the budget"),
        "log((exp(epsilon) + delta)/(1 - delta)) - {B}",
    ),
    (PureCharge, ZCDP): ("RR zCDP", "epsilon-DP is (epsilon^2/2)-zCDP", "rho - {B}**2/2"),
    (PureCharge, RenyiDP): (
        "RR zCDP",
        "epsilon-DP is (alpha, alpha epsilon^2/2)-RDP",
        "rho - alpha*{B}**2/2",
    ),
    (ZCDPCharge, ZCDP): ("RDP filter", "the sum of zCDP parameters", "rho - {B}"),
    (ZCDPCharge, RenyiDP): ("RDP filter", "r-zCDP is (alpha, alpha r)-RDP by definition", "rho - alpha*{B}"),
    (ZCDPCharge, ApproxDP): ("approximate-DP filter", "the simple conversion", f"{_B_STAR_FORMULA} - {{B}}"),
    (GDPCharge, GaussianDP): ("GDP filter", "the sum of mu^2", "mu**2 - {B}"),
    (GDPCharge, ZCDP): ("Rényi divergences", "mu-GDP is (mu^2/2)-zCDP", "rho - {B}/2"),
    (GDPCharge, RenyiDP): ("Rényi divergences", "mu-GDP is (alpha, alpha mu^2/2)-RDP", "rho - alpha*{B}/2"),
    (GDPCharge, ApproxDP): (
        *("Gaussian hockey-stick", "the hockey-stick divergence of the Gaussian pair at the budget"),
        "T**2 - {B}",
    ),
}


@dataclass(frozen=True, slots=True)
class BudgetTheorem:
    """Why a sum of charges of at most B gives a guarantee: the theorem, and a margin that is then zero or more.

    `margin` is a formula in {B} and in the parameters `at`, with the root T if there is one.
    """

    theorem: str
    says: str
    margin: str
    at: Mapping[str, Any]

    def budget_comparison(self, says: str, total: Fraction, slack: Exact | None) -> Comparison:
        """Return the comparison of a sum of charges with the largest that gives the guarantee."""
        margin = self.margin.format(B="x")
        return Comparisons(self.theorem).by_margin(says, total, "<=", margin, slack=slack, **self.at)


def budget_theorem(
    charge: ChargeRule, promise: Guarantee, conversion: Conversion, total: Fraction | None = None
) -> BudgetTheorem | None:
    """Return why the sum of charges, of a given or the largest size, gives the guarantee, or None without a theorem."""
    rows = (entry for kinds, entry in _JOINED.items() if all(map(isinstance, (charge, promise), kinds)))
    row, t = next(rows, None), dict[str, Any]()
    match charge, promise:
        case (PureCharge(), ApproxDP(epsilon)) if total is not None and total <= epsilon:
            row = _JOINED[PureCharge, PureDP]
        case (PureCharge(), RenyiDP(alpha, rho)) if 2 / alpha < rho if total is None else total <= rho:
            row = "basic composition", "no divergence exceeds that of order infinity", "rho - {B}"
        case (ZCDPCharge(), ApproxDP(epsilon)) if conversion is CKS:
            order = CKS.order(float(total), epsilon) if total else 1.0
            row = "CKS", f"the conversion CKS at order {order:.6g}", "T - {B}"
        case (RenyiCharge(order), RenyiDP(alpha)) if alpha <= order:
            row = "RDP filter", "the sum of divergences, which grow with the order", "rho - {B}"
        case (RenyiCharge(order), ApproxDP()) if order > 1:
            t = {"t": Fraction(order) - 1}
            gain = " - t*log(t) + (1 + t)*log(1 + t)" if conversion is CKS else ""
            says = f"the conversion CKS at order {order:.6g}"
            row = "CKS" if gain else "B*", says, f"epsilon + (log(delta){gain})/t - {{B}}"
    if row is None:
        return None
    own = {field.name.removesuffix("_at_epsilon"): getattr(promise, field.name) for field in fields(promise)}  # type: ignore[arg-type]
    if own.get("alpha") == 1 and "(alpha" in row[1]:
        # the kernel's theorems are for orders above 1
        row = row[0], f"{row[1]}, and at order 1 by their limit", row[2]
    root = partial(
        largest_parameter, "CKS" if row[0] == "CKS" else "GDP", own.get("epsilon", 0), own.get("delta", 0)
    )
    return BudgetTheorem(*row, own | t | ({"T": root} if row[2][0] == "T" else {}))


def verify_implication(charge: ChargeRule, total: Fraction, promise: Guarantee) -> tuple[BudgetTheorem, int]:
    """Return why charges of at most `total` > 0 on every path give the guarantee, and the number of bits of the balls.

    The number of bits is 0 for fractions. Raises RefusedError if the total is too large, or no theorem leads to the
    guarantee.

    >>> from filterproof.filters.accounting.charge_rules import zcdp_charge
    >>> why, bits = verify_implication(zcdp_charge, Fraction(0.0305), ApproxDP(1.0, 1e-5))
    >>> why.theorem, why.says, bits
    ('CKS', 'the conversion CKS at order 17.8392', 128)
    """
    why = budget_theorem(charge, promise, CKS, total)
    if why is None:
        reason = f"no theorem here leads from a sum of charges by {charge!r} to {promise}"
        raise RefusedError(reason, engine="none", evidence=Evidence.EXACT)
    sign, bits = why.budget_comparison("the sum", total, None).sign_and_bits(total)
    if sign is None or sign < 0:
        reason = f"charges by {charge!r} with the sum {float(total):.17g} do not certainly give {promise} by {why.says}"
        raise RefusedError(reason, engine="flint", evidence=Evidence.CERTIFIED)
    return why, bits


def _additive_condition(filt: AdditiveFilter) -> AdmissionCondition | None:
    charge = filt.charge
    if not isinstance(charge, ChargeRule):
        return None
    why = budget_theorem(charge, filt.promise, filt.conversion)
    if why is None:
        return None
    denied = _MASS_FAMILIES if not isinstance(charge, PureCharge) else (*_MASS_FAMILIES, *_UNBOUNDED_FAMILIES)
    return AdmissionCondition(why.theorem, (why.margin,), _costs(B=charge), why.at, 2.0**-38, denied)


# -- several sums ------------------------------------------------------------------------------------------------


def _rdp_costs_by_order(alphas: Sequence[float]) -> dict[str, dict[str, str]]:
    """Return the cost formula of each order for each request family."""
    return _costs(**{f"B{place}": renyi_charge.at(alpha) for place, alpha in enumerate(alphas)})


def _costs_with_delta(cost: Callable[[str], dict[str, str]]) -> dict[str, dict[str, str]]:
    """Return the costs of pairs with a delta; `cost` returns the cost of an epsilon."""
    return {
        "KOV(x, 2^-40)": cost("{x}") | {"d": "1/2**40"},
        "KOV(1/64, x)": cost("(1/64)") | {"d": "{x}"},
        "Erasure(x)": {"d": "{x}"},
    }


def _epsilon_delta_condition(
    theorem: str,
    margins: tuple[str, ...],
    sums: Mapping[str, str],
    at: Mapping[str, Any],
    *,
    level: float | None,
    left: bool = True,
    slack: float = 2.0**-40,
) -> AdmissionCondition:
    """Return the condition of a filter that charges (epsilon, delta) to `sums`."""

    def cost(epsilon: str) -> dict[str, str]:
        return {name: formula.replace("{e}", epsilon) for name, formula in sums.items()}

    costs = {family: cost(f"({own['e']})") for family, own in _costs(e=pure_charge).items()} | (
        _costs_with_delta(cost) if left else {}
    )
    if level is not None:
        e = f"({Fraction(level)})"
        hockey_stick = f"tail({e}/{{x}} - {{x}}/2) - exp({e})*tail({e}/{{x}} + {{x}}/2)"
        costs = {"Gaussian(x)": cost(e) | {"d": hockey_stick}} | costs
    # pairs without a charge: unbounded ones without a level, and those with a delta if none is left
    denied = (*(_UNBOUNDED_FAMILIES if level is None else ()), *(() if left else _MASS_FAMILIES))
    return AdmissionCondition(theorem, margins, costs, at, slack=slack, denied=denied)


def _basic_condition(
    theorem: str, filt: BasicFilter | ExPostFilter, level: float | None
) -> AdmissionCondition:
    at = {"epsilon": filt.epsilon, "delta": filt.delta}
    margins = "epsilon - {e}", "delta - {d}"
    return _epsilon_delta_condition(theorem, margins, {"e": "{e}"}, at, level=level, left=filt.delta > 0)


def _whitehouse_condition(filt: WhitehouseFilter) -> AdmissionCondition:
    tail = filt.delta / 2 if filt.tail is None else filt.tail
    at = {"epsilon": filt.epsilon, "delta": filt.delta, "tailed": tail, "weight": filt.weight}
    margins = "epsilon - sqrt(2*log(1/tailed)*{S}) - {S}/2", "delta - tailed - weight*{d}"
    sums = {"S": "{e}**2"}
    return _epsilon_delta_condition(
        "Whitehouse filter", margins, sums, at, level=filt.at, left=tail < filt.delta
    )


def _rogers_condition(filt: RogersFilter) -> AdmissionCondition:
    sums = {"S": "{e}**2", "D": "{e}*(exp({e}) - 1)/2"}
    h = f"epsilon**2/((701/25)*log({'1' if filt.reading == '1/delta' else '2'}/delta))"
    spread = f"2*({{S}} + {h})*(1 + log({{S}}/({h}) + 1)/2)*log(2/delta)"
    margins = f"epsilon - {{D}} - sqrt({spread})", "delta/2 - {d}"
    at = {"epsilon": filt.epsilon, "delta": filt.delta}
    return _epsilon_delta_condition("Rogers filter", margins, sums, at, level=filt.at, slack=2.0**-32)
