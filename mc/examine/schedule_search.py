"""Schedules drawn at random against a service, and the first whose releases break its promise, cut to what it needs.

>>> import filterproof as fp
>>> class Purse:
...     def __init__(self, disk):
...         self.disk = disk
...     def request(self, pair, key):
...         spent = self.disk.get("spent", 0.0)
...         yield None  # between check and deduction
...         if spent + pair.pure_epsilon <= 1.0:
...             self.disk["spent"] = spent + pair.pure_epsilon
...             yield fp.Release()
>>> found = first_breach(Purse, fp.PureDP(1.0))
>>> len(found.breach.schedule.moves)
6
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, count
from pickle import PicklingError

import numpy as np

from filters.adapters.labelled import service_of
from filters.adapters.service import MakeService
from filters.contract.work import WorkLimit, checked_effort
from mc.engine.encoding import nameable
from mc.examine.counted_search import EFFORT, Pace, last_report
from mc.examine.deadline import Deadline
from mc.examine.examination import StageFinding
from mc.examine.family_lines import Line, coarse_first, lines_of, names_of
from mc.examine.filter_fault import FilterFault, examining
from mc.examine.measure import Measure, goals
from mc.examine.schedule import MOVES, NEVER, Schedule, ServiceMove, What, World, as_service
from mc.examine.sequence import Sequence as Fixed
from mc.examine.story import Story
from mc.examine.subject import Subject
from mc.examine.witness import measured_witness
from theory.arguments import check_count
from theory.guarantees import Guarantee
from theory.numerics.decimals import below
from theory.pairs import DominatingPair
from theory.shown import one_line

#: The families that are asked for, as many as so many of which the service grants any.
MECHANISMS, _GRANTED = ("rr", "gaussian", "laplace", "erasure", "kov"), 2
#: What is asked for, as a share of the largest request of its family that is granted.
_SHARES = (1.0, 0.5, 1 / 3, 1 / 8)
#: Steps after which a lone request is given up.
_STEPS = 64
#: The share of the work for the search; what is left is for cutting what it finds.
_SEARCHED = 0.7
#: Steps of a request in a plain schedule, and the faults at a write.
_PLAIN = 5
_STRUCK: tuple[What, ...] = ("unwritten", "written", "full")
#: How far a fault may lie: at the third write of the fourth request in flight, at the twelfth of one alone.
_FAR = 12
#: What the stage asks, and does not look at.
_ASKED = "Is the promise kept with requests in flight, sent again, and a process that is killed?"
_SCOPE = "clients with requests in flight, who send them again, and a process that is killed and begins again"
_UNSEEN = "crashes inside a command of the program"
#: The longest schedules that are drawn, one after the other.
_LENGTHS = (6, 10, 16, 24, 40, 80)


@dataclass(frozen=True, slots=True)
class Breach:
    """A schedule whose releases break the promise: of an epoch's answers together `measure` is at least `low`."""

    schedule: Schedule
    story: tuple[str, ...]
    epoch: int | None
    measure: Measure
    low: float
    promised: float

    __repr__ = one_line

    def __str__(self) -> str:
        """What happened, move by move, and what it comes to."""
        told = [f"{number}. {said}" for number, said in enumerate(self.story, 1)]
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

    @property
    def _raised(self) -> str:
        return f"; its code raised {self.raised}" if self.raised else ""


@dataclass(slots=True)
class Breaches:
    """Whether what a play released breaks the promise; what a set of answers comes to is computed once."""

    promise: Guarantee
    known: dict[Fixed, tuple[Measure, float] | None] = field(default_factory=dict)

    def of(self, schedule: Schedule, make: MakeService) -> tuple[Breach | None, World]:
        """The breach of a schedule, None where there is none, and its play until then."""
        world = schedule.play(make, self.among)
        return self.among(world), world

    def among(self, world: World) -> Breach | None:
        """The breach by what went out so far."""
        for epoch, pairs in world.by_epoch.items():
            if (broken := self.broken(pairs)) is not None:
                whose, done = epoch if len(world.by_epoch) > 1 else None, Schedule(world.menu, world.done)
                return Breach(done, world.story, whose, *broken, broken[0].promised(self.promise))
        return None

    def broken(self, pairs: dict[DominatingPair, int]) -> tuple[Measure, float] | None:
        """The first measure that answers fixed in advance break, with a certified lower bound; None for none."""
        answers = Fixed(tuple(sorted(pairs.items(), key=repr)))
        if answers not in self.known:
            if len(self.known) > 1 << 14:
                self.known.clear()
            self.known[answers] = answers.breach(self.promise, goals(self.promise))
        return self.known[answers]


