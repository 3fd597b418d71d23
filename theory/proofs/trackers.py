"""Trackers of privacy spent: paper 000, Proposition 4.10, and paper 003, Section C.5."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod

import sympy as sp

from theory.evidence import Checked
from theory.proofs.engines import Inequality, Sides, exact, in_kernel, nonnegative, zero
from theory.proofs.expressions import as_written
from theory.proofs.notations import Formula
from theory.proofs.theorem import Step, Theorem
from theory.proofs.trees import Transcript, all_trees, bernoulli, moment, play

__all__ = ["THEOREM"]

step, m, rho = sp.symbols("Delta m rho", positive=True)
waste, before = sp.symbols("waste n", nonnegative=True)


def _closes(sign: int = 1) -> sp.Expr:
    # a request of m Delta - waste beyond a filter closes m of them: what they hold less the request
    return sign * ((before + m) * step - (before * step + (m * step - waste)))


def _restarts(charged: sp.Expr = rho) -> sp.Expr:
    # filter m halts with `waste` left of Delta, and filter m + 1 charges the request that it denied: m Delta plus
    # that charge, minus the spend, which is at most (m-1) Delta, what filter m spent, and the request
    return (m * step + charged) - ((m - 1) * step + (step - waste) + rho)


@as_written
def _squares(total: sp.Expr) -> Sides:
    # GDP: the squares of m filters of size Delta, and the square of the composition's mu
    return m * step**2, total**2


_MENU = (bernoulli("2/3", "1/3"), bernoulli("1/2", "1/3"))
_ORDER = 2


def _charge(request: int) -> Fraction:
    return max(_MENU[request].moment(_ORDER), _MENU[request].swapped.moment(_ORDER))


_SIZE = max(_charge(request) for request in range(len(_MENU)))


def _level(released: tuple[int, ...], first: int) -> int:
    """The value of Algorithm 5's tracker after these rounds, in units of Delta; `first` is its initial value."""
    level, spent = first, Fraction(1)
    for request in released:
        spent *= _charge(request)
        if spent > _SIZE:  # the filter denies this request, and the next filter charges it
            level, spent = level + 1, _charge(request)
    return level


def _games(
    first: int = 1, most: int = 2, restart: Callable[[tuple[int, ...], int], int] = _level
) -> Callable[[], Iterator[Inequality]]:
    """Every strategy that stops before the tracker passes `most`: its moment is at most _SIZE^most.

    `first` is the tracker's initial value; 0 is the value if the unset O_0 is read as zero.
    """

    @cache
    def admits(released: tuple[int, ...], request: int) -> bool:
        return restart((*released, request), first) <= most

    def comparisons() -> Iterator[Inequality]:
        for menu in (_MENU, tuple(pair.swapped for pair in _MENU)):
            for tree in all_trees(len(menu), 3):
                ends: list[Transcript] = list(play(tree, menu, admits))
                yield moment(ends, _ORDER), "<=", _SIZE**most

    return comparisons


def _forgets(released: tuple[int, ...], first: int) -> int:
    """A tracker that restarts without charging the request that made the filter halt."""
    level, spent = first, Fraction(1)
    for request in released:
        spent *= _charge(request)
        if spent > _SIZE:
            level, spent = level + 1, Fraction(1)
    return level


def _needed(charge: Fraction, size: Fraction) -> int:
    """The least number of filters whose sizes add to at least the charge; both are exponentials."""
    needs = 1
    while size**needs < charge:
        needs += 1
    return needs


def _large(short: int = 0) -> Callable[[], Iterator[Inequality]]:
    """Every sequence of four requests against filters of the smaller charge: the larger closes as many as it needs.

    `short` of these are not counted.
    """
    size = min(_charge(request) for request in range(len(_MENU)))

    def comparisons() -> Iterator[Inequality]:
        for sequence in product(range(len(_MENU)), repeat=4):
            level, open_sum, spent = 1, Fraction(1), Fraction(1)
            for request in sequence:
                charge = _charge(request)
                spent *= charge
                if open_sum * charge <= size:
                    open_sum *= charge
                elif charge <= size:
                    level, open_sum = level + 1, charge
                else:  # the open filter counts among those needed where nothing was charged to it
                    level, open_sum = level + _needed(charge, size) - short - (open_sum == 1), size
                yield spent, "<=", size**level

    return comparisons


