"""Running numbers in Rocq: each claim that a number is on the safe side as a lemma that `interval` or `lra` proves.

>>> half = Fraction(1, 2)
>>> print(lemma("zcdp", "RDP filter", "ZCDPFilter(0.5): budget", ["(rho) - x"], {"rho": half, "x": half}))
(* RDP filter. ZCDPFilter(0.5): budget *)
Lemma zcdp : 0 <= ((1 / 2) - (1 / 2)).
Proof. lra. Qed.
<BLANKLINE>

The values are the exact rationals of the doubles. A text is the same each time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from theory.claims.formula import rational_value, variables
from theory.conversions import CKS
from theory.proofs.engines import certified

__all__ = ["cks_lemma", "lemma", "rocq_text", "simple_lemma"]

_HEADER = """(* Written by tests/filters/certified/running_numbers.py; do not edit. Each lemma is about the exact \
rationals of the
   doubles that the code compares with: see filters/certified. *)
From Coq Require Import Reals Lra.
From Interval Require Import Tactic.
Open Scope R_scope.

"""
#: What `interval` knows of the functions of a formula.
_FUNCTIONS = {"exp": "exp", "log": "ln", "sqrt": "sqrt"}
_BITS = 160
#: Both sides of what makes x a budget, by the simple conversion, and by that of CKS at the order a.
_SIMPLE = "x + 2*sqrt(x*log(1/delta))", "epsilon"
_CKS = "(a - 1)*(a*x - epsilon) - log(a - 1) + a*log(1 - 1/a)", "log(delta)"


def lemma(name: str, theorem: str, says: str, texts: Sequence[str], at: Mapping[str, Fraction]) -> str | None:
    """The lemma that every margin, a formula at a point, is zero or more; None where Rocq lacks one of its functions.

    Raises RefusedError where balls do not show it.
    """
    claims = [_translated(text, at) for text in texts]
    if None in claims:
        return None
    functions = [text for text in texts if rational_value(text, at) is None]
    for text in functions:
        _check(text, at)
    tactic = _interval() if functions else "lra."
    if len(texts) > 1:
        tactic = f"repeat split; {f'first [lra | {tactic[:-1]}].' if functions else tactic}"
    return _lemma(name, theorem, says, " /\\ ".join(f"0 <= {claim}" for claim in claims), tactic)


def simple_lemma(
    name: str, says: str, budget: Fraction, epsilon: float, delta: float, *, checked: bool = True
) -> str:
    """The lemma B + 2 sqrt(B log(1/delta)) <= epsilon, which makes B a budget; `checked` as in `cks_lemma`."""
    at = {"x": budget, "epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    return _compared(name, "B*", says, _SIMPLE, at, checked)


def cks_lemma(
    name: str, says: str, budget: Fraction, epsilon: float, delta: float, *, checked: bool = True
) -> str:
    """The lemma that the CKS bound of a budget is at most delta at one order, which is printed as a rational.

    (a-1)(a B - epsilon) - log(a-1) + a log(1 - 1/a) <= log delta, a = 1 + t the order at which the bound is least, to
    40 bits. Raises RefusedError where balls do not show it, unless `checked` is False: for lemmas that must fail.
    """
    best = float(CKS.order(float(budget), epsilon))
    order = 1 + Fraction(round(Fraction(best - 1) * 2**40), 2**40)
    at = {"x": budget, "a": order, "epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    return _compared(name, "CKS", f"{says}, at an order near {float(order):.6g}", _CKS, at, checked)


def _compared(
    name: str, theorem: str, says: str, sides: tuple[str, str], at: Mapping[str, Fraction], checked: bool
) -> str:
    left, right = sides
    if checked:
        _check(f"({right}) - ({left})", at)
    return _lemma(name, theorem, says, f"{_translated(left, at)} <= {_translated(right, at)}", _interval())


def rocq_text(lemmas: Iterable[str]) -> str:
    """A file of lemmas."""
    return _HEADER + "\n".join(lemmas)


def _check(formula: str, at: Mapping[str, Fraction]) -> None:
    point: dict[str, Any] = {name: (at[name], at[name]) for name in variables(formula)}
    certified(formula, precision=256, **point)()


def _interval() -> str:
    return f"interval with (i_prec {_BITS})."


def _lemma(name: str, theorem: str, says: str, claim: str, tactic: str) -> str:
    told = f"{theorem}. {says}".replace("(*", "( *").replace("*)", "* )")
    return f"(* {told} *)\nLemma {name} : {claim}.\nProof. {tactic} Qed.\n"


def _translated(text: str, at: Mapping[str, Fraction]) -> str | None:
    return _rocq(ast.parse(text, mode="eval").body, at)


def _rocq(node: ast.expr, at: Mapping[str, Fraction]) -> str | None:
    match node:
        case ast.Constant(value=int(n)):
            return str(n)
        case ast.Name(id="pi"):
            return "PI"
        case ast.Name(id=name):
            value = at[name]
            return f"({value.numerator} / {value.denominator})"
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _rocq(operand, at)
            return None if inner is None else f"(- {inner})"
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int(n))) if n >= 0:
            inner = _rocq(base, at)
            return None if inner is None else f"({inner} ^ {n})"
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            one, other = _rocq(left, at), _rocq(right, at)
            return None if one is None or other is None else f"({one} {_OPERATORS[type(op)]} {other})"
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in _FUNCTIONS:
            inner = _rocq(argument, at)
            return None if inner is None else f"({_FUNCTIONS[name]} {inner})"
    return None


_OPERATORS: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
