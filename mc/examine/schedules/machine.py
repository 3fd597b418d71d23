"""A property test of a service: a state machine of Hypothesis moves it, and cuts what breaks the promise.

>>> import filterproof as fp
>>> class Purse:
...     def __init__(self, disk):
...         self.disk = disk
...     def request(self, pair, key):
...         spent = self.disk.get("spent", 0.0) + pair.pure_epsilon
...         if spent <= 1.0:
...             self.disk["spent"] = spent
...             yield fp.Release()
>>> TestPurse = schedules(Purse, fp.PureDP(1.0), examples=5)
>>> TestPurse("runTest").runTest()
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any
from unittest import TestCase

from filters.adapters.service import MakeService
from mc.examine.clock import Clock
from mc.examine.schedules.schedule import MOVES, ServiceMove, What, World
from mc.examine.schedules.schedule_search import MECHANISMS, Breaches, asked_lines, menu_of
from theory.guarantees import Guarantee
from theory.pairs import DominatingPair

__all__ = ["schedules"]

#: Seconds in which a service says what it grants; moves of an example, and how far back a move may point.
_ASKING, _MOVES, _BACK = 60.0, 50, 3


def schedules(
    service: MakeService,
    promise: Guarantee,
    *,
    mechanisms: Sequence[str] = MECHANISMS,
    examples: int = 200,
) -> type[TestCase]:
    """A test class in which no schedule breaks the promise: `TestPurse = fp.schedules(Purse, fp.PureDP(1.0))`.

    Hypothesis makes the moves, each a rule of a state machine, and cuts those that break the promise; the failure tells
    what happened. service and mechanisms are those of `fp.first_breach`. Runs are reproducible. Passing is no proof: it
    says that no example broke the promise. Raises ImportError without hypothesis, ValueError for an unknown mechanism.
    """
    from filters.testing import strategies  # before hypothesis: its ImportError says what to install

    from hypothesis import stateful  # isort: skip
    from hypothesis import strategies as st

    lines, breaches = asked_lines(service, promise, mechanisms), Breaches(promise)

    @cache
    def menu() -> tuple[DominatingPair, ...]:
        found = menu_of(service, lines, Clock.of(_ASKING))
        assert found, "the service must grant some request that is made alone, got none; name its mechanisms"
        return found

    class Schedules(stateful.RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.world = World(service, menu())

        def teardown(self) -> None:
            self.world.end()

        @stateful.invariant()
        def the_promise_is_kept(self) -> None:
            breach = breaches.among(self.world)
            assert breach is None, f"the promise must be kept, got\n{breach}"

    def rule(what: What) -> Any:
        def move(machine: Any, at: int) -> None:
            machine.world.move(ServiceMove(what, at))

        made = stateful.rule(at=st.integers(0, _BACK))(move)
        return stateful.precondition(lambda machine: machine.world.can(what))(made)

    for what in MOVES:
        setattr(Schedules, what, rule(what))
    case: type[TestCase] = Schedules.TestCase
    case.settings = strategies.reproducible(examples, stateful_step_count=_MOVES)  # type: ignore[attr-defined]
    return case
