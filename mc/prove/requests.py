"""Requests whose numbers are not known: of which family they are is asked, and answered every way.

What a request declares is true of its mechanism: the least charge that a theorem needs is at most each of the bounds
that follow from what the code read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import filterproof.theory.pairs as pairs
from filterproof.mc.prove.paths import MAX_DOUBLE, Atom, NotTraced, Path, Raised, Value
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.values import Array, Number, Numeric
from filterproof.theory.pairs import DominatingPair

#: Declared numbers above this are traced by themselves, since their products may overflow.
HUGE = Fraction(2) ** 80

#: family -> parameter -> its largest value; all are at least 0, those of POSITIVE above.
FAMILIES: dict[str, dict[str, Fraction | None]] = {
    "Gaussian": {"mu": None},
    "RandomizedResponse": {"epsilon": None},
    "Erasure": {"p": Fraction(1)},
    "KOV": {"epsilon": None, "delta": Fraction(1)},
    "Laplace": {"b": None},
    "FinitePair": {},
    "BoundedRange": {},
    "DiscreteGaussian": {},
    "DiscreteLaplace": {},
    "SubsampledGaussian": {},
}
POSITIVE = frozenset({"mu", "b"})
#: A class that is no family of the library.
OTHER = "other"
#: Numbers that a pair declares, with their largest value.
DECLARED: dict[str, Fraction | None] = {
    "pure_epsilon": None,
    "zcdp_rho": None,
    "gdp_mu": None,
    "infinite_mass": Fraction(1),
}

#: What may be one number beside arrays of other parameters.
MIXED = frozenset({"infinite_mass", "KOV.epsilon", "KOV.delta"})


@dataclass(eq=False)
class Request:
    """A request on one path. `possible` are the classes that it may have: "Gaussian", "sub:Gaussian", "other"."""

    path: Path
    #: "array" where its parameters have one entry for each run, else the kind of number that it declares.
    style: str
    possible: set[str] = field(
        default_factory=lambda: {OTHER} | set(FAMILIES) | {f"sub:{name}" for name in FAMILIES}
    )

    def restrict(self, inside: set[str], question: str) -> bool:
        """Whether its class is one of `inside`, taken both ways."""
        yes, no = self.possible & inside, self.possible - inside
        if yes and no:
            answer = bool(self.path.choose(f"class {question}", [True, False]))
        else:
            answer = bool(yes)
        self.possible = yes if answer else no
        return answer

    def is_instance(self, classes: Iterable[Any]) -> bool:
        names: set[str] = set()
        for kind in classes:
            if kind in (DominatingPair, object):
                return True
            name = family_name(kind)
            names |= {name, f"sub:{name}"}
        return self.restrict(names, f"in {sorted(names)}")

    def is_exactly(self, kind: Any) -> bool:
        """Whether type(request) is a class."""
        name = family_name(kind)
        return self.restrict({name}, f"exactly {name}")

    def has_name(self, text: str) -> bool:
        """Whether type(request).__name__ is a text."""
        if self.restrict({text} & set(FAMILIES), f"exactly {text}"):
            return True
        if self.possible <= set(FAMILIES):
            return False
        if bool(self.path.choose(f"name {text}", [True, False])):
            self.possible -= set(FAMILIES)
            return True
        return False

    def attribute(self, name: str) -> Numeric:
        """What the request declares, or a parameter of its family."""
        if name in DECLARED:
            return self._wrapped(self._declared(name, DECLARED[name]), name)
        accountants = {family for family, own in FAMILIES.items() if name in own}
        if not accountants:
            raise NotTraced(f"request.{name} has no rule")
        if not self.restrict(accountants | {f"sub:{h}" for h in accountants}, f"has {name}"):
            if self.possible & {OTHER}:
                raise NotTraced(f"request.{name} is read before the family is known")
            raise Raised
        for family in sorted(accountants):
            if self.restrict({family, f"sub:{family}"}, f"in {[family, f'sub:{family}']}"):
                own = f"{family}.{name}"
                return self._wrapped(self._number("parameter", own, FAMILIES[family][name]), own)
        raise Raised

    def renyi(self, alpha: Fraction, swapped: bool) -> Numeric:
        """The Rényi divergence that it declares at one order, in one direction."""
        return self._wrapped(self._declared(f"{'swapped ' * swapped}renyi {alpha}", None))

    def hockey_stick(self, epsilon: Fraction, swapped: bool) -> Numeric:
        return self._wrapped(self._declared(f"{'swapped ' * swapped}hockey_stick {epsilon}", Fraction(1)))

    def _declared(self, name: str, high: Fraction | None) -> Value:
        options = ["finite", "huge", "infinite", "undefined"] if high is None else ["finite", "undefined"]
        if "renyi" in name:
            options.remove("huge")  # there may be many of them
        chosen = self.path.choose(name, options)
        if chosen == "undefined":
            if not self.restrict({p for p in self.possible if p not in FAMILIES}, "of a stranger"):
                raise Raised
            return math.nan
        return math.inf if chosen == "infinite" else self._number("declared", name, high)

    def _number(self, kind: Any, name: str, high: Fraction | None) -> Polynomial:
        huge = False
        if high is None:
            if kind == "parameter":
                huge = self.path.choose(f"{name} is", ["finite", "huge"]) == "huge"
            else:
                huge = self.path.choices[name] == "huge"
            low, high = (HUGE, MAX_DOUBLE) if huge else (Fraction(0), HUGE)
            if "renyi" in name:
                high = MAX_DOUBLE
        else:
            low = Fraction(0)
        number = self.path.new(Atom(kind, name, (), False, low, high))
        if name.rpartition(".")[2] in POSITIVE and kind == "parameter" and not huge:
            fact = (number, True)
            if fact not in self.path.assumed:
                self.path.assume(*fact)
        return number

    def _wrapped(self, value: Value, name: str = "") -> Numeric:
        if self.style == "array":
            if name in MIXED and self.path.choose(f"{name} stays", ["array", "float"]) == "float":
                return Number("float", value)
            return Array("f8", True, (), [value], writable=False)
        return Number(self.style, value)


@dataclass(eq=False, frozen=True)
class Swapped:
    """request.swapped, of which the divergences are read."""

    request: Request


@dataclass(eq=False, frozen=True)
class ClassOf:
    """type(request)."""

    request: Request


@dataclass(eq=False, frozen=True)
class NameOf:
    """type(request).__name__."""

    request: Request


def family_name(kind: Any) -> str:
    """The name of a family's class."""
    name = getattr(kind, "__name__", "")
    if name not in FAMILIES or getattr(pairs, name) is not kind:
        raise NotTraced(f"the class {name or kind!r} is no family of mechanisms that the prover knows")
    return str(name)


