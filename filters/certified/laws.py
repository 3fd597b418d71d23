"""The laws of the catalogue's filters: theorems, written from the parameters that a filter was given alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial

from flint import arb

from filters.accounting.charge_rules import ChargeRule, GDPCharge, PureCharge, RenyiCharge, ZCDPCharge
from filters.catalogue import (
    AllOrdersFilter,
    ApproximateZCDPFilter,
    BasicFilter,
    ExPostFilter,
    RogersFilter,
    SomeOrderMarkovFilter,
    WhitehouseFilter,
)
from filters.certified.conversion_truths import largest
from filters.certified.law import Law
from filters.contract.filter_base import FilterBase
from filters.rules.additive import AdditiveFilter
from theory.conversions import CKS, Conversion
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP

__all__ = ["additive_threshold", "law_of"]

_Balls = Mapping[str, Callable[[], arb]]
Costs = Mapping[str, Mapping[str, str]]

_PURE = {
    "RandomizedResponse(x)": "{x}",
    "Laplace(x)": "1/{x}",
    "KOV(x, 0)": "{x}",
}
_ZCDP = {
    "Gaussian(x)": "{x}**2/2",
    "RandomizedResponse(x)": "{x}**2/2",
    "Laplace(x)": "1/(2*{x}**2)",
    "SubsampledGaussian(1/8, x)": "1/(2*{x}**2)",
    "KOV(x, 0)": "{x}**2/2",
}
#: Families with an outcome that the other law lacks, and those whose loss has no bound.
_MASSES = ("KOV(x, 2^-40)", "KOV(1/64, x)", "Erasure(x)")
_UNBOUNDED = ("Gaussian(x)", "SubsampledGaussian(1/8, x)")
_LEAST_MU = "(2*quantile(1/(1 + exp({x}))))**2"
_GDP = {
    "Gaussian(x)": "{x}**2",
    "RandomizedResponse(x)": _LEAST_MU,
    "Laplace(x)": "(2*quantile(exp(-1/(2*{x}))/2))**2",
    "SubsampledGaussian(1/8, x)": "1/{x}**2",
    "KOV(x, 0)": _LEAST_MU,
}


def _rdp(alpha: float) -> dict[str, str]:
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


def _one(costs: Mapping[str, str], name: str = "B") -> Costs:
    return {family: {name: cost} for family, cost in costs.items()}


def law_of(filt: FilterBase) -> Law | None:
    """The law of a filter of the catalogue, or of an additive one; None where no theorem says what it may admit."""
    match filt:
        case AdditiveFilter():
            return _additive(filt)
        case BasicFilter():
            return _basic("basic composition", filt, filt.at)
        case ExPostFilter():  # whose releases, where none is observed, are charged their caps
            return _basic("ex-post filter", filt, None)
        case WhitehouseFilter():
            return _whitehouse(filt)
        case RogersFilter():
            return _rogers(filt)
        case ApproximateZCDPFilter():
            return _approximate_zcdp(filt)
        case AllOrdersFilter():
            return _all_orders(filt)
        case SomeOrderMarkovFilter():
            return _some_order(filt)
    return None


# -- one sum ---------------------------------------------------------------------------------------------------


def additive_threshold(
    charge: ChargeRule, promise: Guarantee, conversion: Conversion
) -> tuple[str, str, dict[str, Fraction], dict[str, Callable[[], arb]]] | None:
    """(theorem, formula, parameters, balls) of the largest sum of charges from which the promise follows; or None."""
    match charge, promise:
        case (PureCharge(), PureDP(epsilon)):
            return "basic composition", "epsilon", _at(epsilon=epsilon), {}
        case (PureCharge(), ApproxDP(epsilon, delta)):
            formula = "log((exp(epsilon) + delta)/(1 - delta))"
            return "basic composition", formula, _at(epsilon=epsilon, delta=delta), {}
        case (PureCharge(), ZCDP(rho)):
            return "RR zCDP", "sqrt(2*rho)", _at(rho=rho), {}
        case (PureCharge(), RenyiDP(alpha, rho)):
            if 2 / alpha >= rho:
                return "RR zCDP", "sqrt(2*rho/alpha)", _at(rho=rho, alpha=alpha), {}
            return "basic composition", "rho", _at(rho=rho), {}
        case (ZCDPCharge(), ZCDP(rho)):
            return "RDP filter", "rho", _at(rho=rho), {}
        case (ZCDPCharge(), RenyiDP(alpha, rho)):
            return "RDP filter", "rho/alpha", _at(rho=rho, alpha=alpha), {}
        case (ZCDPCharge(), ApproxDP(epsilon, delta)):
            at = _at(epsilon=epsilon, delta=delta)
            if conversion is CKS:
                return "CKS", "T", at, {"T": _root("CKS", epsilon, delta)}
            return "approximate-DP filter", _STAR, at, {}
        case (GDPCharge(), GaussianDP(mu)):
            return "GDP filter", "mu**2", _at(mu=mu), {}
        case (GDPCharge(), ZCDP(rho)):
            return "Rényi divergences", "2*rho", _at(rho=rho), {}
        case (GDPCharge(), RenyiDP(alpha, rho)):
            return "Rényi divergences", "2*rho/alpha", _at(rho=rho, alpha=alpha), {}
        case (GDPCharge(), ApproxDP(epsilon, delta)):
            at = _at(epsilon=epsilon, delta=delta)
            return "Gaussian hockey-stick", "T**2", at, {"T": _root("GDP", epsilon, delta)}
        case (RenyiCharge(order), RenyiDP(alpha, rho)) if alpha <= order:
            return "RDP filter", "rho", _at(rho=rho), {}
        case (RenyiCharge(order), ApproxDP(epsilon, delta)) if order > 1:
            at = _at(epsilon=epsilon, delta=delta, t=Fraction(order) - 1)
            gain = " - t*log(t) + (1 + t)*log(1 + t)" if conversion is CKS else ""
            return ("CKS" if gain else "B*"), f"epsilon + (log(delta){gain})/t", at, {}
    return None


#: B*, the largest rho with rho + 2 sqrt(rho log(1/delta)) <= epsilon.
_STAR = "(epsilon/(sqrt(log(1/delta) + epsilon) + sqrt(log(1/delta))))**2"


def _root(name: str, epsilon: float, delta: float) -> Callable[[], arb]:
    return partial(largest, name, epsilon, delta)


def _additive(filt: AdditiveFilter) -> Law | None:
    charge = filt.charge
    if not isinstance(charge, ChargeRule):
        return None
    found = additive_threshold(charge, filt.promise, filt.conversion)
    if found is None:
        return None
    theorem, formula, at, balls = found
    denied = _MASSES if not isinstance(charge, PureCharge) else (*_MASSES, *_UNBOUNDED)
    return Law(theorem, (f"({formula}) - {{B}}",), _one(_costs(charge)), at, balls, 2.0**-38, denied)


def _costs(charge: ChargeRule) -> Mapping[str, str]:
    match charge:
        case PureCharge():
            return _PURE
        case ZCDPCharge():
            return _ZCDP
        case GDPCharge():
            return _GDP
        case RenyiCharge(alpha):
            return _rdp(alpha)
    return {}


def _at(**parameters: float | Fraction) -> dict[str, Fraction]:
    return {name: Fraction(value) for name, value in parameters.items()}


# -- epsilons and deltas -----------------------------------------------------------------------------------------


def _approximate(costs: Mapping[str, Mapping[str, str]], delta: bool) -> Costs:
    """The costs of pure pairs, and of pairs that have a delta where any is left: `costs` per sum, of an epsilon."""
    law_of = {
        family: {name: one.replace("{e}", f"({text})") for name, one in costs["pure"].items()}
        for family, text in _PURE.items()
    }
    if delta:
        pure = {name: one.replace("{e}", "{x}") for name, one in costs["pure"].items()}
        law_of["KOV(x, 2^-40)"] = pure | {"d": "1/2**40"}
        fixed = {name: one.replace("{e}", "(1/64)") for name, one in costs["pure"].items()}
        law_of["KOV(1/64, x)"] = fixed | {"d": "{x}"}
        law_of["Erasure(x)"] = {"d": "{x}"}
    return law_of


def _at_one_epsilon(costs: Costs, at: float | None, sums: Mapping[str, str]) -> Costs:
    """With Gaussians and the rest charged their hockey-stick at the epsilon `at`."""
    if at is None:
        return costs
    stick = "tail(at/{x} - {x}/2) - exp(at)*tail(at/{x} + {x}/2)"
    level = {name: one.replace("{e}", f"({Fraction(at)})") for name, one in sums.items()}
    return {"Gaussian(x)": level | {"d": stick.replace("at", f"({Fraction(at)})")}, **costs}


def _basic(theorem: str, filt: BasicFilter | ExPostFilter, at: float | None) -> Law:
    own = {"e": "{e}"}
    costs = _at_one_epsilon(_approximate({"pure": own}, filt.delta > 0), at, own)
    return Law(
        theorem,
        ("epsilon - {e}", "delta - {d}"),
        costs,
        _at(epsilon=filt.epsilon, delta=filt.delta),
        denied=_without(at, filt.delta > 0),
    )


def _without(at: float | None, delta: bool) -> tuple[str, ...]:
    """What cannot be charged: Gaussians where no epsilon is named, and what has a delta where none is left."""
    return (*(_UNBOUNDED if at is None else ()), *(() if delta else _MASSES))


def _whitehouse(filt: WhitehouseFilter) -> Law:
    own = {"S": "{e}**2"}
    tail = filt.delta / 2 if filt.tail is None else filt.tail
    costs = _at_one_epsilon(_approximate({"pure": own}, tail < filt.delta), filt.at, own)
    return Law(
        "Whitehouse filter",
        ("epsilon - sqrt(2*log(1/tailed)*{S}) - {S}/2", "delta - tailed - weight*{d}"),
        costs,
        _at(epsilon=filt.epsilon, delta=filt.delta, tailed=tail, weight=filt.weight),
        denied=_without(filt.at, tail < filt.delta),
    )


def _rogers(filt: RogersFilter) -> Law:
    sums = {"S": "{e}**2", "D": "{e}*(exp({e}) - 1)/2"}
    h = f"epsilon**2/((701/25)*log({'1' if filt.reading == '1/delta' else '2'}/delta))"
    spread = f"2*({{S}} + {h})*(1 + log({{S}}/({h}) + 1)/2)*log(2/delta)"
    return Law(
        "Rogers filter",
        (f"epsilon - {{D}} - sqrt({spread})", "delta/2 - {d}"),
        _at_one_epsilon(_approximate({"pure": sums}, True), filt.at, sums),
        _at(epsilon=filt.epsilon, delta=filt.delta),
        slack=2.0**-32,
        denied=_without(filt.at, True),
    )


def _approximate_zcdp(filt: ApproximateZCDPFilter) -> Law:
    costs: dict[str, Mapping[str, str]] = {family: {"B": cost} for family, cost in _ZCDP.items()}
    costs["KOV(x, 2^-40)"] = {"B": "{x}**2/2", "d": "1/2**40"}
    costs["KOV(1/64, x)"] = {"B": "1/8192", "d": "{x}"}
    costs["Erasure(x)"] = {"d": "{x}"}
    return Law("approximate zCDP filter", ("rho - {B}", "xi - {d}"), costs, _at(rho=filt.rho, xi=filt.xi))


def _all_orders(filt: AllOrdersFilter) -> Law:
    tables = [_rdp(alpha) for alpha in filt.alphas]
    costs = {
        family: {f"B{place}": table[family] for place, table in enumerate(tables)} for family in tables[0]
    }
    margins = tuple(f"rho{place} - {{B{place}}}" for place in range(len(tables)))
    at = {f"rho{place}": Fraction(rho) for place, rho in enumerate(filt.rhos)}
    return Law("all orders", margins, costs, at, denied=_MASSES)


def _some_order(filt: SomeOrderMarkovFilter) -> Law:
    """Markov's inequality at each order: the sum at SOME order is within epsilon - log(1/delta)/(a-1)."""
    tables = [_rdp(alpha) for alpha in filt.orders]
    costs = {
        family: {f"B{place}": table[family] for place, table in enumerate(tables)} for family in tables[0]
    }
    margins = tuple(
        f"epsilon - log(1/delta)/({Fraction(alpha)} - 1) - {{B{place}}}"
        for place, alpha in enumerate(filt.orders)
    )
    at = _at(epsilon=filt.epsilon, delta=filt.delta)
    return Law("some order kept", margins, costs, at, denied=_MASSES, some=True)