def shares_of(granted: Iterable[tuple[Line, Sequence[float]]]) -> tuple[DominatingPair, ...]:
    """The largest size of each line of the first families that grant any, and shares of it."""
    pairs: dict[DominatingPair, None] = {}
    kinds: dict[str, None] = {}
    for line, sizes in granted:
        if sizes and (line.kind in kinds or len(kinds) < _GRANTED):
            kinds[line.kind] = None
            for share in _SHARES:
                most = max((size for size in sizes if size <= share * max(sizes)), default=None)
                pairs |= {} if most is None else {line.pair(most): None}
    return tuple(pairs)


def menu_of(make: MakeService, lines: Sequence[Line]) -> tuple[DominatingPair, ...]:
    """The largest requests that a fresh service grants, and shares of them: it is asked for every size of each line."""
    sizes = (
        [size for size in coarse_first(line.sizes) if _released(make, line.pair(size))] for line in lines
    )
    return shares_of(zip(lines, sizes, strict=True))


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
    """Search for a schedule whose releases, composed as fixed mechanisms, break the promise.

    Clients send requests, several at once, and send them again. The process is killed between any two steps and at
    any write of its disk. The disk refuses writes. Epochs end where the service has a clock.

    Parameters
    ----------
    service
        service(disk) begins a process (`filters.adapters.service`).
    promise
        What the service promises of all that it releases in an epoch.
    effort
        How much to try, > 0, counted in work (`filters.contract.work`); effort 1 takes about ten seconds for a service
        in Python.
    seconds
        A time limit, > 0, that ends the search early; by default there is none.
    seed
        The seed of the schedules that are drawn, a whole number >= 0.
    mechanisms
        Names of families, or one of them, asked for in this order until two are granted.

    Returns
    -------
    ScheduleSearch
        The first breach, cut to what it needs, and how much was tried; it depends on these arguments alone, unless
        `stopped` says that the time limit ended the search.

    Raises
    ------
    TypeError
        For what is no service or no guarantee.
    ValueError
        For efforts, seconds, seeds or mechanisms out of range.
    FilterFault
        Where the service ends its process, or where processes that nobody has asked before, one for each of its lives,
        do not release the same.

    Notes
    -----
    Finding nothing proves nothing. The service runs in a process of its own.
    """
    units, deadline = EFFORT * checked_effort(effort), Deadline.of(seconds)
    lines, seed = asked_lines(service, promise, mechanisms), check_count("seed", seed, least=0)

    def stands(found: ScheduleSearch) -> None:
        if found.breach is not None:
            confirm(found.breach, service, promise, deadline)

    work = partial(_driven, service, promise, lines, units, seed)
    return last_report(work, ScheduleSearch(None, 0, 0), units, deadline, stands, **as_service(service))


def confirm(breach: Breach, service: MakeService, promise: Guarantee, deadline: Deadline = NEVER) -> None:
    """FilterFault where the schedule breaks nothing when nobody has asked the service's processes before."""
    try:
        played = breach.schedule.play_afresh(service, deadline)
    # errors of its own a service handles, or the play keeps
    except (PicklingError, AttributeError, TypeError) as error:
        raise FilterFault(
            f"{as_service(service)['whose']} stores on its disk what no disk can hold ({error}); store numbers and text"
        ) from error
    if Breaches(promise).among(played) is None:
        raise FilterFault(
            f"{as_service(service)['whose']} breaks the contract: it keeps something outside its object and its disk, "
            "which a process that ends forgets; keep it in self"
        )


