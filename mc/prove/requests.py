"""Symbolic requests: parameters are unknown numbers, and each test of the family opens a path for each answer.

What a request declares is true of its mechanism: the least charge that a theorem needs is at most each of the bounds
that follow from what the code read.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import filterproof.theory.pairs as pairs
from filterproof.mc.prove.logarithms import hazard_bounds
from filterproof.mc.prove.paths import MAX_DOUBLE, Atom, NotTraced, Path, Raised, Value
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.values import Array, Number, RuleFunction, constant_of
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.base import ITSELF

#: Declared numbers above this are traced by themselves, since their products may overflow.
HUGE = Fraction(2) ** 80

#: family -> parameter -> its largest value; all are at least 0, those of POSITIVE above.
FAMILIES: dict[str, dict[str, Fraction | None]] = {
    "Gaussian": {"mu": None},
    "RandomizedResponse": {"epsilon": None},
    "Erasure": {"p": Fraction(1)},
    "KOV": {"epsilon": None, "delta": Fraction(1)},
    "Laplace": {"b": None},
    "FinitePair": {}, "BoundedRange": {}, "DiscreteGaussian": {}, "DiscreteLaplace": {}, "SubsampledGaussian": {},
}  # fmt: skip
POSITIVE = frozenset({"Gaussian.mu", "Laplace.b"})
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
DIVERGENCES = ("renyi", "hockey_stick")
#: Families whose pairs are their own mirror images, and subclasses, which compute no divergence of their own.
SYMMETRIC = frozenset(
    name
    for family in FAMILIES if inspect.getattr_static(getattr(pairs, family), "swapped") is ITSELF
    for name in (family, f"sub:{family}")
)  # fmt: skip
#: The name of a path's choice: whether it took for granted that divergences of many orders rise, and none is NaN.
MANY_ORDERS = "many orders"

PURE_CHARGE, ZCDP_CHARGE, GDP_CHARGE = (
    ("charge", f"charge {name}_charge") for name in ("pure", "zcdp", "gdp")
)

Bounds: TypeAlias = list[list[tuple[Polynomial, bool]]]


class Lacking(Raised):
    """The request has no such attribute."""


@dataclass(eq=False)
class Request:
    """A request of unknown family on one path; `possible` are the classes that it may have."""

    path: Path
    #: "array" where its parameters have one entry for each run, else the kind of number that it declares.
    style: str
    possible: set[str] = field(
        default_factory=lambda: {OTHER} | set(FAMILIES) | {f"sub:{name}" for name in FAMILIES}
    )

    def is_one_of(self, inside: set[str], question: str) -> bool:
        """Whether the request's class is one of `inside`; both answers are taken if both are possible."""
        yes, no = self.possible & inside, self.possible - inside
        answer = bool(self.path.choose(f"class {question}", [True, False])) if yes and no else bool(yes)
        self.possible = yes if answer else no
        return answer

    def is_instance(self, classes: Iterable[Any]) -> bool:
        names: set[str] = set()
        for kind in classes:
            if kind in (DominatingPair, object):
                return True
            if kind is not pairs.PairPerRun:  # a filter receives one mechanism at a time
                names |= {family_name(kind), f"sub:{family_name(kind)}"}
        return self.is_one_of(names, f"in {sorted(names)}")

    def class_is_named(self, text: str) -> bool:
        """Whether type(request).__name__ equals a text."""
        if self.is_one_of({text} & set(FAMILIES), f"exactly {text}"):
            return True
        if self.possible <= set(FAMILIES) or not self.path.choose(f"name {text}", [True, False]):
            return False
        self.possible -= set(FAMILIES)
        return True

    def attribute(self, name: str, swapped: bool = False) -> Any:
        """What the request declares, or a parameter of its family."""
        if name in DIVERGENCES:
            return RuleFunction(lambda point: self._divergence(name, point, swapped), name)
        if swapped:
            raise NotTraced(f"request.swapped.{name} has no rule")
        if name == "swapped":
            return SwappedRequest(self)
        if name == "shape":
            runs = next(n for n, atom in enumerate(self.path.atoms) if atom.kind == "runs")
            return (Number("int", Polynomial.atom(runs)),) if self.style == "array" else ()
        if name in DECLARED:
            return self._array_or_number(self._declared(name, DECLARED[name]), name)
        families = {family for family, own in FAMILIES.items() if name in own}
        if not families:
            raise NotTraced(f"request.{name} has no rule")
        if not self.is_one_of(families | {f"sub:{h}" for h in families}, f"has {name}"):
            if not all(
                family in FAMILIES and not _family_has_attribute(family, name) for family in self.possible
            ):
                raise NotTraced(
                    f"request.{name} is read before the family is known, or of one without a rule"
                )
            raise Lacking
        for family in sorted(families):
            if self.is_one_of({family, f"sub:{family}"}, f"in {[family, f'sub:{family}']}"):
                own = f"{family}.{name}"
                return self._array_or_number(self._number("parameter", own, FAMILIES[family][name]), own)
        raise Raised

    def _divergence(self, name: str, point: Any, swapped: bool) -> Array:
        """Return a declared divergence at one Rényi order or epsilon, in one direction."""
        at = constant_of(point)
        if at is None or isinstance(at, bool) or not math.isfinite(at):
            raise NotTraced(f"request.{name} at an order that is not known has no rule")
        way = "both " if self.possible <= SYMMETRIC else "swapped " * swapped
        words = f"{way}{name} {Fraction(at)}"
        return self._array_or_number(self._declared(words, None if name == "renyi" else Fraction(1)))

    def charge(self, rule: str) -> Value:
        """What a charge rule of the library charges it: at least what is true."""
        if self.path.choose(f"charge {rule}", ["finite", "infinite"]) == "infinite":
            return math.inf
        return self.path.intern_atom(Atom("charge", f"charge {rule}", low=Fraction(0), units=0))

    def _declared(self, name: str, high: Fraction | None) -> Value:
        options = ["finite", "huge", "infinite", "undefined"] if high is None else ["finite", "undefined"]
        if "renyi" in name:
            options = self._divergence_options(name)
        chosen = self.path.choose(name, options)
        if chosen == "undefined":
            if not self.is_one_of({p for p in self.possible if p not in FAMILIES}, "of a stranger"):
                raise Raised
            return math.nan
        return math.inf if chosen == "infinite" else self._number("declared", name, high)

    def _divergence_options(self, name: str) -> list[str]:
        """Return what a Rényi divergence may be ("finite", "infinite", ...), given those of other orders."""
        way, order = name.split()[:-1], Fraction(name.split()[-1])
        others = {
            Fraction(n.split()[-1]): chosen
            for n, chosen in self.path.choices.items()
            if n.split()[:-1] == way
        }
        if len(others) < 2:
            return ["finite", "infinite", "undefined"]
        self.path.choices[MANY_ORDERS] = True
        if any(chosen == "infinite" and other <= order for other, chosen in others.items()):
            return ["infinite"]
        if any(chosen == "finite" and other >= order for other, chosen in others.items()):
            return ["finite"]
        return ["finite", "infinite"]

    def _number(self, kind: Any, name: str, high: Fraction | None) -> Polynomial:
        low, huge = Fraction(0), False
        if high is None:
            question = name if kind == "declared" else f"{name} is"
            huge = self.path.choose(question, ["finite", "huge"]) == "huge"
            low = HUGE if huge else low
            high = MAX_DOUBLE if huge or "renyi" in name else HUGE
        number = self.path.intern_atom(Atom(kind, name, (), False, low, high))
        if name in POSITIVE and not huge and (number, True) not in self.path.assumed:
            self.path.assume(number, True)
        return number

    def _array_or_number(self, value: Value, name: str = "") -> Array:
        """Return a declared value as an array with one entry for each run, or as a number."""
        kind = self.style
        if kind == "array":
            kind = "float"
            if name not in MIXED or self.path.choose(f"{name} stays", ["array", "float"]) == "array":
                return Array("f8", True, (), [value], writable=False)
        return Number(kind, value)


