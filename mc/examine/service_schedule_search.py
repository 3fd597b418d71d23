"""A random search for a schedule of a service whose releases break its guarantee.

>>> import filterproof as fp
>>> class Purse:
...     def __init__(self, disk):
...         self.disk = disk
...     def request(self, pair, key):
...         spent = self.disk.get("spent", 0.0)
...         yield None  # between check and deduction
...         if spent + pair.pure_epsilon <= 1.0:
...             self.disk["spent"] = spent + pair.pure_epsilon
...             yield fp.services.Release()
>>> moves = (*map(ServiceMove, ("ask", "step", "ask", "step", "step")), ServiceMove("step", 1))
>>> played = Schedule((fp.RandomizedResponse(1.0),), moves).play(Purse)
>>> print(break_test(fp.PureDP(1.0), Purse)(played).measure)
delta at epsilon=1 (P||Q)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import cycle, product
from typing import Any, TypeAlias

from filterproof.filters.adapters.service import MakeService
from filterproof.filters.contract.largest_granted import largest_granted
from filterproof.filters.contract.work import OutOfWork, WorkLimit, count_work, stopping_at
from filterproof.mc.examine.counterexample import Counterexample, measured_counterexample
from filterproof.mc.examine.deadline import Deadline
from filterproof.mc.examine.divergence import Divergence, targets
from filterproof.mc.examine.filter_fault import FilterFault
from filterproof.mc.examine.minimise import minimise
from filterproof.mc.examine.pairs_in_attributes import allowed_values_for
from filterproof.mc.examine.parameter_families import (
    OneParameterFamily,
)
from filterproof.mc.examine.schedule import (
    MOVE_KINDS,
    MoveKind,
    Schedule,
    ServiceMove,
    ServiceSimulator,
    name_of_service,
)
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.theory.display import one_line_repr
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs import DominatingPair

#: The number of families that the search uses, of those from which the service grants something.
MECHANISMS, _GRANTED = ("rr", "gaussian", "laplace", "erasure", "kov"), 2
#: The requests, as shares of the largest granted size of their family.
_SHARES = (1.0, 0.5, 1 / 3, 1 / 8)
#: Steps after which a single request is given up.
_MAX_STEPS_ALONE = 64
#: The share of the work for the search. The rest is for minimisation.
_SEARCH_SHARE = 0.7
_FAULT_MOVES: tuple[MoveKind, ...] = ("crash_before_write", "crash_after_write", "disk_full")
#: How far a move may point: to one of three requests, to the third write of the fourth request in flight.
_MAX_OFFSET: dict[MoveKind, int] = {"step": 2, "again": 2, **dict.fromkeys(_FAULT_MOVES, 11)}
#: Steps after which most requests have ended, and the units of work of drawing a move.
_WHOLE, _DRAWN = 5, 8
#: Examples per batch, and the length of each example, batch by batch.
_BATCH, _RULES = 100, (25, 12, 50)


@dataclass(frozen=True, slots=True)
class Violation:
    """A schedule whose releases break the guarantee: the answers of one epoch have a `measure` of at least `low`."""

    schedule: Schedule
    events: tuple[str, ...]
    epoch: int | None
    measure: Divergence
    low: float
    promised: float

    __repr__ = one_line_repr

    def counterexample(self, filt: object) -> Counterexample:
        """Return the violation of a service, or of a filter whose program is a service, as data."""
        game = {"schedule": self.schedule.to_data(allowed_values_for(filt)), "epoch": self.epoch}
        return measured_counterexample(filt, self.measure, self.low, self.promised, **game)


#: The violation by the releases so far, or None.
BreakTest: TypeAlias = Callable[[ServiceSimulator], Violation | None]


def break_test(promise: Guarantee, service: MakeService) -> BreakTest:
    """Return a test whether releases, composed as fixed mechanisms, break the guarantee. Results are cached.

    A service that is told of releases must send the same answers whatever comes out.
    """
    measures = targets(promise)

    @lru_cache(1 << 14)
    def violated_divergence(answers: RequestSequence) -> tuple[Divergence, float] | None:
        """Return the divergence that the answers exceed, with its lower bound, or None."""
        return answers.violation(promise, measures)

    def violation_in_any_epoch(world: ServiceSimulator) -> Violation | None:
        """Return the violation by the releases of one epoch, or None."""
        for epoch, pairs in world.by_epoch.items():
            if (
                violated := violated_divergence(RequestSequence(tuple(sorted(pairs.items(), key=repr))))
            ) is not None:
                whose, done = epoch if len(world.by_epoch) > 1 else None, Schedule(world.menu, world.done)
                if world.observed and not done.releases(service):
                    continue
                return Violation(done, world.events, whose, *violated, violated[0].promised(promise))
        return None

    return violation_in_any_epoch


def pairs_at_shares(largest: Iterable[tuple[OneParameterFamily, float | None]]) -> tuple[DominatingPair, ...]:
    """Return pairs at shares of the largest granted size, for the first families with one."""
    pairs, kinds = dict[DominatingPair, None](), set[str]()
    for family, size in largest:
        if family.kind not in kinds and len(kinds) == _GRANTED:
            break
        if size is not None:
            kinds.add(family.kind)
            pairs |= dict.fromkeys(family.pair(share * size) for share in _SHARES)
    return tuple(pairs)


def granted_menu(make: MakeService, families: Sequence[OneParameterFamily]) -> tuple[DominatingPair, ...]:
    """Return the largest requests that a new service grants, and shares of them."""

    alone = (ServiceMove("ask"), *[ServiceMove("step")] * _MAX_STEPS_ALONE)

    def largest(family: OneParameterFamily) -> float | None:
        def is_answered(size: float) -> bool:
            return bool(Schedule((family.pair(size),), alone).play(make).released)

        return largest_granted(is_answered, (*family.sizes_below[:-1], *family.sizes))

    return pairs_at_shares((family, largest(family)) for family in families)


def granted_or_default_menu(
    make: MakeService, families: Sequence[OneParameterFamily]
) -> tuple[DominatingPair, ...]:
    """Return the granted menu of a service, or pairs of size 1 if it grants no request alone."""
    return granted_menu(make, families) or tuple(family.pair(1.0) for family in families[:_GRANTED])


def confirm_schedule(
    service: MakeService, promise: Guarantee, schedule: Schedule, deadline: Deadline
) -> None:
    """Raise FilterFault if the schedule breaks nothing in new processes of the service."""
    if break_test(promise, service)(schedule.play_isolated(service, deadline)) is None:
        raise FilterFault(
            f"{name_of_service(service)} breaks the contract: it keeps data outside its object and its disk, "
            "which a process that ends loses; keep it in self"
        )


def search_schedules(
    service: MakeService, promise: Guarantee, menu: tuple[DominatingPair, ...], limit: WorkLimit, *, seed: int
) -> tuple[Violation | None, str]:
    """Return a minimal schedule over a menu that breaks the guarantee, or None, and the amount of search in words.

    Clients send requests, several at once, and repeat them. The process is killed between any two steps and at any
    write of its disk. The disk refuses writes. Epochs end if the service has a clock. The result depends on the
    arguments and on the version of Hypothesis.
    """
    import hypothesis
    from hypothesis import stateful
    from hypothesis.configuration import set_hypothesis_home_dir
    from hypothesis.errors import Flaky

    from filterproof.filters.testing.strategies import reproducible_settings

    set_hypothesis_home_dir(os.devnull)  # this is a worker, which must leave no files in the user's folder
    among, schedules, released, raised = break_test(promise, service), 0, 0, ""
    searching, quiet = limit.fraction(_SEARCH_SHARE), hypothesis.Verbosity.quiet
    settings = partial(reproducible_settings, _BATCH, phases=(hypothesis.Phase.generate,), verbosity=quiet)
    for number, rules in enumerate(cycle(_RULES)):
        played: list[ServiceSimulator] = []
        machine = hypothesis.seed(f"{seed} {number}")(_state_machine(service, menu, among, played))
        # Flaky: the service behaves differently the second time, or the work ends
        with suppress(_GuaranteeBroken, OutOfWork, Flaky), stopping_at(searching):
            stateful.run_state_machine_as_test(machine, settings=settings(stateful_step_count=rules))
        schedules, released = schedules + len(played), released + sum(len(world.released) for world in played)
        raised = raised or next((f"; its code raised {world.raised}" for world in played if world.raised), "")
        met = among(played[-1]) if played else None
        # an event that does not repeat is no counterexample
        if met is not None and (again := among(met.schedule.play(service, among))) is not None:
            return _minimised(again, among, service, limit), f"found in {schedules:,} schedules"
        if searching.exhausted:
            break
    if not released:
        return None, f"nothing was released in {schedules:,} schedules{raised}"
    found = f"no violation found in {schedules:,} schedules with {released:,} answers"
    return None, f"{found}. This is not a proof that there is none{raised}"


class _GuaranteeBroken(BaseException):
    """The guarantee is broken. Not an Exception, so that Hypothesis does not try to reproduce it."""


def _state_machine(
    service: MakeService, menu: tuple[DominatingPair, ...], among: BreakTest, played: list[ServiceSimulator]
) -> Any:
    """Make a Hypothesis state machine whose rules are the moves. It appends its plays to `played`."""
    from hypothesis import stateful
    from hypothesis import strategies as st

    class Schedules(stateful.RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            played.append(ServiceSimulator(service, menu))

        def teardown(self) -> None:
            played[-1].end()

    def rule(what: MoveKind, far: int, times: int = 1) -> Any:
        """Return a Hypothesis rule that makes one kind of move `times` times."""

        def make(machine: Any, at: int) -> None:
            count_work(_DRAWN)
            for _ in range(times):
                played[-1].move(ServiceMove(what, at))
                if among(played[-1]) is not None:
                    raise _GuaranteeBroken

        # the newest, and the largest request, as often as all others together
        drawn = st.just(0) | st.integers(0, far) if far else st.just(0)
        return stateful.precondition(lambda machine: played[-1].can(what))(stateful.rule(at=drawn)(make))

    for what in MOVE_KINDS:
        setattr(Schedules, what, rule(what, len(menu) - 1 if what == "ask" else _MAX_OFFSET.get(what, 0)))
    Schedules.finish = rule("step", _MAX_OFFSET["step"], _WHOLE)
    return Schedules


def _minimised(violation: Violation, among: BreakTest, service: MakeService, limit: WorkLimit) -> Violation:
    """Remove the moves that the violation does not need, and simplify the others."""
    shortest, before = violation, tuple[ServiceMove, ...]()

    def fails(moves: tuple[ServiceMove, ...]) -> bool:
        nonlocal shortest
        tried = among(replace(violation.schedule, moves=moves).play(service, among))
        shortest = tried or shortest
        return tried is not None

    while shortest.schedule.moves != before and not limit.exhausted:
        before, place = shortest.schedule.moves, 0
        minimise(before, fails, limit=limit)
        while place < len(shortest.schedule.moves) and not limit.exhausted:
            if not any(map(fails, _simpler_moves(shortest.schedule.moves, place))):
                place += 1
    return shortest


def _simpler_moves(moves: tuple[ServiceMove, ...], place: int) -> Iterator[tuple[ServiceMove, ...]]:
    """Yield simpler moves for one place: a crash between steps, a plain step, the newest request, a smaller number,
    a request after the steps of others."""
    begun, move, later = moves[:place], moves[place], moves[place + 1 :]
    if move.what in _FAULT_MOVES:
        yield from ((*begun, other, *later) for other in (ServiceMove("crash"), replace(move, what="step")))
    if move.what == "again":
        yield (*begun, ServiceMove("ask"), *later)
    if move.what == "ask" and later and later[0].what == "step":  # fewer requests at once
        yield (*begun, later[0], move, *later[1:])
    yield from ((*begun, replace(move, at=at), *later) for at in range(move.at))
    for some, by in product((later[:1], later), (1, -1)):  # without it other requests are the newest
        moved = (each if each.what == "ask" else replace(each, at=max(each.at + by, 0)) for each in some)
        yield (*begun, *moved, *later[len(some) :])
