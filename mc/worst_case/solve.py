"""The worst adversary against a filter's own code."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import flint

from filters.base import PrivacyFilter
from mc.worst_case.balls import BITS, Side, ball, down, fraction, up
from mc.worst_case.enclosure import Enclosure, Laws, enclose, enclose_watched
from mc.worst_case.exact import ExactGame
from mc.worst_case.lattice_law import LatticeLaw, common_step, level, level_law
from mc.worst_case.log_ratio import Epsilon, LogRatio, check_epsilon
from mc.worst_case.outcomes import Direction, Outcome, exact_outcomes
from mc.worst_case.result import WorstCase
from mc.worst_case.rounded_law import lower_law, upper_law
from mc.worst_case.spend_grid import SpendGrid
from mc.worst_case.tails import tails
from theory.arguments import check_at_least_zero, check_count, check_positive
from theory.evidence import Evidence
from theory.pairs import DominatingPair

__all__ = ["OnDenial", "worst_case"]

OnDenial = Literal["halt", "retry"]


def worst_case(
    filt: PrivacyFilter,
    menu: DominatingPair | Sequence[DominatingPair],
    *,
    epsilon: Epsilon,
    rounds: int | None = None,
    direction: Direction | Literal["both"] = "both",
    on_denial: OnDenial = "halt",
    min_charge: float = 0.0,
    evidence: Evidence | None = None,
    max_positions: int = 30_000_000,
    step: float | None = None,
    spend_steps: int | None = None,
) -> WorstCase:
    """sup over adaptive adversaries of H_{e^epsilon} between the laws of the released transcript.

    The adversary asks for members of `menu` (each of shape (), at a charge `zcdp_rho` of min_charge or more)
    for at most `rounds` rounds (None: until the filter ends the game). Solved by

        V(state, L) = max((1 - e^{epsilon - L})_+, max over admitted m of E_{P_m} V(state after m, L + loss)),

    on the states that `filt.start`, `admits`, `spend` and `observe` bring about; the supremum is V(start, 0).
    epsilon is in nats; LogRatio(Fraction(9, 4)) keeps e^epsilon exact. direction "PQ" draws outputs from P,
    "QP" from Q (the filter is shown log dP/dQ in both), "both" takes the worse. Being denied tells an
    adversary nothing that it cannot work out, and going on never hurts it, so the value is the same whether a
    denied run halts or may ask again; `on_denial` is recorded in the scope.

    evidence EXACT asks for rational arithmetic (pairs with rational masses, epsilon a LogRatio);
    CERTIFIED for an enclosure; None takes the strongest available. Losses that lie on no lattice are rounded
    to multiples of `step`, once against and once for the adversary; the enclosure narrows with step^2, or
    with step where a loss off the lattice has a mass of its own. Left out, step is about a 40th of the least
    sqrt(D_2) of the menu, for a Gaussian its mu. `spend_steps` rounds the sum that an additive filter keeps to
    that many steps of its budget, against and for the adversary: for charges of which no two sums are equal.
    Raises ValueError when the game needs more than `max_positions` positions, or evidence is out of reach.
    Source: Bellman's recursion; L is a sufficient statistic for the hockey-stick divergence.
    """
    epsilon = check_epsilon(epsilon)
    requests = _checked_menu(menu, float(check_at_least_zero("min_charge", min_charge)))
    if rounds is not None:
        rounds = check_count("rounds", rounds)
    if on_denial not in ("halt", "retry"):
        raise ValueError(
            f"on_denial must be 'halt' or 'retry', got on_denial={on_denial!r}; pass one of them"
        )
    if evidence not in (None, Evidence.EXACT, Evidence.CERTIFIED):
        raise ValueError(f"evidence must be EXACT, CERTIFIED or None, got evidence={evidence!r}; pass None")
    if direction not in ("PQ", "QP", "both"):
        raise ValueError(f"direction must be PQ, QP or both, got direction={direction!r}; pass one of them")
    directions: tuple[Direction, ...] = ("PQ", "QP") if direction == "both" else (direction,)
    if direction == "both" and not filt.looks_at_losses and all(pair.swapped == pair for pair in requests):
        directions = ("PQ",)  # nothing tells the two worlds apart
    scope = _scope(requests, rounds, direction, on_denial, min_charge)
    solved = [
        _solve(filt, requests, epsilon, rounds, towards, evidence, max_positions, step, spend_steps, scope)
        for towards in directions
    ]
    worst = max(solved, key=lambda result: result.high)
    return replace(worst, low=max(result.low for result in solved))


def _solve(
    filt: PrivacyFilter,
    menu: tuple[DominatingPair, ...],
    epsilon: Epsilon,
    rounds: int | None,
    direction: Direction,
    evidence: Evidence | None,
    max_positions: int,
    step: float | None,
    spend_steps: int | None,
    scope: str,
) -> WorstCase:
    rational = [row for pair in menu if (row := exact_outcomes(pair, direction)) is not None]
    if len(rational) == len(menu) and evidence is not Evidence.CERTIFIED and spend_steps is None:
        return _solve_rational(
            filt, menu, tuple(rational), epsilon, rounds, direction, evidence, max_positions, scope
        )
    if evidence is Evidence.EXACT:
        raise ValueError(
            "evidence EXACT needs a menu of pairs with rational masses, got "
            f"{next(pair for pair in menu if exact_outcomes(pair, direction) is None)!r}; "
            "use RandomizedResponse.from_ratio, say"
        )
    enclosed = _enclose(filt, menu, epsilon, rounds, direction, max_positions, step, spend_steps)
    return WorstCase(
        epsilon=epsilon,
        value=None,
        low=enclosed.low,
        high=enclosed.high,
        evidence=Evidence.CERTIFIED,
        direction=direction,
        strategy=enclosed.strategy,
        rounds=enclosed.rounds,
        positions=enclosed.positions,
        scope=scope,
    )


def _solve_rational(
    filt: PrivacyFilter,
    menu: tuple[DominatingPair, ...],
    outcomes: tuple[tuple[Outcome, ...], ...],
    epsilon: Epsilon,
    rounds: int | None,
    direction: Direction,
    evidence: Evidence | None,
    max_positions: int,
    scope: str,
) -> WorstCase:
    value: Fraction | None = None
    if not isinstance(epsilon, LogRatio) and evidence is Evidence.EXACT:
        raise ValueError(f"epsilon must be a LogRatio for EXACT evidence, got epsilon={epsilon!r}")
    game = ExactGame.between(filt, menu, outcomes, rounds=rounds, max_positions=max_positions)
    if isinstance(epsilon, LogRatio):
        value, strategy = game.solve(epsilon.ratio)
        low = high = value
    else:
        # V falls as e^epsilon grows: rationals on either side of e^epsilon enclose it
        with flint.ctx.workprec(BITS):
            growth = ball(epsilon).exp()
            below, above = fraction(growth.lower()), fraction(growth.upper())
        low, strategy = game.solve(above)
        high, _ = game.solve(below)
    return WorstCase(
        epsilon=epsilon,
        value=value,
        low=down(low),
        high=up(high),
        evidence=Evidence.CERTIFIED if value is None else Evidence.EXACT,
        direction=direction,
        strategy=strategy,
        rounds=game.rounds,
        positions=game.positions,
        scope=scope,
    )


def _enclose(
    filt: PrivacyFilter,
    menu: tuple[DominatingPair, ...],
    epsilon: Epsilon,
    rounds: int | None,
    direction: Direction,
    max_positions: int,
    step: float | None,
    spend_steps: int | None,
) -> Enclosure:
    grid = None if spend_steps is None else SpendGrid.of(filt, spend_steps)
    levels = [known for pair in menu if (known := level(pair)) is not None]
    lattice = common_step(levels) if len(levels) == len(menu) else None
    if lattice is None and not filt.looks_at_losses:
        games = _round(menu, step, direction)
        return enclose(
            filt,
            menu,
            games,
            epsilon,
            direction=direction,
            rounds=rounds,
            max_positions=max_positions,
            grid=grid,
        )
    if lattice is None:
        raise ValueError(
            "menu must hold randomised responses at multiples of one step for a filter that looks at losses, "
            f"got {_names(menu)}; pass levels k * step for a common step"
        )
    units, least, most = lattice

    def rounded(step: Fraction, side: Side) -> Laws:
        rows = zip(units, levels, strict=True)
        return Laws(tuple(level_law(k, known.delta, step, side) for k, known in rows), step, side)

    single = least == most and grid is None
    games = [rounded(least, "near")] if single else [rounded(least, "low"), rounded(most, "high")]
    if filt.looks_at_losses:
        sizes = [float(known.epsilon) for known in levels]
        return enclose_watched(
            filt,
            menu,
            games,
            epsilon,
            sizes=sizes,
            direction=direction,
            rounds=rounds,
            max_positions=max_positions,
        )
    return enclose(
        filt, menu, games, epsilon, direction=direction, rounds=rounds, max_positions=max_positions, grid=grid
    )


def _round(menu: tuple[DominatingPair, ...], step: float | None, direction: Direction) -> list[Laws]:
    """The menu on a lattice that it does not lie on: a game worth less and a game worth more."""
    size = _step(menu) if step is None else Fraction(float(check_positive("step", step)))
    both = [_bounds(pair if direction == "PQ" else pair.swapped, size) for pair in menu]
    return [
        Laws(tuple(lower for lower, _ in both), size, "low"),
        Laws(tuple(upper for _, upper in both), size, "high"),
    ]


def _step(menu: tuple[DominatingPair, ...]) -> Fraction:
    """A 40th of the least root of D_2 (the mu of a Gaussian), or a little less: it divides the least atom."""
    spreads = [float(pair.renyi(2.0)) for pair in menu]
    step = Fraction(min((s for s in spreads if 0 < s < float("inf")), default=1.0) ** 0.5) / 40
    atoms = [abs(loss) for pair in menu for loss, _ in tails(pair).atoms if loss]
    return min(atoms) / math.ceil(min(atoms) / step) if atoms else step


@lru_cache(maxsize=1024)
def _bounds(pair: DominatingPair, step: Fraction) -> tuple[LatticeLaw, LatticeLaw]:
    law = tails(pair)
    return lower_law(law, step), upper_law(law, step)


def _checked_menu(
    menu: DominatingPair | Sequence[DominatingPair], min_charge: float
) -> tuple[DominatingPair, ...]:
    requests = (menu,) if isinstance(menu, DominatingPair) else tuple(menu)
    for pair in requests:
        if not isinstance(pair, DominatingPair) or pair.shape != ():
            raise TypeError(f"menu must hold pairs of shape (), got {pair!r}; pass e.g. Gaussian(mu=1.0)")
    kept = tuple(pair for pair in requests if float(pair.zcdp_rho) >= min_charge)
    if not kept:
        raise ValueError(
            f"menu must hold a pair whose charge zcdp_rho is at least min_charge, got {len(requests)} pairs "
            f"and min_charge={min_charge!r}; pass more pairs or a smaller min_charge"
        )
    return kept


def _scope(
    menu: tuple[DominatingPair, ...],
    rounds: int | None,
    direction: str,
    on_denial: OnDenial,
    min_charge: float,
) -> str:
    limit = "any number of rounds" if rounds is None else f"at most {rounds} rounds"
    least = f", least charge {min_charge:g}" if min_charge > 0 else ""
    which = "both directions" if direction == "both" else f"direction {direction}"
    return (
        f"every adaptive adversary over {_names(menu)}; {limit}{least}; {which}; a denied run may {on_denial}"
    )


def _names(menu: tuple[DominatingPair, ...]) -> str:
    names = ", ".join(_name(pair) for pair in menu[:3])
    return f"{names}, ... ({len(menu)} pairs)" if len(menu) > 3 else names


def _name(pair: DominatingPair) -> str:
    numbers = [getattr(pair, part.name) for part in fields(pair)]  # type: ignore[arg-type]
    shown = [
        f"{number:.6g}" if isinstance(number, float) else str(number)
        for number in numbers
        if number is not None
    ]
    return f"{type(pair).__name__}({', '.join(shown)})"
