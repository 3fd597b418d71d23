"""Running numbers in Rocq: each claim that a number is on the safe side as a lemma that `interval` or `lra` proves.

`python -m tests.filters.certified.running_numbers` writes theory/kernel/generated/RunningNumbers.v: budgets of the
catalogue, and what filters without one budget admit last, at the exact rationals of the doubles.

>>> print(lemma_of("zcdp", Comparisons("RDP filter", "ZCDPFilter(0.5)").at_most("budget", 0.5, "rho", rho=0.5)))
(* RDP filter. ZCDPFilter(0.5): budget *)
Lemma zcdp : 0 <= ((1 / 2) - (1 / 2)).
Proof. lra. Qed.
<BLANKLINE>
"""

import ast
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

from filterproof.filters.catalogue import (
    ApproximateDPFilter,
    ApproximateZCDPFilter,
    BasicFilter,
    GaussianFilter,
    RenyiFilter,
    RogersFilter,
    WhitehouseFilter,
    ZCDPFilter,
)
from filterproof.filters.certified.certify import certify
from filterproof.filters.certified.comparison import Comparison, Comparisons
from filterproof.filters.certified.double_double import exact_limit
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.theory.conversions import BUN_STEINKE, CKS
from filterproof.theory.evidence import Evidence
from filterproof.theory.theorems.theorem import RefusedError

PATH = Path(__file__).parents[3] / "theory/kernel/generated/RunningNumbers.v"

_HEADER = """(* Written by tests/filters/certified/running_numbers.py; do not edit. Each lemma is about the exact \
rationals of the
   doubles that the code compares with: see filters/certified. *)
From Coq Require Import Reals Lra.
From Interval Require Import Tactic.
Open Scope R_scope.

"""
_INTERVAL = "interval with (i_prec 160)"
#: What `interval` knows of the functions of a formula.
_FUNCTIONS = {"exp": "exp", "log": "ln", "sqrt": "sqrt"}
_OPERATORS: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
#: Both sides of what makes x a budget, by the simple conversion, and by that of CKS at the order a.
_SIMPLE = "x + 2*sqrt(x*log(1/delta))", "epsilon"
_CKS = "(a - 1)*(a*x - epsilon) - log(a - 1) + a*log(1 - 1/a)", "log(delta)"

_POINTS = ((1.0, 1e-5), (0.3, 1e-5), (0.5, 1e-5), (0.1, 1e-9), (8.0, 1e-3))
_OTHERS: tuple[FilterBase, ...] = (
    ZCDPFilter(0.5),
    ZCDPFilter(0.1),
    GaussianFilter(0.3),
    RenyiFilter(8.0, 1.0),
    BasicFilter(1.0, 1e-3),
    WhitehouseFilter(1.0, 1e-3),
    WhitehouseFilter(5.0, 1e-3, tail=1e-4, weight=2.0),
    RogersFilter(2.0, 1e-3),
    ApproximateZCDPFilter(0.5, 1e-3),
)
#: Decisions that are written: of these families, from a fresh state.
_WRITTEN = re.compile(
    r": budget$|: last x of (RandomizedResponse|Gaussian|Laplace|KOV|Erasure)\(.*\) admitted, nothing spent$"
)


def in_rocq() -> str:
    """The text of `theory/kernel/generated/RunningNumbers.v`, the same each time."""
    return _HEADER + "\n".join(_lemmas())


def _lemmas() -> Iterator[str]:
    for epsilon, delta in _POINTS:
        for conversion in (BUN_STEINKE, CKS):
            filt = ApproximateDPFilter(epsilon, delta, conversion)
            write, way = (cks_lemma, "cks") if conversion is CKS else (simple_lemma, "simple")
            name = f"approximate_dp_{_word(epsilon)}_{_word(delta)}_{way}"
            yield write(name, f"{filt!r}: budget", exact_limit(filt.budget), epsilon, delta)
    for place, other in enumerate(_OTHERS):
        for number in (one for one in certify(other).numbers if _WRITTEN.search(one.says)):
            budget = number.says.endswith(": budget")
            about = "budget" if budget else number.says.split("last x of ")[1].split(" admitted")[0]
            found = lemma_of(f"{type(other).__name__}_{place}_{_word(about)}", number)
            if found is not None:
                yield found


