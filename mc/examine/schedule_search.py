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
>>> found = first_breach(Purse, fp.PureDP(1.0))
>>> len(found.breach.schedule.moves)
6
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import cycle, product
from typing import Any, Self, TypeAlias

from filterproof.filters.adapters.labelled import service_of
from filterproof.filters.adapters.service import MakeService
from filterproof.filters.contract.largest_granted import largest_granted
from filterproof.filters.contract.work import OutOfWork, WorkLimit, count, stopping_at
from filterproof.mc.engine.encoding import nameable
from filterproof.mc.examine.counted_search import last_report
from filterproof.mc.examine.counterexample import measured_counterexample
from filterproof.mc.examine.deadline import Deadline
from filterproof.mc.examine.divergence import Divergence, goals
from filterproof.mc.examine.examination import StageFinding
from filterproof.mc.examine.examination_context import ExaminationContext
from filterproof.mc.examine.filter_fault import FilterFault, examining
from filterproof.mc.examine.minimise import minimise
from filterproof.mc.examine.parameter_families import Line, lines_of, names_of
from filterproof.mc.examine.schedule import MOVES, Schedule, ServiceMove, ServiceSimulator, What, name_of
from filterproof.mc.examine.sequence import Sequence as Fixed
from filterproof.mc.examine.trace import Trace
from filterproof.theory.argument_checks import check_count
from filterproof.theory.display import one_line
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.numerics.decimals import below
from filterproof.theory.pairs import DominatingPair

#: The families that are asked for, as many as so many of which the service grants any.
MECHANISMS, _GRANTED = ("rr", "gaussian", "laplace", "erasure", "kov"), 2
#: What is asked for, as shares of the largest size of its line that is granted.
_SHARES = (1.0, 0.5, 1 / 3, 1 / 8)
#: Steps after which a lone request is given up.
_STEPS = 64
#: The share of the work for the search; what is left is for cutting what it finds.
_SEARCHED = 0.7
_STRUCK: tuple[What, ...] = ("unwritten", "written", "full")
#: How far a move may point: to one of three requests, to the third write of the fourth request in flight.
_FAR: dict[What, int] = {"step": 2, "again": 2, **dict.fromkeys(_STRUCK, 11)}
#: Steps after which most requests have ended, and the units of work of drawing a move.
_WHOLE, _DRAWN = 5, 8
#: Examples of a batch, and their rules, batch by batch.
_BATCH, _RULES = 100, (25, 12, 50)
#: What the stage asks, and does not look at.
_ASKED = "Is the promise kept with requests in flight, sent again, and a process that is killed?"
_SCOPE = "clients with requests in flight, who send them again, and a process that is killed and begins again"
_UNSEEN = "crashes inside a command of the program"


@dataclass(frozen=True, slots=True)
class Breach:
    """A schedule whose releases break the promise: of an epoch's answers together `measure` is at least `low`."""

    schedule: Schedule
    events: tuple[str, ...]
    epoch: int | None
    measure: Divergence
    low: float
    promised: float

    __repr__ = one_line

    def __str__(self) -> str:
        """What happened, move by move, and what it comes to."""
        told = [f"{number}. {said}" for number, said in enumerate(self.events, 1)]
        whose = "all that went out" if self.epoch is None else f"what went out from epoch {self.epoch}"
        end = f"so of {whose} {self.measure} is at least {below(self.low)} where {self.promised:.6g} is promised"
        return "\n".join([*told, end])


@dataclass(frozen=True, slots=True)
class ScheduleSearch:
    """What came of driving a service: the first breach (None: none was met), and how much was tried.

    raised is the first error of the service's own code, which counts as a denial; "" where there was none. stopped
    says after which share of its work the time limit ended the search; "" where it came to its end.
    """

    breach: Breach | None
    schedules: int
    released: int
    raised: str = ""
    stopped: str = ""

    __repr__ = one_line

    def __str__(self) -> str:
        """The breach, or that none was met, which proves nothing."""
        if self.breach is not None:
            return str(self.breach)
        began = f"{self.stopped}: " if self.stopped else ""
        if not self.released:
            return f"{began}nothing was released in {self.schedules:,} schedules{self._raised}"
        return (
            f"{began}no breach in {self.schedules:,} schedules with {self.released:,} answers, which does not prove "
            f"that there is none{self._raised}"
        )

    def with_played(self, played: list[ServiceSimulator]) -> Self:
        """The report after more schedules."""
        raised = next((one.raised for one in played if one.raised), "")
        released = self.released + sum(len(one.released) for one in played)
        return replace(
            self,
            schedules=self.schedules + len(played),
            released=released,
            raised=self.raised or raised,
        )

    @property
    def _raised(self) -> str:
        return f"; its code raised {self.raised}" if self.raised else ""


#: The breach by what a play released so far, None where there is none.
Breaks: TypeAlias = Callable[[ServiceSimulator], Breach | None]


