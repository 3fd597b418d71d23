"""What is true of a pair, by formulas that share no code with the pairs: divergences, hockey-sticks, masses, quantiles.

>>> from theory.pairs import Gaussian
>>> renyi(Gaussian(0.5), 8.0).formula
'alpha*mu**2/2'

Each is a formula in the pair's own parameters, at the exact doubles that it holds, or a function to a ball. They are
those of the definitions: sums over outcomes, integrals (`mixture.py`), and closed forms of the normal law.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

from flint import arb

from theory.certified import mixture
from theory.certified.running_number import Real, Truth
from theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
)
from theory.proofs.formula import compile_formula, rational

__all__ = ["PairTruth", "cdf", "epsilon", "hockey_stick", "least_gdp", "masses", "quantile", "renyi"]


@dataclass(frozen=True, slots=True)
class PairTruth:
    """A true value: a formula and its parameters, or a function to a ball. `formula` is None where it is infinite."""

    formula: Truth | None
    at: Mapping[str, Fraction] = field(default_factory=dict)

    def ball(self) -> arb:
        """The value at the current precision."""
        assert self.formula is not None
        if callable(self.formula):
            return self.formula()
        if not isinstance(self.formula, str):
            return arb(rational(Fraction(self.formula)))
        return compile_formula(self.formula)({name: arb(rational(one)) for name, one in self.at.items()})


_INFINITE = PairTruth(None)
#: The keys of `_PARAMETERS` are the pairs of one or two numbers, whose formulas are in those letters.
_PARAMETERS: Mapping[type[DominatingPair], Mapping[str, str]] = {
    Gaussian: {"mu": "mu"},
    RandomizedResponse: {"e": "epsilon"},
    Laplace: {"b": "b"},
    KOV: {"e": "epsilon", "d": "delta"},
    Erasure: {"p": "p"},
    SubsampledGaussian: {"q": "q", "s": "sigma"},
}


def _at(pair: DominatingPair, **more: Real) -> dict[str, Fraction]:
    names = _PARAMETERS[type(pair)]
    own = {short: Fraction(getattr(pair, name)) for short, name in names.items()}
    return own | {name: Fraction(value) for name, value in more.items()}


def masses(pair: DominatingPair) -> list[tuple[Truth, Truth]]:
    """(P, Q) outcome by outcome of a pair of finitely many outcomes, as formulas or fractions."""
    match pair:
        case RandomizedResponse():
            return [("exp(e)/(1 + exp(e))", "1/(1 + exp(e))"), ("1/(1 + exp(e))", "exp(e)/(1 + exp(e))")]
        case KOV():
            kept, turned = "(1 - d)*exp(e)/(1 + exp(e))", "(1 - d)/(1 + exp(e))"
            return [("d", "0"), (kept, turned), (turned, kept), ("0", "d")]
        case Erasure():
            return [("p", "0"), ("1 - p", "1 - p"), ("0", "p")]
        case FinitePair():
            return [(Fraction(p), Fraction(q)) for p, q in zip(pair.p, pair.q, strict=True)]
    raise TypeError(f"pair must have finitely many outcomes, got {pair!r}; integrate over it")


def _balls(pair: DominatingPair) -> list[tuple[arb, arb]]:
    at = {} if isinstance(pair, FinitePair) else _at(pair)
    return [(PairTruth(p, at).ball(), PairTruth(q, at).ball()) for p, q in masses(pair)]


def _known_zero(mass: Truth, pair: DominatingPair) -> bool:
    """Whether a mass is zero, which balls cannot tell."""
    if isinstance(mass, str):
        at = _at(pair)
        return mass == "0" or (mass in at and at[mass] == 0) or ("1 - d" in mass and at["d"] == 1)
    return mass == 0


def _finite(pair: DominatingPair, of: Callable[[list[tuple[arb, arb]]], arb]) -> Callable[[], arb]:
    """The function of the outcomes that P or Q can produce."""
    kept = tuple(
        place
        for place, (p, q) in enumerate(masses(pair))
        if not (_known_zero(p, pair) and _known_zero(q, pair))
    )
    return partial(_of_outcomes, pair, kept, of)


def _of_outcomes(
    pair: DominatingPair, kept: tuple[int, ...], of: Callable[[list[tuple[arb, arb]]], arb]
) -> arb:
    balls = _balls(pair)
    return of([balls[place] for place in kept])


def _lacks(pair: DominatingPair, which: int) -> bool:
    """Whether P (0) or Q (1) lacks an outcome that the other one has."""
    return any(
        _known_zero(both[which], pair) and not _known_zero(both[1 - which], pair) for both in masses(pair)
    )


def epsilon(pair: DominatingPair) -> PairTruth:
    """The least epsilon of pure differential privacy, the largest |L|."""
    match pair:
        case RandomizedResponse():
            return PairTruth("e", _at(pair))
        case Laplace():
            return PairTruth("1/b", _at(pair))
        case KOV() if pair.delta == 0:
            return PairTruth("e", _at(pair))
        case Erasure() if pair.p == 0:
            return PairTruth(Fraction(0))
        case FinitePair() if not (_lacks(pair, 0) or _lacks(pair, 1)):
            return PairTruth(_finite(pair, _largest_loss))
    return _INFINITE


def renyi(pair: DominatingPair, alpha: Real) -> PairTruth:
    """D_alpha(P||Q), the relative entropy at alpha = 1."""
    order = Fraction(alpha)
    match pair:
        case Gaussian():
            return PairTruth("alpha*mu**2/2", _at(pair, alpha=order))
        case RandomizedResponse() if order == 1:
            return PairTruth("e*tanh(e/2)", _at(pair))
        case RandomizedResponse():
            formula = "log(cosh((alpha - 1/2)*e)/cosh(e/2))/(alpha - 1)"
            return PairTruth(formula, _at(pair, alpha=order))
        case Laplace() if order == 1:
            return PairTruth("exp(-1/b) - 1 + 1/b", _at(pair))
        case Laplace():
            up, down = "alpha*exp((alpha - 1)/b)", "(alpha - 1)*exp(-alpha/b)"
            formula = f"log(({up} + {down})/(2*alpha - 1))/(alpha - 1)"
            return PairTruth(formula, _at(pair, alpha=order))
        case SubsampledGaussian():
            q, s = Fraction(pair.q), Fraction(pair.sigma)  # type: ignore[arg-type]
            return PairTruth(partial(mixture.renyi, q, s, order, pair.adjacency))
        case KOV() | Erasure() | FinitePair():
            return _INFINITE if _lacks(pair, 1) else PairTruth(_finite(pair, partial(_sum, order)))
    raise TypeError(f"pair must be one of the library's, got {pair!r}; pass one of theory.pairs.PAIRS")


def _sum(order: Fraction, both: list[tuple[arb, arb]]) -> arb:
    alpha = arb(rational(order))
    produced = [(p, q) for p, q in both if not (p.is_exact() and p.is_zero())]
    if order == 1:
        return sum((p * (p / q).log() for p, q in produced), arb(0))
    moment = sum(((alpha * p.log() - (alpha - 1) * q.log()).exp() for p, q in produced), arb(0))
    return moment.log() / (alpha - 1)


def hockey_stick(pair: DominatingPair, at: Real) -> PairTruth:
    """H_{e^at}(P||Q), the sum or integral of (P - e^at Q)_+."""
    x = Fraction(at)
    match pair:
        case Gaussian():
            formula = "tail(eps/mu - mu/2) - exp(eps)*tail(eps/mu + mu/2)"
            return PairTruth(formula, _at(pair, eps=x))
        case Laplace():
            e = 1 / Fraction(pair.b)  # type: ignore[arg-type]
            if x >= e:
                return PairTruth(Fraction(0))
            formula = "1 - exp(eps)" if x <= -e else "1 - exp((eps - 1/b)/2)"
            return PairTruth(formula, _at(pair, eps=x))
        case SubsampledGaussian():
            q, s = Fraction(pair.q), Fraction(pair.sigma)  # type: ignore[arg-type]
            return PairTruth(partial(mixture.hockey_stick, q, s, x, pair.adjacency))
    return PairTruth(_finite(pair, partial(_above, x)))


def _above(x: Fraction, both: list[tuple[arb, arb]]) -> arb:
    ratio = arb(rational(x)).exp()
    return sum((_positive(p - ratio * q) for p, q in both), arb(0))


def least_gdp(pair: DominatingPair) -> PairTruth:
    """The least mu such that Gaussian(mu) dominates the pair both ways, where a closed form is known; else infinite."""
    match pair:
        case Gaussian():
            return PairTruth("mu", _at(pair))
        case RandomizedResponse():
            return PairTruth("2*quantile(1/(1 + exp(e)))", _at(pair))
        case KOV() if pair.delta == 0:
            return PairTruth("2*quantile(1/(1 + exp(e)))", _at(pair))
        case Laplace():
            return PairTruth("2*quantile(exp(-1/(2*b))/2)", _at(pair))
        case SubsampledGaussian():
            return PairTruth("1/s", _at(pair))
        case Erasure() if pair.p == 0:
            return PairTruth(Fraction(0))
    return _INFINITE


def cdf(pair: DominatingPair, x: Real) -> PairTruth:
    """P(L <= x), L drawn under P; for pairs of finitely many outcomes x must be none of the losses."""
    level = Fraction(x)
    match pair:
        case Gaussian():
            return PairTruth("1 - tail(level/mu - mu/2)", _at(pair, level=level))
        case Laplace():
            e = 1 / Fraction(pair.b)  # type: ignore[arg-type]
            if not -e <= level < e:
                return PairTruth(Fraction(int(level >= e)))
            return PairTruth("exp((level - 1/b)/2)/2", _at(pair, level=level))
        case SubsampledGaussian():
            q, s = Fraction(pair.q), Fraction(pair.sigma)  # type: ignore[arg-type]
            return PairTruth(partial(mixture.cdf, q, s, level, pair.adjacency))
    return PairTruth(_finite(pair, partial(_below, level)))


def _below(level: Fraction, both: list[tuple[arb, arb]]) -> arb:
    ratio = arb(rational(level)).exp()
    total = arb(0)
    for p, q in both:
        gap = p - ratio * q
        if gap < 0:
            total += p
        elif not gap > 0:
            return arb.nan()
    return total


def quantile(pair: DominatingPair, tail: Real) -> PairTruth:
    """inf{x : P(L > x) <= tail} for 0 < tail < 1, the tail not being the mass of a set of outcomes."""
    p = Fraction(tail)
    match pair:
        case Gaussian():
            return PairTruth("mu**2/2 + mu*quantile(p)", _at(pair, p=p))
        case Laplace() if p < Fraction(1, 2):
            return PairTruth("1/b", _at(pair))
        case Laplace():
            # the loss is 1/b + 2 log(2 (1-p)) until it meets -1/b
            formula = "1/b + 2*log(2*(1 - p))"
            return PairTruth(partial(_clipped, formula, _at(pair, p=p)))
        case SubsampledGaussian():
            q, s = Fraction(pair.q), Fraction(pair.sigma)  # type: ignore[arg-type]
            return PairTruth(partial(mixture.quantile, q, s, p, pair.adjacency))
    if _lacks(pair, 1) and _infinite_mass(pair) > p:
        return _INFINITE
    return PairTruth(_finite(pair, partial(_level, p)))


def _infinite_mass(pair: DominatingPair) -> Fraction:
    match pair:
        case KOV():
            return Fraction(pair.delta)  # type: ignore[arg-type]
        case Erasure():
            return Fraction(pair.p)  # type: ignore[arg-type]
        case FinitePair():
            return sum((Fraction(p) for p, q in zip(pair.p, pair.q, strict=True) if q == 0), Fraction(0))
    return Fraction(0)


def _clipped(formula: str, at: Mapping[str, Fraction]) -> arb:
    return PairTruth(formula, at).ball().max(-1 / arb(rational(at["b"])))


def _level(p: Fraction, both: list[tuple[arb, arb]]) -> arb:
    """The largest loss with more than p of mass at it and above."""
    tail, above = arb(rational(p)), arb(0)
    outcomes = [(a, b) for a, b in both if not (a.is_exact() and a.is_zero())]
    infinite = [(a, b) for a, b in outcomes if b.is_exact() and b.is_zero()]
    finite = [one for one in outcomes if one not in infinite]
    above += sum((a for a, _ in infinite), arb(0))
    for a, b in sorted(finite, key=lambda one: -float((one[0] / one[1]).log().mid())):
        above += a
        if above > tail:
            return (a / b).log()
        if not above < tail:
            return arb.nan()
    return arb.nan()


def _positive(x: arb) -> arb:
    return x.max(arb(0))


def _largest_loss(both: list[tuple[arb, arb]]) -> arb:
    found = arb(0)
    for p, q in both:
        found = found.max(abs((p / q).log()))
    return found
