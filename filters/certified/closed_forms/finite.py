"""Randomised response, KOV, erasure and finite pairs at doubles, against sums over their outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from filters.certified.closed_form import CLOSE, LEAST, ClosedForm, grid, of_pair
from filters.certified.running_number import Claims, RunningNumber
from theory.pairs.base import DominatingPair
from theory.pairs.erasure import Erasure
from theory.pairs.finite import FinitePair, pure_to_gdp
from theory.pairs.kov import KOV
from theory.pairs.randomized_response import RandomizedResponse
from theory.pairs.truths import TrueValue

__all__ = ["numbers"]

_THEOREM, _STICK, _PURE = "Rényi divergences", "Gaussian hockey-stick", "RR zCDP"
_Law: TypeAlias = tuple[float | Fraction, ...]
#: Pairs of one epsilon.
_OF_EPSILON: Mapping[str, Callable[[Any], DominatingPair]] = {
    "RandomizedResponse": RandomizedResponse,
    "KOV with delta = 0": lambda e: KOV(e, 0.0),
}
_EPSILONS = (1e-9, 1e-3, 0.25, 1.0, 3.0, 40.0, 600.0)
_CHARGED = (*_EPSILONS, 0.0, 1.2, 1.4999, 1.5, 2.5, 7.0, 0.1, 0.33, 0.9, 5.0, 11.0, 19.0, 90.0)
_ORDERS = (1.0, 1.001, 1.5, 2.0, 32.0, 1e3)
_CHARGES = ("pure_epsilon", "zcdp_rho", "gdp_mu")
#: Laws whose masses sum to one exactly: of others nobody says which law is meant.
_PAIRS: tuple[tuple[_Law, _Law], ...] = (
    ((0.5, 0.3125, 0.1875), (0.3125, 0.3125, 0.375)),
    ((0.5, 0.5), (0.5 - 2.0**-40, 0.5 + 2.0**-40)),
    ((0.25, 0.75, 0.0), (0.125, 0.625, 0.25)),
    ((Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 7), Fraction(6, 7))),
    ((2.0**-30, 1 - 2.0**-30), (2.0**-10, 1 - 2.0**-10)),
    ((0.5, 0.25, 0.25), (0.125, 0.25, 0.625)),  # of whose trade-off curve the first corner tells
)


def numbers() -> Iterator[RunningNumber]:
    """hockey_stick, renyi, loss_cdf, loss_quantile and charges of the finite pairs."""
    responses = [(e, share * e) for e in _EPSILONS for share in (-2.0, -0.5, 0.0, 0.3, 0.875)]
    responses = [(e, x) for e, x in responses if abs(x) < 700]
    erased = [(e, d, x) for e, x in responses if x >= 0 for d in (0.0, 1e-300, 1e-5, 0.5)]
    blanks = grid((1e-300, 1e-5, 0.25, 1.0), (0.0, 0.5, 600.0))
    orders = grid(_EPSILONS, _ORDERS)
    yield from _sticks("RandomizedResponse", RandomizedResponse, responses)
    yield from _divergences("RandomizedResponse", RandomizedResponse, orders)
    yield from _sticks("KOV", KOV, erased)
    yield from _divergences("KOV", KOV, [(e, 0.0, a) for e, a in orders])
    yield from _sticks("Erasure", Erasure, blanks)
    for place, (p, q) in enumerate(_PAIRS):
        given = FinitePair(p, q)
        for name, pair in (("FinitePair", given), ("FinitePair.swapped", given.swapped)):
            same = lambda pair=pair: pair  # noqa: E731
            # a loss in doubles is that of the masses to 2^-52 of itself, which tells where little is left of H
            levels = grid((-0.7, -1e-3, 0.0, 0.1, 0.4, 1.1))
            yield from _sticks(f"{name} {place}", same, levels, least=2.0**-50)
            yield from _divergences(f"{name} {place}", same, grid(_ORDERS))
    yield from _charges()
    yield from _laws()


def _sticks(
    name: str, make: Callable[..., DominatingPair], points: Sequence[tuple[float, ...]], least: float = LEAST
) -> Iterator[RunningNumber]:
    return of_pair(_THEOREM, name, make, "hockey_stick", points, least=least).numbers()


def _divergences(
    name: str, make: Callable[..., DominatingPair], points: Sequence[tuple[float, ...]]
) -> Iterator[RunningNumber]:
    return of_pair(_THEOREM, name, make, "renyi", points, least=LEAST).numbers()


def _charges() -> Iterator[RunningNumber]:
    """What the pairs are charged: the pure epsilon, its half square, and the mu of the Gaussian that dominates them."""
    above_zero = [(e,) for e in _CHARGED if e > 0]
    for name, make in _OF_EPSILON.items():
        for row in (
            of_pair(_PURE, name, make, "pure_epsilon", grid(_CHARGED), slack=0, arguments=0),
            of_pair(_PURE, name, make, "zcdp_rho", grid(_CHARGED), arguments=0),
            of_pair(_STICK, name, make, "gdp_mu", above_zero, slack=2.0**-46, charge=True, arguments=0),
        ):
            yield from row.numbers()
    yield from ClosedForm(
        _STICK,
        "pure_to_gdp({!r}) = 2 Phi^-1(e^e/(1+e^e))",
        pure_to_gdp,
        lambda e: RandomizedResponse(e).truths.gdp_mu,
        above_zero,
        slack=2.0**-46,
        charge=True,
    ).numbers()
    erasing: tuple[DominatingPair, ...] = (KOV(0.5, 1e-300), KOV(0.5, 0.25), Erasure(1e-300), Erasure(1.0))
    for pair in erasing:
        yield from _charges_of(pair, repr(pair), _THEOREM)
    for p, q in _PAIRS:
        lacking = 0 in p
        yield from _charges_of(FinitePair(p, q), f"FinitePair({p!r}, {q!r})", _THEOREM if lacking else _PURE)


def _charges_of(pair: DominatingPair, says: str, theorem: str) -> Iterator[RunningNumber]:
    for name in _CHARGES:
        truth = getattr(pair.truths, name)
        slack = max(CLOSE, pair.truths.zcdp_slack if name == "zcdp_rho" else 0.0)
        yield Claims(theorem).near(f"{says}.{name}", float(getattr(pair, name)), truth, slack=slack)


def _laws() -> Iterator[RunningNumber]:
    """The law of the loss: its distribution function beside its jumps, and its upper quantiles."""
    for e in (0.25, 3.0):
        pair, says = RandomizedResponse(e), f"RandomizedResponse({e!r})"
        for x, ends in ((-e * 1.01, 0), (-e * 0.99, None), (e * 0.99, None), (e * 1.01, 1)):
            truth = pair.truths.loss_cdf(x) if ends is None else ends
            value = float(pair.loss_cdf(x))
            yield Claims(_THEOREM).near(f"{says}.loss_cdf({x!r})", value, truth, slack=0, least=CLOSE)
        share = float(pair.outputs[0][1])
        yield Claims(_THEOREM).near(f"{says}: P(L = e)", share, "exp(e)/(1 + exp(e))", slack=CLOSE, e=e)
        for t, level in ((0.0, e), (share * (1 - 1e-9), e), (share * (1 + 1e-9), -e), (1 - 1e-9, -e)):
            value = float(pair.loss_quantile(t))
            yield Claims(_THEOREM).equal(f"{says}.loss_quantile({t!r})", value, "level", level=level)
    for e, d in ((0.5, 0.125), (2.0, 1e-6)):
        kov, says = KOV(e, d), f"KOV({e!r}, {d!r})"
        for (loss, mass), sign in zip(kov.outputs[1:], (1, -1), strict=True):
            yield Claims(_THEOREM).equal(f"{says}: a finite loss", float(loss), "e", e=sign * e)
            truth = TrueValue("(1 - d)/(1 + exp(-e))", {"e": sign * e, "d": d})
            yield Claims(_THEOREM).near(f"{says}: its mass", float(mass), truth, slack=CLOSE)
        yield Claims(_THEOREM).equal(f"{says}.infinite_mass", float(kov.infinite_mass), "d", d=d)