@dataclass(eq=False, frozen=True)
class SwappedRequest:
    """The value of request.swapped, whose divergences the code may read."""

    request: Request

    def attribute(self, name: str) -> Any:
        return self.request.attribute(name, swapped=True)


@dataclass(eq=False, frozen=True)
class ClassOf:
    """The value of type(request), or of its __name__ if `is_name`."""

    request: Request
    is_name: bool = False

    def attribute(self, name: str) -> ClassOf:
        if name != "__name__" or self.is_name:
            raise NotTraced(f"type(request).{name} has no rule")
        return ClassOf(self.request, True)

    @property
    def known(self) -> Any:
        """The class or its name, where the path has decided it; else this value."""
        possible, choices = self.request.possible, self.request.path.choices
        if len(possible) == 1 and (family := next(iter(possible))) in FAMILIES:
            return family if self.is_name else getattr(pairs, family)
        chosen = [
            name.removeprefix("name ")
            for name, true in choices.items()
            if name[:5] == "name " and true is True
        ]
        return chosen[0] if chosen and self.is_name else self

    def matches(self, other: Any) -> bool:
        """Whether the class is `other`, or its name is the text `other`."""
        if not self.is_name:
            name = family_name(other)
            return self.request.is_one_of({name}, f"exactly {name}")
        if not isinstance(other, str):
            raise NotTraced("the name of a class is compared with what is no text")
        return self.request.class_is_named(other)


