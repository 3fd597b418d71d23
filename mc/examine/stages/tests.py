"""The stage of betting tests: every built-in strategy against the promise, with one failure probability for all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from filters.contract.checks import checked_affordable, checked_start
from filters.contract.filter_base import OnDenial
from filters.privacy_filter import PrivacyFilter
from mc.engine.adversaries import (
    STRATEGIES,
    Constant,
    EraserForever,
)
from mc.engine.adversary import Adversary
from mc.engine.encoding import encode, nameable
from mc.estimate.decide import decide
from mc.examine.clock import Clock, OutOfTime
from mc.examine.measure import Measure
from mc.examine.stage_finding import StageFinding
from mc.examine.subject import Subject
from mc.examine.witness import Witness, named
from mc.examine.worker import within
from mc.intervals.anytime import Side
from theory.evidence import Evidence, Outcome, Verdict
from theory.pairs import Gaussian, RandomizedResponse

__all__ = ["betting_tests"]

_ASKED = "Do strategies in play, tested by bets on fresh random numbers, break the promise?"
#: Paths and rounds of one test.
_MOST, _ROUNDS = 150_000, 200


@dataclass(frozen=True, slots=True)
class _Test:
    adversary: Adversary
    measure: Measure
    on_denial: OnDenial


def betting_tests(subject: Subject, clock: Clock, failure: float) -> Iterator[StageFinding]:
    """One finding: the tests were fixed before the first path, and share the failure probability equally."""
    filt = subject.filter
    try:  # what each strategy asks for is found by asking the filter
        tests = within(clock, filt, lambda: list(_tests(subject)))
    except OutOfTime:
        yield StageFinding("tests", _ASKED, "no test was begun", "", "every strategy: the time was up")
        return
    failure_each = failure / max(len(tests), 1)
    below = tests_run = 0
    for number, test in enumerate(tests):
        if clock.over:
            break
        setting = {
            "epsilon": test.measure.at,
            "delta": subject.promised(test.measure),
            "failure": failure_each,
            "most": _MOST,
            "seed": subject.seed + number,
            "rounds": _ROUNDS,
            "direction": test.measure.direction,
            "on_denial": test.on_denial,
        }
        try:
            decision = within(clock, filt, partial(decide, filt, test.adversary, workers=1, **setting))  # type: ignore[arg-type]
        except OutOfTime:
            break
        tests_run += 1
        below += decision.side is Side.BELOW
        if decision.side is Side.ABOVE:
            data = {
                "filter": named(filt),
                "adversary": encode(test.adversary, nameable()),
                **setting,
                "n": decision.n,
                "log_e_above": decision.log_e_above,
            }
            name = type(test.adversary).__name__
            said = f"{name} at {test.measure}, which may {test.on_denial} after a denial: {decision}"
            scope = f"{name} against {filt}; test {number + 1} of {len(tests)}"
            verdict = Verdict(Outcome.REFUTED, Evidence.STATISTICAL, scope, said, data)
            yield StageFinding("tests", _ASKED, said, name, "", verdict, Witness(filt, data))
            return
    names = dict.fromkeys(type(test.adversary).__name__ for test in tests)
    unseen = "other strategies" + (
        "" if tests_run == len(tests) else f"; {len(tests) - tests_run} tests: the time was up"
    )
    found = f"{tests_run} tests: {below} found the divergence below the promise, {tests_run - below} could not tell"
    yield StageFinding("tests", _ASKED, found, ", ".join(names), unseen)


def _tests(subject: Subject) -> Iterator[_Test]:
    filt = subject.filter
    sticks = [goal for goal in subject.goals if goal.kind == "hockey-stick" and subject.promised(goal) < 1]
    foes = list(_adversaries(subject))
    denials: tuple[OnDenial, ...] = ("halt", "retry")
    for goal in sticks:
        for foe in foes:
            for measure in (goal, replace(goal, direction="QP")) if subject.looks else (goal,):
                for on_denial in denials if subject.looks else denials[:1]:
                    yield _Test(foe.against(filt), measure, on_denial)


def _adversaries(subject: Subject) -> Iterator[Adversary]:
    filt = subject.filter
    open_families = {line.line.family for line in subject.lines}
    for name, family in (("gaussian", Gaussian), ("rr", RandomizedResponse)):
        if name in open_families and _affordable(filt, family):
            yield from (make(family=family) for make in STRATEGIES)
    for line in subject.lines:
        yield Constant(line.largest)
        yield Constant(line.pairs[-1 - len(line.pairs) // 8])
    if "erasure" in open_families:
        yield EraserForever(p=0.01)


def _affordable(filt: PrivacyFilter, family: type[Gaussian] | type[RandomizedResponse]) -> bool:
    return bool(checked_affordable(filt, checked_start(filt, 1), family, 1)[0] > 0)