def _covers(first: int) -> Callable[[], Iterator[Inequality]]:
    """On every sequence of four requests the spend is at most the tracker."""

    def comparisons() -> Iterator[Inequality]:
        for sequence in product(range(len(_MENU)), repeat=4):
            spent = prod((_charge(request) for request in sequence), start=Fraction(1))
            yield spent, "<=", _SIZE ** _level(sequence, first)

    return comparisons


_BLOCKS = Formula("m*Delta", rocq="INR m * D", names={"D": "Delta"}, m=("1", "9"), Delta=("1/8", "2"))
_ROOT = Formula(
    "Delta*sqrt(m)", rocq="sqrt (INR m) * size", names={"size": "Delta"}, m=("1", "9"), Delta=("1/8", "2")
)

THEOREM = Theorem(
    name="trackers",
    title="Trackers: filters restarted",
    source="Feldman & Zrnic, Algorithm 5 and Proposition 4.10; Koskela, Tobaben & Honkela, Section C.5",
    hypotheses="every order alpha > 1; mechanisms with finitely many outcomes, finitely many rounds, a filter of "
    "size Delta restarted each time it would halt, the tracker starting at one Delta; a request of more "
    "than Delta closes as many filters as its charge needs",
    claim="At the m-th restart, m fixed in advance, the transcript is (alpha, m Delta)-RDP; for GDP it is "
    "(Delta sqrt m)-GDP",
    claim_latex=rf"D_\alpha(T_m) \le {_BLOCKS.latex},\qquad \tilde B_m = {_ROOT.latex}",
    formulas=(_BLOCKS, _ROOT),
    uses=("RDP filter", "GDP filter"),
    steps=(
        in_kernel("tracker_renyi"),
        in_kernel("gaussian_tracker"),
        in_kernel("tracker_zcdp", decides=False),
        in_kernel("tracker_promise", decides=False),
        Step(
            "A restart keeps the spend below (m-1) Delta and what the m-th filter holds, if the denied request is "
            "charged to the new one; so m filters spend at most m Delta, by induction on the rounds.",
            nonnegative(_restarts, lambda: (waste,)),
            {
                "the denied request forgotten": nonnegative(
                    lambda: _restarts(sp.Integer(0)), lambda: (waste,)
                ),
            },
            r"m\Delta + \rho - \left((m-1)\Delta + (\Delta - w) + \rho\right) = w \ge 0",
        ),
        Step(
            "A request of m Delta - w closes m filters; the n before it hold at most n Delta.",
            nonnegative(_closes, lambda: (waste,)),
            {"one less": nonnegative(lambda: _closes() - step - waste, lambda: (-step,))},
            r"(n+m)\Delta - \left(n\Delta + (m\Delta - w)\right) = w \ge 0",
        ),
        Step(
            "For GDP read squares: m filters that hold Delta^2 each make Delta sqrt m.",
            zero(lambda: _squares(step * sp.sqrt(m))),
            {"Delta m": zero(lambda: _squares(step * m))},
            r"m\Delta^2 = \left(\Delta\sqrt m\right)^2",
        ),
        Step(
            "On all 16 sequences of four requests from a menu of two the tracker started at Delta covers the spend.",
            exact(_covers(1)),
            {"started at O_0 = 0, which Algorithm 5 reads but never sets": exact(_covers(0))},
            r"\sum_{j\le t}\rho_j \le O_t",
        ),
        Step(
            "And with filters of the smaller charge of the two, on the same 16 sequences.",
            exact(_large()),
            {"the larger closes one less than it needs": exact(_large(1))},
            r"\sum_{j\le t}\rho_j \le O_t,\quad \max_j\rho_j > \Delta",
        ),
        Step(
            "Finite game: all 723 strategies of three rounds that stop before the tracker passes 2 Delta keep the "
            "moment of 2 Delta, both directions, order 2.",
            exact(_games()),
            {
                "a restart that forgets the request": exact(_games(restart=_forgets)),
                "a tracker that starts at 0": exact(_games(first=0)),
            },
            r"e^{(\alpha-1)D_\alpha} \le e^{(\alpha-1)2\Delta}",
            checked=Checked.GAME,
        ),
    ),
)
