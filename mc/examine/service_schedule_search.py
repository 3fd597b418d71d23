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
>>> search = first_violation(Purse, fp.PureDP(1.0))
>>> len(search.violation.schedule.moves)
6
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import cycle, product
from typing import Any, Self, TypeAlias

from filterproof.filters.adapters.service import MakeService, PromisedService, with_promise
from filterproof.filters.contract.largest_granted import largest_granted
from filterproof.filters.contract.work import OutOfWork, WorkLimit, count_work, stopping_at
from filterproof.mc.examine.counted_search import last_report
from filterproof.mc.examine.counterexample import Counterexample, measured_counterexample
from filterproof.mc.examine.deadline import Deadline
from filterproof.mc.examine.divergence import Divergence, targets
from filterproof.mc.examine.filter_fault import FilterFault
from filterproof.mc.examine.minimise import minimise
from filterproof.mc.examine.pairs_in_attributes import allowed_values_for
from filterproof.mc.examine.parameter_families import (
    OneParameterFamily,
    checked_family_names,
    families_for_guarantee,
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
from filterproof.theory.argument_checks import check_count
from filterproof.theory.display import one_line_repr
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.numerics.decimals import format_down
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

    def __str__(self) -> str:
        """Return the events and the resulting divergence."""
        numbered_events = [f"{number}. {event}" for number, event in enumerate(self.events, 1)]
        whose = "all releases" if self.epoch is None else f"the releases of epoch {self.epoch}"
        reached = f"so {self.measure} of {whose} is at least {format_down(self.low)}"
        return "\n".join([*numbered_events, f"{reached}; promised {self.promised:.6g}"])


@dataclass(frozen=True, slots=True)
class ScheduleSearch:
    """The result of a schedule search: the first violation or None, and the amount of search.

    `raised` is the first error of the service's own code, or ""; an error counts as a denial. `stopped` is the share
    of the work after which the time limit ended the search, or "".
    """

    violation: Violation | None
    schedules: int
    released: int
    raised: str = ""
    stopped: str = ""
    service: PromisedService | None = field(default=None, compare=False, repr=False)

    __repr__ = one_line_repr

    @property
    def counterexample(self) -> Counterexample | None:
        """The violation as data that anyone can replay with the service; None without a violation."""
        return None if self.violation is None else self.violation.counterexample(self.service)

    def __str__(self) -> str:
        """Return the violation, or the amount of search without one."""
        if self.violation is not None:
            return str(self.violation)
        began = f"{self.stopped}: " if self.stopped else ""
        if not self.released:
            return f"{began}nothing was released in {self.schedules:,} schedules{self._raised_text}"
        return (
            f"{began}no violation found in {self.schedules:,} schedules with {self.released:,} answers. This is not a "
            f"proof that there is none{self._raised_text}"
        )

    def with_played(self, played: list[ServiceSimulator]) -> Self:
        """Return the report with the counts of further schedules added."""
        raised = self.raised or next((world.raised for world in played if world.raised), "")
        released = self.released + sum(len(world.released) for world in played)
        return replace(self, schedules=self.schedules + len(played), released=released, raised=raised)

    @property
    def _raised_text(self) -> str:
        return f"; its code raised {self.raised}" if self.raised else ""


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


def first_violation(
    service: MakeService,
    promise: Guarantee,
    *,
    effort: float = 1.0,
    seconds: float | None = None,
    seed: int = 0,
    mechanisms: Sequence[str] = MECHANISMS,
) -> ScheduleSearch:
    """Search for a schedule whose releases, composed as fixed mechanisms, break the guarantee of a service.

    Clients send requests, several at once, and repeat them. The process is killed between any two steps and at any
    write of its disk. The disk refuses writes. Epochs end if the service has a clock.

    Parameters
    ----------
    service : callable
        service(disk) starts a process of the service (`filterproof.filters.adapters.service`).
    promise : Guarantee
        The guarantee for all releases of an epoch.
    effort : float, default 1.0
        Amount of search, > 0, counted in work (`filterproof.filters.contract.work`); 1 takes about ten seconds for a
        service in Python.
    seconds : float, optional
        Time limit, > 0, that ends the search early.
    seed : int, default 0
        Seed of the schedules, >= 0.
    mechanisms : str or sequence of str
        Names of families of requests. The search tries them in this order until the service grants two.

    Returns
    -------
    ScheduleSearch
        The first violation, reduced to a minimal schedule, and the amount of search. `counterexample` has the data for
        `fp.replay(data, filt=fp.services.with_promise(service, promise))`. The result depends on the arguments and on
        the version of Hypothesis. With `stopped` set it also depends on the time limit.

    Raises
    ------
    TypeError
        If `service` is not callable or `promise` is not a guarantee.
    ValueError
        If effort, seconds, seed or mechanisms is out of range.
    FilterFault
        If the service ends its process, or if new processes of the service do not repeat the releases.

    Notes
    -----
    A search without a finding is not a proof. The service runs in a process of its own.
    """
    families, seed = requested_families(service, promise, mechanisms), check_count("seed", seed, least=0)
    work = partial(_reports_on_granted_menu, service, promise, families, seed)

    def confirm(search: ScheduleSearch, deadline: Deadline) -> None:
        if search.violation is not None:
            confirm_schedule(service, promise, search.violation.schedule, deadline)

    nothing, whose = ScheduleSearch(None, 0, 0), name_of_service(service)
    report = last_report(work, nothing, effort, seconds, confirm, whose=whose)
    return replace(report, service=with_promise(service, promise))


def confirm_schedule(
    service: MakeService, promise: Guarantee, schedule: Schedule, deadline: Deadline
) -> None:
    """Raise FilterFault if the schedule breaks nothing in new processes of the service."""
    if break_test(promise, service)(schedule.play_isolated(service, deadline)) is None:
        raise FilterFault(
            f"{name_of_service(service)} breaks the contract: it keeps data outside its object and its disk, "
            "which a process that ends loses; keep it in self"
        )


def _reports_on_granted_menu(
    service: MakeService,
    promise: Guarantee,
    families: tuple[OneParameterFamily, ...],
    seed: int,
    units: float,
) -> Iterator[ScheduleSearch]:
    """Yield the reports of a search over a menu of requests that the service grants."""
    yield ScheduleSearch(None, 0, 0)
    menu = granted_or_default_menu(service, families)
    yield from search_reports(service, promise, menu, WorkLimit.of(units), seed=seed)


def requested_families(
    service: MakeService, promise: Guarantee, mechanisms: str | Sequence[str]
) -> tuple[OneParameterFamily, ...]:
    """Return the families of these names, after a check of the service and its guarantee."""
    return families_for_guarantee(checked_family_names(mechanisms), with_promise(service, promise).promise)


def search_reports(
    service: MakeService, promise: Guarantee, menu: tuple[DominatingPair, ...], limit: WorkLimit, *, seed: int
) -> Iterator[ScheduleSearch]:
    """Yield the reports of a search over a menu, one per batch of examples, the last one over all of them."""
    import hypothesis
    from hypothesis import stateful
    from hypothesis.configuration import set_hypothesis_home_dir
    from hypothesis.errors import Flaky

    from filterproof.filters.testing.strategies import reproducible_settings

    set_hypothesis_home_dir(os.devnull)  # this is a worker, which must leave no files in the user's folder
    among, report = break_test(promise, service), ScheduleSearch(None, 0, 0)
    searching, quiet = limit.fraction(_SEARCH_SHARE), hypothesis.Verbosity.quiet
    settings = partial(reproducible_settings, _BATCH, phases=(hypothesis.Phase.generate,), verbosity=quiet)
    for number, rules in enumerate(cycle(_RULES)):
        played: list[ServiceSimulator] = []
        machine = hypothesis.seed(f"{seed} {number}")(_state_machine(service, menu, among, played))
        # Flaky: the service behaves differently the second time, or the work ends
        with suppress(_GuaranteeBroken, OutOfWork, Flaky), stopping_at(searching):
            stateful.run_state_machine_as_test(machine, settings=settings(stateful_step_count=rules))
        report = report.with_played(played)
        met = among(played[-1]) if played else None
        # an event that does not repeat is no counterexample
        if met is not None and (again := among(met.schedule.play(service, among))) is not None:
            yield replace(report, violation=again)
            report = replace(report, violation=_minimised(again, among, service, limit))
            break
        if searching.exhausted:
            break
        yield report
    yield report


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
    """Yield simpler moves for one place: a crash between steps, a plain step, the newest request, a smaller number."""
    begun, move, later = moves[:place], moves[place], moves[place + 1 :]
    if move.what in _FAULT_MOVES:
        yield from ((*begun, other, *later) for other in (ServiceMove("crash"), replace(move, what="step")))
    if move.what == "again":
        yield (*begun, ServiceMove("ask"), *later)
    yield from ((*begun, replace(move, at=at), *later) for at in range(move.at))
    for some, by in product((later[:1], later), (1, -1)):  # without it other requests are the newest
        moved = (each if each.what == "ask" else replace(each, at=max(each.at + by, 0)) for each in some)
        yield (*begun, *moved, *later[len(some) :])
