"""Admission conditions: the requests that a theorem allows a filter to grant, in terms of the theorem's sums.

Those of the catalogue's filters are written from the parameters of a filter alone.

>>> condition = AdmissionCondition("RDP filter", ("rho - {B}",), {"Gaussian(x)": {"B": "{x}**2/2"}},
...     {"rho": Fraction(1, 2)})
>>> condition.margin("Gaussian(x)", [("Gaussian(x)", Fraction(1, 2), 3)])
'rho - (0 + 3*((1/2)**2/2) + x**2/2)'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import partial
from string import Formatter

from flint import arb

from filterproof.filters.accounting.charge_rules import (
    ChargeRule,
    GDPCharge,
    PureCharge,
    RenyiCharge,
    ZCDPCharge,
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
from filterproof.filters.certified.comparison import Comparison, Comparisons, Margin, SmallestMargin
from filterproof.filters.certified.conversion_references import largest_parameter
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.rules.additive import AdditiveFilter
from filterproof.theory.conversions import CKS, Conversion
from filterproof.theory.evidence import Evidence
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.pairs.reference_values import Exact
from filterproof.theory.theorems.theorem import RefusedError

#: The name of a family, its x, and the number of its releases.
Spent = tuple[str, Fraction, int]


@dataclass(frozen=True, slots=True)
class AdmissionCondition:
    """A request may be released if every margin, with the request in the sums, is zero or more.

    `margins` are formulas in {sums}, in the parameters `at`, and in the roots `balls`. `costs` are formulas in {x} for
    the charge of a request to each named sum; other sums are not charged. `denied` has the families of infinite cost.
    `some` says that one margin suffices. `slack` is the allowed waste of a decision, relative to x.
    """

    theorem: str
    margins: tuple[str, ...]
    costs: Mapping[str, Mapping[str, str]]
    at: Mapping[str, Fraction]
    balls: Mapping[str, Callable[[], arb]] = field(default_factory=dict)
    slack: float = 2.0**-40
    denied: tuple[str, ...] = ()
    some: bool = False

    @property
    def sum_names(self) -> tuple[str, ...]:
        """The names of the sums that occur in the margins."""
        sum_names = [name for text in self.margins for _, name, _, _ in Formatter().parse(text) if name]
        return tuple(dict.fromkeys(sum_names))

    def margin(self, family: str, spent: Sequence[Spent]) -> Margin:
        """Return the margin of a request x of the family after earlier spending."""
        sums = {}
        for name in self.sum_names:
            parts = [f"{times}*({self._cost_formula(of, name, f'({size})')})" for of, size, times in spent]
            sums[name] = f"({' + '.join(['0', *parts, self._cost_formula(family, name, 'x')])})"
        return self._least_margin([text.format(**sums) for text in self.margins])

    def repeated_request_margin(self, family: str, x: Fraction) -> Margin:
        """Return the margin of repeated requests of size `x`; the variable x is their number."""
        sums = {name: f"(x*({self._cost_formula(family, name, f'({x})')}))" for name in self.sum_names}
        return self._least_margin([text.format(**sums) for text in self.margins])

    def _cost_formula(self, family: str, name: str, x: str) -> str:
        return self.costs[family].get(name, "0").format(x=x)

    def _least_margin(self, texts: list[str]) -> Margin:
        if len(texts) == 1 and not self.balls:
            return texts[0]
        return SmallestMargin(tuple(texts), self.at, self.balls, self.some)


_PURE_COSTS = {
    "RandomizedResponse(x)": "{x}",
    "Laplace(x)": "1/{x}",
    "KOV(x, 0)": "{x}",
}
_ZCDP_COSTS = {
    "Gaussian(x)": "{x}**2/2",
    "RandomizedResponse(x)": "{x}**2/2",
    "Laplace(x)": "1/(2*{x}**2)",
    "SubsampledGaussian(1/8, x)": "1/(2*{x}**2)",
    "KOV(x, 0)": "{x}**2/2",
}
#: Families with an outcome that only one distribution has, and those with unbounded losses.
_MASS_FAMILIES = ("KOV(x, 2^-40)", "KOV(1/64, x)", "Erasure(x)")
_UNBOUNDED_FAMILIES = ("Gaussian(x)", "SubsampledGaussian(1/8, x)")
_MIN_MU = "(2*quantile(1/(1 + exp({x}))))**2"
_GDP_COSTS = {
    "Gaussian(x)": "{x}**2",
    "RandomizedResponse(x)": _MIN_MU,
    "Laplace(x)": "(2*quantile(exp(-1/(2*{x}))/2))**2",
    "SubsampledGaussian(1/8, x)": "1/{x}**2",
    "KOV(x, 0)": _MIN_MU,
}


def _rdp_costs(alpha: float) -> dict[str, str]:
    """Return the formula of the Rényi divergence of order alpha for each request family."""
    a = f"({Fraction(alpha)})"
    if alpha == 1:
        coin, laplace = "{x}*tanh({x}/2)", "exp(-1/{x}) - 1 + 1/{x}"
    else:
        coin = f"log(cosh(({a} - 1/2)*{{x}})/cosh({{x}}/2))/({a} - 1)"
        up, down = f"{a}*exp(({a} - 1)/{{x}})", f"({a} - 1)*exp(-{a}/{{x}})"
        laplace = f"log(({up} + {down})/(2*{a} - 1))/({a} - 1)"
    return {
        "Gaussian(x)": f"{a}*{{x}}**2/2",
        "RandomizedResponse(x)": coin,
        "Laplace(x)": laplace,
        "KOV(x, 0)": coin,
    }


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
            costs = {family: {"B": cost} for family, cost in _ZCDP_COSTS.items()}
            costs |= _costs_with_delta(lambda e: {"B": f"{e}**2/2"}) | {
                "KOV(1/64, x)": {"B": "1/8192", "d": "{x}"}
            }
            at = _as_fractions(rho=filt.rho, xi=filt.xi)
            return AdmissionCondition("approximate zCDP filter", ("rho - {B}", "xi - {d}"), costs, at)
        case AllOrdersFilter():
            margins = tuple(f"rho{place} - {{B{place}}}" for place in range(len(filt.rhos)))
            at = {f"rho{place}": Fraction(rho) for place, rho in enumerate(filt.rhos)}
            return AdmissionCondition(
                "all orders", margins, _rdp_costs_by_order(filt.alphas), at, denied=_MASS_FAMILIES
            )
        case SomeOrderMarkovFilter():
            # Markov's inequality at each order: the sum at one order is within epsilon - log(1/delta)/(a-1)
            margins = tuple(
                f"epsilon - log(1/delta)/({Fraction(alpha)} - 1) - {{B{place}}}"
                for place, alpha in enumerate(filt.orders)
            )
            costs, at = (
                _rdp_costs_by_order(filt.orders),
                _as_fractions(epsilon=filt.epsilon, delta=filt.delta),
            )
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

    `margin` is a formula in {B}, in the parameters `at`, and in the root T if there is one.
    """

    theorem: str
    says: str
    margin: str
    at: Mapping[str, Fraction]
    balls: Mapping[str, Callable[[], arb]]

    def budget_comparison(self, says: str, total: Fraction, slack: Exact | None) -> Comparison:
        """Return the comparison of a sum of charges with the largest that gives the guarantee."""
        text = self.margin.format(B="x")
        margin: Margin = SmallestMargin((text,), self.at, self.balls) if self.balls else text
        return Comparisons(self.theorem).by_margin(says, total, "<=", margin, slack=slack, **self.at)