def breaks(promise: Guarantee) -> Breaks:
    """Whether what was released, as mechanisms fixed in advance, breaks the promise; each set is composed once."""
    measures = goals(promise)

    @lru_cache(1 << 14)
    def broken(answers: Fixed) -> tuple[Divergence, float] | None:
        return answers.breach(promise, measures)

    def among(world: ServiceSimulator) -> Breach | None:
        for epoch, pairs in world.by_epoch.items():
            if (found := broken(Fixed(tuple(sorted(pairs.items(), key=repr))))) is not None:
                whose, done = epoch if len(world.by_epoch) > 1 else None, Schedule(world.menu, world.done)
                return Breach(done, world.events, whose, *found, found[0].promised(promise))
        return None

    return among


def shares_of(largest: Iterable[tuple[Line, float | None]]) -> tuple[DominatingPair, ...]:
    """Shares of the largest size of each line, of the first families of which any is granted."""
    pairs: dict[DominatingPair, None] = {}
    kinds: dict[str, None] = {}
    for line, size in largest:
        if line.kind not in kinds and len(kinds) == _GRANTED:
            break
        if size is not None:
            kinds[line.kind] = None
            pairs |= dict.fromkeys(line.pair(max(share * size, line.least)) for share in _SHARES)
    return tuple(pairs)


def menu_of(make: MakeService, lines: Sequence[Line]) -> tuple[DominatingPair, ...]:
    """The largest requests that a fresh service grants, and shares of them."""

    def largest(line: Line) -> float | None:
        return largest_granted(lambda size: _released(make, line.pair(size)), line.sizes)

    return shares_of((line, largest(line)) for line in lines)


def _released(make: MakeService, pair: DominatingPair) -> bool:
    """Whether a fresh service that does nothing else answers the request."""
    return bool(Schedule((pair,), (ServiceMove("ask"), *[ServiceMove("step")] * _STEPS)).play(make).released)


