"""Bounds on the spending of an adversary that lists its requests, by the filter's own code."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import FunctionType

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.contract_checks import checked_spend, checked_start, checked_step
from filterproof.filters.contract.library import is_library_class
from filterproof.filters.contract.state import (
    State,
    concatenate_runs,
    run_bytes,
    runs_of,
    select_runs,
    state_leaves,
)
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary, AdversaryView
from filterproof.mc.engine.cached import cache_results
from filterproof.mc.engine.game import Game
from filterproof.mc.engine.streams import BATCH_SIZE
from filterproof.theory.argument_checks import Real
from filterproof.theory.pairs import DominatingPair, PairPerRun
from filterproof.theory.pairs.base import Direction

#: The most positions that are expanded, without and with a theorem that already bounds paths.
MAX_POSITIONS, FEW_POSITIONS = 100_000, 1000
#: The deciding methods of a class.
_CODE_TYPES = (FunctionType, property, classmethod, staticmethod)


@dataclass(frozen=True, slots=True)
class DeclaredSpending:
    """Bounds on every path of a game, for losses in the direction of play, and `justification`, the reason.

    divergence(s) bounds sum_t D_s of the rounds' finite losses, for orders 1 < s <= highest. `infinite` bounds the
    probability of an infinite loss, `pure` the sum of finite losses, and `squares` sum_t mu_t^2 if every round is
    Gaussian(mu_t). `ruled`: `justification` is a theorem about a filter's rule, which covers pairs of this library
    only.
    """

    justification: str
    divergence: Callable[[float], float]
    infinite: float
    pure: float
    squares: float
    highest: float = math.inf
    ruled: bool = False


@dataclass(frozen=True, slots=True)
class _ReleaseCounts:
    """All possible spending: each row of `counts` is a number of releases of each pair of the menu.

    `last` has the final requests: pairs of shape (m,), and the m rows of counts before them. Pairs are in the direction
    of play.
    """

    menu: tuple[DominatingPair, ...]
    counts: NDArray[np.int64]
    last: tuple[tuple[DominatingPair, NDArray[np.int64]], ...] = ()

    def largest_spending(self, why: str) -> DeclaredSpending:
        """Return the largest spending; `justification` states why there is no other."""
        gaussian = all(pair.normal_mu is not None for pair in (*self.menu, *(pair for pair, _ in self.last)))
        return DeclaredSpending(
            why,
            lambda order: max(
                self._largest_total_cost(lambda pair: _log_moment(pair, order) / (order - 1)), 0.0
            ),
            -math.expm1(-self._largest_total_cost(_minus_log_finite)),
            # the largest finite loss is at most the pure epsilon, which is infinite if a loss can be
            self._largest_total_cost(lambda pair: np.asarray(pair.pure_epsilon, dtype=np.float64)),
            self._largest_total_cost(lambda pair: np.square(pair.gdp_mu)) if gaussian else math.inf,
        )

    def _largest_total_cost(self, cost: Callable[[DominatingPair], Real]) -> float:
        """Return the largest sum of costs over all rows of release counts."""
        costs = np.array([float(np.max(cost(pair))) for pair in self.menu])
        with np.errstate(invalid="ignore"):
            # a pair without releases costs nothing, even if its cost is infinite (0 * inf is NaN)
            sums = np.where(self.counts > 0, self.counts * costs, 0.0).sum(axis=1)
            best = [float(np.max(sums, initial=0.0))]
            for pair, counts in self.last:
                ahead = np.where(counts > 0, counts * costs, 0.0).sum(axis=1)
                best.append(float(np.max(ahead + cost(pair), initial=0.0)))
        return math.inf if any(map(math.isnan, best)) else max(best)


def _log_moment(pair: DominatingPair, order: float) -> Real:
    """Return log E_P[e^{(order-1) L} | L < inf], the constant of the weights: (order-1) D_order for symmetric pairs."""
    return pair.log_weight(np.zeros(pair.shape or 1), order)


def _minus_log_finite(pair: DominatingPair) -> Real:
    """Return -log P(L < inf)."""
    with np.errstate(divide="ignore"):
        return -np.log1p(-np.asarray(pair.infinite_mass, dtype=np.float64))


def listed_requests(adversary: Adversary) -> tuple[DominatingPair, ...] | None:
    """Return the adversary's `possible_requests`; None if they describe other code than runs."""
    return (
        adversary.possible_requests
        if declaration_covers_running_code("request", adversary, "possible_requests")
        else None
    )


