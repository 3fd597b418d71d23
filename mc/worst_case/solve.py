"""The worst-case adversary: the supremum of H_{e^epsilon} over adaptive adversaries, by the filter's own code.

The solver depends on the menu, on whether the filter looks at losses, and on epsilon:

    menu                                  filter looks at losses  solver                     evidence
    rational masses                       yes or no               GameTree in fractions      EXACT, CERTIFIED
    randomised responses, KOV, erasures   no                      LevelGame on one lattice   CERTIFIED
        with a common step
    the same, extreme sizes or epsilon    no                      GameTree in doubles        CERTIFIED
    any other pairs                       no                      DenseGame, losses rounded  CERTIFIED
                                                                  to a step, low and high
    pairs with finitely many outputs      yes                     GameTree in doubles        CERTIFIED
    one Gaussian                          yes                     CertifiedDistribution      CERTIFIED
    other menus                           yes                     none: ValueError

The first row is for `evidence` other than CERTIFIED and for an epsilon that is a LogRatio (EXACT) or at most 2^14.
These functions answer the other questions about a filter:

    adversary                             guarantee                solver
    every adversary over a menu           hockey-stick             worst_case (this table)
    every adversary over finite pairs     Rényi                    renyi_worst_case_lower_bound
    every adversary, every mechanism      hockey-stick             supremum
    one given adversary                   hockey-stick             evaluate, without sampling; simulate
    requests fixed in advance             hockey-stick             Composition
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from reprlib import repr as short
from typing import Any, Literal

from filterproof.filters.contract.contract_checks import checked_filter_base
from filterproof.filters.contract.determinism import check_determinism_on_requests
from filterproof.filters.contract.filter_base import OnDenial
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.evaluate.evaluation import checked_directions_and_name
from filterproof.mc.losses.epsilon_values import Epsilon, check_epsilon
from filterproof.mc.losses.finite_pair_from_cdfs import has_double_masses, pair_with_known_tails
from filterproof.mc.losses.loss_cells import checked_lattice_step
from filterproof.mc.losses.too_large import TooLargeError
from filterproof.mc.worst_case.result import WorstCase
from filterproof.mc.worst_case.worst_case_game import MAX_DOUBLES, WorstCaseGame
from filterproof.theory.argument_checks import check_count, check_positive
from filterproof.theory.evidence import Evidence
from filterproof.theory.pairs import DominatingPair, library_class
from filterproof.theory.pairs.base import Direction
from filterproof.theory.pairs.labelled import format_labels

#: For a filter with this many states, this relative width suffices by default.
_MANY_STATES, _COARSE_WIDTH = 20_000, 0.05
#: The first step, and the largest first step for menus with too many losses, as multiples of the default step.
_COARSEST, _LARGEST = 8, 256
#: The step, as a multiple of the default one, for a first look at the second direction.
_PROBE_MULTIPLE = 16


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
        Limit on pairs of state and loss. By default, a lattice has at most 30 million doubles in memory, or 120 million
        positions if all requests are randomized responses, KOV pairs or erasures with a common step. A tree, for exact
        losses, has at most 30 million / (32 + half the menu's length times its largest number of outputs) positions.
    step : float, optional
        Width, in nats, to which losses off any lattice are rounded. The default is about sqrt(D_2) / 40 for the
        smallest D_2 of the menu. The width is reduced, to more than half, so that it divides losses with a positive
        mass.
    relative : float, optional
        Relative width (high - low) / low that suffices. The solver starts with a step of 8 to 256 times the default and
        divides it by 2 or 4 until the width suffices, at most down to the default step. The default is 0.05 for 20,000
        filter states or more; for fewer states the solver uses the default step. The argument has no effect if `step`
        is given or no losses are rounded.

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
    options: dict[str, Any] = {"rounds": rounds, "direction": direction, "evidence": evidence}
    options["on_denial"] = on_denial
    game, ways = _checked_game_and_directions(filt, menu, max_positions=max_positions, step=step, **options)
    check_determinism_on_requests(filt, game.menu[:: max(len(game.menu) // 3, 1)], rounds)
    return _worst_over_directions(game, check_epsilon(epsilon), ways, evidence, relative)


def worst_case_of_checked_filter(
    filt: PrivacyFilter,
    menu: DominatingPair | Sequence[DominatingPair],
    *,
    epsilon: Epsilon,
    evidence: Evidence | None = None,
    relative: float | None = None,
    **asked: Any,
) -> WorstCase:
    """Return `worst_case` without repeating the checks of the filter; `solved_cache=` caches solutions.

    If doubles state the distribution of a pair, the upper bound is 1, and the lower bound is CITED if a class outside
    the library states them.
    """
    game, ways = _checked_game_and_directions(filt, menu, evidence=evidence, allow_doubles=True, **asked)
    if filt.looks_at_losses or all(pair_with_known_tails(pair) in (pair, None) for pair in game.menu):
        return _worst_over_directions(game, check_epsilon(epsilon), ways, evidence, relative)
    worst = _worst_over_directions(
        replace(game, from_below=True), check_epsilon(epsilon), ways, evidence, relative
    )
    cited = any(library_class(pair.unlabelled) is None for pair in game.menu)
    return replace(worst, high=1.0, evidence=Evidence.CITED if cited else worst.evidence)


def worst_cases(
    filt: PrivacyFilter, menu: Sequence[DominatingPair], *, epsilons: Sequence[Epsilon], **asked: Any
) -> list[WorstCase]:
    """Return `worst_case` at several epsilons, with one enumeration of the states."""
    game, ways = _checked_game_and_directions(filt, menu, **asked)
    return [_worst_over_directions(game, check_epsilon(epsilon), ways) for epsilon in epsilons]


def _checked_game_and_directions(
    filt: PrivacyFilter,
    menu: DominatingPair | Sequence[DominatingPair],
    *,
    rounds: int | None = None,
    direction: Direction | Literal["both"] = "both",
    on_denial: OnDenial = "halt",
    evidence: Evidence | None = None,
    allow_doubles: bool = False,
    **limits: Any,
) -> tuple[WorstCaseGame, tuple[Direction, ...]]:
    """Return the game and its directions for checked arguments."""
    checked_filter_base(filt)
    requests = _checked_menu(menu, allow_doubles)
    directions, which = checked_directions_and_name(direction, evidence)
    if direction == "both" and not filt.looks_at_losses and all(pair.swapped == pair for pair in requests):
        directions = ("PQ",)  # P and Q are interchangeable, so both directions have the same value
    names = ", ".join(map(_pair_name, requests[:3])) + (
        f", ... ({len(requests)} pairs)" if len(requests) > 3 else ""
    )
    limit = "any number of rounds" if rounds is None else f"at most {rounds} round{'s' * (rounds != 1)}"
    scope = f"every adaptive adversary over {names}; {limit}; {which}; a denied run may {on_denial}"
    return WorstCaseGame(filt, requests, rounds, scope, **limits), directions


def _worst_over_directions(
    game: WorstCaseGame,
    epsilon: Epsilon,
    directions: Sequence[Direction],
    evidence: Evidence | None = None,
    relative: float | None = None,
) -> WorstCase:
    """Return the worst case over all directions, with smaller steps until the width is `relative`."""
    best: dict[Direction, WorstCase] = {}
    coarsen, refines = 1, evidence is not Evidence.EXACT and game.solver_chooses_loss_step
    if not refines:
        relative = None
    elif relative is None:
        checked_lattice_step(game.drawn_pairs("PQ"), None, max_positions=game.max_positions or MAX_DOUBLES)
        if len(game.graph.child) >= _MANY_STATES:
            relative, coarsen = _COARSE_WIDTH, _COARSEST
    else:
        coarsen = _first_fitting_step_multiple(game.drawn_pairs("PQ"), game.max_positions or MAX_DOUBLES)
    while True:
        try:
            for direction in directions:
                other = max(
                    (solution.low for way, solution in best.items() if way != direction), default=-1.0
                )
                if direction in best and best[direction].high <= other:
                    continue
                if refines and relative is None and best:
                    best[direction] = game.solve(epsilon, direction, evidence, coarsen=_PROBE_MULTIPLE)
                    if best[direction].high <= other:
                        continue
                solved = game.solve(epsilon, direction, evidence, coarsen=coarsen)
                best[direction] = _tighter_result(best[direction], solved) if direction in best else solved
        except TooLargeError:
            if relative is None or len(best) < len(directions):
                raise  # a first look is no answer at the requested step
            break
        worst = _largest_result(best.values())
        if relative is None or coarsen == 1 or worst.high - worst.low <= relative * worst.low:
            break
        # the width decreases with the square of the step
        missing = (worst.high / worst.low - 1) / relative if worst.low > 0 else math.inf
        coarsen = max(coarsen // (4 if missing > 4 else 2), 1)
    worst = _largest_result(best.values())
    if relative is None or worst.low <= 0 or worst.high <= worst.low * (1 + 1e-3):
        return worst
    width = worst.high / worst.low - 1
    return replace(
        worst, scope=f"{worst.scope}; the step was refined until the relative width was {width:.2g}"
    )


def _first_fitting_step_multiple(menu: tuple[DominatingPair, ...], most: int) -> int:
    """Return the first multiple of the default step at which the losses fit into memory."""
    coarsen = _COARSEST
    while True:
        try:
            checked_lattice_step(menu, None, max_positions=most, coarsen=coarsen)
        except TooLargeError:
            if coarsen >= _LARGEST:
                raise
            coarsen *= 2
        else:
            return coarsen


def _tighter_result(known: WorstCase, solved: WorstCase) -> WorstCase:
    """Combine two results for one number, with the strategy of the larger lower bound."""
    return replace(
        max(known, solved, key=lambda result: result.low),
        high=min(known.high, solved.high),
        positions=solved.positions,
    )


def _largest_result(directions: Iterable[WorstCase]) -> WorstCase:
    """Return the bounds on the maximum over all directions."""
    solved = tuple(directions)
    worst = max(solved, key=lambda result: (result.high, result.value or 0))
    return replace(worst, low=max(result.low for result in solved))


def _checked_menu(
    menu: DominatingPair | Sequence[DominatingPair], allow_doubles: bool
) -> tuple[DominatingPair, ...]:
    """Return the menu as a tuple of pairs; raise TypeError or ValueError for anything else."""
    if not isinstance(menu, (DominatingPair, Iterable)):
        raise TypeError(
            f"menu must hold pairs, got {menu!r}; pass the filter first, then e.g. [Gaussian(mu=1.0)]"
        )
    requests = (menu,) if isinstance(menu, DominatingPair) else tuple(menu)
    for pair in requests:
        if not isinstance(pair, DominatingPair) or pair.shape != ():
            raise TypeError(f"menu must hold pairs of shape (), got {pair!r}; pass e.g. Gaussian(mu=1.0)")
        if not allow_doubles and has_double_masses(pair):
            raise TypeError(
                f"menu must hold finite pairs with rational masses, got {short(pair)} with floats, which may not sum "
                "to exactly 1; pass probabilities as Fraction, e.g. Fraction('0.7')"
            )
    if not requests:
        raise ValueError("menu must hold a pair, got none; pass e.g. [Gaussian(mu=1.0)]")
    return requests


def _pair_name(pair: DominatingPair) -> str:
    """Return a pair's class and parameters as text."""
    if pair.labels:
        return f"{_pair_name(pair.unlabelled)} at {format_labels(tuple(pair.labels.items()))}"
    numbers = [getattr(pair, part.name) for part in fields(pair)]  # type: ignore[arg-type]
    words = [
        f"{number:.6g}" if isinstance(number, float) else str(number)
        for number in numbers
        if number is not None
    ]
    return f"{type(pair).__name__}({', '.join(words)})"
