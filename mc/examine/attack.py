"""An attack: a search for an adaptive plan worth more than a filter's promise, verified in rational arithmetic."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import flint
import numpy as np

from filters.contract.checks import checked_filter, checked_observe, checked_spend
from filters.contract.determinism import check_requests
from filters.contract.state import keys
from filters.privacy_filter import PrivacyFilter
from mc.engine.encoding import nameable
from mc.examine.admitted import (
    LEVELS,
    SHARES,
    Frontier,
    admits,
    best_reply,
    largest_erasure,
    largest_response,
    simple_ratio,
)
from mc.examine.confirmation import differs, impure
from mc.examine.filter_fault import FilterFault
from mc.examine.measure import Measure
from mc.examine.subject import named_pairs
from mc.examine.witness import Witness, named
from mc.examine.worker import alone
from mc.losses.balls import BITS, ball, down, fraction, up
from mc.losses.log_ratio import nearest_log
from mc.losses.too_large import TooLargeError
from mc.worst_case.plan import MARGIN, DeniedError, Plan, masses_of, written_out
from mc.worst_case.solve import solved_case
from theory.arguments import check_count
from theory.evidence import Evidence, Outcome, Verdict
from theory.guarantees import ApproxDP, PureDP
from theory.log_ratio import LogRatio
from theory.numerics.precision import PRECISION_LOCK
from theory.numerics.stable import log_fraction
from theory.pairs import DominatingPair, RandomizedResponse
from theory.pairs.base import Direction
from theory.shown import Row, Shown, row_of

#: Epsilons tried against a promise that holds at every epsilon.
_EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 12.0, 15.0)
#: What a filter without a menu of its own is asked for, to see whether it keeps all in its state.
_SAMPLE = tuple(
    RandomizedResponse.from_ratio(Fraction(1) + size) for size in (Fraction(1, 2), Fraction(1, 16))
)
#: Beyond this e^epsilon is a rational of many thousand digits.
_MOST_EPSILON = 8192.0


@dataclass(frozen=True, slots=True, repr=False)
class Attack(Shown):
    """What the search found: the shortest plan worth more than promised, or else the game that came closest.

    value is the exact H_ratio of `plan`, ratio >= e^epsilon; promised is the filter's delta(epsilon).
    games counts the games solved, without those in which the filter admits nothing. Where none exceeds the promise,
    value is that of the game with the largest `share` of it, and plan may be None. Where no game was solved,
    untried says why.
    """

    filter: PrivacyFilter
    epsilon: float
    ratio: Fraction
    promised: float
    value: Fraction
    direction: Direction
    plan: Plan | None
    games: int
    untried: str = ""

    @property
    def refuted(self) -> bool:
        """Whether the plan is worth more than the promise."""
        return self.plan is not None and self.value > Fraction(self.promised) * (1 + MARGIN)

    @property
    def share(self) -> float:
        """value / promised, inf where nothing was promised."""
        if self.promised > 0:
            share = self.value / Fraction(self.promised)
            return float(share) if share < 2**1000 else math.inf
        return math.inf if self.value > 0 else 0.0

    def rows(self) -> list[Row]:
        """One row: the exact value as a fraction, and the doubles next to it, low and high; without the plan."""
        names = ("filter", "epsilon", "ratio", "promised", "value")
        ends: Row = {"low": down(self.value), "high": up(self.value), "share": self.share}
        return [row_of(self, *names) | ends | row_of(self, "refuted", "direction", "games", "untried")]

    @property
    def witness(self) -> dict[str, Any]:
        """The plan and all it takes to replay it, as JSON-able data, for `replay`."""
        if self.plan is None:
            raise ValueError("plan must exist to be a witness, got None; nothing exceeded the promise")
        return {
            "filter": named(self.filter),
            "epsilon": self.epsilon,
            "ratio": str(self.ratio),
            "promised": self.promised,
            "value": str(self.value),
            "direction": self.direction,
            "plan": self.plan.to_data(nameable()),
        }

    @property
    def verdict(self) -> Verdict:
        """REFUTED with the witness, or UNDECIDED: a search that finds nothing proves nothing."""
        if not self.games:
            nothing = f"no game could be tried: {self.untried}; this says nothing about the promise"
            return Verdict(
                Outcome.UNDECIDED, Evidence.EXACT, "nothing was tried: no game was solved", nothing
            )
        scope = f"the plan found among {self.games} games, at epsilon={self.epsilon:g}"
        if not self.refuted:
            closest = f"no game exceeded the promise; the closest is worth {self.share:.4g} of it"
            return Verdict(Outcome.UNDECIDED, Evidence.EXACT, scope, closest)
        detail = str(Witness(self.filter, self.witness))
        return Verdict(Outcome.REFUTED, Evidence.EXACT, scope, detail, self.witness)


def attack(filt: PrivacyFilter, *, rounds: int = 4) -> Attack:
    """Search for an adaptive adversary worth more than the filter's promise, with at most `rounds` rounds.

        >>> from fractions import Fraction
        >>> import filterproof as fp
        >>> menu = [fp.RandomizedResponse.from_ratio(Fraction(3, 2) ** k) for k in (1, 2, 3)]
        >>> with fp.knowingly():
        ...     natural = fp.NaturalFilter.from_ratio(Fraction(9, 4), Fraction(45, 169), menu)
        >>> print(fp.attack(natural).value)
        1899/5915

    In turn: the filter's own menu, if it has one; the largest single requests that it admits, repeated (a response
    up to 2 `rounds` times, an erasure up to 8); ladders of randomised responses; and a small first request followed,
    on each of its outputs, by the best pair with two outputs that the filter still admits. Pairs have rational
    masses: in the filter's own menu, rational pairs with the same doubles stand for pairs given by doubles. Plans
    are verified in rationals through the filter's own code. The search ends with the shortest plan of the first stage
    that finds any; if none does, the verdict is UNDECIDED. Games of more than 20,000 positions are skipped.
    The filter's code runs in a process of its own: FilterFault where it raises, or ends that process, and where one
    that nobody has asked before does not grant the plan.
    """
    found = alone(partial(attacked, filt, rounds=rounds), filt=filt)
    if found.refuted and (other := differs(Witness(filt, found.witness), partial(alone, filt=filt))):
        raise FilterFault(f"{impure(filt)} ({other})")
    return found


def attacked(filt: PrivacyFilter, *, rounds: int = 4) -> Attack:
    """`attack`, run in this process."""
    checked_filter(filt)
    rounds = check_count("rounds", rounds)
    check_requests(filt, named_pairs(filt, "menu") or _SAMPLE)
    best: Attack | None = None
    games = 0
    for stage in (_own_menu, _largest_requests, _ladders, _best_replies):
        attacks: list[Attack] = []
        for tried in stage(filt, rounds):
            games += 1
            if tried.refuted:
                attacks.append(tried)
                if stage is _best_replies:  # slow, and one is enough
                    break
            elif best is None or tried.share > best.share:
                best = tried
        if attacks:
            return replace(min(attacks, key=_length), games=games)
    return _untried(filt) if best is None else replace(best, games=games)


def replied(filt: PrivacyFilter) -> Attack | None:
    """The first refutation by a small request and the best replies to its outputs; None where there is none."""
    checked_filter(filt)
    return next((tried for tried in _best_replies(filt, 2) if tried.refuted), None)


def goals_of(filt: PrivacyFilter) -> Iterator[tuple[float, Fraction]]:
    """The epsilons to attack, each with a rational at or just above e^epsilon."""
    promise = filt.promise
    if isinstance(promise, (ApproxDP, PureDP)):
        if promise.epsilon > _MOST_EPSILON:
            return
        yield promise.epsilon, ratio_at(filt, promise.epsilon)
        return
    telling = [epsilon for epsilon in _EPSILONS if 0 < _promised(filt, epsilon) < 1]
    if not telling:  # delta is 0 or 1 at all of them: try a wider and finer grid
        finer = (2.0 ** (k / 4) for k in range(-240, 4 * round(math.log2(_MOST_EPSILON)) + 1))
        some = [epsilon for epsilon in finer if 0 < _promised(filt, epsilon) < 1]
        telling = some[:: max(1, -(-len(some) // len(_EPSILONS)))]
    for epsilon in telling:
        yield epsilon, ratio_above(epsilon)


def _promised(filt: PrivacyFilter, epsilon: float) -> float:
    return Measure.hockey_stick(epsilon).promised(filt.promise)


def _untried(filt: PrivacyFilter) -> Attack:
    """The result where no game was solved, and why none was."""
    goal = next(goals_of(filt), None)
    if goal is None:
        reason = f"no epsilon tried, up to {_MOST_EPSILON:g}, has a promise that a game can exceed"
        return Attack(filt, math.inf, Fraction(1), 1.0, Fraction(0), "PQ", None, 0, reason)
    reason = (
        "at its start the filter admitted none of the requests with rational masses that were tried, "
        f"{len(LEVELS)} levels of randomised response from {LEVELS[0]:.2g} to {LEVELS[-1]:g}, {len(SHARES)} erasures "
        "and its own menu, or every game was too large"
    )
    return Attack(filt, *goal, _promised(filt, goal[0]), Fraction(0), "PQ", None, 0, reason)


def ratio_at(filt: PrivacyFilter, epsilon: float) -> Fraction:
    """The filter's own ratio, where epsilon is its logarithm, or else `ratio_above`."""
    own = getattr(filt, "ratio", None)
    return own if isinstance(own, Fraction) and log_fraction(own) == epsilon else ratio_above(epsilon)


