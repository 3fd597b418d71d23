"""Randomised response, KOV, erasure and finite pairs at doubles, against sums over their outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

from flint import arb, ctx

from theory.certified.closed_forms.balls import CLOSE, LEAST, called, grid, positive_part, quantile
from theory.certified.running_number import RunningNumber, at_least, infinite, near
from theory.pairs.base import DominatingPair
from theory.pairs.erasure import Erasure
from theory.pairs.finite import FinitePair, pure_to_gdp
from theory.pairs.kov import KOV
from theory.pairs.randomized_response import RandomizedResponse
from theory.proofs.formula import rational

__all__ = ["numbers"]

_THEOREM, _STICK = "Rényi divergences", "Gaussian hockey-stick"
#: P- and Q-masses, outcome by outcome.
_Masses: TypeAlias = list[tuple[arb, arb]]
_Law: TypeAlias = tuple[float | Fraction, ...]
#: Pairs of one epsilon.
_PURE: Mapping[str, Callable[[Any], DominatingPair]] = {
    "RandomizedResponse": RandomizedResponse,
    "KOV with delta = 0": lambda e: KOV(e, 0.0),
}
_EPSILONS = (1e-9, 1e-3, 0.25, 1.0, 3.0, 40.0, 600.0)
_ORDERS = (1.0, 1.001, 1.5, 2.0, 32.0, 1e3)
#: Bits that hold 1 - d for the least d here.
_WHOLE = 1200
#: Laws whose masses sum to one exactly: of others nobody says which law is meant.
_PAIRS: tuple[tuple[_Law, _Law], ...] = (
    ((0.5, 0.3125, 0.1875), (0.3125, 0.3125, 0.375)),
    ((0.5, 0.5), (0.5 - 2.0**-40, 0.5 + 2.0**-40)),
    ((0.25, 0.75, 0.0), (0.125, 0.625, 0.25)),
    ((Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 7), Fraction(6, 7))),
    ((2.0**-30, 1 - 2.0**-30), (2.0**-10, 1 - 2.0**-10)),
)


def numbers() -> Iterator[RunningNumber]:
    """hockey_stick, renyi, loss_cdf, loss_quantile and charges of the finite pairs."""
    responses = [(e, share * e) for e in _EPSILONS for share in (-2.0, -0.5, 0.0, 0.3, 0.875)]
    responses = [(e, x) for e, x in responses if abs(x) < 700]
    yield from _sticks(
        lambda e, x: RandomizedResponse(e).hockey_stick(x), "RandomizedResponse", responses, _response
    )
    orders = grid(_EPSILONS, _ORDERS)
    yield from _divergences(
        lambda e, a: RandomizedResponse(e).renyi(a), "RandomizedResponse", orders, _response
    )
    erased = [(e, d, x) for e, x in responses if x >= 0 for d in (0.0, 1e-300, 1e-5, 0.5)]
    yield from _sticks(lambda e, d, x: KOV(e, d).hockey_stick(x), "KOV", erased, _kov)
    same = [(e, 0.0, a) for e, a in orders]
    yield from _divergences(lambda e, d, a: KOV(e, d).renyi(a), "KOV", same, _kov)
    blanks = grid((1e-300, 1e-5, 0.25, 1.0), (0.0, 0.5, 600.0))
    yield from _sticks(lambda p, x: Erasure(p).hockey_stick(x), "Erasure", blanks, _erasure)
    for place, (p, q) in enumerate(_PAIRS):
        pair, masses = FinitePair(p, q), partial(_given, place)
        for direction, name in ((pair, "FinitePair"), (pair.swapped, "FinitePair.swapped")):
            swap = direction is not pair
            told = partial(_turned, masses, swap)
            epsilons = grid((-0.7, -1e-3, 0.0, 0.1, 0.4, 1.1))
            yield from _sticks(direction.hockey_stick, f"{name} {place}", epsilons, told)
            yield from _divergences(direction.renyi, f"{name} {place}", grid(_ORDERS), told)
    yield from _charges()
    yield from _laws()


def _sticks(
    code: Callable[..., Any], name: str, points: Sequence[tuple[float, ...]], masses: Callable[..., _Masses]
) -> Iterator[RunningNumber]:
    for at, value in called(code, points):
        says = f"{name}.hockey_stick at {at!r}"
        # a loss in doubles is that of the masses to 2^-52 of itself, which tells where little is left of H
        yield near(
            _THEOREM,
            says,
            value,
            partial(_stick, masses, at),
            slack=CLOSE,
            least=max(LEAST, 2.0**-50 * _near_end(name, at)),
        )


def _near_end(name: str, at: tuple[float, ...]) -> float:
    return 1.0 if name.startswith("FinitePair") else 0.0


def _divergences(
    code: Callable[..., Any], name: str, points: Sequence[tuple[float, ...]], masses: Callable[..., _Masses]
) -> Iterator[RunningNumber]:
    for at, value in called(code, points):
        truth = partial(_divergence, masses, at)
        with ctx.workprec(64):
            endless = truth() == arb("inf")
        if endless:
            yield infinite(_THEOREM, f"{name}.renyi at {at!r}", value)
        else:
            yield near(_THEOREM, f"{name}.renyi at {at!r}", value, truth, slack=CLOSE, least=LEAST)


def _charges() -> Iterator[RunningNumber]:
    """What the pairs are charged: the pure epsilon, its half square, and the mu of the Gaussian that dominates them."""
    epsilons = grid((*_EPSILONS, 0.0, 1.2, 1.4999, 1.5, 2.5, 7.0, 0.1, 0.33, 0.9, 5.0, 11.0, 19.0, 90.0))
    for name, make in _PURE.items():
        for (e,), value in called(lambda x, make=make: make(x).pure_epsilon, epsilons):
            yield near("RR zCDP", f"{name}({e!r}).pure_epsilon", value, "e", slack=0, e=e)
        for (e,), value in called(lambda x, make=make: make(x).zcdp_rho, epsilons):
            yield near("RR zCDP", f"{name}({e!r}).zcdp_rho", value, "e**2/2", slack=CLOSE, e=e)
        for (e,), value in called(lambda x, make=make: make(x).gdp_mu, epsilons):
            if e > 0:
                yield at_least(_STICK, f"{name}({e!r}).gdp_mu", value, partial(_corner, e), slack=2.0**-46)
    for (e,), value in called(pure_to_gdp, epsilons):
        if e > 0:
            says = f"pure_to_gdp({e!r}) = 2 Phi^-1(e^e/(1+e^e))"
            yield at_least(_STICK, says, value, partial(_corner, e), slack=2.0**-46)
    for erasing in (KOV(0.5, 1e-300), KOV(0.5, 0.25), Erasure(1e-300), Erasure(1.0)):
        for name in ("pure_epsilon", "zcdp_rho", "gdp_mu"):
            yield infinite(_THEOREM, f"{erasing!r}.{name}", float(getattr(erasing, name)))
    yield from _charges_of_finite_pairs()


def _charges_of_finite_pairs() -> Iterator[RunningNumber]:
    for p, q in _PAIRS:
        pair, ratios = FinitePair(p, q), [Fraction(a) / Fraction(b) for a, b in zip(p, q, strict=True)]
        says = f"FinitePair({p!r}, {q!r})"
        charges = {name: float(getattr(pair, name)) for name in ("pure_epsilon", "zcdp_rho", "gdp_mu")}
        if 0 in ratios:
            for name, value in charges.items():
                yield infinite(_THEOREM, f"{says}.{name}", value)
            continue
        largest = max(max(ratio, 1 / ratio) for ratio in ratios)
        truths = {"pure_epsilon": _log, "zcdp_rho": _half_square, "gdp_mu": _corner_of}
        for name, value in charges.items():
            yield near("RR zCDP", f"{says}.{name}", value, partial(truths[name], largest), slack=CLOSE)


def _laws() -> Iterator[RunningNumber]:
    """The law of the loss: its distribution function beside its jumps, and its upper quantiles."""
    for e in (0.25, 3.0):
        keep = partial(_kept, e)
        pair = RandomizedResponse(e)
        says = f"RandomizedResponse({e!r})"
        for x, low in ((-e * 1.01, 0), (-e * 0.99, 1), (e * 0.99, 1), (e * 1.01, 2)):
            truth: Any = {0: 0, 1: partial(_changed, e), 2: 1}[low]
            yield near(
                _THEOREM, f"{says}.loss_cdf({x!r})", float(pair.loss_cdf(x)), truth, slack=0, least=CLOSE
            )
        share = float(pair.outputs[0][1])
        yield near(_THEOREM, f"{says}: P(L = e)", share, keep, slack=CLOSE)
        for t, level in ((0.0, e), (share * (1 - 1e-9), e), (share * (1 + 1e-9), -e), (1 - 1e-9, -e)):
            yield near(
                _THEOREM,
                f"{says}.loss_quantile({t!r})",
                float(pair.loss_quantile(t)),
                "level",
                slack=0,
                level=level,
            )
    for e, d in ((0.5, 0.125), (2.0, 1e-6)):
        kov = KOV(e, d)
        for (loss, mass), sign in zip(kov.outputs[1:], (1, -1), strict=True):
            yield near(_THEOREM, f"KOV({e!r}, {d!r}): a finite loss", float(loss), "e", slack=0, e=sign * e)
            yield near(
                _THEOREM,
                f"KOV({e!r}, {d!r}): its mass",
                float(mass),
                partial(_share, e, d, sign),
                slack=CLOSE,
            )
        yield near(_THEOREM, f"KOV({e!r}, {d!r}).infinite_mass", float(kov.infinite_mass), "d", slack=0, d=d)


def _stick(masses: Callable[..., _Masses], at: tuple[float, ...]) -> arb:
    with ctx.workprec(ctx.prec + _WHOLE):
        odds = arb(at[-1]).exp()
        terms = [positive_part(p - odds * q) for p, q in masses(*at[:-1])]
        return sum(terms, arb(0))


def _divergence(masses: Callable[..., _Masses], at: tuple[float, ...]) -> arb:
    a = arb(at[-1])
    with ctx.workprec(2 * ctx.prec + 200):  # the moment is near one
        both = [(p, q) for p, q in masses(*at[:-1]) if p != 0]
        if any(q == 0 for _, q in both):
            return arb("inf")
        if at[-1] == 1:
            return sum((p * (p / q).log() for p, q in both), arb(0))
        logs = [p.log() + (a - 1) * (p / q).log() for p, q in both]
        return sum((x.exp() for x in logs), arb(0)).log() / (a - 1)


def _response(epsilon: float) -> _Masses:
    keep, change = _kept(epsilon), _changed(epsilon)
    return [(keep, change), (change, keep)]


def _kov(epsilon: float, delta: float) -> _Masses:
    d, zero = arb(delta), arb(0)
    inner = [((1 - d) * p, (1 - d) * q) for p, q in _response(epsilon)]
    return [(d, zero), *inner, (zero, d)]


def _erasure(p: float) -> _Masses:
    share, zero = arb(p), arb(0)
    return [(share, zero), (1 - share, 1 - share), (zero, share)]


def _given(place: int) -> _Masses:
    p, q = _PAIRS[place]
    return [(_exact(a), _exact(b)) for a, b in zip(p, q, strict=True)]


def _turned(masses: Callable[[], _Masses], swap: bool) -> _Masses:
    return [(q, p) if swap else (p, q) for p, q in masses()]


def _exact(x: float | Fraction) -> arb:
    return arb(rational(Fraction(x)))


def _kept(epsilon: float) -> arb:
    return 1 / (1 + (-arb(epsilon)).exp())


def _changed(epsilon: float) -> arb:
    return 1 / (1 + arb(epsilon).exp())


def _share(epsilon: float, delta: float, sign: int) -> arb:
    return (1 - arb(delta)) * (_kept(epsilon) if sign > 0 else _changed(epsilon))


def _corner(epsilon: float) -> arb:
    with ctx.workprec(ctx.prec + 80):  # a share near one half
        return 2 * quantile(_changed(epsilon))


def _corner_of(ratio: Fraction) -> arb:
    with ctx.workprec(ctx.prec + 80):
        return 2 * quantile(1 / (1 + _exact(ratio)))


def _log(ratio: Fraction) -> arb:
    return _exact(ratio).log()


def _half_square(ratio: Fraction) -> arb:
    return _log(ratio) ** 2 / 2
