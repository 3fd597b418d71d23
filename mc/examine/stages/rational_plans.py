"""Plans in rational numbers: games over rational pairs, and a small request with its best replies.

Each plan is evaluated in fractions through the filter's own code, however it was chosen.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

import flint
import numpy as np

from filterproof.filters.contract.contract_checks import checked_admits, checked_observe, checked_start
from filterproof.filters.contract.largest_granted import largest_granted
from filterproof.filters.contract.state import State, run_keys
from filterproof.filters.contract.work import count_work
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.counterexample import Counterexample, encode_or_class_name
from filterproof.mc.examine.divergence import Divergence, certainly_exceeds
from filterproof.mc.examine.examination_context import ExaminationContext
from filterproof.mc.examine.pairs_in_attributes import allowed_values_for
from filterproof.mc.examine.sequence import granted_state
from filterproof.mc.losses.balls import BITS, exact_fraction, to_ball
from filterproof.mc.losses.too_large import TooLargeError
from filterproof.mc.worst_case.plan import GAIN_MARGIN, AdaptivePlan, DeniedError, masses_of, plan_of_strategy
from filterproof.mc.worst_case.solve import worst_case_of_checked_filter
from filterproof.theory.evidence import Evidence
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.numerics.stable import log_fraction
from filterproof.theory.pairs import DominatingPair, FinitePair, RandomizedResponse
from filterproof.theory.pairs.base import Direction

#: Units of work of the charges of a pair in rational numbers.
_RATIONAL_UNITS = 8
#: The first request of a plan, as shares of the largest randomised response that a fresh run grants.
_OPENING_SHARES = (0.1, 0.02, 0.05, 0.25, 0.5)
#: The most positions of a game, and the largest epsilon of one: above it, e^epsilon has too many digits.
_POSITIONS, _MAX_EPSILON = 20_000, 8192.0
#: The largest response that is written with a ratio of small integers.
_MAX_WRITTEN = 8.0


def admits_pair(filt: PrivacyFilter, state: State, request: DominatingPair) -> bool:
    """Whether the filter admits a pair of rational masses."""
    count_work(_RATIONAL_UNITS)
    return bool(checked_admits(filt, state, request, 1)[0])


def epsilons_and_rational_exps(
    filt: PrivacyFilter, targets: tuple[Divergence, ...]
) -> Iterator[tuple[float, Fraction]]:
    """Yield each hockey-stick target's epsilon, with a rational at or just above e^epsilon."""
    for target in targets:
        if target.kind == "hockey-stick" and target.at <= _MAX_EPSILON:
            yield target.at, rational_exp_epsilon_above(filt, target.at)


def rational_exp_epsilon_above(filt: PrivacyFilter, epsilon: float) -> Fraction:
    """Return the filter's ratio if epsilon is its logarithm, else a rational in [e^epsilon, e^epsilon (1 + 1e-10)]."""
    own = getattr(filt, "ratio", None)
    if isinstance(own, Fraction) and log_fraction(own) == epsilon:
        return own
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        exact = exact_fraction(to_ball(epsilon).exp().upper())
    bound = exact * (1 + GAIN_MARGIN)
    for size in (10**k for k in range(1, 30)):
        near = exact.limit_denominator(size)
        for tried in (near, near + Fraction(1, near.denominator)):
            if exact <= tried <= bound:
                return tried
    return exact


def simple_rational_exp_epsilon_below(epsilon: float) -> Fraction | None:
    """Return a ratio of small integers at or just below e^epsilon, or None for a large epsilon."""
    if epsilon > _MAX_WRITTEN:
        return None
    near = (Fraction(math.floor(math.exp(epsilon) * unit), unit) for unit in (2, 10, 100, 1000, 10**5))
    return next((ratio for ratio in near if ratio > 1 and math.log(ratio) >= 0.95 * epsilon), None)


def pruned_plan_record(
    filt: PrivacyFilter, epsilon: float, ratio: Fraction, direction: Direction, plan: AdaptivePlan | None
) -> Counterexample | None:
    """Return a plan's record without useless requests; None if a request is denied or none is left."""
    plan = plan and plan.prune_useless_requests(ratio, direction)
    if plan is None:
        return None
    try:
        value = plan.value(filt, ratio, direction)
    except DeniedError:  # the filter answered the same question differently
        return None
    promised = Divergence.hockey_stick(epsilon).promised(filt.promise)
    data = {"filter": encode_or_class_name(filt), "epsilon": epsilon, "ratio": str(ratio)}
    data |= {"promised": promised, "value": str(value), "direction": direction}
    return Counterexample(filt, data | {"plan": plan.to_data(allowed_values_for(filt))})


def best_plan_counterexample(
    filt: PrivacyFilter, menu: list[DominatingPair], rounds: int, epsilon: float, ratio: Fraction
) -> Counterexample | None:
    """Return the best plan over a menu of rational pairs; None if it keeps the guarantee or the game is too large."""
    game = partial(worst_case_of_checked_filter, filt, menu, epsilon=LogRatio(ratio), rounds=rounds)
    try:
        solved = game(evidence=Evidence.EXACT, max_positions=_POSITIONS)
    except TooLargeError:
        return None
    promised = Divergence.hockey_stick(epsilon).promised(filt.promise)
    if not solved.rounds or solved.value is None or not certainly_exceeds(solved.value, promised):
        return None
    plan = plan_of_strategy(solved.strategy, filt, rounds=rounds, direction=solved.direction)
    return pruned_plan_record(filt, epsilon, ratio, solved.direction, plan)


