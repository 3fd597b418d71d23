"""Rocq as text: what the statements of its sources unfold to, and the values of its terms in balls.

By it the tests compare the Rocq form of a claim's formula with its text, at points of the formula's box.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import product

from flint import arb, ctx

from theory.claims.formula import compile_formula
from theory.claims.notations import Formula
from theory.kernel.record import sources
from theory.kernel.statement import KernelTheorem
from theory.numerics.exact import rational

#: Shares of each side of the box at which notations are compared: ends and uneven points inside.
_SHARES = (Fraction(0), Fraction(2, 7), Fraction(5, 8), Fraction(1))
_MOST_POINTS = 64


def statement_in(text: str, name: str) -> str:
    """The statement of a theorem in a source, white space joined; ValueError if it is not there exactly once."""
    found = re.findall(
        rf"^(?:Theorem|Lemma|Corollary|Example)\s+({name}\b.*?)\.\s*^Proof\b", text, re.MULTILINE | re.DOTALL
    )
    if len(found) != 1:
        raise ValueError(f"name must be a theorem stated once in the source, got {name!r} {len(found)} times")
    return " ".join(found[0].split())


def unfolded(theorem: KernelTheorem) -> dict[str, str]:
    """A statement by its name, then every definition that it speaks of, and those that they speak of, as in the source.

    A name means what its own file defines, or else the last file that it imports.
    """
    texts = sources()
    found = {file: _definitions(text) for file, text in texts.items()}
    name, own = theorem.name, f"{theorem.module}.v"
    told = {name: statement_in(texts[own], name)}
    waiting, done = [(own, told[name])], {(own, name)}
    while waiting:
        file, text = waiting.pop()
        imports = re.findall(r"^From Filterproof Require Import ([\w\s]+)\.", texts[file], re.MULTILINE)
        seen = [file, *(f"{one}.v" for line in reversed(imports) for one in reversed(line.split()))]
        for word in re.findall(r"[A-Za-z_][\w']*", text):
            home = next((at for at in seen if word in found.get(at, {})), None)
            if home is None or (home, word) in done:
                continue
            done.add((home, word))
            told[word if word not in told else f"{home}: {word}"] = found[home][word]
            waiting.append((home, found[home][word]))
    return told


def _definitions(text: str) -> dict[str, str]:
    kinds = "Definition|Fixpoint|Record|Inductive"
    parts = re.finditer(rf"^(?:{kinds})\s+([\w']+).*?\.(?=\s)", text, re.MULTILINE | re.DOTALL)
    return {part[1]: " ".join(part[0].split()) for part in parts}


def points(formula: Formula) -> Iterator[dict[str, Fraction]]:
    """Points of the box at which every variable varies, the first and the last corner among them."""
    axes = [[low + (high - low) * share for share in _SHARES] for low, high in formula.box.values()]
    found = list(product(*axes))
    # an odd step has no factor in common with the four shares, so that every variable varies
    step = max(1, len(found) // _MOST_POINTS) | 1
    for values in [*found[::step], found[-1]]:
        yield dict(zip(formula.box, values, strict=True))


def ball(formula: Formula, point: Mapping[str, Fraction], precision: int = 128) -> arb:
    """The value at a point, enclosed."""
    with ctx.workprec(precision):
        return compile_formula(formula.text)({name: arb(rational(x)) for name, x in point.items()})


def in_rocq(formula: Formula, point: Mapping[str, Fraction], definitions: Iterable[str] = ()) -> arb:
    """The value of the Rocq form at a point, enclosed; `definitions` are those of Rocq that it may apply."""
    with ctx.workprec(128):
        values = {name: arb(rational(x)) for name, x in point.items()}
        values |= {theirs: compile_formula(ours)(values) for theirs, ours in formula.names.items()}
    text = formula.rocq
    for theirs in (
        name for name in formula.names if " " in name
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