def ratio_above(epsilon: float) -> Fraction:
    """A rational in [e^epsilon, e^epsilon (1 + 10^-10)] with small terms."""
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        exact = fraction(ball(epsilon).exp().upper())
    bound = exact * (1 + MARGIN)
    for size in (10**k for k in range(1, 30)):
        near = exact.limit_denominator(size)
        for tried in (near, near + Fraction(1, near.denominator)):
            if exact <= tried <= bound:
                return tried
    return exact


def _length(found: Attack) -> tuple[int, int, int]:
    """The order of witnesses, shortest first: by rounds, then by requests, then by digits."""
    assert found.plan is not None
    digits = len(str(found.value)) + len(str(found.ratio)) + len(str(found.witness["plan"]))
    return found.plan.rounds, found.plan.size, digits


# -- the stages ------------------------------------------------------------------------------------


def solved_game(
    filt: PrivacyFilter, menu: list[DominatingPair], rounds: int, epsilon: float, ratio: Fraction
) -> tuple[int, Attack] | None:
    """The longest play of the solved game over a menu, and the attack by it; its plan is written out if it may refute.

    None where nothing of it is admitted, or it is too large.
    """
    try:
        solved = solved_case(
            filt, menu, epsilon=LogRatio(ratio), rounds=rounds, evidence=Evidence.EXACT, max_positions=20_000
        )
    except TooLargeError:
        return None
    if not solved.rounds:
        return None
    assert solved.value is not None  # which is exact
    promised = _promised(filt, epsilon)
    tried = Attack(filt, epsilon, ratio, promised, solved.value, solved.direction, None, 1)
    if solved.value > Fraction(promised) * (1 + MARGIN):
        plan = written_out(solved.strategy, filt, rounds=rounds, direction=solved.direction)
        tried = _verified(tried, plan)
    return solved.rounds, tried


