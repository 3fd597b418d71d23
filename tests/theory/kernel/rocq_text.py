"""Rocq as text: what the statements of its sources unfold to, and the values of its terms in balls.

By it the tests compare the Rocq form of a claim's formula with its text, at points where the formula has a value.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from operator import add, mul, sub, truediv

from flint import arb, ctx

from filterproof.theory.kernel.kernel_theorems import KernelTheorem
from filterproof.theory.kernel.record import rocq_sources
from filterproof.theory.numerics.exact import to_fmpq
from filterproof.theory.theorems.formula import Formula, compile_formula, formula_variables

#: Points at which notations are compared.
_POINTS = 6


def statement_in(text: str, name: str) -> str:
    """The statement of a theorem in a source, white space joined; ValueError if it is not there exactly once."""
    matches = re.findall(
        rf"^(?:Theorem|Lemma|Corollary|Example)\s+({name}\b.*?)\.\s*^Proof\b", text, re.MULTILINE | re.DOTALL
    )
    if len(matches) != 1:
        raise ValueError(
            f"name must be a theorem stated once in the source, got {name!r} {len(matches)} times"
        )
    return " ".join(matches[0].split())


def unfolded(theorem: KernelTheorem) -> dict[str, str]:
    """A statement by its name, then every definition that it speaks of, and those that they speak of, as in the source.

    A name means what its own file defines, or else the last file that it imports.
    """
    texts = rocq_sources()
    definitions = {file: _definitions(text) for file, text in texts.items()}
    name, own = theorem.name, f"{theorem.rocq_module}.v"
    texts_by_name = {name: statement_in(texts[own], name)}
    waiting, done = [(own, texts_by_name[name])], {(own, name)}
    while waiting:
        file, text = waiting.pop()
        imports = re.findall(r"^From Filterproof Require Import ([\w\s]+)\.", texts[file], re.MULTILINE)
        seen = [file, *(f"{module}.v" for line in reversed(imports) for module in reversed(line.split()))]
        for word in re.findall(r"[A-Za-z_][\w']*", text):
            home = next((at for at in seen if word in definitions.get(at, {})), None)
            if home is None or (home, word) in done:
                continue
            done.add((home, word))
            texts_by_name[word if word not in texts_by_name else f"{home}: {word}"] = definitions[home][word]
            waiting.append((home, definitions[home][word]))
    return texts_by_name


def _definitions(text: str) -> dict[str, str]:
    kinds = "Definition|Fixpoint|Record|Inductive"
    parts = re.finditer(rf"^(?:{kinds})\s+([\w']+).*?\.(?=\s)", text, re.MULTILINE | re.DOTALL)
    return {part[1]: " ".join(part[0].split()) for part in parts}


def points(formula: Formula) -> Iterator[dict[str, Fraction]]:
    """Points at which the formula has a value, its variables log-uniform; the same for the same formula."""
    names, drawn, count = sorted(formula_variables(formula.text)), random.Random(formula.text), 0
    for _ in range(1000):
        point = {name: Fraction(2 * round(16 * 2 ** drawn.uniform(-3, 4)) + 1, 32) for name in names}
        if ball(formula, point).is_finite():
            yield point
            count += 1
        if count == (_POINTS if names else 1):
            return


def ball(formula: Formula, point: Mapping[str, Fraction], precision: int = 128) -> arb:
    """The value at a point, enclosed."""
    with ctx.workprec(precision):
        return arb(compile_formula(formula.text)({name: arb(to_fmpq(x)) for name, x in point.items()}))


def in_rocq(formula: Formula, point: Mapping[str, Fraction], definitions: Iterable[str] = ()) -> arb:
    """The value of the Rocq form at a point, enclosed; `definitions` are those of Rocq that it may apply."""
    with ctx.workprec(128):
        values = {name: arb(to_fmpq(x)) for name, x in point.items()}
        values |= {theirs: compile_formula(ours)(values) for theirs, ours in formula.names.items()}
    text = formula.rocq
    for theirs in (
        name for name in formula.names if " " in name
    ):  # what is applied to no real, as `squares l`
        text = text.replace(theirs, theirs.replace(" ", "_"))
    return rocq_value(text, {name.replace(" ", "_"): x for name, x in values.items()}, definitions)


#: A definition of a real in real parameters.
_DEFINITION = re.compile(r"Definition (\w+)((?: \([\w ]+ : R\))+) : R := (.*)\.")
_TOKEN = re.compile(r"\s*(\d+|[A-Za-z_][\w']*|[-+*/^()])")
#: How closely an operator of two operands binds; - and / before one operand bind between * and ^.
_BINARY: Mapping[str, tuple[int, Callable[[arb, arb], arb]]] = {
    "+": (1, add), "-": (1, sub), "*": (2, mul), "/": (2, truediv), "^": (4, pow),
}  # fmt: skip
_PREFIX: Mapping[str, Callable[[arb], arb]] = {"-": lambda x: -x, "/": lambda x: 1 / x}
#: How many operands a function is applied to, and its value; INR is a natural number as a real one.
_FUNCTIONS: Mapping[str, tuple[int, Callable[..., arb]]] = {
    "exp": (1, arb.exp), "ln": (1, arb.log), "sqrt": (1, arb.sqrt), "Rabs": (1, abs), "INR": (1, arb),
    "Phi": (1, lambda x: (-x / arb(2).sqrt()).erfc() / 2),
    "Rpower": (2, lambda base, exponent: (exponent * base.log()).exp()),
}  # fmt: skip


def rocq_value(
    text: str, values: Mapping[str, arb], definitions: Iterable[str] = (), precision: int = 128
) -> arb:
    """The value of a Rocq term of reals, enclosed: numbers, variables, + - * /, ^ with a number, and functions.

    The functions are those of `_FUNCTIONS`, applied as Rocq applies them, and the `definitions` whose parameters are
    reals; a variable hides a definition. Raises ValueError on anything else.
    """
    functions = dict(_FUNCTIONS)
    for match in filter(None, map(_DEFINITION.fullmatch, definitions)):
        names = [name for group in re.findall(r"\(([\w ]+) : R\)", match[2]) for name in group.split()]
        functions.setdefault(match[1], (len(names), partial(_applied, match[3], names, functions)))
    with ctx.workprec(precision):
        return _read(text, values, functions)


_Functions = Mapping[str, tuple[int, Callable[..., arb]]]


def _applied(body: str, names: list[str], functions: _Functions, *given: arb) -> arb:
    return _read(body, dict(zip(names, given, strict=True)), functions)


def _read(text: str, values: Mapping[str, arb], functions: _Functions) -> arb:
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != "".join(text.split()):
        raise ValueError(f"term must be numbers, names and + - * / ^, got {text!r}")

    def take() -> str:
        if not tokens:
            raise ValueError(f"term must be whole, got {text!r}")
        return str(tokens.pop(0))

    def operations(level: int) -> arb:
        """A value joined with those that follow by operators which bind at least so closely."""
        head = tokens[0] if tokens else ""
        if head in _PREFIX:
            value = _PREFIX[take()](operations(3))
        elif head in functions and head not in values:
            count, function = functions[take()]
            value = function(*(atom() for _ in range(count)))
        else:
            value = atom()
        while tokens and tokens[0] in _BINARY and _BINARY[tokens[0]][0] >= level:
            binds, operate = _BINARY[take()]
            value = operate(value, operations(binds + 1))
        return value

    def atom() -> arb:
        token = take()
        if token == "(":
            value = operations(1)
            if take() != ")":
                raise ValueError(f"term must close its parentheses, got {text!r}")
            return value
        if token.isdigit():
            return arb(int(token))
        if token in values:
            return values[token]
        raise ValueError(f"term must name variables of the formula, got {token!r} in {text!r}")

    value = operations(1)
    if tokens:
        raise ValueError(f"term must end, got {' '.join(tokens)!r} more")
    return value
