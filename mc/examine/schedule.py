"""A schedule of requests, steps, crashes and epochs of a service, and the releases that follow.

>>> import filterproof as fp
>>> class Purse:
...     def __init__(self, disk):
...         self.disk = disk
...     def request(self, pair, key):
...         spent = self.disk.get("spent", 0.0) + pair.pure_epsilon
...         if spent <= 1.0:
...             yield fp.services.Release()  # too early: what is spent is not stored
...             self.disk["spent"] = spent
>>> moves = [ServiceMove("ask"), ServiceMove("step"), ServiceMove("crash"), ServiceMove("ask"), ServiceMove("step")]
>>> played = Schedule((fp.RandomizedResponse(1.0),), tuple(moves)).play(Purse)
>>> len(played.released)
2
"""

from __future__ import annotations

import errno
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any, Literal, TypeAlias, get_args

from filterproof.filters.adapters.bridge import BridgeError
from filterproof.filters.adapters.service import MakeService, Release, Service
from filterproof.filters.contract.work import count_work
from filterproof.mc.engine.encoding import Nameable, decode, encode
from filterproof.mc.examine.deadline import Deadline
from filterproof.mc.examine.faulty_disk import Fault, FaultyDisk, PowerFailure
from filterproof.mc.examine.filter_fault import FilterFault
from filterproof.mc.examine.formatting import pair_words
from filterproof.mc.examine.worker import run_isolated
from filterproof.theory.argument_checks import check_arguments, check_count
from filterproof.theory.pairs import DominatingPair

MoveKind: TypeAlias = Literal[
    "ask", "step", "again", "crash", "crash_before_write", "crash_after_write", "disk_full", "tick"
]
MOVE_KINDS: tuple[MoveKind, ...] = get_args(MoveKind)
#: The most plays of one schedule with different outcomes, for a service that is told of them.
_MAX_PATHS = 256
#: The arguments of a service's methods.
_SERVICE_METHODS = {"request": ["pair", "key"], "clock": ["epoch"], "observe": ["key", "loss"], "kill": []}
#: The longest schedule of a counterexample.
_MAX_MOVES = 10_000


class MalformedServiceError(FilterFault, TypeError):
    """An object that is no service, or a service that yields something else than its protocol allows."""


@dataclass(frozen=True, slots=True)
class ServiceMove:
    """One move of a schedule.

    ask: a client sends request `at` of the menu under a new key. again: the client sends the request `at` before the
    last one again, with its key. step: the request in flight that came `at` before the newest runs to its next yield.
    crash_before_write, crash_after_write, disk_full: the same step with a power failure before or after a write, or
    with a full disk; `at` chooses the write: below the number of requests in flight it is the first, below twice that
    the second, and so on.
    crash: the process ends and starts again. tick: the next epoch begins. Numbers that are too large wrap around. A
    move without a target has no effect.
    """

    what: MoveKind
    at: int = 0