def first_breach(
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
        The first breach, reduced to a minimal schedule, and the amount of search. The result depends on the arguments
        and on the version of Hypothesis. With `stopped` set it also depends on the time limit.

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
    A search without a finding is no proof. The service runs in a process of its own.
    """
    lines, seed = asked_lines(service, promise, mechanisms), check_count("seed", seed, least=0)
    work, stands = partial(_driven, service, promise, lines, seed), partial(_confirm, service, promise)
    return last_report(work, ScheduleSearch(None, 0, 0), effort, seconds, stands, whose=name_of(service))


def _confirm(service: MakeService, promise: Guarantee, found: ScheduleSearch, deadline: Deadline) -> None:
    """FilterFault where the schedule breaks nothing when nobody has asked the service's processes before."""
    if found.breach is None:
        return
    if breaks(promise)(found.breach.schedule.play_afresh(service, deadline)) is None:
        raise FilterFault(
            f"{name_of(service)} breaks the contract: it keeps something outside its object and its disk, "
            "which a process that ends forgets; keep it in self"
        )


def _driven(
    service: MakeService, promise: Guarantee, lines: tuple[Line, ...], seed: int, units: float
) -> Iterator[ScheduleSearch]:
    """The reports of a search over a menu of what the service grants; the first one comes with the menu."""
    # where nothing is granted alone the plainest requests are tried all the same
    menu = menu_of(service, lines) or tuple(line.pair(1.0) for line in lines[:_GRANTED])
    yield ScheduleSearch(None, 0, 0)
    yield from searched(service, promise, menu, WorkLimit.of(units), seed=seed)


def asked_lines(
    service: MakeService, promise: Guarantee, mechanisms: str | Sequence[str]
) -> tuple[Line, ...]:
    """The lines of the mechanisms, once what is to be driven is a service and has a promise."""
    if not callable(service):
        raise TypeError(f"service must make a service from a disk, got {service!r}; pass its class")
    if not isinstance(promise, Guarantee):
        raise TypeError(f"promise must be a guarantee, got {promise!r}; pass e.g. fp.PureDP(1.0)")
    return lines_of(names_of(mechanisms), promise)


def searched(
    service: MakeService, promise: Guarantee, menu: tuple[DominatingPair, ...], limit: WorkLimit, *, seed: int
) -> Iterator[ScheduleSearch]:
    """The reports of a search over a menu, one for each batch of examples, the last one on all of it."""
    import hypothesis
    from hypothesis import stateful
    from hypothesis.configuration import set_hypothesis_home_dir
    from hypothesis.errors import Flaky

    from filterproof.filters.testing.strategies import reproducible

    set_hypothesis_home_dir(os.devnull)  # this is a worker, which leaves no files in a folder of the user's
    among, found, searching = breaks(promise), ScheduleSearch(None, 0, 0), limit.fraction(_SEARCHED)
    quiet = hypothesis.Verbosity.quiet
    settings = partial(reproducible, _BATCH, phases=(hypothesis.Phase.generate,), verbosity=quiet)
    for number, rules in enumerate(cycle(_RULES)):
        played: list[ServiceSimulator] = []
        machine = hypothesis.seed(f"{seed} {number}")(_state_machine(service, menu, among, played))
        # Flaky: the service is not the same twice, or the work ends
        with suppress(_Broken, OutOfWork, Flaky), stopping_at(searching):
            stateful.run_state_machine_as_test(machine, settings=settings(stateful_step_count=rules))
        found = found.with_played(played)
        met = among(played[-1]) if played else None
        # what does not happen twice is no counterexample
        if met is not None and (again := among(met.schedule.play(service, among))) is not None:
            yield replace(found, breach=again)
            found = replace(found, breach=_minimal(again, among, service, limit))
            break
        if searching.exhausted:
            break
        yield found
    yield found


class _Broken(BaseException):
    """The promise is broken: no Exception, for Hypothesis would look for it again."""


def _state_machine(
    service: MakeService, menu: tuple[DominatingPair, ...], among: Breaks, played: list[ServiceSimulator]
) -> Any:
    """A state machine of Hypothesis whose rules are the moves, and whose plays are put into `played`."""
    from hypothesis import stateful
    from hypothesis import strategies as st

    class Schedules(stateful.RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            played.append(ServiceSimulator(service, menu))

        def teardown(self) -> None:
            played[-1].end()

    def rule(what: What, far: int, times: int = 1) -> Any:
        def make(machine: Any, at: int) -> None:
            count(_DRAWN)
            for _ in range(times):
                played[-1].move(ServiceMove(what, at))
                if among(played[-1]) is not None:
                    raise _Broken

        # what is newest, and the largest request, as often as all others together
        drawn = st.just(0) | st.integers(0, far) if far else st.just(0)
        return stateful.precondition(lambda machine: played[-1].can(what))(stateful.rule(at=drawn)(make))

    for what in MOVES:
        setattr(Schedules, what, rule(what, len(menu) - 1 if what == "ask" else _FAR.get(what, 0)))
    Schedules.finish = rule("step", _FAR["step"], _WHOLE)
    return Schedules


def _minimal(breach: Breach, among: Breaks, service: MakeService, limit: WorkLimit) -> Breach:
    """The breach without the moves that it does not need, each as plain as it may be."""
    shortest, before = breach, tuple[ServiceMove, ...]()

    def fails(moves: tuple[ServiceMove, ...]) -> bool:
        nonlocal shortest
        tried = among(replace(breach.schedule, moves=moves).play(service, among))
        shortest = tried or shortest
        return tried is not None

    while shortest.schedule.moves != before and not limit.exhausted:
        before, place = shortest.schedule.moves, 0
        minimise(before, fails, limit=limit)
        while place < len(shortest.schedule.moves) and not limit.exhausted:
            if not any(map(fails, _plainer(shortest.schedule.moves, place))):
                place += 1
    return shortest


def _plainer(moves: tuple[ServiceMove, ...], place: int) -> Iterator[tuple[ServiceMove, ...]]:
    """Moves that are easier to understand at a place: a crash between two steps, a step, the newest; or one less."""
    begun, move, later = moves[:place], moves[place], moves[place + 1 :]
    if move.what in _STRUCK:
        yield from ((*begun, other, *later) for other in (ServiceMove("crash"), replace(move, what="step")))
    if move.what == "again":
        yield (*begun, ServiceMove("ask"), *later)
    yield from ((*begun, replace(move, at=at), *later) for at in range(move.at))
    for some, by in product((later[:1], later), (1, -1)):  # without it others are the newest
        moved = (one if one.what == "ask" else replace(one, at=max(one.at + by, 0)) for one in some)
        yield (*begun, *moved, *later[len(some) :])


# -- the stage of an examination -----------------------------------------------------------------------


def stage(subject: ExaminationContext, limit: WorkLimit) -> Iterator[StageFinding]:
    """The finding on a filter whose program is a service; none for any other."""
    filt = subject.filter
    service = service_of(filt)
    if service is None or not subject.lines:
        return
    asked = shares_of((one.line, one.sizes[-1]) for one in subject.lines)
    with examining(filt):
        *_, found = searched(service, filt.promise, asked, limit, seed=subject.seed)
    breach = found.breach
    menu = ", ".join(dict.fromkeys(type(pair.asked).__name__ for pair in asked))
    if breach is None:
        yield StageFinding("schedules", _ASKED, str(found), menu, _UNSEEN)
        return
    game = {"schedule": breach.schedule.to_data(nameable()), "epoch": breach.epoch}
    counterexample = measured_counterexample(filt, breach.measure, breach.low, breach.promised, **game)
    trace = Trace(breach.measure, (), None, (), moves=breach.events)
    yield StageFinding.refuted("schedules", _ASKED, menu, _SCOPE, counterexample, unseen=_UNSEEN, trace=trace)
