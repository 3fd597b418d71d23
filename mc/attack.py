"""Attacks: a search for a game that a filter loses, and the witness, re-verified exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import flint
import numpy as np

from filters.base import PrivacyFilter, State
from filters.contract import checked_filter
from mc.catalogue import catalogue, decode, encode
from mc.worst_case import worst_case
from mc.worst_case.balls import BITS, ball, fraction
from mc.worst_case.log_ratio import LogRatio
from mc.worst_case.outcomes import Direction, log_fraction
from mc.worst_case.plan import Plan, masses_of, written_out
from mc.worst_case.states import decisions
from theory.arguments import check_count
from theory.evidence import Evidence, Outcome, Verdict
from theory.guarantees import ApproxDP, PureDP
from theory.pairs import DominatingPair, Erasure, FinitePair, RandomizedResponse

__all__ = ["Attack", "attack", "replay_attack"]

#: How far above the promise a value must lie, relative: promises are doubles.
_MARGIN = Fraction(1, 10**9)
#: Epsilons tried against a promise that holds at every epsilon.
_EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 12.0, 15.0)


@dataclass(frozen=True, slots=True)
class Attack:
    """What the search found: the smallest plan worth more than promised, or the closest it came.

    value is the exact H_ratio of `plan`, ratio >= e^epsilon; promised is the filter's delta(epsilon).
    games counts the games solved. Where none exceeds the promise, value is the largest share of it that was
    reached and plan is None.
    """

    filter: PrivacyFilter
    epsilon: float
    ratio: Fraction
    promised: float
    value: Fraction
    direction: Direction
    plan: Plan | None
    games: int

    @property
    def refuted(self) -> bool:
        """Whether the plan is worth more than the promise."""
        return self.plan is not None and self.value > Fraction(self.promised) * (1 + _MARGIN)

    @property
    def share(self) -> float:
        """value / promised, inf where nothing was promised."""
        if self.promised > 0:
            return float(self.value / Fraction(self.promised))
        return math.inf if self.value > 0 else 0.0

    @property
    def witness(self) -> dict[str, Any]:
        """The plan and all it takes to replay it, as JSON-able data; see `replay_attack`."""
        if self.plan is None:
            raise ValueError("plan must exist to be a witness, got None; nothing exceeded the promise")
        known = catalogue(type(self.filter))
        try:
            told: Any = encode(self.filter, known)
        except TypeError:
            told = repr(self.filter)  # no frozen dataclass: whoever replays must hold the filter
        return {
            "filter": told,
            "epsilon": self.epsilon,
            "ratio": str(self.ratio),
            "promised": self.promised,
            "value": str(self.value),
            "direction": self.direction,
            "plan": self.plan.to_data(known),
        }

    @property
    def verdict(self) -> Verdict:
        """REFUTED with the witness, or UNDECIDED: a search that finds nothing proves nothing."""
        scope = f"the plan found among {self.games} games, at epsilon={self.epsilon:g}"
        if not self.refuted:
            if not self.games:
                nothing = "no game could be tried: the filter admits nothing with rational masses"
                return Verdict(Outcome.UNDECIDED, Evidence.EXACT, scope, nothing)
            closest = f"no game exceeded the promise; the closest is worth {self.share:.4g} of it"
            return Verdict(Outcome.UNDECIDED, Evidence.EXACT, scope, closest)
        detail = f"worth {self.value} = {float(self.value):.6g}, promised {self.promised:.6g}"
        return Verdict(Outcome.REFUTED, Evidence.EXACT, scope, detail, self.witness)


def attack(filt: PrivacyFilter, *, rounds: int = 4) -> Attack:
    """Search for an adaptive adversary worth more than the filter's promise, with at most `rounds` rounds.

    In turn: the filter's own menu, if it has one; the largest single requests that it admits, asked for again
    and again (up to 8 `rounds`); ladders of randomised responses; and a small first request followed, on each of
    its outcomes, by the best pair of two outcomes that the filter still admits. Pairs have rational masses,
    plans are re-verified in rationals through the filter's own code, and the search ends with the shortest
    plan of the first stage that finds any. Nothing found proves nothing: the verdict is UNDECIDED then.
    """
    filt = checked_filter(filt)
    rounds = check_count("rounds", rounds)
    best: Attack | None = None
    games = 0
    for stage in (_own_menu, _largest_requests, _ladders, _best_replies):
        found: list[Attack] = []
        for lead in stage(filt, rounds):
            games += 1
            tried = lead.followed(filt)
            if tried.refuted:
                found.append(tried)
                if stage is _best_replies:  # slow, and one is enough
                    break
            elif best is None or tried.share > best.share:
                best = tried
        if found:
            return replace(min(found, key=_length), games=games)
    if best is None:
        # a promise of 1 at every epsilon tried leaves nothing to attack
        epsilon, ratio = next(_goals(filt), (_EPSILONS[-1], _ratio_above(_EPSILONS[-1])))
        best = Attack(filt, epsilon, ratio, _promised(filt, epsilon), Fraction(0), "PQ", None, games)
    return replace(best, games=games)


def replay_attack(data: Mapping[str, Any], filt: PrivacyFilter | None = None, *kinds: type) -> Fraction:
    """The exact worth of a witness's plan, played again through the filter; ValueError if it is not as told.

    filt is needed where the witness could only name its filter; `kinds` adds classes to the catalogue.
    """
    known = catalogue(*kinds) if filt is None else catalogue(type(filt), *kinds)
    if filt is None:
        if not isinstance(data["filter"], Mapping):
            raise ValueError(
                f"filt must be given, got None for a filter known as {data['filter']!r}; pass it"
            )
        from filters.unsound import knowingly

        with knowingly():
            filt = decode(data["filter"], known)
    plan = Plan.from_data(data["plan"], known)
    value = plan.worth(filt, Fraction(data["ratio"]), data["direction"])
    if value != Fraction(data["value"]):
        raise ValueError(f"value must replay, got {value} where the witness says {data['value']}; check both")
    return value


@dataclass(frozen=True, slots=True)
class _Lead:
    """A game of the given value, or a value yet to be found, and how to write its best play out."""

    epsilon: float
    ratio: Fraction
    value: Fraction | None
    direction: Direction
    write: Callable[[], Plan | None]

    def followed(self, filt: PrivacyFilter) -> Attack:
        """The attack this comes to; a plan is written out and verified only if it may refute."""
        promised = _promised(filt, self.epsilon)
        plan: Plan | None = None
        value = self.value
        if value is None or value > Fraction(promised) * (1 + _MARGIN):
            plan = self.write()
            plan = plan and plan.pruned(self.ratio, self.direction)
            value = plan.worth(filt, self.ratio, self.direction) if plan else Fraction(0)
        return Attack(filt, self.epsilon, self.ratio, promised, value, self.direction, plan, 1)


def _goals(filt: PrivacyFilter) -> Iterator[tuple[float, Fraction]]:
    """The epsilons to attack, each with a rational just above its exponential."""
    promise = filt.promise
    if isinstance(promise, (ApproxDP, PureDP)):
        exact = getattr(filt, "ratio", None)
        ratio = exact if isinstance(exact, Fraction) else _ratio_above(promise.epsilon)
        yield promise.epsilon, ratio
        return
    for epsilon in _EPSILONS:
        if 0 < _promised(filt, epsilon) < 1:
            yield epsilon, _ratio_above(epsilon)


def _promised(filt: PrivacyFilter, epsilon: float) -> float:
    return float(filt.promise.delta(epsilon))


def _ratio_above(epsilon: float) -> Fraction:
    """A rational in [e^epsilon, e^epsilon (1 + 10^-9)] with small terms."""
    with flint.ctx.workprec(BITS):
        exact = fraction(ball(epsilon).exp().upper())
    bound = exact * (1 + _MARGIN)
    for size in (10**k for k in range(1, 30)):
        near = exact.limit_denominator(size)
        for tried in (near, near + Fraction(1, near.denominator)):
            if exact <= tried <= bound:
                return tried
    return exact


def _length(found: Attack) -> tuple[int, int, int]:
    """What makes a witness short: few rounds, few requests, small numbers."""
    assert found.plan is not None
    digits = len(str(found.value)) + len(str(found.ratio)) + len(str(found.witness["plan"]))
    return found.plan.rounds, found.plan.size, digits


# -- the stages ------------------------------------------------------------------------------------


def _game(
    filt: PrivacyFilter, menu: list[DominatingPair], rounds: int, epsilon: float, ratio: Fraction
) -> tuple[_Lead, int]:
    """The solved game over a menu, and its longest play."""
    solved = worst_case(
        filt, menu, epsilon=LogRatio(ratio), rounds=rounds, evidence=Evidence.EXACT, max_positions=20_000
    )

    def write() -> Plan | None:
        return written_out(solved.strategy, filt, rounds=rounds, direction=solved.direction)

    return _Lead(epsilon, ratio, solved.value, solved.direction, write), solved.rounds


def _own_menu(filt: PrivacyFilter, rounds: int) -> Iterator[_Lead]:
    menu = [pair for pair in getattr(filt, "menu", ()) if getattr(pair, "exact_masses", None) is not None]
    if menu:
        for epsilon, ratio in _goals(filt):
            for n in range(1, rounds + 1):
                yield _game(filt, menu, n, epsilon, ratio)[0]


def _largest_requests(filt: PrivacyFilter, rounds: int) -> Iterator[_Lead]:
    response, erasure = _largest_response(filt), _largest_erasure(filt)
    requests: list[DominatingPair] = [] if erasure is None else [erasure]
    if response is not None:
        # smaller ones too: a witness with small numbers is easier to check by hand
        sizes = [_simple(lambda r: r > 1, share * _size(response)) for share in (0.05, 0.1, 0.25, 0.5)]
        requests += [RandomizedResponse.from_ratio(size) for size in sizes if size is not None]
        requests.append(response)
    for epsilon, ratio in _goals(filt):
        for pair in requests:
            # a plan over n bits has 2^n histories; one over n erasures has n + 1
            most = rounds * (8 if isinstance(pair, Erasure) else 2)
            n = 1
            while n <= most:
                lead, longest = _game(filt, [pair], n, epsilon, ratio)
                yield lead
                if longest < n:
                    break
                n *= 2


def _ladders(filt: PrivacyFilter, rounds: int) -> Iterator[_Lead]:
    top = _largest_response(filt)
    if top is None:
        return
    for steps in (2, 3, 4):
        base = _simple(lambda r: r > 1, _size(top) / steps)
        if base is None:
            continue
        menu: list[DominatingPair] = [RandomizedResponse.from_ratio(base**k) for k in range(1, steps + 1)]
        for epsilon, ratio in _goals(filt):
            for n in range(2, rounds + 1):
                yield _game(filt, menu, n, epsilon, ratio)[0]


def _best_replies(filt: PrivacyFilter, rounds: int) -> Iterator[_Lead]:
    top = _largest_response(filt)
    if top is None or rounds < 2:
        return
    start = filt.start(1)
    goals = list(_goals(filt))
    for epsilon, ratio in goals[len(goals) // 3 :: 3]:  # slow: a third of them, but never none
        for share in (0.1, 0.02, 0.05, 0.25, 0.5):
            base = _simple(lambda r: r > 1, share * _size(top))
            if base is None or not _admits(filt, start, opening := RandomizedResponse.from_ratio(base)):
                continue
            spent = filt.spend(start, opening)
            then = []
            for p, q in masses_of(opening):
                state = filt.observe(spent, np.array([log_fraction(p / q)]))
                then.append(_best_reply(filt, state, ratio * q / p))
            plan = Plan(opening, tuple(then))
            yield _Lead(epsilon, ratio, None, "PQ", partial(_itself, plan))


# -- what a filter still admits ---------------------------------------------------------------------


def _admits(filt: PrivacyFilter, state: State, request: DominatingPair) -> bool:
    return bool(decisions(filt, state, request, 1)[0])


def _simple(accept: Callable[[Fraction], bool], epsilon: float) -> Fraction | None:
    """A rational near e^epsilon, with terms as small as acceptance allows; None where none is accepted."""
    exact = Fraction(math.exp(epsilon))
    for size in (2, 5, 10, 100, 1000, 10**5, 10**8, 10**12):
        near = exact.limit_denominator(size)
        for tried in (near, near - Fraction(1, near.denominator)):
            if tried > 1 and abs(log_fraction(tried) - epsilon) < 0.05 * epsilon and accept(tried):
                return tried
    return None


def _itself(plan: Plan) -> Plan:
    return plan


def _size(response: RandomizedResponse) -> float:
    return float(response.epsilon)


def _largest_response(filt: PrivacyFilter) -> RandomizedResponse | None:
    """The largest randomised response that the filter admits at the start, up to epsilon = 40."""
    start = filt.start(1)
    top = _last_true(lambda e: _admits(filt, start, RandomizedResponse(e)), 2.0**-20, 40.0)
    ratio = _simple(lambda r: _admits(filt, start, RandomizedResponse.from_ratio(r)), top) if top else None
    return RandomizedResponse.from_ratio(ratio) if ratio else None


def _largest_erasure(filt: PrivacyFilter) -> Erasure | None:
    """The largest erasure that the filter admits at the start."""
    start = filt.start(1)
    top = _last_true(lambda p: _admits(filt, start, Erasure(p)), 2.0**-60, 1.0)
    for size in (10**k for k in range(1, 19)):
        p = Fraction(top).limit_denominator(size)
        if p > 0.9 * top > 0 and _admits(filt, start, erasure := Erasure(float(p), exact=p)):
            return erasure
    return None


def _last_true(accept: Callable[[float], bool], low: float, high: float, closeness: float = 1e-12) -> float:
    """The largest t in [low, high] that is accepted, by bisection on its logarithm; 0.0 where low is not."""
    if accept(high):
        return high
    if not accept(low):
        return 0.0
    while high > low * (1 + closeness):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if accept(middle) else (low, middle)
    return low


def _best_reply(filt: PrivacyFilter, state: State, growth: Fraction) -> Plan | None:
    """The pair P = (a, 1-a), Q = (b, 1-b) that the filter admits with the largest a - growth b, if it gains."""
    best, plan = max(1 - growth, Fraction(0)), None
    logs = np.linspace(-40.0, -1.0, 27)
    for closeness in (1e-3, 1e-6):
        values = []
        for exponent in logs:
            b = _dyadic(2.0**exponent)
            a = _largest_mass(filt, state, b, closeness)
            pair = _two_points(a, b) if a > b else None
            value = pair.p[0] - growth * pair.q[0] if pair is not None else Fraction(-1)
            values.append(value)
            if pair is not None and value > best:
                best, plan = Fraction(value), Plan(pair, (None, None))
        centre = int(np.argmax([float(value) for value in values]))
        spread = logs[1] - logs[0]
        logs = np.linspace(logs[centre] - spread, min(logs[centre] + spread, -0.01), 13)
    return plan


def _largest_mass(filt: PrivacyFilter, state: State, b: Fraction, closeness: float) -> float:
    """The largest a for which P = (a, 1-a), Q = (b, 1-b) is admitted."""
    return _last_true(lambda a: _admits(filt, state, _two_points(a, b)), 1.001 * float(b), 1.0, closeness)


def _dyadic(x: float) -> Fraction:
    """x to 24 significant bits."""
    mantissa, exponent = math.frexp(x)
    return Fraction(round(mantissa * 2**24)) * Fraction(2) ** (exponent - 24)


def _two_points(a: float, b: Fraction) -> FinitePair:
    top = min(_dyadic(a), 1 - Fraction(1, 2**30))
    return FinitePair((top, 1 - top), (b, 1 - b))