@dataclass(frozen=True, slots=True)
class Schedule:
    """Moves over a menu of requests."""

    menu: tuple[DominatingPair, ...]
    moves: tuple[ServiceMove, ...]

    def play(
        self,
        make: MakeService,
        until: Callable[[ServiceSimulator], object] = lambda world: None,
        outcomes: tuple[int, ...] = (),
    ) -> ServiceSimulator:
        """Play all moves with a new service, or until `until` returns True; return the simulator.

        `outcomes` number what comes out of each new answer, for a service that is told; the first outcome by default.

        Raises BridgeError if a program violates the protocol, TypeError for an object that is no service.
        """
        world = ServiceSimulator(make, self.menu, outcomes)
        try:
            for move in self.moves:
                world.move(move)
                if until(world):
                    break
        finally:
            world.end()
        return world

    def releases(self, make: MakeService) -> dict[int, dict[DominatingPair, int]]:
        """Return the number of releases of each pair, by epoch, which compose as fixed mechanisms.

        There are none if they depend on what comes out, of which the service is told, or if that is not finite.
        """
        played = self.play(make)
        if not played.observed:
            return played.by_epoch
        paths = [range(len(possible_losses(pair))) for pair, _ in played.released]
        if not 0 < math.prod(map(len, paths)) <= _MAX_PATHS:
            return {}
        others = (self.play(make, outcomes=path) for path in product(*paths))
        return played.by_epoch if all(world.released == played.released for world in others) else {}

    def play_isolated(self, make: MakeService, deadline: Deadline) -> ServiceSimulator:
        """Play the schedule with each process of the service in a new process of its own."""
        world, left = None, self.moves
        while world is None or left:
            life = partial(_play_process, make, self.menu, world, left)
            world, left = run_isolated(life, whose=name_of_service(make), deadline=deadline)
        return world

    def to_data(self, names: Nameable) -> dict[str, Any]:
        """Return the schedule as JSON-compatible data."""
        return {"menu": encode(self.menu, names), "moves": [[move.what, move.at] for move in self.moves]}

    @classmethod
    def from_data(cls, data: object, names: Nameable) -> Schedule:
        """Return the schedule that `to_data` wrote. Raises ValueError for other data."""
        wrong = ValueError(
            f"schedule must have a menu and moves, got {repr(data)[:40]}; pass the data that to_data returned"
        )
        if not isinstance(data, Mapping) or set(data) != {"menu", "moves"}:
            raise wrong
        menu, moves = decode(data["menu"], names), data["moves"]
        if not isinstance(menu, tuple) or not menu or not isinstance(moves, list | tuple):
            raise wrong
        if not all(isinstance(pair, DominatingPair) and pair.shape == () for pair in menu):
            raise wrong
        if len(moves) > _MAX_MOVES:
            raise ValueError(
                f"moves must have at most {_MAX_MOVES} entries, got {len(moves)}; pass the data that to_data returned"
            )
        if not all(
            isinstance(move, list | tuple) and len(move) == 2 and isinstance(move[0], str) for move in moves
        ):
            raise wrong
        if unknown := [kind for kind, _ in moves if kind not in MOVE_KINDS]:
            raise ValueError(
                f"moves must be among {', '.join(MOVE_KINDS)}, got {unknown[0][:40]!r}; verify the service again"
            )
        return cls(menu, tuple(ServiceMove(what, check_count("at", at, least=0)) for what, at in moves))


def possible_losses(pair: DominatingPair) -> tuple[float, ...]:
    """Return the losses of all outputs of P or Q, () if they are not finitely many."""
    if pair.outputs is None:
        return ()
    only_q = (-math.inf,) if float(pair.swapped.infinite_mass) > 0 else ()
    return (*(float(loss) for loss, _ in pair.outputs), *only_q)


def name_of_service(make: MakeService) -> str:
    """Return the name of a service for messages."""
    return getattr(make, "__name__", type(make).__name__)


@dataclass(slots=True)
class _RequestInFlight:
    """A request in flight; `epoch` is the epoch in which work on it began, or None."""

    request: int
    name: str
    steps: Iterator[Release | None]
    epoch: int | None = None