def _family_has_attribute(family: str, name: str) -> bool:
    """Whether every pair of a library family has an attribute of this name."""
    kind = getattr(pairs, family)
    return hasattr(kind, name) or name in inspect.signature(kind).parameters


def family_name(kind: Any) -> str:
    """Return the name of a library family's class; raise NotTraced for any other class."""
    name = getattr(kind, "__name__", "")
    if name not in FAMILIES or getattr(pairs, name) is not kind:
        raise NotTraced(f"the class {name or kind!r} is no family of mechanisms that the prover knows")
    return str(name)


def charge_upper_bound_cases(path: Path, measure: str, alpha: Fraction | None = None) -> Bounds:
    """Return inequalities that bound the request's least charge from above: one list for each case.

    Parameters
    ----------
    path
        A path after the code ran on a request.
    measure
        "pure" (epsilon), "zcdp" (rho), "gdp" (mu^2) or "renyi" (the divergence at `alpha`, both ways); "epsilon" and
        "delta" of an (epsilon, delta)-DP mechanism are bounded together, and so are "kept" and "lost".
    """
    truth = path.intern_atom(Atom("truth", measure, (), False, Fraction(0)))
    known = {
        (a.kind, a.name): Polynomial.atom(n)
        for n, a in enumerate(path.atoms)
        if a.kind in ("declared", "parameter", "charge")
    }

    def known_values(*names: tuple[Any, str]) -> list[Polynomial]:
        """Return the atoms of those (kind, name) pairs that the traced code has read."""
        return [known[name] for name in names if name in known]

    pure = known_values(
        ("declared", "pure_epsilon"), PURE_CHARGE, ("parameter", "RandomizedResponse.epsilon")
    )
    scales = known_values(("parameter", "Laplace.b"))
    for place, atom in enumerate(path.atoms):  # epsilon is 1 / b: the code may have computed c / b
        if atom.kind == "quotient" and atom.of[1] in scales and (top := atom.of[0].value):
            pure.append(Polynomial.atom(place) * (1 / top))
    squares = [mu * mu for mu in known_values(("declared", "gdp_mu"), ("parameter", "Gaussian.mu"))]
    squares += known_values(GDP_CHARGE)
    unit = Polynomial.constant(1)
    if measure == "hazard":
        return [
            hazard_bounds(path, truth, *case)
            for case in _epsilon_delta_bound_cases(truth, known, pure, False)
        ]
    if measure in ("epsilon", "delta"):
        return _epsilon_delta_bound_cases(truth, known, pure, measure == "epsilon")
    if measure in ("kept", "lost"):
        if pair := _epsilon_delta_bound_cases(truth, known, [], measure == "kept"):
            epsilon = known.get(("parameter", "KOV.epsilon"))
            if measure == "kept" and epsilon is not None and ("parameter", "KOV.delta") in known:
                pair[0].append((epsilon * epsilon * ((alpha or Fraction(0)) / 2) - truth, False))
            return pair
        if measure == "lost":
            return [[(-truth, False)]] if charge_upper_bound_cases(path, "zcdp") else []
        measure = "renyi"
    if measure == "pure":
        bounds = [e - truth for e in pure] + [unit - b * truth for b in scales]
    elif measure == "gdp":
        bounds = [square - truth for square in squares]
    else:
        half = (alpha or Fraction(1)) / 2 if measure == "renyi" else Fraction(1, 2)
        bounds = [square * half - truth for square in (*squares, *(e * e for e in pure))]
        bounds += [rho * (2 * half) - truth for rho in known_values(("declared", "zcdp_rho"), ZCDP_CHARGE)]
        bounds += [unit * half - b * b * truth for b in scales]
    if measure != "renyi":
        return [[(b, False) for b in bounds]] if bounds else []
    shared = [(b, False) for b in (*bounds, *(e - truth for e in pure))]
    both: dict[bool, list[tuple[Polynomial, bool]]] = {False: [], True: []}
    for (kind, name), number in known.items():
        words = name.split()
        if name.startswith("charge renyi") and Fraction(name[name.index("(") + 1 : -1]) >= (alpha or 1):
            shared.append((number - truth, False))
        if kind == "declared" and "renyi" in words and alpha is not None and Fraction(words[-1]) >= alpha:
            (shared if words[0] == "both" else both[words[0] == "swapped"]).append((number - truth, False))
    # the divergence is the larger of both ways: in each case one of them bounds it
    if both[False] and both[True]:
        return [shared + both[False], shared + both[True]]
    return [shared] if shared else []