def _driven(
    service: MakeService, promise: Guarantee, lines: tuple[Line, ...], units: float, seed: int
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
    """The reports of a search over a menu, the last one on all of it."""
    rng = np.random.default_rng(seed)
    breaches, found, pace = Breaches(promise), ScheduleSearch(None, 0, 0), Pace()
    searching = limit.fraction(_SEARCHED)
    for moves in chain(plain(), drawn(rng, len(menu))):
        schedule = Schedule(menu, moves)
        breach, played = breaches.of(schedule, service)
        schedules, released = found.schedules + 1, found.released + len(played.released)
        found = ScheduleSearch(None, schedules, released, found.raised or played.raised)
        # what does not happen twice is no witness
        if breach is not None and (again := breaches.of(breach.schedule, service)[0]) is not None:
            yield replace(found, breach=again)
            found = replace(found, breach=_cut(again, breaches, service, limit))
            break
        if searching.exhausted:
            break
        if pace.due:
            yield found
    yield found


def plain() -> Iterator[tuple[ServiceMove, ...]]:
    """What goes wrong most often, with the largest request: at once, in a crash, sent again, over an epoch's end."""
    ask, ask_again, tick = ServiceMove("ask"), ServiceMove("again"), ServiceMove("tick")
    step, before = ServiceMove("step"), ServiceMove("step", 1)
    whole = [step] * _PLAIN
    for many in (2, 3):  # in turn, for as long as none has ended
        yield (*[ask] * many, *[ServiceMove("step", at) for at in reversed(range(many))] * _PLAIN)
    yield (ask, *whole, *2 * [ask_again, *whole], ask, *whole)
    for depth in range(_PLAIN):
        begun = [ask, *[step] * depth]
        for fault in (ServiceMove("crash"), *(ServiceMove(what) for what in _STRUCK)):
            yield (*begun, fault, ask, *whole, ask, *whole)
            yield (*begun, fault, ask_again, *whole, ask, *whole)
        yield (*begun, ask, *whole, *whole)
        for more in range(1, _PLAIN):  # the one that came later goes so far, then the epoch ends
            yield (*begun, ask, *[step] * more, tick, before, *whole)
        yield (*begun, ask_again, *whole, before, *whole)


def drawn(rng: np.random.Generator, menu: int) -> Iterator[tuple[ServiceMove, ...]]:
    """Schedules without end, ever longer, each with its own share of what can go wrong."""
    faults: tuple[What, ...] = MOVES[2:]
    for number in count():
        length = int(rng.integers(3, _LENGTHS[number // 50 % len(_LENGTHS)] + 1))
        some = [what for what in faults if rng.random() < 0.35]
        kinds: list[What] = ["ask", "ask", "step", "step", "step", "step", *some]
        favourite, newest = int(rng.integers(menu)), rng.random() < 0.6
        if rng.random() < 0.3:  # several at once, and then no more
            yield (
                *[ServiceMove("ask", favourite)] * int(rng.integers(2, 5)),
                *(_move(rng, kinds[2:], menu, favourite, newest=newest) for _ in range(length)),
            )
            continue
        yield tuple(_move(rng, kinds, menu, favourite, newest=newest) for _ in range(length))


def _move(
    rng: np.random.Generator, kinds: list[What], menu: int, favourite: int, *, newest: bool
) -> ServiceMove:
    kind = kinds[int(rng.integers(len(kinds)))]
    if kind in ("crash", "tick"):
        return ServiceMove(kind)
    usual, far = (favourite, menu) if kind == "ask" else (0, _FAR if kind in _STRUCK else 4)
    often = (newest or kind == "ask") and rng.random() < 0.8
    return ServiceMove(kind, usual if often else int(rng.integers(far)))


def _cut(breach: Breach, breaches: Breaches, service: MakeService, limit: WorkLimit) -> Breach:
    """The breach without moves that it does not need, and with the plainest that do, until nothing is plainer."""
    shortest, size, before = breach, len(breach.schedule.moves), None
    while not limit.exhausted and shortest.schedule.moves != before:
        size = max(size // 2, 1)
        before, place = shortest.schedule.moves if size == 1 else None, 0
        while place < len(moves := shortest.schedule.moves) and not limit.exhausted:
            for rest in (moves[place + size :], *(_plainer(moves[place:]) if size == 1 else ())):
                tried = breaches.of(replace(shortest.schedule, moves=(*moves[:place], *rest)), service)[0]
                if tried is not None:
                    shortest = tried
                    break
            else:
                place += size
    return replace(shortest, schedule=shortest.schedule.trimmed)


def _plainer(moves: tuple[ServiceMove, ...]) -> Iterator[tuple[ServiceMove, ...]]:
    """Moves whose first one is easier to understand: a crash between two steps, the newest or the first, or none."""
    move, *later = moves
    if move.what in _STRUCK:
        yield from ((ServiceMove("crash"), *later), (replace(move, what="step"), *later))
    if move.at:
        yield (replace(move, at=0), *later)
    for after in later[
        :1
    ]:  # a request that is not ended stays the newest: the next step is of the one before
        yield (replace(after, at=after.at + 1), *later[1:])


# -- the stage of an examination -----------------------------------------------------------------------


def stage(subject: Subject, limit: WorkLimit) -> Iterator[StageFinding]:
    """The finding on a filter whose program is a service; none for any other."""
    filt = subject.filter
    service = service_of(filt)
    if service is None or not subject.lines:
        return
    asked = shares_of((one.line, one.sizes) for one in subject.lines)
    with examining(filt):
        *_, found = searched(service, filt.promise, asked, limit, seed=subject.seed)
    breach = found.breach
    menu = ", ".join(dict.fromkeys(type(pair.asked).__name__ for pair in asked))
    if breach is None:
        yield StageFinding("schedules", _ASKED, str(found), menu, _UNSEEN)
        return
    game = {"schedule": breach.schedule.to_data(nameable()), "epoch": breach.epoch}
    witness = measured_witness(filt, breach.measure, breach.low, breach.promised, **game)
    story = Story(breach.measure, (), None, (), moves=breach.story)
    yield StageFinding.refuted("schedules", _ASKED, menu, _SCOPE, witness, unseen=_UNSEEN, story=story)
