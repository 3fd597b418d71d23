"""The invariants of every privacy filter; `invariant_test_class` makes a test class of them.

>>> import filterproof as fp
>>> step_is_admits_and_spend(fp.ZCDPFilter(0.5), [], fp.Gaussian(0.5))
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from filterproof.filters.accountants.session import FilterHaltedError, Session
from filterproof.filters.contract.contract_checks import (
    checked_admits,
    checked_is_reachable_state,
    checked_observe,
    checked_spend,
    checked_start,
    checked_step,
)
from filterproof.filters.contract.library import defining_class, is_library_class
from filterproof.filters.contract.state import (
    State,
    choose_runs,
    is_free_of_objects,
    runs_equal,
    select_runs,
    state_leaves,
)
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.testing.random_play import (
    admission_answers,
    admits,
    ask_what_remains,
    play_history,
    play_request,
    states,
    transcript_divergence,
)
from filterproof.filters.testing.request_sampling import (
    ByteTape,
    History,
    RequestMenu,
    at_once,
    clip_to_possible_loss,
)
from filterproof.theory.pairs import DominatingPair

if TYPE_CHECKING:
    from filterproof.filters.testing.strategies import TreeAdversary


class InvariantBrokenError(AssertionError):
    """A filter violates an invariant. Exceptions of the filter's own code have another type."""


# -- the invariants ------------------------------------------------------------------------------------------


def something_is_admitted(filt: PrivacyFilter, request: DominatingPair) -> bool:
    """Return whether a fresh run admits the request; always denying satisfies all other invariants."""
    return admits(filt, checked_start(filt, 1), request)