def _epsilon_delta_bound_cases(
    truth: Polynomial, known: dict[tuple[Any, str], Polynomial], pure: list[Polynomial], of_epsilon: bool
) -> Bounds:
    """Return upper bounds on epsilon, or on delta, of an (epsilon, delta)-DP request, case by case."""
    nothing = Polynomial({})
    kov = [known.get(("parameter", f"KOV.{name}")) for name in ("epsilon", "delta")]
    hockey_sticks = [
        (Fraction(name.split()[-1]), n) for (_, name), n in known.items() if "hockey_stick" in name
    ]
    is_symmetric = any(name.startswith("both hockey_stick") for _, name in known)
    if kov[0] is not None and kov[1] is not None:
        choices = [(kov[0], kov[1])]
    elif (p := known.get(("parameter", "Erasure.p"))) is not None:
        choices = [(nothing, p)]
    elif pure:
        choices = [(pure[0], nothing)]
    elif (is_symmetric and len(hockey_sticks) == 1) or (
        len(hockey_sticks) == 2 and hockey_sticks[0][0] == hockey_sticks[1][0]
    ):
        # one epsilon, both ways: the larger counts
        # below 0 a hockey-stick is larger than at 0
        choices = [(Polynomial.constant(max(at, Fraction(0))), number) for at, number in hockey_sticks]
    else:
        return []
    return [[(choice[not of_epsilon] - truth, False)] for choice in choices]
