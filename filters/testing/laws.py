"""Laws: properties that every privacy filter must have, as a test class for any filter.

    >>> import filterproof as fp
    >>> TestMyFilter = fp.laws(fp.ZCDPFilter(0.5))
    >>> len([name for name in dir(TestMyFilter) if name.startswith("test_")])
    11

pytest collects the class from a test module. Only calling `laws` imports hypothesis, not importing this module.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from filters.contract.checks import (
    checked_admits,
    checked_filter,
    checked_observe,
    checked_spend,
    checked_start,
)
from filters.contract.state import State, same
from filters.holders.session import FilterHaltedError, Session
from filters.privacy_filter import PrivacyFilter
from theory.pairs import DominatingPair, Selection
from theory.pairs.finite import Finite

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from filters.testing.strategies import History, TreeAdversary

__all__ = ["LAWS", "laws", "transcript_divergence"]

#: The epsilons at which exact transcripts are compared with the promise.
_EPSILONS = (0.0, 0.5, 1.0, 3.0)


# -- playing ---------------------------------------------------------------------------------------------------


def _play(filt: PrivacyFilter, history: History) -> tuple[State, list[bool]]:
    """The state after a history, denied requests left out, and the decisions."""
    state = checked_start(filt, 1)
    decisions = []
    for request, loss in history:
        state, granted = _round(filt, state, request, loss)
        decisions.append(granted)
    return state, decisions


def _round(filt: PrivacyFilter, state: State, request: DominatingPair, loss: float) -> tuple[State, bool]:
    if not checked_admits(filt, state, request, 1)[0]:
        return state, False
    state = checked_spend(filt, state, request, 1)
    return checked_observe(filt, state, np.array([loss]), 1), True


def _admits(filt: PrivacyFilter, state: State, request: DominatingPair) -> bool:
    return bool(checked_admits(filt, state, request, 1)[0])


def transcript_divergence(
    filt: PrivacyFilter, adversary: TreeAdversary, epsilons: tuple[float, ...] = _EPSILONS
) -> dict[float, float]:
    """H_{e^eps}(P || Q) of the transcript at each eps, by enumeration of every outcome of every round.

    The filter's own code decides at every node; a denial ends the path. Raises TypeError for pairs not finite.
    """
    total = dict.fromkeys(epsilons, 0.0)

    def walk(state: State, past: tuple[float, ...], p: float, loss: float) -> None:
        request = adversary.request(past)
        if request is None or not _admits(filt, state, request):
            for eps in epsilons:
                total[eps] += p * max(-math.expm1(eps - loss), 0.0)
            return
        if not isinstance(request, Finite):
            raise TypeError(
                f"adversary must ask for finite pairs, got {request!r}; use strategies.adversaries()"
            )
        spent = checked_spend(filt, state, request, 1)
        for outcome, mass in request.outputs:
            if mass > 0:
                after = checked_observe(filt, spent, np.array([float(outcome)]), 1)
                walk(after, (*past, float(outcome)), p * float(mass), loss + float(outcome))

    walk(checked_start(filt, 1), (), 1.0, 0.0)
    return total


# -- the laws --------------------------------------------------------------------------------------------------


def something_is_admitted(filt: PrivacyFilter, request: DominatingPair) -> bool:
    """Whether a fresh run admits the request: a filter that denies everything would pass the laws vacuously."""
    return _admits(filt, checked_start(filt, 1), request)


def cheaper_is_admitted_too(
    filt: PrivacyFilter, history: History, both: tuple[DominatingPair, DominatingPair]
) -> None:
    """Monotone in the cost of the request: a state that admits the dearer one admits the cheaper one."""
    cheaper, dearer = both
    state, _ = _play(filt, history)
    assert _admits(filt, state, cheaper) or not _admits(filt, state, dearer), (
        f"{dearer!r} is admitted and the cheaper {cheaper!r} is not"
    )


def a_cheaper_past_denies_no_more(
    filt: PrivacyFilter,
    history: History,
    both: tuple[DominatingPair, DominatingPair],
    loss: float,
    after: DominatingPair,
) -> None:
    """Monotone in the cost of the past: had an earlier request been cheaper, no more would be denied."""
    cheaper, dearer = both
    state, _ = _play(filt, history)
    rich, granted = _round(filt, state, cheaper, loss)
    poor, granted_too = _round(filt, state, dearer, loss)
    if granted and granted_too:
        assert _admits(filt, rich, after) or not _admits(filt, poor, after), (
            f"after {dearer!r} {after!r} is admitted, after the cheaper {cheaper!r} it is not"
        )


def a_denial_changes_nothing(filt: PrivacyFilter, history: History, request: DominatingPair) -> None:
    """`admits` has no effect: the same request gets the same answer, and the state is unchanged."""
    state, _ = _play(filt, history)
    kept = copy.deepcopy(state)
    first = _admits(filt, state, request)
    assert first == _admits(filt, state, request), f"asked twice, {request!r} is answered twice differently"
    assert same(state, kept).all(), "admits changed the state it was given"


def the_old_state_is_left_alone(filt: PrivacyFilter, history: History, request: DominatingPair) -> None:
    """spend and observe return a new state and leave the old one as it was."""
    state, _ = _play(filt, history)
    if not _admits(filt, state, request):
        return
    kept = copy.deepcopy(state)
    spent = checked_spend(filt, state, request, 1)
    assert same(state, kept).all(), "spend changed the state it was given"
    kept = copy.deepcopy(spent)
    checked_observe(filt, spent, np.array([0.1]), 1)
    assert same(spent, kept).all(), "observe changed the state it was given"


def halting_absorbs(filt: PrivacyFilter, history: History) -> None:
    """After its first denial a session that halts raises FilterHaltedError for every request."""
    session, denied = filt.open("halt"), False
    for request, loss in history:
        if denied:
            try:
                session.request(request)
            except FilterHaltedError:
                continue
            raise AssertionError("a halted session answered")
        denied = not session.request(request)
        if not denied and filt.looks_at_losses:
            session.observe(loss)
    assert session.halted == denied


def the_future_changes_no_past_decision(
    filt: PrivacyFilter, history: History, one: History, other: History
) -> None:
    """Decisions on a common past are the same, whatever is requested later."""
    _, first = _play(filt, [*history, *one])
    _, second = _play(filt, [*history, *other])
    assert first[: len(history)] == second[: len(history)], (
        "a later request or loss changed an earlier decision"
    )


def runs_do_not_see_each_other(filt: PrivacyFilter, together: list[History]) -> None:
    """n runs at once decide as n single runs do."""
    n = len(together)
    rounds = min(map(len, together), default=0)
    if n == 0:
        return
    state = checked_start(filt, n)
    alone = [checked_start(filt, 1) for _ in range(n)]
    alive = np.ones(n, dtype=np.bool_)
    for t in range(rounds):
        request = Selection(tuple(history[t][0] for history in together), np.arange(n))
        loss = np.array([history[t][1] for history in together])
        granted = checked_admits(filt, state, request, n)
        state = checked_observe(filt, checked_spend(filt, state, request, n), loss, n)
        for run in range(n):
            if alive[run]:
                pair = together[run][t][0]
                single = _admits(filt, alone[run], pair)
                assert single == granted[run], f"run {run} of {n} is decided otherwise when it is alone"
                if single:
                    spent = checked_spend(filt, alone[run], pair, 1)
                    alone[run] = checked_observe(filt, spent, loss[run : run + 1], 1)
        alive &= granted


def saving_is_invisible(filt: PrivacyFilter, history: History) -> None:
    """A session that is saved and restored before every step decides as one that never was."""
    kept, moved = filt.open("retry"), filt.open("retry")
    for request, loss in history:
        moved = Session.from_dict(json.loads(json.dumps(moved.to_dict())), filt, "retry")
        granted = kept.request(request)
        assert moved.request(request) == granted, "a restored session decides otherwise"
        if granted and filt.looks_at_losses:
            moved = Session.from_dict(json.loads(json.dumps(moved.to_dict())), filt, "retry")
            kept.observe(loss)
            moved.observe(loss)
    assert moved.to_dict() == kept.to_dict(), "a restored session holds another state"


def the_promise_is_kept(filt: PrivacyFilter, adversary: TreeAdversary) -> None:
    """Against an adaptive adversary whose every outcome is enumerated, H_{e^eps} <= promise.delta(eps)."""
    for eps, truth in transcript_divergence(filt, adversary).items():
        promised = float(filt.promise.delta(eps))
        assert truth <= promised * (1 + 1e-9) + 1e-15, (
            f"H at eps={eps} is {truth:.6g}, above the promised {promised:.6g}"
        )


def order_does_not_matter(
    filt: PrivacyFilter, requests: list[DominatingPair], shuffled: list[DominatingPair], after: DominatingPair
) -> None:
    """After the same requests in another order, the next request gets the same answer."""
    states = []
    for order in (requests, shuffled):
        state = checked_start(filt, 1)
        for request in order:
            state = checked_spend(filt, state, request, 1)
        states.append(state)
    assert _admits(filt, states[0], after) == _admits(filt, states[1], after), (
        f"{after!r} is decided by the order of {requests!r}"
    )


def a_larger_budget_admits_as_much(
    filt: PrivacyFilter, larger: PrivacyFilter, history: History, request: DominatingPair
) -> None:
    """A request that the smaller budget grants is granted by the larger one."""
    small, large = checked_start(filt, 1), checked_start(larger, 1)
    for asked, loss in [*history, (request, 0.0)]:
        if _admits(filt, small, asked):
            assert _admits(larger, large, asked), f"{asked!r} is granted by {filt!r} and not by {larger!r}"
            small, _ = _round(filt, small, asked, loss)
            large, _ = _round(larger, large, asked, loss)


#: Name of the test -> the law in words, for the laws that every filter is tested on.
LAWS: Mapping[str, str] = {
    "test_something_is_admitted": "the mechanisms of the test include some that a fresh run admits",
    "test_cheaper_is_admitted_too": "monotone in the cost of the request",
    "test_a_cheaper_past_denies_no_more": "monotone in the cost of the past",
    "test_a_denial_changes_nothing": "asking has no effect",
    "test_the_old_state_is_left_alone": "methods are pure",
    "test_halting_absorbs": "after a halt nothing is granted",
    "test_the_future_changes_no_past_decision": "decisions are predictable",
    "test_runs_do_not_see_each_other": "n runs behave as n single runs",
    "test_saving_is_invisible": "save and restore lose and regain nothing",
    "test_the_promise_is_kept": "never overspends: exact transcripts stay within the promise",
}


def laws(
    target: PrivacyFilter | Callable[[], PrivacyFilter],
    *,
    mechanisms: SearchStrategy[DominatingPair] | None = None,
    larger: PrivacyFilter | None = None,
    examples: int = 40,
) -> type:
    """A test class of the laws for `target`, a filter or a callable that makes one: `TestMyFilter = fp.laws(MyFilter)`.

    `mechanisms` draws the single pairs to request (default: `strategies.mechanisms()`); a filter with a menu
    needs its own. `larger` is the same filter with more budget and adds a law. A filter with `order_free = True`
    gets the law that order does not matter. Runs are reproducible: no example depends on the clock.
    Passing is no proof: it says that no example contradicted a law. Raises ImportError without hypothesis.
    """
    from filters.testing import strategies  # before hypothesis: its ImportError says what to install

    import hypothesis  # isort: skip
    from hypothesis import strategies as st

    filt = target if isinstance(target, PrivacyFilter) else target()
    checked_filter(filt)
    drawn = strategies.mechanisms() if mechanisms is None else mechanisms
    history, pair = strategies.histories(drawn), drawn
    both = strategies.comparable(drawn)
    finite = drawn.filter(lambda request: isinstance(request, Finite))
    foes = strategies.adversaries(finite)
    configured = hypothesis.settings(
        deadline=None,
        max_examples=examples,
        derandomize=True,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )

    def test_something_is_admitted(self: object) -> None:
        try:
            hypothesis.find(drawn, lambda request: something_is_admitted(filt, request), settings=configured)
        except hypothesis.errors.NoSuchExample:
            raise AssertionError(
                f"{filt!r} admits none of the mechanisms drawn; pass mechanisms=... that it covers"
            ) from None

    methods: dict[str, Any] = {"test_something_is_admitted": test_something_is_admitted}

    def add(law: Callable[..., None], **drawing: SearchStrategy[Any]) -> None:
        def test(self: object, **given: Any) -> None:
            law(filt, **given)

        test.__name__ = test.__qualname__ = f"test_{law.__name__}"
        test.__doc__ = law.__doc__
        methods[test.__name__] = configured(hypothesis.given(**drawing)(test))

    add(cheaper_is_admitted_too, history=history, both=both)
    add(a_cheaper_past_denies_no_more, history=history, both=both, loss=strategies.losses(), after=pair)
    add(a_denial_changes_nothing, history=history, request=pair)
    add(the_old_state_is_left_alone, history=history, request=pair)
    add(halting_absorbs, history=history)
    add(the_future_changes_no_past_decision, history=history, one=history, other=history)
    add(runs_do_not_see_each_other, together=st.lists(strategies.histories(drawn), max_size=5))
    add(saving_is_invisible, history=history)
    add(the_promise_is_kept, adversary=foes)
    if filt.order_free:
        shuffles = st.lists(drawn, max_size=8).flatmap(
            lambda asked: st.tuples(st.just(asked), st.permutations(asked))
        )

        def order(filt: PrivacyFilter, orders: tuple[list[Any], list[Any]], after: DominatingPair) -> None:
            order_does_not_matter(filt, *orders, after)

        order.__name__, order.__doc__ = "order_does_not_matter", order_does_not_matter.__doc__
        add(order, orders=shuffles, after=pair)
    if larger is not None:
        more = larger
        checked_filter(more)

        def budget(filt: PrivacyFilter, history: History, request: DominatingPair) -> None:
            a_larger_budget_admits_as_much(filt, more, history, request)

        budget.__name__ = "a_larger_budget_admits_as_much"
        budget.__doc__ = a_larger_budget_admits_as_much.__doc__
        add(budget, history=history, request=pair)
    return type(f"Test{type(filt).__name__}", (), methods)