def budget_theorem(
    charge: ChargeRule, promise: Guarantee, conversion: Conversion, total: Fraction | None = None
) -> BudgetTheorem | None:
    """Return why the sum of charges, of a given or the largest size, gives the guarantee, or None without a theorem."""
    rows = (entry for kinds, entry in _JOINED.items() if all(map(isinstance, (charge, promise), kinds)))
    row, t = next(rows, None), dict[str, Fraction]()
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
            t = _as_fractions(t=Fraction(order) - 1)
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
    return BudgetTheorem(*row, _as_fractions(**own) | t, {"T": root} if row[2][0] == "T" else {})


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
    costs = {family: {"B": cost} for family, cost in _cost_formulas(charge).items()}
    return AdmissionCondition(why.theorem, (why.margin,), costs, why.at, why.balls, 2.0**-38, denied)


def _cost_formulas(charge: ChargeRule) -> Mapping[str, str]:
    match charge:
        case PureCharge():
            return _PURE_COSTS
        case ZCDPCharge():
            return _ZCDP_COSTS
        case GDPCharge():
            return _GDP_COSTS
        case RenyiCharge(alpha):
            return _rdp_costs(alpha)
    return {}


def _as_fractions(**parameters: float | Fraction) -> dict[str, Fraction]:
    """Return the parameters as exact fractions, by name."""
    return {name: Fraction(value) for name, value in parameters.items()}


# -- several sums ------------------------------------------------------------------------------------------------


def _rdp_costs_by_order(alphas: Sequence[float]) -> dict[str, dict[str, str]]:
    """Return the cost formula of each order for each request family."""
    tables = [_rdp_costs(alpha) for alpha in alphas]
    return {
        family: {f"B{place}": table[family] for place, table in enumerate(tables)} for family in tables[0]
    }


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
    at: Mapping[str, Fraction],
    *,
    level: float | None,
    left: bool = True,
    slack: float = 2.0**-40,
) -> AdmissionCondition:
    """Return the condition of a filter that charges (epsilon, delta) to `sums`."""

    def cost(epsilon: str) -> dict[str, str]:
        return {name: formula.replace("{e}", epsilon) for name, formula in sums.items()}

    costs = {family: cost(f"({text})") for family, text in _PURE_COSTS.items()} | (
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
    at = _as_fractions(epsilon=filt.epsilon, delta=filt.delta)
    margins = "epsilon - {e}", "delta - {d}"
    return _epsilon_delta_condition(theorem, margins, {"e": "{e}"}, at, level=level, left=filt.delta > 0)


def _whitehouse_condition(filt: WhitehouseFilter) -> AdmissionCondition:
    tail = filt.delta / 2 if filt.tail is None else filt.tail
    at = _as_fractions(epsilon=filt.epsilon, delta=filt.delta, tailed=tail, weight=filt.weight)
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
    at = _as_fractions(epsilon=filt.epsilon, delta=filt.delta)
    return _epsilon_delta_condition("Rogers filter", margins, sums, at, level=filt.at, slack=2.0**-32)
