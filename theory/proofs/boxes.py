"""Branch and bound in ball arithmetic: it shows that a formula is positive on a box."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from flint import arb, ctx, fmpq

from theory.claims.formula import Evaluator, compile_formula, hull, variables
from theory.claims.theorem import RefusedError
from theory.evidence import Evidence
from theory.numerics.exact import rational
from theory.numerics.precision import PRECISION_LOCK

#: The corners of a box, one (low, high) per variable, in the order of the variables.
Box = tuple[tuple[fmpq, fmpq], ...]


def prove_positive(
    formula: str,
    box: Mapping[str, tuple[Fraction, Fraction]],
    *,
    precision: int = 64,
    most_leaves: int = 40_000,
) -> int:
    """Show that formula > 0 on the closed box with rational corners; how many smaller boxes that took.

    A box on which the ball of the formula is not positive at `precision` bits is halved at an exact midpoint.
    Raises RefusedError, with a point where the formula is certainly <= 0 if the search met one, and ValueError for a
    box that does not fit: it names exactly the variables of the formula, at most 10, and each side has low <= high. A
    formula with an undefined part counts as not positive. The global precision is restored on return.
    """
    evaluate = compile_formula(formula)
    names = tuple(box)
    _check(formula, box, precision)
    root: Box = tuple((rational(low), rational(high)) for low, high in box.values())
    leaves = 0
    with PRECISION_LOCK, ctx.workprec(precision):
        # A false claim often fails at a corner, which halving alone would reach last.
        for at in product(*root):
            _refuse_if_negative(formula, names, tuple((x, x) for x in at))
        stack = [(root, 0)]
        while stack:
            corner, depth = stack.pop()
            value = evaluate({n: hull(*side) for n, side in zip(names, corner, strict=True)})
            if value > 0:
                leaves += 1
                continue
            _refuse_if_negative(formula, names, corner)
            if not names or leaves + len(stack) > most_leaves or depth > 200:
                raise _refusal(formula, f"no proof within {most_leaves} boxes at {precision} bits")
            axis = _best_axis(evaluate, names, corner, root)
            low, high = corner[axis]
            middle = (low + high) / 2
            stack += [
                (_replace(corner, axis, (middle, high)), depth + 1),
                (_replace(corner, axis, (low, middle)), depth + 1),
            ]
    return leaves


def _check(formula: str, box: Mapping[str, tuple[Fraction, Fraction]], precision: int) -> None:
    if set(box) != (found := variables(formula)):
        raise ValueError(
            f"box must give a side to each variable of the formula, {', '.join(sorted(found)) or 'none'}, "
            f"got {', '.join(box) or 'none'}; name them all and no other"
        )
    if len(box) > 10:
        raise ValueError(f"box must have at most 10 variables, got {len(box)}; fix some of them")
    for name, (low, high) in box.items():
        if low > high:
            raise ValueError(f"{name} must have low <= high, got [{low}, {high}]; turn the side round")
    if not 2 <= precision <= 1_000_000:
        raise ValueError(f"precision must be from 2 to 1000000 bits, got {precision}; 64 is usual")


def _replace(corner: Box, axis: int, side: tuple[fmpq, fmpq]) -> Box:
    return (*corner[:axis], side, *corner[axis + 1 :])


def _refuse_if_negative(formula: str, names: tuple[str, ...], corner: Box) -> None:
    middle = {n: (low + high) / 2 for n, (low, high) in zip(names, corner, strict=True)}
    value = compile_formula(formula)({n: arb(x) for n, x in middle.items()})
    if value <= 0:
        said = f"the value is {value.str(8, radius=False)} at the point of the witness"
        raise _refusal(formula, said, {n: str(x) for n, x in middle.items()})


def _refusal(formula: str, reason: str, witness: Mapping[str, str] | None = None) -> RefusedError:
    return RefusedError(
        f"{formula} > 0: {reason}", engine="flint", evidence=Evidence.CERTIFIED, witness=witness
    )


def _best_axis(evaluate: Evaluator, names: tuple[str, ...], corner: Box, root: Box) -> int:
    # Halve the side that leaves the narrowest ball. If no ball is finite, halve the side that is longest relative
    # to the root box.
    if len(names) == 1:
        return 0
    widths = []
    for axis, (low, high) in enumerate(corner):
        if low == high:
            widths.append(float("inf"))
            continue
        half = _replace(corner, axis, (low, (low + high) / 2))
        ball = evaluate({n: hull(*side) for n, side in zip(names, half, strict=True)})
        widths.append(float(ball.rad()) if ball.is_finite() else float("inf"))
    if min(widths) < float("inf"):
        return widths.index(min(widths))
    sides = [
        float((high - low) / (top - bottom)) if top > bottom else 0.0
        for (low, high), (bottom, top) in zip(corner, root, strict=True)
    ]
    return sides.index(max(sides))
