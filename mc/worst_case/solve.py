"""The worst-case adversary: the supremum of H_{e^epsilon} over adaptive adversaries, by the filter's own code."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from reprlib import repr as short
from typing import Any, Literal

from filterproof.filters.contract.contract_checks import checked_rule
from filterproof.filters.contract.determinism import check_requests
from filterproof.filters.contract.filter_base import OnDenial
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.evaluate.evaluation import checked_ways
from filterproof.mc.losses.cells import checked_step
from filterproof.mc.losses.log_ratio import Epsilon, check_epsilon
from filterproof.mc.losses.too_large import TooLargeError
from filterproof.mc.worst_case.result import WorstCase
from filterproof.mc.worst_case.worst_case_game import DOUBLES, WorstCaseGame
from filterproof.theory.argument_checks import check_count, check_positive
from filterproof.theory.evidence import Evidence
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.base import Direction
from filterproof.theory.pairs.finite import FinitePair

#: States from which on a width of so much is enough unless another is asked for.
_MANY, _ENOUGH = 20_000, 0.05
#: The step to begin with, in default ones, and the largest one where that has too many losses.
_COARSEST, _LARGEST = 8, 256
#: That of a look at a direction that may be worth less than the other.
_LOOK = 16


def worst_case(
    filt: PrivacyFilter,
    menu: DominatingPair | Sequence[DominatingPair],
    *,
    epsilon: Epsilon,
    rounds: int | None = None,
    direction: Direction | Literal["both"] = "both",
    on_denial: OnDenial = "halt",
    evidence: Evidence | None = None,
    max_positions: int | None = None,
    step: float | None = None,
    relative: float | None = None,
) -> WorstCase:
    """Compute the largest hockey-stick divergence that an adaptive adversary over a menu can reach.

        V(state, L) = max((1 - e^{epsilon - L})_+, max over granted m of E_{P_m} V(state after m, L + loss))

    The result is the supremum V(start, 0). The recursion runs `filt.start`, `admits`, `spend` and `observe`.

    Parameters
    ----------
    filt : PrivacyFilter
        The filter.
    menu : DominatingPair or sequence of DominatingPair
        The requests that the adversary chooses from, each of shape (). Against a filter that observes losses: pairs
        with finitely many outputs, or one Gaussian with a filter of this library.
    epsilon : float or LogRatio
        In nats, >= 0. A `LogRatio` is exact and may be negative.
    rounds : int, optional
        Largest number of rounds. By default the filter ends the game.
    direction : {"both", "PQ", "QP"}
        "PQ" draws outputs from P, "QP" from Q, "both" takes the larger value. The filter observes log dP/dQ in both.
    on_denial : {"halt", "retry"}
        Whether a denied run ends. It changes only the text of the scope, because an adversary can predict denials.
    evidence : Evidence, optional
        EXACT asks for rational arithmetic (pairs with rational masses, epsilon a LogRatio), CERTIFIED for an enclosure.
        By default the strongest that is available.
    max_positions : int, optional
        Limit on pairs of state and loss. The default is 30 million doubles on a lattice (120 million if all requests
        are randomized responses, KOV pairs or erasures on one lattice), and fewer for rational arithmetic.
    step : float, optional
        Width, in nats, to which losses off any lattice are rounded. The default is about sqrt(D_2) / 40 for the
        smallest D_2 of the menu.
    relative : float, optional
        Relative width (high - low) / low that suffices. The solver then starts with larger steps. The default is 0.05
        for 20,000 filter states or more, and otherwise the default step.

    Returns
    -------
    WorstCase
        Bounds on the supremum, the class of adversaries, and a strategy that reaches `low`.

    Raises
    ------
    ValueError
        If an argument is out of range, the game needs more than `max_positions` positions, or the evidence cannot be
        had.
    TypeError
        If the menu contains anything but pairs of shape ().

    Notes
    -----
    The loss L is a sufficient statistic for the hockey-stick divergence, hence Bellman's recursion over (state, L) is
    exact. Losses off a lattice are rounded once for and once against the adversary. The width of the enclosure is of
    order step^2, and of order step where a loss off the lattice has positive mass.

    Examples
    --------
    >>> from fractions import Fraction
    >>> import filterproof as fp
    >>> menu = [fp.RandomizedResponse.from_ratio(Fraction(3))]
    >>> print(fp.worst_case(fp.ZCDPFilter(1.0), menu, epsilon=fp.LogRatio(Fraction(2))).value)
    1/4
    """
    if rounds is not None:
        rounds = check_count("rounds", rounds)
    if max_positions is not None:
        max_positions = check_count("max_positions", max_positions)
    if not isinstance(on_denial, str) or on_denial not in ("halt", "retry"):
        raise ValueError(
            f"on_denial must be 'halt' or 'retry', got on_denial={on_denial!r}; pass one of them"
        )
    if relative is not None:
        relative = float(check_positive("relative", relative))
    asked: dict[str, Any] = {"rounds": rounds, "direction": direction, "evidence": evidence}
    asked["on_denial"] = on_denial
    game, ways = _game(filt, menu, max_positions=max_positions, step=step, **asked)
    check_requests(filt, game.menu[:: max(len(game.menu) // 3, 1)], rounds)
    return _solved(game, check_epsilon(epsilon), ways, evidence, relative)


def solved_case(
    filt: PrivacyFilter,
    menu: DominatingPair | Sequence[DominatingPair],
    *,
    epsilon: Epsilon,
    evidence: Evidence | None = None,
    relative: float | None = None,
    **asked: Any,
) -> WorstCase:
    """`worst_case` of a filter that was checked before; `known=` keeps what was solved."""
    game, ways = _game(filt, menu, evidence=evidence, **asked)
    return _solved(game, check_epsilon(epsilon), ways, evidence, relative)


def worst_cases(
    filt: PrivacyFilter, menu: Sequence[DominatingPair], *, epsilons: Sequence[Epsilon], **asked: Any
) -> list[WorstCase]:
    """`worst_case` at several epsilons, whose games are walked once."""
    game, ways = _game(filt, menu, **asked)
    return [_solved(game, check_epsilon(epsilon), ways) for epsilon in epsilons]


def _game(
    filt: PrivacyFilter,
    menu: DominatingPair | Sequence[DominatingPair],
    *,
    rounds: int | None = None,
    direction: Direction | Literal["both"] = "both",
    on_denial: OnDenial = "halt",
    evidence: Evidence | None = None,
    **limits: Any,
) -> tuple[WorstCaseGame, tuple[Direction, ...]]:
    """The game, and the directions to look in; its limits are `max_positions`, `step` and `known`."""
    checked_rule(filt)
    requests = _checked_menu(menu)
    directions, which = checked_ways(direction, evidence)
    if direction == "both" and not filt.looks_at_losses and all(pair.swapped == pair for pair in requests):
        directions = ("PQ",)  # P and Q play the same part, so both directions have the same value
    names = ", ".join(map(_name, requests[:3])) + (
        f", ... ({len(requests)} pairs)" if len(requests) > 3 else ""
    )
    limit = "any number of rounds" if rounds is None else f"at most {rounds} round{'s' * (rounds != 1)}"
    scope = f"every adaptive adversary over {names}; {limit}; {which}; a denied run may {on_denial}"
    return WorstCaseGame(filt, requests, rounds, scope, **limits), directions


def _solved(
    game: WorstCaseGame,
    epsilon: Epsilon,
    directions: Sequence[Direction],
    evidence: Evidence | None = None,
    relative: float | None = None,
) -> WorstCase:
    """The bounds of all directions, at smaller and smaller steps until their width is `relative`, where it is asked."""
    best: dict[Direction, WorstCase] = {}
    coarsen, refines = 1, evidence is not Evidence.EXACT and game.refines
    if not refines:
        relative = None
    elif relative is None:
        checked_step(game.menu, None, max_positions=game.max_positions or DOUBLES)
        if len(game.graph.child) >= _MANY:
            relative, coarsen = _ENOUGH, _COARSEST
    else:
        coarsen = _coarsest(game.menu, game.max_positions or DOUBLES)
    while True:
        try:
            for direction in directions:
                other = max((one.low for way, one in best.items() if way != direction), default=-1.0)
                if direction in best and best[direction].high <= other:
                    continue
                if refines and relative is None and best:
                    best[direction] = game.solve(epsilon, direction, evidence, coarsen=_LOOK)
                    if best[direction].high <= other:
                        continue
                solved = game.solve(epsilon, direction, evidence, coarsen=coarsen)
                best[direction] = _nearer(best[direction], solved) if direction in best else solved
        except TooLargeError:
            if relative is None or len(best) < len(directions):
                raise  # what was only looked at is no answer at the step that was asked for
            break
        worst = _worst(best.values())
        if relative is None or coarsen == 1 or worst.high - worst.low <= relative * worst.low:
            break
        # the width falls with the square of the step
        missing = (worst.high / worst.low - 1) / relative if worst.low > 0 else math.inf
        coarsen = max(coarsen // (4 if missing > 4 else 2), 1)
    worst = _worst(best.values())
    if relative is None or worst.low <= 0 or worst.high <= worst.low * (1 + 1e-3):
        return worst
    width = worst.high / worst.low - 1
    return replace(
        worst, scope=f"{worst.scope}; losses rounded until the bounds were {width:.2g} of the value apart"
    )


def _coarsest(menu: tuple[DominatingPair, ...], most: int) -> int:
    """The multiple of the default step to begin with: heavy tails may have too many losses at less."""
    coarsen = _COARSEST
    while True:
        try:
            checked_step(menu, None, max_positions=most, coarsen=coarsen)
        except TooLargeError:
            if coarsen >= _LARGEST:
                raise
            coarsen *= 2
        else:
            return coarsen


def _nearer(known: WorstCase, solved: WorstCase) -> WorstCase:
    """Both bounds on one number as one, with the strategy of the larger lower one."""
    return replace(
        max(known, solved, key=lambda result: result.low),
        high=min(known.high, solved.high),
        positions=solved.positions,
    )


def _worst(directions: Iterable[WorstCase]) -> WorstCase:
    """Bounds on the larger of all directions."""
    solved = tuple(directions)
    worst = max(solved, key=lambda result: (result.high, result.value or 0))
    return replace(worst, low=max(result.low for result in solved))


def _checked_menu(menu: DominatingPair | Sequence[DominatingPair]) -> tuple[DominatingPair, ...]:
    if not isinstance(menu, (DominatingPair, Iterable)):
        raise TypeError(
            f"menu must hold pairs, got {menu!r}; pass the filter first, then e.g. [Gaussian(mu=1.0)]"
        )
    requests = (menu,) if isinstance(menu, DominatingPair) else tuple(menu)
    for pair in requests:
        if not isinstance(pair, DominatingPair) or pair.shape != ():
            raise TypeError(f"menu must hold pairs of shape (), got {pair!r}; pass e.g. Gaussian(mu=1.0)")
        if isinstance(pair, FinitePair) and pair.exact_masses is None:
            raise TypeError(
                f"menu must hold finite pairs of rationals, got {short(pair)} with floats, whose exact sums may not be "
                "one; pass probabilities as Fraction, e.g. Fraction('0.7')"
            )
    if not requests:
        raise ValueError("menu must hold a pair, got none; pass e.g. [Gaussian(mu=1.0)]")
    return requests


def _name(pair: DominatingPair) -> str:
    numbers = [getattr(pair, part.name) for part in fields(pair)]  # type: ignore[arg-type]
    words = [
        f"{number:.6g}" if isinstance(number, float) else str(number)
        for number in numbers
        if number is not None
    ]
    return f"{type(pair).__name__}({', '.join(words)})"
