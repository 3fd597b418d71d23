"""Runs a filter on histories and against enumerated adversaries, for the invariants.

>>> import filterproof as fp
>>> play_history(fp.GaussianFilter(mu=1.0), [(fp.Gaussian(0.8), 0.1), (fp.Gaussian(0.8), 0.1)])[1]
[True, False]
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.contract_checks import (
    checked_admits,
    checked_affordable,
    checked_is_reachable_state,
    checked_observe,
    checked_remaining,
    checked_spend,
    checked_start,
)
from filterproof.filters.contract.state import State, runs_of, select_runs
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.testing.request_sampling import History
from filterproof.theory.pairs import DominatingPair, Gaussian

if TYPE_CHECKING:
    from filterproof.filters.testing.strategies import TreeAdversary

#: The epsilons at which exact transcripts are compared with the guarantee.
_EPSILONS = (0.0, 0.5, 1.0, 3.0)


def play_history(
    filt: PrivacyFilter, history: History, start: State | None = None
) -> tuple[State, list[bool]]:
    """Play a history from `start`, by default a fresh state. Return the last state and the decisions.

    A denied request leaves the state as it is.
    """
    state = checked_start(filt, 1) if start is None else start
    decisions = []
    for request, loss in history:
        state, granted = play_request(filt, state, request, loss)
        decisions.append(granted)
    return state, decisions


def play_request(
    filt: PrivacyFilter, state: State, request: DominatingPair, loss: float
) -> tuple[State, bool]:
    if not checked_admits(filt, state, request, 1)[0]:
        return state, False
    state = checked_spend(filt, state, request, 1)
    return checked_observe(filt, state, np.array([loss]), 1), True


def states(filt: PrivacyFilter, history: History) -> Iterator[State]:
    """Yield the start state and the state after each granted request."""
    state = checked_start(filt, 1)
    yield state
    for request, loss in history:
        state, granted = play_request(filt, state, request, loss)
        if granted:
            yield state


def admits(filt: PrivacyFilter, state: State, request: DominatingPair) -> bool:
    return bool(checked_admits(filt, state, request, 1)[0])


def admission_answers(
    filt: PrivacyFilter, state: State, request: DominatingPair, m: int
) -> NDArray[np.bool_]:
    """Return whether each run admits each of m requests, in one call: shape (runs, m)."""
    n = runs_of(state)
    copies = select_runs(state, np.repeat(np.arange(n), m))
    return checked_admits(filt, copies, request, n * m).reshape(n, m)


def ask_what_remains(filt: PrivacyFilter, state: State) -> None:
    """Call the advisory methods that the filter defines itself: they must not change any decision."""
    checked_is_reachable_state(filt, state, 1)
    if _is_user_defined(filt, "remaining"):
        checked_remaining(filt, state, 1)
    if _is_user_defined(filt, "affordable") or _is_user_defined(filt, "_square_scale"):
        checked_affordable(filt, state, Gaussian, 1)


def _is_user_defined(filt: PrivacyFilter, method: str) -> bool:
    room = "filterproof.filters."
    return not getattr(getattr(type(filt), method, None), "__module__", room).startswith(room)


def transcript_divergence(filt: PrivacyFilter, adversary: TreeAdversary) -> dict[float, float]:
    """Return H_{e^eps}(P || Q) of the transcript at each eps, by enumeration of all outcomes of all rounds.

    The filter's own code decides at every node, and a denial ends the path. Raises TypeError for pairs with
    infinitely many outcomes.
    """
    total = dict.fromkeys(_EPSILONS, 0.0)

    def walk(state: State, past: tuple[float, ...], p: float, loss: float) -> None:
        request = adversary.request(past)
        if request is None or not admits(filt, state, request):
            for eps in _EPSILONS:
                total[eps] += p * max(-math.expm1(eps - loss), 0.0)
            return
        if (outputs := request.outputs) is None:
            raise TypeError(
                f"adversary must request pairs with finitely many outcomes, got request={request!r}; use "
                "strategies.tree_adversaries()"
            )
        spent = checked_spend(filt, state, request, 1)
        for outcome, mass in outputs:
            if mass > 0:
                after = checked_observe(filt, spent, np.array([float(outcome)]), 1)
                walk(after, (*past, float(outcome)), p * float(mass), loss + float(outcome))

    walk(checked_start(filt, 1), (), 1.0, 0.0)
    return total