def charge_bounds(
    path: Path, measure: str, alpha: Fraction | None = None
) -> list[list[tuple[Polynomial, bool]]]:
    """Lists of inequalities of the least charge ("truth" atom) of the request, one list for each case.

    Parameters
    ----------
    path
        A path after the code ran on a request.
    measure
        "pure" (epsilon), "zcdp" (rho), "gdp" (mu^2) or "renyi" (the divergence at `alpha`, both ways); "epsilon" and
        "delta" of an (epsilon, delta)-DP mechanism are bounded together.
    """
    truth = path.new(Atom("truth", measure, (), False, Fraction(0)))
    known: dict[tuple[str, str], Polynomial] = {
        (a.kind, a.name): Polynomial.atom(n)
        for n, a in enumerate(path.atoms)
        if a.kind in ("declared", "parameter")
    }
    epsilon, rho, mu = (known.get(("declared", name)) for name in ("pure_epsilon", "zcdp_rho", "gdp_mu"))
    of_family = ("RandomizedResponse.epsilon", "Gaussian.mu", "Laplace.b")
    response, normal, scale = (known.get(("parameter", name)) for name in of_family)
    pure = [p for p in (epsilon, response) if p is not None]
    if (
        scale is not None
    ):  # epsilon is 1 / b, which the code may have computed: the quotient c / b, divided by c
        for place, atom in enumerate(path.atoms):
            if atom.kind == "quotient" and atom.of[1] == scale and (top := atom.of[0].value):
                pure.append(Polynomial.atom(place) * (1 / top))
    squares = [p for p in (mu, normal) if p is not None]
    if measure in ("epsilon", "delta"):
        return _pair_bounds(truth, known, pure, measure)
    half = Fraction(1, 2)
    bounds: list[Polynomial] = []
    if measure == "pure":
        bounds = [e - truth for e in pure]
        if scale is not None:
            bounds.append(Polynomial.constant(1) - scale * truth)
    elif measure == "gdp":
        bounds = [m * m - truth for m in squares]
    else:
        order = Fraction(1) if measure == "zcdp" else alpha or Fraction(1)
        bounds = [e * e * (half * order) - truth for e in pure]
        bounds += [m * m * (half * order) - truth for m in squares]
        if rho is not None:
            bounds.append(rho * order - truth)
        if scale is not None:
            bounds.append(Polynomial.constant(half * order) - scale * scale * truth)
        if measure == "renyi":
            bounds += [e - truth for e in pure]
    shared = [(b, False) for b in bounds]
    if measure != "renyi":
        return [shared] if shared else []
    both: dict[bool, list[tuple[Polynomial, bool]]] = {False: [], True: []}
    for (kind, name), number in known.items():
        words = name.split()
        if kind == "declared" and "renyi" in words and alpha is not None and Fraction(words[-1]) >= alpha:
            both[words[0] == "swapped"].append((number - truth, False))
    # the divergence is the larger of both ways: in each case one of them bounds it
    if both[False] and both[True]:
        return [shared + both[False], shared + both[True]]
    return [shared] if shared else []


def _pair_bounds(
    truth: Polynomial, known: dict[tuple[str, str], Polynomial], pure: list[Polynomial], measure: str
) -> list[list[tuple[Polynomial, bool]]]:
    """Cases of epsilon, or of the delta beside it, of one request: by its parameters, pure, or at one epsilon."""
    nothing = Polynomial({})
    kov = [known.get(("parameter", f"KOV.{name}")) for name in ("epsilon", "delta")]
    sticks = [(name, number) for (kind, name), number in known.items() if "hockey_stick" in name]
    at = {Fraction(name.split()[-1]) for name, _ in sticks}
    if kov[0] is not None and kov[1] is not None:
        choices = [(kov[0], kov[1])]
    elif (p := known.get(("parameter", "Erasure.p"))) is not None:
        choices = [(nothing, p)]
    elif pure:
        choices = [(pure[0], nothing)]
    elif len(sticks) == 2 and len(at) == 1:  # one epsilon, both ways: the larger counts
        choices = [(Polynomial.constant(min(at)), number) for _, number in sticks]
    else:
        return []
    place = 0 if measure == "epsilon" else 1
    return [[(choice[place] - truth, False)] for choice in choices]