def cheaper_is_admitted_too(filt: PrivacyFilter, history: History, ladder: Sequence[DominatingPair]) -> None:
    """A state that admits a request admits every cheaper request.

    `ladder` is in ascending cost. Every state of the history is asked for the whole ladder at once. A single run
    repeats the question where the answers rise, and always in the last state.
    """
    if not ladder:
        return
    request = at_once(ladder, np.arange(len(ladder)))
    for state in states(filt, history):
        admitted = admission_answers(filt, state, request, len(ladder))[0]
        for i in np.flatnonzero(admitted[1:] & ~admitted[:-1]).tolist():
            _no_rise(filt, state, ladder[i : i + 2])
    _no_rise(filt, state, ladder[:: max(len(ladder) // 4, 1)])


def _no_rise(filt: PrivacyFilter, state: State, ladder: Sequence[DominatingPair]) -> None:
    denied = None
    for request in ladder:
        if not admits(filt, state, request):
            denied = denied or request
        elif denied is not None:
            raise InvariantBrokenError(f"{request!r} is admitted but the cheaper {denied!r} is denied")


def a_cheaper_past_denies_no_more(
    filt: PrivacyFilter,
    history: History,
    ladder: Sequence[DominatingPair],
    loss: float,
    then: Sequence[DominatingPair],
    after: Sequence[DominatingPair],
) -> None:
    """A cheaper earlier request never leads to more denials.

    `ladder` is in ascending cost. After the history, world k requests ladder[k]. Then all worlds make the requests
    `then`; a world that is denied one is dropped. Between these, the worlds are asked for each request of `after`.
    The worlds are runs of one state. Where the answers rise, two worlds are played again alone.
    """
    if not ladder:
        return
    for pair in (*ladder, *then):  # the loss is the same in all worlds, and every request can realise it
        loss = clip_to_possible_loss(pair, loss)
    state, _ = play_history(filt, history)
    worlds, pasts = select_runs(state, np.zeros(len(ladder), dtype=np.intp)), list(ladder)
    request = at_once(ladder, np.arange(len(ladder)))
    granted = checked_admits(filt, worlds, request, len(ladder))
    for k in range(len(then) + 1):
        worlds, request = select_runs(worlds, granted), request.take(granted)
        pasts = [past for past, granted_it in zip(pasts, granted, strict=True) if granted_it]
        requests_made = [*then[k : k + 1], *after]
        if len(pasts) < 2 or not requests_made:
            return
        n = len(pasts)
        worlds = checked_observe(filt, checked_spend(filt, worlds, request, n), np.full(n, loss), n)
        many = at_once(requests_made, np.tile(np.arange(len(requests_made)), len(pasts)))
        admitted = admission_answers(filt, worlds, many, len(requests_made))
        for world, i in np.argwhere(admitted[1:] & ~admitted[:-1])[:4]:
            rest = [(pair, loss) for pair in (*then[:k], requests_made[i])]
            _compare_pasts(filt, history, pasts[world], pasts[world + 1], loss, rest)
        request, granted = requests_made[0], admitted[:, 0]


def _compare_pasts(
    filt: PrivacyFilter,
    history: History,
    cheaper: DominatingPair,
    dearer: DominatingPair,
    loss: float,
    rest: History,
) -> None:
    _, rich = play_history(filt, [*history, (cheaper, loss), *rest])
    _, poor = play_history(filt, [*history, (dearer, loss), *rest])
    past_rounds = len(history)
    if all(poor[past_rounds:]) and all(rich[past_rounds:-1]) and not rich[-1]:
        request = rest[-1][0]
        raise InvariantBrokenError(
            f"{request!r} is admitted after {dearer!r} but denied after the cheaper {cheaper!r}"
        )


def admits_has_no_effect(filt: PrivacyFilter, history: History, request: DominatingPair) -> None:
    """Calling `admits` has no effect: the same request gets the same answer twice, on a read-only state."""
    state, _ = play_history(filt, history)
    first = admits(filt, state, request)
    if first != admits(filt, state, request):
        raise InvariantBrokenError(f"admits answers the same request {request!r} differently the second time")


def asking_changes_nothing(filt: PrivacyFilter, history: History, request: DominatingPair) -> None:
    """`remaining`, `affordable` and `is_reachable_state` have no effect on later decisions."""
    with_request = [*history, (request, 0.0)]
    before = play_history(filt, with_request)[1]
    state, advised = checked_start(filt, 1), []
    for pair, loss in with_request:
        ask_what_remains(filt, state)
        state, granted = play_request(filt, state, pair, loss)
        advised.append(granted)
    # one object decides in all three plays: a question may have changed it for good
    if not before == advised == play_history(filt, with_request)[1]:
        raise InvariantBrokenError(
            f"the decision on {request!r} or an earlier request depends on whether remaining or affordable was called"
        )


def the_old_state_is_left_alone(filt: PrivacyFilter, history: History, request: DominatingPair) -> None:
    """`spend` and `observe` return a new state. The old state, which is read-only, answers as before."""
    state, _ = play_history(filt, history)
    if not admits(filt, state, request):
        return
    checked_observe(
        filt, checked_spend(filt, state, request, 1), np.array([clip_to_possible_loss(request, 0.1)]), 1
    )
    if not admits(filt, state, request):
        raise InvariantBrokenError(
            f"the old state admitted {request!r} before spend and denies it after spend"
        )


def step_is_admits_and_spend(filt: PrivacyFilter, history: History, request: DominatingPair) -> None:
    """`step` answers as `admits` does and returns the state that `spend` returns."""
    state, _ = play_history(filt, history)
    granted, after = checked_step(filt, state, request, 1)
    if granted[0] != admits(filt, state, request):
        raise InvariantBrokenError(f"grant and admits answer {request!r} differently")
    if after is None or not granted[0]:
        return
    spent = checked_spend(filt, state, request, 1)
    alike = bool(runs_equal(after, spent).all())
    if not alike and any(leaf.dtype.hasobject for leaf in state_leaves(after)):
        # a copied object may not equal the original: compare the later decisions instead
        later = [*history, *[(request, 0.0)] * 4]
        alike = play_history(filt, later, after)[1] == play_history(filt, later, spent)[1]
    if not alike:
        raise InvariantBrokenError(f"grant and spend return different states after {request!r}")


def halting_absorbs(filt: PrivacyFilter, history: History) -> None:
    """After its first denial a session that halts raises FilterHaltedError for every request."""
    session, denied = filt.open("halt"), False
    for request, loss in history:
        if denied:
            try:
                session.request(request)
            except FilterHaltedError:
                continue
            raise InvariantBrokenError("a halted session answered a request")
        denied = not session.request(request)
        if not denied and filt.looks_at_losses:
            session.observe(loss)
    if session.halted != denied:
        raise InvariantBrokenError("a session halted without a denial, or did not halt after a denial")


def the_future_changes_no_past_decision(
    filt: PrivacyFilter, history: History, future: History, other_future: History
) -> None:
    """Two plays with the same past make the same decisions in it, whatever follows."""
    _, first = play_history(filt, [*history, *future])
    _, second = play_history(filt, [*history, *other_future])
    if first[: len(history)] != second[: len(history)]:
        raise InvariantBrokenError("a later request or loss changed an earlier decision")


def runs_do_not_see_each_other(filt: PrivacyFilter, together: list[History]) -> None:
    """n runs at once decide as n single runs do, through `step` or `admits`, with one pair for all or one for each."""
    n = len(together)
    if n == 0:
        return
    state = checked_start(filt, n)
    single_states = [checked_start(filt, 1) for _ in range(n)]
    spent: State | None
    for round_number, rounds in enumerate(zip(*together, strict=False), start=n):
        requests = tuple(pair for pair, _ in rounds)
        requests = requests if round_number % 3 else requests[:1] * n  # one pair for all
        request = at_once(requests, np.arange(n)) if round_number % 3 else requests[0]
        pairs = zip(requests, rounds, strict=True)
        loss = np.array([clip_to_possible_loss(pair, realised) for pair, (_, realised) in pairs])
        if round_number % 2:
            granted, spent = checked_step(filt, state, request, n)
        else:
            granted, spent = checked_admits(filt, state, request, n), None
        spent = checked_spend(filt, state, request, n) if spent is None else spent
        state = choose_runs(granted, checked_observe(filt, spent, loss, n), state)
        for run, (pair, realised) in enumerate(zip(requests, loss, strict=True)):
            single_states[run], single = play_request(filt, single_states[run], pair, realised)
            if single != granted[run]:
                raise InvariantBrokenError(f"run {run} of {n} is decided differently when it is the only run")


def saving_is_invisible(filt: PrivacyFilter, history: History) -> None:
    """A session that is saved and restored before every step decides as an uninterrupted session.

    An adapter of the library whose state is the object of another library has no sessions that can be saved.
    """
    start = checked_start(filt, 1)
    if is_library_class(defining_class(type(filt), "start")) and not all(
        map(is_free_of_objects, state_leaves(start))
    ):
        return

    def saved(session: Session) -> Any:
        try:
            return json.loads(json.dumps(session.to_dict()))
        except TypeError as refused:
            raise InvariantBrokenError(f"a session cannot be saved: {refused}") from refused

    def restored(session: Session) -> Session:
        written = saved(session)
        try:
            return Session.from_dict(written, filt, "retry")
        except ValueError as refused:
            # an exception of the filter itself passes through
            checked_is_reachable_state(filt, play_history(filt, history)[0], 1)
            raise InvariantBrokenError(f"a saved session cannot be restored: {refused}") from refused

    uninterrupted, moved = filt.open("retry"), filt.open("retry")
    for request, loss in history:
        moved = restored(moved)
        granted = uninterrupted.request(request)
        if moved.request(request) != granted:
            raise InvariantBrokenError(f"a restored session decides differently on {request!r}")
        if granted and filt.looks_at_losses:
            moved = restored(moved)
            uninterrupted.observe(loss)
            moved.observe(loss)
    if saved(moved) != saved(uninterrupted):
        raise InvariantBrokenError("a restored session has a different state")


def the_promise_is_kept(filt: PrivacyFilter, adversary: TreeAdversary) -> None:
    """The transcript of an adaptive adversary satisfies H_{e^eps} <= promise.delta(eps) in an exact enumeration."""
    for eps, truth in transcript_divergence(filt, adversary).items():
        promised = float(filt.promise.delta(eps))
        if not truth <= promised * (1 + 1e-9) + 1e-15:
            raise InvariantBrokenError(f"delta({eps}) is {truth:.6g}; promised {promised:.6g}")


def order_does_not_matter(
    filt: PrivacyFilter, requests: list[DominatingPair], shuffled: list[DominatingPair], after: DominatingPair
) -> None:
    """The next request gets the same answer after the same requests in another order.

    The invariant is for filters with `order_free = True`.
    """
    if not filt.order_free:
        return
    states = []
    for order in (requests, shuffled):
        state = checked_start(filt, 1)
        for request in order:
            state = checked_spend(filt, state, request, 1)
        states.append(state)
    for question in (after, *requests):
        if admits(filt, states[0], question) != admits(filt, states[1], question):
            raise InvariantBrokenError(f"the decision on {question!r} depends on the order of {requests!r}")


# -- their arguments -------------------------------------------------------------------------------------------

_ROUNDS, _RUNS = 12, 5


def _draw_history_and_request(requests: RequestMenu, tape: ByteTape) -> dict[str, Any]:
    return {"history": requests.history(tape, _ROUNDS), "request": requests.request(tape)}


def _draw_history(requests: RequestMenu, tape: ByteTape) -> dict[str, Any]:
    return {"history": requests.history(tape, _ROUNDS)}


def _draw_futures(requests: RequestMenu, tape: ByteTape) -> dict[str, Any]:
    future, other_future = requests.history(tape, 6), requests.history(tape, 6)
    return {"history": requests.history(tape, _ROUNDS), "future": future, "other_future": other_future}


def _draw_cheaper_past(requests: RequestMenu, tape: ByteTape) -> dict[str, Any]:
    return {
        "ladder": requests.ladder(tape, 24),
        "then": requests.repeated_request(tape, 8) if tape.below(2) else requests.request_list(tape, 3),
        "after": requests.ladder(tape, 64),
        "loss": tape.loss(),
        "history": requests.history(tape, 8) if tape.below(2) else [],
    }


def _draw_orders(requests: RequestMenu, tape: ByteTape) -> dict[str, Any]:
    after, drawn = requests.request(tape), requests.request_list(tape, 8)
    left = list(drawn)
    return {"requests": drawn, "shuffled": [left.pop(tape.below(len(left))) for _ in drawn], "after": after}


#: Invariant -> the function that makes its arguments, and the number of bytes that it reads.
_CASES: Mapping[Callable[..., None], tuple[Callable[[RequestMenu, ByteTape], dict[str, Any]], int]] = {
    admits_has_no_effect: (_draw_history_and_request, 80),
    asking_changes_nothing: (_draw_history_and_request, 80),
    the_old_state_is_left_alone: (_draw_history_and_request, 80),
    step_is_admits_and_spend: (_draw_history_and_request, 80),
    halting_absorbs: (_draw_history, 80),
    the_future_changes_no_past_decision: (_draw_futures, 160),
    runs_do_not_see_each_other: (
        lambda menu, tape: {"together": [menu.history(tape, _ROUNDS) for _ in range(tape.below(_RUNS + 1))]},
        320,
    ),
    saving_is_invisible: (_draw_history, 80),
    cheaper_is_admitted_too: (
        lambda menu, tape: {"ladder": menu.ladder(tape, 80), "history": menu.history(tape, _ROUNDS)},
        80,
    ),
    a_cheaper_past_denies_no_more: (_draw_cheaper_past, 100),
    order_does_not_matter: (_draw_orders, 60),
}
_CASES_BY_NAME = {invariant.__name__: case for invariant, case in _CASES.items()}
#: The invariants of every filter, all but the last.
INVARIANT_FUNCTIONS = tuple(_CASES)[:-1]


def case_byte_count(invariant: str) -> int:
    """Return the number of bytes that the longest case of an invariant reads."""
    return _CASES_BY_NAME[invariant][1]


def drawn_case(invariant: str, requests: RequestMenu, tape: ByteTape) -> dict[str, Any]:
    """Draw the arguments of an invariant, except the filter, from bytes.

    >>> import filterproof as fp
    >>> from filterproof.filters.testing.request_sampling import requests_of
    >>> sorted(drawn_case("the_old_state_is_left_alone", requests_of([fp.Erasure(0.1)]), ByteTape(b"")))
    ['history', 'request']
    """
    return _CASES_BY_NAME[invariant][0](requests, tape)