def declaration_covers_running_code(method: str, adversary: Adversary, word: str) -> bool:
    """Whether a statement of an adversary is about the method that runs, not an overridden one."""
    # the engine, not the method, calls the methods of the contract
    others = vars(Adversary).keys() - {method}
    kinds = type(adversary).__mro__
    for place, kind in enumerate(kinds):
        if word in vars(kind) or is_library_class(kind):
            return True
        changed = {name for name in vars(kind) if name[:2] != "__"} - others
        if any(
            isinstance(vars(base).get(name), _CODE_TYPES) for base in kinds[place + 1 :] for name in changed
        ):
            return False
    return False


def spending_if_all_granted(game: Game) -> DeclaredSpending | None:
    """Return the spending if every request is granted; None if the requests are not listed."""
    asks = listed_requests(game.adversary)
    if asks is None or game.adversary.asks_finally:
        return None
    # a sum over rounds is largest if every round releases the most expensive pair: one row for each pair
    counts = game.rounds * np.eye(len(asks), dtype=np.int64)
    rounds = f"{game.rounds} round{'s' * (game.rounds > 1)}"
    menu = f"{', '.join(map(str, asks[:3]))}{', ...' * (len(asks) > 3)}"
    why = f"all possible requests of the adversary, {rounds} of {menu}"
    return _ReleaseCounts(_pairs_in_direction(game.direction, asks), counts).largest_spending(why)


def expand_spending(game: Game, n: int, *, most: int = MAX_POSITIONS) -> DeclaredSpending | None:
    """Return the spending on any path, by expansion of states through the filter's own code, or None.

    None if the adversary does not state its pairs, if decisions or final requests depend on realised losses, if a state
    holds more than numbers, or if there are more than `most` states. The filter's methods must be functions of their
    arguments, as its contract says. Results for library values are cached, because all adversaries of a page make the
    same requests.
    """
    filt, adversary, asks = game.filter, game.adversary, listed_requests(game.adversary)
    from_state = adversary.final_depends_only_on_state and declaration_covers_running_code(
        "final", adversary, "final_depends_only_on_state"
    )
    if asks is None or filt.looks_at_losses or (adversary.asks_finally and not from_state):
        return None
    if most <= FEW_POSITIONS and math.comb(game.rounds + len(asks), len(asks)) > most:
        return None  # too many ways to spend the rounds
    start = checked_start(filt, min(n, BATCH_SIZE))
    if not _consists_of_number_arrays(start):
        return None
    start, _ = _distinct_states_and_counts(start, np.zeros((runs_of(start), 0), dtype=np.int64))
    # without final requests, nothing else of the adversary matters
    final = adversary if adversary.asks_finally else None
    return _expanded_spending(filt, asks, game.rounds, game.direction, start, most, final)


@cache_results(64)
def _expanded_spending(
    filt: PrivacyFilter,
    asks: tuple[DominatingPair, ...],
    rounds: int,
    direction: Direction,
    start: State,
    most: int,
    final: Adversary | None,
) -> DeclaredSpending | None:
    """Return the spending from the start states, or None beyond `most` states. `final` makes the last requests."""
    state, counts = start, np.zeros((runs_of(start), len(asks)), dtype=np.int64)
    ways, last = [counts], []
    positions = 0
    for _ in range(rounds):
        size = len(counts)
        positions += size
        if positions > most:
            return None
        denied = np.zeros(size, dtype=np.bool_)
        states: list[State] = []
        tallies: list[NDArray[np.int64]] = []
        for place in range(len(asks)):
            for go, spent in _possible_steps(filt, state, asks, place, size):
                denied |= np.bincount(go, minlength=size) == 0
                if len(go) == 0:
                    continue
                if not _consists_of_number_arrays(spent) or _dtypes_and_shapes(spent) != _dtypes_and_shapes(
                    state
                ):
                    return None
                states.append(spent)
                tallies.append(counts[go] + (np.arange(len(asks)) == place))
        if final is not None and denied.any():
            some = np.flatnonzero(denied)
            request, ahead = _granted_final_requests(
                filt, final, rounds, select_runs(state, some), counts[some]
            )
            if len(ahead):
                last.append((_pairs_in_direction(direction, (request,))[0], ahead))
        if not states:
            break
        state, counts = _distinct_states_and_counts(concatenate_runs(states), np.concatenate(tallies))
        ways.append(counts)
    counts = np.unique(np.concatenate(ways), axis=0)
    why = f"{positions:,} states, all that the adversary's requests reach with the filter's own code"
    return _ReleaseCounts(_pairs_in_direction(direction, asks), counts, tuple(last)).largest_spending(why)