def _word(thing: object) -> str:
    return re.sub(r"\W+", "_", str(thing)).strip("_")


def lemma_of(name: str, number: Comparison) -> str | None:
    """The lemma that the number is on its safe side; None where its margin is no formula, or Rocq lacks its functions.

    Raises RefusedError where balls do not show it.
    """
    if not isinstance(number.margin, str) or number.value is None or number.side == "=":
        return None
    at = {name: value for name, value in number.at.items() if isinstance(value, Fraction)}
    at["x"] = number.value
    match ast.parse(number.margin, mode="eval").body:
        case ast.Call(func=ast.Name(id="min"), args=several):
            parts = several
        case margin:
            parts = [margin]
    try:
        claims = " /\\ ".join(f"0 <= {_rocq(part, at)}" for part in parts)
    except LookupError:
        return None
    rational = {_is_rational(ast.unparse(part), at) for part in parts} == {True}  # each is tried
    tactic = "lra" if rational else _INTERVAL if len(parts) == 1 else f"first [lra | {_INTERVAL}]"
    return _lemma(name, number.theorem, number.says, claims, "repeat split; " * (len(parts) > 1) + tactic)


def simple_lemma(name: str, says: str, budget: Fraction, epsilon: float, delta: float) -> str:
    """The lemma B + 2 sqrt(B log(1/delta)) <= epsilon, which makes B a budget."""
    at = {"x": budget, "epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    return _compared(name, "B*", says, _SIMPLE, at)


def cks_lemma(name: str, says: str, budget: Fraction, epsilon: float, delta: float) -> str:
    """The lemma that the CKS bound of a budget is at most delta at one order, which is printed as a rational.

    (a-1)(a B - epsilon) - log(a-1) + a log(1 - 1/a) <= log delta, a = 1 + t the order at which the bound is least, to
    40 bits. Raises RefusedError where balls do not show it.
    """
    best = float(CKS.order(float(budget), epsilon))
    order = 1 + Fraction(round(Fraction(best - 1) * 2**40), 2**40)
    at = {"x": budget, "a": order, "epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    return _compared(name, "CKS", f"{says}, at an order near {float(order):.6g}", _CKS, at)


def _compared(name: str, theorem: str, says: str, sides: tuple[str, str], at: Mapping[str, Fraction]) -> str:
    left, right = sides
    _is_rational(f"({right}) - ({left})", at)
    claim = " <= ".join(_rocq(ast.parse(side, mode="eval").body, at) for side in sides)
    return _lemma(name, theorem, says, claim, _INTERVAL)


def _is_rational(formula: str, at: Mapping[str, Fraction]) -> bool:
    """Whether the formula, which is not below zero, is a fraction; RefusedError unless a ball is above zero."""
    number = Comparisons("").by_margin("", at["x"], "<=", formula, slack=None, **at)
    sign, bits = number.sign_and_bits(at["x"])
    if sign is None or sign < (bits > 0):
        raise RefusedError(
            f"{formula} is not seen to be above zero", engine="flint", evidence=Evidence.CERTIFIED
        )
    return bits == 0


def _lemma(name: str, theorem: str, says: str, claim: str, tactic: str) -> str:
    told = f"{theorem}. {says}".replace("(*", "( *").replace("*)", "* )")
    return f"(* {told} *)\nLemma {name} : {claim}.\nProof. {tactic}. Qed.\n"


def _rocq(node: ast.expr, at: Mapping[str, Fraction]) -> str:
    match node:
        case ast.Constant(value=int(n)):
            return str(n)
        case ast.Name(id="pi"):
            return "PI"
        case ast.Name(id=name):
            return f"({at[name].numerator} / {at[name].denominator})"
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"(- {_rocq(operand, at)})"
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int(n))) if n >= 0:
            return f"({_rocq(base, at)} ^ {n})"
        case ast.BinOp(left=left, op=op, right=right):
            return f"({_rocq(left, at)} {_OPERATORS[type(op)]} {_rocq(right, at)})"
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            return f"({_FUNCTIONS[name]} {_rocq(argument, at)})"
    raise LookupError(f"Rocq must have a word for each part of a formula, got {ast.unparse(node)}")


if __name__ == "__main__":
    PATH.write_text(in_rocq(), encoding="utf-8")
