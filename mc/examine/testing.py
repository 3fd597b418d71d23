"""Test classes for other people's suites: the laws of a filter, each test in a worker, and schedules of a service.

A filter that ends its process fails, and ends no suite; what breaks a service's promise Hypothesis finds and cuts.

>>> import filterproof as fp
>>> TestMyFilter = laws(fp.ZCDPFilter(0.5), examples=3)
>>> TestMyFilter().test_something_is_admitted()
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

from collections.abc import Callable, Sequence
from functools import cache, partial, wraps
from typing import Any, ParamSpec
from unittest import SkipTest, TestCase

from filters.adapters.service import MakeService
from filters.testing.law_class import law_class
from mc.examine.filter_fault import FilterFault
from mc.examine.schedule import MOVES, ServiceMove, What, World, as_service
from mc.examine.schedule_search import MECHANISMS, Breaches, asked_lines, confirm, menu_of
from mc.examine.worker import alone
from theory.fast.compiler import compiler
from theory.guarantees import Guarantee
from theory.pairs import DominatingPair

Given = ParamSpec("Given")
#: Moves of an example, and how far back a move may point.
_MOVES, _BACK = 50, 3


def _in_workers(make: Callable[Given, type]) -> Callable[Given, type]:
    """What makes test classes, each test of which runs in a process of its own."""

    @wraps(make, assigned=("__doc__",))
    def laws(*given: Given.args, **more: Given.kwargs) -> type:
        tests = make(*given, **more)
        name = tests.__name__.removeprefix("Test")
        for law, test in list(vars(tests).items()):
            if law.startswith("test_"):
                setattr(tests, law, _isolated(test, name))
        return tests

    laws.__qualname__ = laws.__name__  # it is found, and pickled, as a function of this module
    return laws


def _isolated(test: Callable[[Any], None], name: str) -> Callable[[Any], None]:
    # without the attributes that hypothesis left: pytest would look for the arguments that it draws
    @wraps(test, updated=())
    def run(self: Any) -> None:
        compiler()  # once here: a child that is worth kernels would take as long to import it as for its examples
        try:
            alone(partial(test, self), whose=name)
        except SkipTest as skipped:
            raise FilterFault(f"the code of {name} raised {type(skipped).__name__}: {skipped}") from skipped

    del run.__wrapped__
    return run


laws = _in_workers(law_class)


class _BrokenError(AssertionError):
    """A breach was met."""

    def __str__(self) -> str:
        return f"the promise must be kept, got\n{self.args[0]}"


def schedules(
    service: MakeService,
    promise: Guarantee,
    *,
    mechanisms: Sequence[str] = MECHANISMS,
    examples: int = 200,
) -> type[TestCase]:
    """A test class in which no schedule breaks the promise: `TestPurse = fp.schedules(Purse, fp.PureDP(1.0))`.

    Hypothesis makes the moves, each a rule of a state machine, and cuts those that break the promise; the failure tells
    what happened, as long as processes that nobody has asked before release the same: FilterFault where they do not.
    service and mechanisms are those of `fp.first_breach`. Runs are reproducible: the service is asked for every size
    of its mechanisms, and then for so many examples, however long that takes. Passing is no proof: it says that no
    example broke the promise. Raises ImportError without hypothesis, ValueError for an unknown mechanism.
    """
    from filters.testing import strategies  # before hypothesis: its ImportError says what to install

    from hypothesis import stateful  # isort: skip
    from hypothesis import strategies as st

    lines, breaches = asked_lines(service, promise, mechanisms), Breaches(promise)

    @cache
    def menu() -> tuple[DominatingPair, ...]:
        found = menu_of(service, lines)
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
            if (breach := breaches.among(self.world)) is not None:
                raise _BrokenError(breach)

    def rule(what: What) -> Any:
        def move(machine: Any, at: int) -> None:
            machine.world.move(ServiceMove(what, at))

        made = stateful.rule(at=st.integers(0, _BACK))(move)
        return stateful.precondition(lambda machine: machine.world.can(what))(made)

    for what in MOVES:
        setattr(Schedules, what, rule(what))
    case: type[TestCase] = Schedules.TestCase
    driven = case.runTest  # type: ignore[attr-defined]

    def run(self: TestCase) -> None:
        try:
            alone(partial(driven, self), **as_service(service))
        except _BrokenError as broken:
            confirm(broken.args[0], service, promise)
            raise

    case.runTest = run  # type: ignore[attr-defined]
    case.settings = strategies.reproducible(examples, stateful_step_count=_MOVES)  # type: ignore[attr-defined]
    return case