@dataclass(slots=True)
class ServiceSimulator:
    """A service, its disk, the epoch, the requests in flight and the releases.

    `released` has the pair and the epoch of each new answer, `events` the events in words, `done` the moves with an
    effect. `raised` is the first error of the service's code, or "". `observed` says that the service was told of a
    release; `outcomes` number what came out of each.
    """

    make: MakeService
    menu: tuple[DominatingPair, ...]
    outcomes: tuple[int, ...] = ()
    observed: bool = False
    epoch: int = 0
    #: The pair of each request, and whether it was answered.
    requests: list[DominatingPair] = field(default_factory=list)
    answered: set[int] = field(default_factory=set)
    #: The mechanism, the epoch and the name of each named answer that was sent.
    named: set[tuple[DominatingPair, int, str]] = field(default_factory=set)
    #: The epochs in which work on each request began.
    begun: dict[int, set[int]] = field(default_factory=dict)
    flights: list[_RequestInFlight] = field(default_factory=list)
    released: tuple[tuple[DominatingPair, int], ...] = ()
    events: tuple[str, ...] = ()
    done: tuple[ServiceMove, ...] = ()
    raised: str = ""
    disk: FaultyDisk = field(default_factory=lambda: FaultyDisk({}))
    service: Service | None = None

    def __post_init__(self) -> None:
        self._begin_process()
        if self.service is None:
            raise MalformedServiceError(
                f"{name_of_service(self.make)} must start from an empty disk, got {self.raised or 'an exit'}; store "
                "what it needs when it starts"
            )
        for name, arguments in _SERVICE_METHODS.items():
            if (method := getattr(self.service, name, None)) is not None:
                try:
                    check_arguments(f"{type(self.service).__name__}.{name}", method, arguments)
                except TypeError as error:
                    raise MalformedServiceError(str(error)) from error

    @property
    def by_epoch(self) -> dict[int, dict[DominatingPair, int]]:
        """Return the number of releases of each pair, by epoch."""
        pair_counts: dict[int, Counter[DominatingPair]] = {}
        for pair, epoch in self.released:
            pair_counts.setdefault(epoch, Counter())[pair] += 1
        return {epoch: dict(pairs) for epoch, pairs in pair_counts.items()}

    def move(self, move: ServiceMove) -> None:
        """Make the move; record it if it has an effect."""
        if not self.can(move.what):
            return
        count_work(1)
        self.done += (move,)
        match move.what:
            case "ask":
                self.requests.append(self.menu[move.at % len(self.menu)])
                self._send_request(len(self.requests) - 1, f"asks for {pair_words(self.requests[-1])}")
            case "again":
                self._send_request(
                    len(self.requests) - 1 - move.at % len(self.requests), "is sent again, with its key"
                )
            case "crash":
                self._crash_process("the process is killed")
            case "tick":
                self.epoch += 1
                self.events += (f"epoch {self.epoch} begins",)
                self._tell_time()
            case what:
                before, which = divmod(move.at, len(self.flights))
                self._advance_flight(self.flights[-1 - which], "" if what == "step" else what, before)

    def can(self, what: MoveKind) -> bool:
        """Whether a move of this kind has an effect now."""
        match what:
            case "ask" | "crash":
                return self.service is not None
            case "again":
                return self.service is not None and bool(self.requests)
            case "tick":
                return hasattr(self.service, "clock")
        return bool(self.flights)

    def end(self) -> None:
        """End the last process."""
        self.disk.fail_power()
        self._abandon_process()

    def _begin_process(self) -> None:
        count_work(1)
        program = self._call_service(self.make, self.disk)
        if program is _RAISED or program is _EXITED:  # a service that does not start releases nothing
            self.events += ("it does not start again",)
            return
        self.service = program
        self._tell_time()
        if not callable(getattr(program, "request", None)):
            raise MalformedServiceError(
                f"{name_of_service(self.make)} must have a method request(pair, key), got {self.service!r}; see "
                "fp.services.Release"
            )

    def _tell_time(self) -> None:
        """Tell the service the epoch, if it has a clock."""
        clock = getattr(self.service, "clock", None)
        if clock is not None:
            self._call_service(clock, self.epoch)

    def _send_request(self, request: int, what: str) -> None:
        assert self.service is not None
        twins = sum(flight.request == request for flight in self.flights)
        name = f"request {request + 1}{'*' * twins}"
        self.events += (f"{name} {what}",)
        steps = self._call_service(self.service.request, self.requests[request], str(request + 1))
        if steps is _EXITED:
            self._crash_process(f"{name} ends the process")
        if steps is _RAISED or steps is _EXITED:
            return
        if not isinstance(steps, Iterable):
            raise MalformedServiceError(
                f"{type(self.service).__name__}.request must be a generator, got {steps!r}; yield "
                "fp.services.Release() when the answer is sent"
            )
        self.flights.append(_RequestInFlight(request, name, iter(steps)))

    def _advance_flight(self, flight: _RequestInFlight, fault: Fault, before: int) -> None:
        """Run a request's next step with a fault planned for one of its writes."""
        self.disk.inject_fault(fault, before)
        answer = _RAISED
        if flight.epoch is None:
            flight.epoch = self.epoch
            self.begun.setdefault(flight.request, set()).add(self.epoch)
        with suppress(PowerFailure):
            answer = self._call_service(next, flight.steps, _END)
        struck = not self.disk.fault
        self.disk.inject_fault("")
        if answer is _END or answer is _RAISED or answer is _EXITED:
            self.flights.remove(flight)
        if self.disk.stored is not None:  # later actions of the dead process have no effect
            writes = f"makes write {before + 1} of a step" if before else "writes"
            power = f"as {flight.name} {writes}, the power fails {_FAULT_TEXTS.get(fault)}"
            self._crash_process(f"{flight.name} ends the process" if answer is _EXITED else power)
            return
        does = "ends" if answer is _END else "ends with an error" if answer is _RAISED else "goes on"
        if isinstance(answer, Release):
            does = self._record_release(flight, answer)
        elif does == "goes on" and answer is not None:
            raise MalformedServiceError(
                f"{type(self.service).__name__}.request must yield fp.services.Release() or None, got {answer!r}; "
                "yield one of the two"
            )
        nth = f" {before + 1}" if before else ""
        full = f", whose write{nth} the disk refuses" if fault == "disk_full" and struck else ""
        self.events += (f"{flight.name}{full} {does}",)
        if fault in _FAULT_TEXTS:
            self._crash_process("the power fails")

    def _record_release(self, flight: _RequestInFlight, release: Release) -> str:
        """Record the release of an answer, unless it repeats one; return the event in words."""
        if release.epoch is not None and type(release.epoch) is not int:
            raise MalformedServiceError(
                f"{type(self.service).__name__}.request must release an epoch that is a whole number or None, got "
                f"epoch={release.epoch!r}; correct fp.services.Release"
            )
        if release.again and flight.request in self.answered:
            return "sends the same answer once more"
        if release.again and release.epoch is None and len(self.begun[flight.request]) > 1:
            return "sends an answer without an epoch, which does not count"
        self.answered.add(flight.request)
        epoch = release.epoch if release.epoch is not None else flight.epoch
        assert epoch is not None
        if release.answer is not None:
            name = self.requests[flight.request], epoch, release.answer
            if name in self.named:
                return "sends an answer that was sent before"
            self.named.add(name)
        self.released += ((self.requests[flight.request], epoch),)
        self._tell_release(flight.request)
        return "sends an answer" if release.epoch is None else f"sends an answer from epoch {epoch}"

    def _tell_release(self, request: int) -> None:
        """Tell the service what the newest answer is, by its loss: the numbered outcome, or the median."""
        observe = getattr(self.service, "observe", None)
        if observe is None:
            return
        self.observed, pair, place = True, self.requests[request], len(self.released) - 1
        losses = possible_losses(pair) or (float(pair.loss_isf(0.5)),)
        number = self.outcomes[place] if place < len(self.outcomes) else 0
        self._call_service(observe, str(request + 1), losses[number % len(losses)])

    def _crash_process(self, why: str) -> None:
        """End the process and start a new one from the stored content."""
        lost = ", ".join(flight.name for flight in self.flights)
        self.events += (f"{why}{f'; {lost} is lost' if lost else ''}; what was stored is read again",)
        self.disk.fail_power()
        self._abandon_process()
        assert self.disk.stored is not None
        self.disk = FaultyDisk(self.disk.stored)
        self._begin_process()

    def _abandon_process(self) -> None:
        """Close requests and service, so that finalisers of the dead process cannot write."""
        for flight in self.flights:
            with suppress(Exception, SystemExit, PowerFailure):
                getattr(flight.steps, "close", lambda: None)()
        self.flights.clear()
        kill = getattr(self.service, "kill", None)
        if kill is not None:
            kill()
        self.service = None

    def _call_service(self, method: Callable[..., Any], *arguments: object) -> Any:
        """Call the service's code. Return `_RAISED` (recorded) if it raises, `_EXITED` if it ends the process.

        A protocol violation of a program is raised.
        """
        try:
            return method(*arguments)
        except BridgeError:
            raise
        except SystemExit:
            self.disk.fail_power()
            return _EXITED
        except Exception as error:  # noqa: BLE001 - a service's own code, whatever it raises
            if not (isinstance(error, OSError) and error.errno == errno.ENOSPC):
                message = " ".join(str(error).split())
                self.raised = self.raised or f"{type(error).__name__}{': ' if message else ''}{message}"
            return _RAISED


#: Returned after the last step, and instead of a value.
_END, _RAISED, _EXITED = object(), object(), object()
_FAULT_TEXTS: Mapping[Fault, str] = {
    "crash_before_write": "before it is on the disk",
    "crash_after_write": "after it is on the disk",
}


class _ProcessEnded(BaseException):
    """A process of the service has ended. Not an Exception, which `ServiceSimulator` takes for one of the service."""


def _raise_process_ended(disk: Any) -> Service:
    raise _ProcessEnded


def _play_process(
    make: MakeService,
    menu: tuple[DominatingPair, ...],
    world: ServiceSimulator | None,
    moves: tuple[ServiceMove, ...],
) -> tuple[ServiceSimulator, tuple[ServiceMove, ...]]:
    """Play one process of the service to its end; return the simulator and the remaining moves."""
    left = list(moves)
    if world is None:
        world = ServiceSimulator(make, menu)
    else:
        world.make = make
        world._begin_process()
    world.make = _raise_process_ended
    with suppress(_ProcessEnded):
        while left:
            world.move(left.pop(0))
        world.end()
    return world, tuple(left)