def _possible_steps(
    filt: PrivacyFilter, state: State, asks: tuple[DominatingPair, ...], place: int, n: int
) -> list[tuple[NDArray[np.intp], State]]:
    """Return the runs that may release a pair and their later states, for every form of request and way to charge it.

    An adversary can request the one pair, one pair per run, or a choice from the menu; the engine takes the later state
    from `step` or from `spend`. Forms that raise are skipped, because a play with one ends in an error.
    """
    pair = asks[place]
    numbers = {k: np.full(n, v) for k, v in pair.parameters().items() if isinstance(v, float)}
    usual, *others = pair.with_parameters(numbers), PairPerRun(asks, np.full(n, place)), pair
    if len(asks) == 1:
        usual, others = pair, [usual, others[0]]
    answers = _possible_answers(filt, state, usual, n)
    for form in others:
        with suppress(
            AttributeError, TypeError, ValueError, LookupError, ArithmeticError, NotImplementedError
        ):
            answers += _possible_answers(filt, state, form, n)
    return answers


def _possible_answers(
    filt: PrivacyFilter, state: State, request: DominatingPair, n: int
) -> list[tuple[NDArray[np.intp], State]]:
    """Return the runs whose request may be granted and their later states, by `spend` and by `step`."""
    admitted, after = checked_step(filt, state, request, n)
    go = np.flatnonzero(admitted)
    if len(go) == 0:
        return [(go, select_runs(state, go))]
    answers = [(go, checked_spend(filt, select_runs(state, go), request.take(go), len(go)))]
    return answers if after is None else [*answers, (go, select_runs(after, go))]


def _dtypes_and_shapes(state: State) -> list[tuple[object, tuple[int, ...]]]:
    """Return the dtype and the shape per run of each array of a state."""
    return [(leaf.dtype, leaf.shape[1:]) for leaf in state_leaves(state)]


def _granted_final_requests(
    filt: PrivacyFilter, adversary: Adversary, rounds: int, state: State, counts: NDArray[np.int64]
) -> tuple[DominatingPair, NDArray[np.int64]]:
    """Return the granted final requests, shape (m,), and the m rows of counts before them."""
    n = len(counts)
    nothing = np.zeros(n)
    view = AdversaryView(rounds, nothing, nothing, state, None, filt, np.random.default_rng(0))
    request = adversary.final(view)
    go = np.flatnonzero(view.admits(request))
    return request.take(go), counts[go]


def _pairs_in_direction(
    direction: Direction, pairs: tuple[DominatingPair, ...]
) -> tuple[DominatingPair, ...]:
    """Return the pairs for direction "PQ", the swapped pairs for "QP"."""
    return pairs if direction == "PQ" else tuple(pair.swapped for pair in pairs)


def _distinct_states_and_counts(state: State, counts: NDArray[np.int64]) -> tuple[State, NDArray[np.int64]]:
    """Return the states and counts without repeated rows: rows are equal if their bits are."""
    rows = np.concatenate([run_bytes(state), np.ascontiguousarray(counts).view(np.uint8)], axis=1)
    if len(rows) and (rows == rows[0]).all():  # as all runs start; sorting them would cost more than the walk
        return select_runs(state, np.zeros(1, np.intp)), counts[:1]
    # comparing one run of bytes per row is fast, comparing field by field is not
    _, first = np.unique(np.ascontiguousarray(rows).view(f"V{rows.shape[1]}").ravel(), return_index=True)
    return select_runs(state, first), counts[first]


def _consists_of_number_arrays(state: State) -> bool:
    """Whether a state consists of arrays of numbers, so that states of equal bits are equal."""
    return all(isinstance(leaf, np.ndarray) and leaf.dtype.kind in "iufb" for leaf in state_leaves(state))