# -- best replies --------------------------------------------------------------------------------------


def plans_with_best_second_requests(
    subject: ExaminationContext, targets: tuple[Divergence, ...]
) -> Iterator[Counterexample]:
    """Yield plans: the best granted pair with two outputs; a small response, and the best such pair after each output.

    A plan may keep the guarantee.
    """
    filt = subject.filter
    top = next((family.sizes[-1] for family in subject.families if family.definition.mechanism == "rr"), None)
    if top is None:
        return
    # cached by state: most filters are in one state after both outputs, and at every epsilon
    fresh = AdmissibleTwoOutputPairs(filt, checked_start(filt, 1))
    frontiers: dict[Hashable, AdmissibleTwoOutputPairs] = {run_keys(fresh.state)[0]: fresh}

    def plans(ratio: Fraction) -> Iterator[AdaptivePlan | None]:
        yield best_second_request(fresh, ratio)
        for base in filter(None, (simple_rational_exp_epsilon_below(part * top) for part in _OPENING_SHARES)):
            opening, continuations = RandomizedResponse.from_ratio(base), []
            spent = granted_state(filt, checked_start(filt, 1), opening)
            if spent is None:
                continue
            for p, q in masses_of(opening):
                state = checked_observe(filt, spent, np.array([log_fraction(p / q)]), 1)
                admissible = frontiers.setdefault(run_keys(state)[0], AdmissibleTwoOutputPairs(filt, state))
                continuations.append(best_second_request(admissible, ratio * q / p))
            yield AdaptivePlan(opening, tuple(continuations))

    for epsilon, ratio in epsilons_and_rational_exps(filt, targets):
        records = (pruned_plan_record(filt, epsilon, ratio, "PQ", plan) for plan in plans(ratio))
        yield from (record for record in records if record is not None)


@dataclass(frozen=True, slots=True)
class AdmissibleTwoOutputPairs:
    """The pairs P = (a, 1-a), Q = (b, 1-b) that a filter admits in a state: for each b, the largest a.

    Answers are cached, because they do not depend on the adversary's aim. Acceptance is taken to be monotone in a. If
    it is not, a reply may be missed, but no reply is used that was not admitted.
    """

    filter: PrivacyFilter
    state: State
    value_cache: dict[Fraction, tuple[float, float]] = field(default_factory=dict)

    def largest_admitted_p_mass(self, b: Fraction, least: float, tolerance: float) -> float:
        """Return about the largest a, or 0.0 if one question shows that it is below `least`."""
        if (low := max(1.001 * float(b), least)) >= 1:
            return 0.0
        return largest_granted(lambda a: self._admits_masses(a, b), (low, 1.0), tolerance) or 0.0

    def _admits_masses(self, a: float, b: Fraction) -> bool:
        """Whether the filter admits P = (a, 1-a), Q = (b, 1-b); known answers are cached."""
        admitted, denied = self.value_cache.get(b, (-math.inf, math.inf))
        if admitted < a < denied:
            answer = admits_pair(self.filter, self.state, _two_points(a, b))
            self.value_cache[b] = (a, denied) if answer else (admitted, a)
            return answer
        return a <= admitted


def best_second_request(admissible: AdmissibleTwoOutputPairs, growth: Fraction) -> AdaptivePlan | None:
    """Return the admitted P = (a, 1-a), Q = (b, 1-b) with the largest a - growth b; None if stopping is better."""
    best, plan = max(1 - growth, Fraction(0)), None
    logs = np.linspace(-40.0, -1.0, 27)
    for tolerance in (1e-2, 1e-4):
        values = []
        for exponent in logs:
            b = _rounded_to_24_bits(2.0**exponent)
            # no a exceeds 1, and e^epsilon need not fit a double
            a = admissible.largest_admitted_p_mass(b, float(min(best + growth * b, Fraction(1))), tolerance)
            pair = _two_points(a, b) if a > b else None
            value = pair.p[0] - growth * pair.q[0] if pair is not None else Fraction(-1)
            values.append(value)
            if pair is not None and value > best:
                best, plan = Fraction(value), AdaptivePlan(pair, (None, None))
        # not np.argmax: Fractions need not fit doubles
        centre = max(range(len(values)), key=values.__getitem__)
        spread = logs[1] - logs[0]
        logs = np.linspace(logs[centre] - spread, min(logs[centre] + spread, -0.01), 9)
    return plan


def _rounded_to_24_bits(x: float) -> Fraction:
    mantissa, exponent = math.frexp(x)
    return Fraction(round(mantissa * 2**24)) * Fraction(2) ** (exponent - 24)


def _two_points(a: float, b: Fraction) -> FinitePair:
    """Return the pair with P = (a, 1-a), a rounded to 24 bits, and Q = (b, 1-b)."""
    top = min(_rounded_to_24_bits(a), 1 - Fraction(1, 2**30))
    return FinitePair((top, 1 - top), (b, 1 - b))