def _verified(tried: Attack, plan: Plan | None) -> Attack:
    """The attack by a plan, without requests that are worth nothing: its worth through the filter's own code."""
    plan = plan and plan.pruned(tried.ratio, tried.direction)
    try:
        value = plan.worth(tried.filter, tried.ratio, tried.direction) if plan else Fraction(0)
    except DeniedError:  # a filter that answers the same question twice in two ways
        plan, value = None, Fraction(0)
    return replace(tried, plan=plan, value=value)


def _solved(filt: PrivacyFilter, menu: list[DominatingPair], lengths: Iterable[int]) -> Iterator[Attack]:
    """The attacks over a menu at every goal, of each of the lengths."""
    for epsilon, ratio in goals_of(filt):
        for n in lengths:
            if (solved := solved_game(filt, menu, n, epsilon, ratio)) is not None:
                yield solved[1]


def _own_menu(filt: PrivacyFilter, rounds: int) -> Iterator[Attack]:
    menu = [exact for pair in named_pairs(filt, "menu") if (exact := pair.rational) is not None]
    if menu:
        yield from _solved(filt, menu, range(1, rounds + 1))


def _largest_requests(filt: PrivacyFilter, rounds: int) -> Iterator[Attack]:
    response, erasure = largest_response(filt), largest_erasure(filt)
    requests: list[DominatingPair] = [] if erasure is None else [erasure]
    if response is not None:
        # smaller ones too: a witness with small numbers is easier to check by hand
        sizes = [simple_ratio(share * response.epsilon) for share in (0.05, 0.1, 0.25, 0.5)]
        requests += [RandomizedResponse.from_ratio(size) for size in sizes if size is not None]
        requests.append(response)
    for epsilon, ratio in goals_of(filt):
        for pair in requests:
            # a plan over n bits has 2^n histories; one over n erasures has n + 1
            most = rounds * (8 if pair.infinite_mass else 2)
            n = 1
            while n <= most and (solved := solved_game(filt, [pair], n, epsilon, ratio)) is not None:
                longest, tried = solved
                yield tried
                if longest < n:
                    break
                n *= 2


def _ladders(filt: PrivacyFilter, rounds: int) -> Iterator[Attack]:
    top = largest_response(filt)
    if top is None:
        return
    for steps in (2, 3, 4):
        base = simple_ratio(top.epsilon / steps)
        if base is None:
            continue
        menu: list[DominatingPair] = [RandomizedResponse.from_ratio(base**k) for k in range(1, steps + 1)]
        yield from _solved(filt, menu, range(2, rounds + 1))


def _best_replies(filt: PrivacyFilter, rounds: int) -> Iterator[Attack]:
    top = largest_response(filt)
    if top is None or rounds < 2:
        return
    start = filt.start(1)
    goals = list(goals_of(filt))
    # by state: most filters are in one state after both outputs, and at every epsilon
    frontiers: dict[Hashable, Frontier] = {}
    for epsilon, ratio in goals[len(goals) // 3 :: 3]:  # slow: a third of them, but never none
        for share in (0.1, 0.02, 0.05, 0.25, 0.5):
            base = simple_ratio(share * top.epsilon)
            if base is None or not admits(filt, start, opening := RandomizedResponse.from_ratio(base)):
                continue
            spent = checked_spend(filt, start, opening, 1)
            continuations = []
            for p, q in masses_of(opening):
                state = checked_observe(filt, spent, np.array([nearest_log(p / q)]), 1)
                frontier = frontiers.setdefault(keys(state)[0], Frontier(filt, state))
                continuations.append(best_reply(frontier, ratio * q / p))
            tried = Attack(filt, epsilon, ratio, _promised(filt, epsilon), Fraction(0), "PQ", None, 1)
            yield _verified(tried, Plan(opening, tuple(continuations)))
