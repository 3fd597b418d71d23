"""A formula of a claim, stated once: from its text come LaTeX, the sympy expression and the ball; Rocq has its own.

>>> bound = Formula("exp((alpha - 1) * B)", rocq="exp ((alpha - 1) * B)", alpha=("3/2", "9"), B=("1/8", "2"))
>>> print(bound.latex)
e^{B \\left(\\alpha - 1\\right)}

The text is in the language of `formula.py`. The Rocq form must stand in the statement of the theorem that the kernel
accepted; that it means the same is compared at points of the stated box, in balls, by a reader of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from flint import arb, ctx

from theory.claims.formula import compile_formula, variables
from theory.numerics.exact import rational

if TYPE_CHECKING:
    import sympy as sp

__all__ = ["Formula", "rocq_value"]

#: Shares of each side of the box at which notations are compared: ends and uneven points inside.
_SHARES = (Fraction(0), Fraction(2, 7), Fraction(5, 8), Fraction(1))
_MOST_POINTS = 64
#: The box of a formula, side by side, where it gives no other.
_USUAL = {
    **dict.fromkeys(("c", "mu"), ("1/8", "3")),
    **dict.fromkeys(("epsilon", "sigma"), ("1/4", "4")),
    **dict.fromkeys(("B", "Delta", "H", "S"), ("1/16", "2")),
    **dict.fromkeys(("d", "kappa", "q", "r", "rho"), ("1/64", "1/2")),
    **{
        "alpha": ("3/2", "9"),
        "delta": ("1/1024", "1/4"),
        "l": ("1", "12"),
        "m": ("1", "9"),
        "t": ("1/2", "8"),
    },
}
#: What sympy prints, and what the project shows.
_SHOWN = (
    (r"\operatorname{tail}", r"\overline{\Phi}"),
    (r"\operatorname{quantile}", r"\overline{\Phi}^{-1}"),
    (r"\epsilon", r"\varepsilon"),
)


@dataclass(frozen=True, init=False)
class Formula:
    """A formula of a claim: its text, the same in Rocq ('' where no kernel theorem states it), and a box of points.

    `names` maps names of the Rocq form to formulas in the variables of the text, where they differ. The box gives
    each variable's range, corners exact, as texts such as "1/8", or leaves it what is usual for that letter. Raises
    ValueError where the box does not name the variables of the text.
    """

    text: str
    rocq: str
    names: Mapping[str, str]
    box: Mapping[str, tuple[Fraction, Fraction]]

    def __init__(
        self, text: str, *, rocq: str = "", names: Mapping[str, str] | None = None, **box: tuple[str, str]
    ) -> None:
        box = {name: _USUAL[name] for name in sorted(variables(text) & _USUAL.keys())} | box
        if set(box) != variables(text):
            raise ValueError(
                f"box must name {', '.join(sorted(variables(text)))}, got {', '.join(sorted(box))}"
            )
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "rocq", rocq)
        object.__setattr__(self, "names", dict(names or {}))
        sides = {name: (Fraction(low), Fraction(high)) for name, (low, high) in box.items()}
        object.__setattr__(self, "box", sides)

    @property
    def sympy(self) -> sp.Expr:
        """The expression, its symbols positive reals where the box is."""
        import sympy as sp

        x = sp.Symbol("x")
        tail = sp.Lambda(x, (1 - sp.erf(x / sp.sqrt(2))) / 2)
        quantile = sp.Lambda(x, sp.sqrt(2) * sp.erfinv(1 - 2 * x))
        return self._read(tail=tail, quantile=quantile)

    @property
    def latex(self) -> str:
        """The formula as it is shown, the normal upper tail as a Phi with a bar."""
        import sympy as sp

        shown = self._read(tail=sp.Function("tail"), quantile=sp.Function("quantile"))
        text: str = sp.latex(shown, ln_notation=False)
        for name, sign in _SHOWN:
            text = text.replace(name, sign)
        return text

    def _read(self, **functions: object) -> sp.Expr:
        import sympy as sp

        known: dict[str, object] = {
            name: sp.Symbol(name, real=True, positive=low > 0 or None) for name, (low, _) in self.box.items()
        }
        return sp.sympify(self.text, locals=known | functions)

    def points(self) -> Iterator[dict[str, Fraction]]:
        """Points of the box at which every variable varies, the first and the last corner among them."""
        axes = [[low + (high - low) * share for share in _SHARES] for low, high in self.box.values()]
        found = list(product(*axes))
        # an odd step has no factor in common with the four shares, so that every variable varies
        step = max(1, len(found) // _MOST_POINTS) | 1
        for values in [*found[::step], found[-1]]:
            yield dict(zip(self.box, values, strict=True))

    def ball(self, point: Mapping[str, Fraction], precision: int = 128) -> arb:
        """The value at a point, enclosed."""
        with ctx.workprec(precision):
            return compile_formula(self.text)({name: arb(rational(x)) for name, x in point.items()})

    def in_rocq(self, point: Mapping[str, Fraction], definitions: Iterable[str] = ()) -> arb:
        """The value of the Rocq form at a point, enclosed; `definitions` are those of Rocq that it may apply."""
        with ctx.workprec(128):
            values = {name: arb(rational(x)) for name, x in point.items()}
            values |= {theirs: compile_formula(ours)(values) for theirs, ours in self.names.items()}
        text = self.rocq
        for theirs in (
            name for name in self.names if " " in name
        ):  # what is applied to no real, as `squares l`
            text = text.replace(theirs, theirs.replace(" ", "_"))
        return rocq_value(text, {name.replace(" ", "_"): x for name, x in values.items()}, definitions)


#: A definition of a real in real parameters.
_DEFINITION = re.compile(r"Definition (\w+)((?: \([\w ]+ : R\))+) : R := (.*)\.")


def rocq_value(
    text: str, values: Mapping[str, arb], definitions: Iterable[str] = (), precision: int = 128
) -> arb:
    """The value of a Rocq term of reals, enclosed: numbers, variables, + - * /, ^ with a number, and functions.

    The functions are exp, ln, sqrt, Rpower, Rabs, INR and Phi, applied as Rocq applies them, and the `definitions`
    whose parameters are reals. Raises ValueError on anything else.
    """
    applicable = {}
    for found in filter(None, map(_DEFINITION.fullmatch, definitions)):
        parameters = [name for group in re.findall(r"\(([\w ]+) : R\)", found[2]) for name in group.split()]
        applicable[found[1]] = (parameters, found[3])
    with ctx.workprec(precision):
        return _read(text, values, applicable)


#: Parameters and body of each definition that a term may apply.
_Known = Mapping[str, tuple[list[str], str]]


def _read(text: str, values: Mapping[str, arb], known: _Known) -> arb:
    reader = _Rocq(text, values, known)
    value = reader.sum()
    reader.end()
    return value


_TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_][\w']*)|([-+*/^()]))")
_ONE: Mapping[str, Callable[[arb], arb]] = {
    "exp": lambda x: x.exp(),
    "ln": lambda x: x.log(),
    "sqrt": lambda x: x.sqrt(),
    "Rabs": abs,
    "INR": lambda x: x,  # a natural number as a real one
    "Phi": lambda x: (-x / arb(2).sqrt()).erfc() / 2,
}


class _Rocq:
    """A reader of terms: application binds closest, then ^, - of one operand, * and /, + and -."""

    def __init__(self, text: str, values: Mapping[str, arb], known: _Known) -> None:
        self.text, self.values, self.known = text, values, known
        self.tokens: list[str] = []
        at = 0
        while at < len(text.rstrip()):
            found = _TOKEN.match(text, at)
            if found is None:
                raise ValueError(f"term must be numbers, names and + - * / ^, got {text[at : at + 20]!r}")
            self.tokens.append(found[0].strip())
            at = found.end()

    def peek(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def take(self) -> str:
        if not self.tokens:
            raise ValueError(f"term must be whole, got {self.text!r}")
        return self.tokens.pop(0)

    def end(self) -> None:
        if self.tokens:
            raise ValueError(f"term must end, got {' '.join(self.tokens)!r} more")

    def sum(self) -> arb:
        value = self.product()
        while self.peek() in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self) -> arb:
        value = self.negated()
        while self.peek() in ("*", "/"):
            value = value * self.negated() if self.take() == "*" else value / self.negated()
        return value

    def negated(self) -> arb:
        if self.peek() == "-":
            self.take()
            return -self.negated()
        if self.peek() == "/":  # the inverse
            self.take()
            return 1 / self.negated()
        return self.power()

    def power(self) -> arb:
        base = self.applied()
        if self.peek() == "^":
            self.take()
            return base ** self.atom()
        return base

    def applied(self) -> arb:
        head = self.peek()
        if head in _ONE:
            self.take()
            return _ONE[head](self.atom())
        if head in self.known and head not in self.values:  # a variable hides a definition
            self.take()
            parameters, body = self.known[head]
            return _read(body, {name: self.atom() for name in parameters}, self.known)
        if head == "Rpower":
            self.take()
            base = self.atom()
            return (self.atom() * base.log()).exp()
        return self.atom()

    def atom(self) -> arb:
        token = self.take()
        if token == "(":
            value = self.sum()
            if self.take() != ")":
                raise ValueError(f"term must close its parentheses, got {self.text!r}")
            return value
        if token.isdigit():
            return arb(int(token))
        if token in self.values:
            return self.values[token]
        raise ValueError(f"term must name variables of the formula, got {token!r} in {self.text!r}")
