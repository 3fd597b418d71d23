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
import os
import pickle
from collections import Counter, UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Self, TypeAlias, get_args

from filterproof.filters.adapters.bridge import BridgeError
from filterproof.filters.adapters.service import MakeService, Release, Service
from filterproof.filters.contract.work import count
from filterproof.mc.engine.encoding import Nameable, decode, encode
from filterproof.mc.examine.deadline import Deadline
from filterproof.mc.examine.formatting import pair_words
from filterproof.mc.examine.worker import alone
from filterproof.theory.argument_checks import check_count
from filterproof.theory.pairs import DominatingPair

What: TypeAlias = Literal["ask", "step", "again", "crash", "unwritten", "written", "full", "tick"]
MOVES: tuple[What, ...] = get_args(What)
#: What happens to the next write: nothing, the power fails before it or after it, or the disk is full.
Fault: TypeAlias = Literal["", "unwritten", "written", "full"]
#: The longest schedule of a counterexample.
_MOST = 10_000


@dataclass(frozen=True, slots=True)
class ServiceMove:
    """One move. ask: a client sends request `at` of the menu under a new key. again: the request that was asked for
    `at` before the last is sent once more, with its key. step: of the requests in flight that which came `at` before
    the newest goes on to its next moment. unwritten, written, full: it does, and at a write the power fails before or
    after it, or the disk refuses it, or else after the step: at the first write where `at` is below the number of
    requests in flight, at the second below twice that, and so on. crash: the process ends and begins again.
    tick: the next epoch begins. Numbers too large begin again at zero; a move that nothing answers to does nothing.
    """

    what: What
    at: int = 0


@dataclass(frozen=True, slots=True)
class Schedule:
    """Moves over a menu of requests."""

    menu: tuple[DominatingPair, ...]
    moves: tuple[ServiceMove, ...]

    def play(
        self, make: MakeService, until: Callable[[ServiceSimulator], object] = lambda world: None
    ) -> ServiceSimulator:
        """The end of a fresh service and all that it released, or when `until` says so.

        BridgeError where a program breaks the protocol, TypeError for no service.
        """
        world = ServiceSimulator(make, self.menu)
        try:
            for move in self.moves:
                world.move(move)
                if until(world):
                    break
        finally:
            world.end()
        return world

    def play_afresh(self, make: MakeService, deadline: Deadline) -> ServiceSimulator:
        """The end of the same play, each life of the service in a process of its own, which nobody asked before."""
        world, left = None, self.moves
        while world is None or left:
            life = partial(_life, make, self.menu, world, left)
            world, left = alone(life, whose=name_of(make), deadline=deadline)
        return world

    def to_data(self, known: Nameable) -> dict[str, Any]:
        """The schedule as JSON-able data."""
        return {"menu": encode(self.menu, known), "moves": [[move.what, move.at] for move in self.moves]}

    @classmethod
    def from_data(cls, data: object, names: Nameable) -> Schedule:
        """The schedule from the data that `to_data` returned; ValueError for any other data."""
        wrong = ValueError(
            f"schedule must hold a menu and moves, got {repr(data)[:40]}; pass what was written"
        )
        if not isinstance(data, Mapping) or set(data) != {"menu", "moves"}:
            raise wrong
        menu, moves = decode(data["menu"], names), data["moves"]
        if not isinstance(menu, tuple) or not menu or not isinstance(moves, list | tuple):
            raise wrong
        if not all(isinstance(pair, DominatingPair) and pair.shape == () for pair in menu):
            raise wrong
        if len(moves) > _MOST:
            raise ValueError(
                f"moves must be at most {_MOST}, got {len(moves)} of them; pass what was written"
            )
        if not all(isinstance(move, list | tuple) and len(move) == 2 and move[0] in MOVES for move in moves):
            raise wrong
        return cls(menu, tuple(ServiceMove(what, check_count("at", at, least=0)) for what, at in moves))


def name_of(make: MakeService) -> str:
    """Whose code a service's is, in sentences."""
    return getattr(make, "__name__", type(make).__name__)


class PowerFailure(BaseException):
    """The process ends here: no Exception, for nothing that handles errors runs in a dead process."""


class FaultyDisk(UserDict[str, Any]):
    """What a process stored; once the power has failed nothing that it still does reaches the disk."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self.fault: Fault = ""
        self.before = 0
        #: What was on the disk when the power failed; None while it has not.
        self.kept: dict[str, Any] | None = None
        super().__init__()
        self.data = deepcopy(dict(stored))

    def strike(self, fault: Fault, before: int = 0) -> None:
        """A fault for a write that comes, after so many others; "" takes it back."""
        self.fault, self.before = fault, before

    def fail(self) -> None:
        """The power fails: what is stored now is all there will be."""
        if self.kept is None:
            self.kept = deepcopy(self.data)

    def __getitem__(self, name: str) -> Any:
        return deepcopy(self.data[name])  # what is read and changed is stored only when it is written

    def __setitem__(self, name: str, value: Any) -> None:
        pickle.dumps(value)  # what no disk can hold is an error of the service
        self._write(lambda: self.data.__setitem__(name, deepcopy(value)))

    def __delitem__(self, name: str) -> None:
        self._write(lambda: self.data.__delitem__(name))

    def __ior__(self, other: Any) -> Self:  # type: ignore[override,misc]
        self.update(other)  # each name a write: UserDict would pass the faults by
        return self

    def _write(self, write: Callable[[], None]) -> None:
        self.before -= 1
        fault: Fault = "" if self.before >= 0 else self.fault
        self.fault = "" if fault else self.fault
        if fault == "full":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if fault == "unwritten":
            self.fail()
        write()
        if fault == "written":
            self.fail()
        if fault:
            raise PowerFailure


@dataclass(slots=True)
class _Flight:
    """A request that a process is at work on; epoch is that in which the work began, None before."""

    request: int
    name: str
    steps: Iterator[Release | None]
    epoch: int | None = None


@dataclass(slots=True)
class ServiceSimulator:
    """A service, its disk, the epoch, what is in flight, and what has gone out.

    released holds each fresh answer's pair and the epoch that it is computed from, story what happened, in words, done
    the moves that did something; raised is the first error of the service's code, "" for none.
    """

    make: MakeService
    menu: tuple[DominatingPair, ...]
    epoch: int = 0
    #: The pair of each request, and whether an answer to it has gone out.
    asked: list[DominatingPair] = field(default_factory=list)
    answered: set[int] = field(default_factory=set)
    #: The epochs in which work on each request began.
    begun: dict[int, set[int]] = field(default_factory=dict)
    flights: list[_Flight] = field(default_factory=list)
    released: tuple[tuple[DominatingPair, int], ...] = ()
    events: tuple[str, ...] = ()
    done: tuple[ServiceMove, ...] = ()
    raised: str = ""
    disk: FaultyDisk = field(default_factory=lambda: FaultyDisk({}))
    service: Service | None = None

    def __post_init__(self) -> None:
        self._begin()

    @property
    def by_epoch(self) -> dict[int, dict[DominatingPair, int]]:
        """How often each pair went out, epoch by epoch."""
        found: dict[int, Counter[DominatingPair]] = {}
        for pair, epoch in self.released:
            found.setdefault(epoch, Counter())[pair] += 1
        return {epoch: dict(pairs) for epoch, pairs in found.items()}

    def move(self, move: ServiceMove) -> None:
        """Make the move, and keep it, if it does something."""
        if not self.can(move.what):
            return
        count(1)
        self.done += (move,)
        match move.what:
            case "ask":
                self.asked.append(self.menu[move.at % len(self.menu)])
                self._send(len(self.asked) - 1, f"asks for {pair_words(self.asked[-1])}")
            case "again":
                self._send(len(self.asked) - 1 - move.at % len(self.asked), "is sent again, with its key")
            case "crash":
                self._crash("the process is killed")
            case "tick":
                self.epoch += 1
                self.events += (f"epoch {self.epoch} begins",)
                self._tell_time()
            case what:
                before, which = divmod(move.at, len(self.flights))
                self._step(self.flights[-1 - which], "" if what == "step" else what, before)

    def can(self, what: What) -> bool:
        """Whether a move of this kind does something now."""
        match what:
            case "ask" | "crash":
                return self.service is not None
            case "again":
                return self.service is not None and bool(self.asked)
            case "tick":
                return hasattr(self.service, "clock")
        return bool(self.flights)

    def end(self) -> None:
        """Let the last process go."""
        self.disk.fail()
        self._let_go()

    def _begin(self) -> None:
        count(1)
        program = self._called(self.make, self.disk)
        if program is _RAISED or program is _EXITED:  # what does not start releases nothing
            self.events += ("it does not start again",)
            return
        self.service = program
        self._tell_time()
        if not callable(getattr(program, "request", None)):
            raise TypeError(
                f"service must have request(pair, key), got {self.service!r}; see fp.services.Release"
            )

    def _tell_time(self) -> None:
        clock = getattr(self.service, "clock", None)
        if clock is not None:
            self._called(clock, self.epoch)

    def _send(self, request: int, what: str) -> None:
        assert self.service is not None
        twins = sum(flight.request == request for flight in self.flights)
        name = f"request {request + 1}{'*' * twins}"
        self.events += (f"{name} {what}",)
        steps = self._called(self.service.request, self.asked[request], str(request + 1))
        if steps is _EXITED:
            self._crash(f"{name} ends the process")
        if steps is _RAISED or steps is _EXITED:
            return
        if not isinstance(steps, Iterable):
            raise TypeError(
                f"request must yield its steps, got {steps!r}; yield fp.services.Release() as an answer goes out"
            )
        self.flights.append(_Flight(request, name, iter(steps)))

    def _step(self, flight: _Flight, fault: Fault, before: int) -> None:
        self.disk.strike(fault, before)
        answer = _RAISED
        if flight.epoch is None:
            flight.epoch = self.epoch
            self.begun.setdefault(flight.request, set()).add(self.epoch)
        with suppress(PowerFailure):
            answer = self._called(next, flight.steps, _END)
        struck = not self.disk.fault
        self.disk.strike("")
        if answer is _END or answer is _RAISED or answer is _EXITED:
            self.flights.remove(flight)
        if self.disk.kept is not None:  # whatever it did after that reaches nobody
            writes = f"makes write {before + 1} of a step" if before else "writes"
            power = f"as {flight.name} {writes}, the power fails {_WHEN.get(fault)}"
            self._crash(f"{flight.name} ends the process" if answer is _EXITED else power)
            return
        does = "ends" if answer is _END else "ends with an error" if answer is _RAISED else "goes on"
        if isinstance(answer, Release):
            does = self._release(flight, answer)
        elif does == "goes on" and answer is not None:
            raise TypeError(
                f"request must yield fp.services.Release() or None, got {answer!r}; yield one of them"
            )
        nth = f" {before + 1}" if before else ""
        full = f", whose write{nth} the disk refuses" if fault == "full" and struck else ""
        self.events += (f"{flight.name}{full} {does}",)
        if fault in _WHEN:
            self._crash("the power fails")

    def _release(self, flight: _Flight, release: Release) -> str:
        if release.epoch is not None and type(release.epoch) is not int:
            raise TypeError(
                f"epoch must be a whole number or None, got epoch={release.epoch!r}; correct fp.services.Release"
            )
        if release.again and flight.request in self.answered:
            return "sends the same answer once more"
        if release.again and release.epoch is None and len(self.begun[flight.request]) > 1:
            return "sends an answer that does not say from which epoch it is, and does not count"
        self.answered.add(flight.request)
        epoch = release.epoch if release.epoch is not None else flight.epoch
        assert epoch is not None
        self.released += ((self.asked[flight.request], epoch),)
        return "sends an answer" if release.epoch is None else f"sends an answer from epoch {epoch}"

    def _crash(self, why: str) -> None:
        lost = ", ".join(flight.name for flight in self.flights)
        self.events += (f"{why}{f'; {lost} is lost' if lost else ''}; what was stored is read again",)
        self.disk.fail()
        self._let_go()
        assert self.disk.kept is not None
        self.disk = FaultyDisk(self.disk.kept)
        self._begin()

    def _let_go(self) -> None:
        """A dead process does nothing more, whatever Python runs as its objects go."""
        for flight in self.flights:
            with suppress(Exception, SystemExit, PowerFailure):
                getattr(flight.steps, "close", lambda: None)()
        self.flights.clear()
        kill = getattr(self.service, "kill", None)
        if kill is not None:
            kill()
        self.service = None

    def _called(self, method: Callable[..., Any], *arguments: object) -> Any:
        """What the service's own code returns; `_RAISED`, noted, where it raises, `_EXITED` where it ends the process.

        A program that broke the protocol is raised.
        """
        try:
            return method(*arguments)
        except BridgeError:
            raise
        except SystemExit:
            self.disk.fail()
            return _EXITED
        except Exception as error:  # noqa: BLE001 - a service's own code, whatever it raises
            if not (isinstance(error, OSError) and error.errno == errno.ENOSPC):
                said = " ".join(str(error).split())
                self.raised = self.raised or f"{type(error).__name__}{': ' if said else ''}{said}"
            return _RAISED


#: What comes after the last step, and in place of what was to be returned.
_END, _RAISED, _EXITED = object(), object(), object()
_WHEN: Mapping[Fault, str] = {"unwritten": "before it is on the disk", "written": "after it is on the disk"}


class _Ended(BaseException):
    """A process of the service has ended: no Exception, for `ServiceSimulator` takes those for the service's own."""


def _ends(disk: Any) -> Service:
    raise _Ended


def _life(
    make: MakeService,
    menu: tuple[DominatingPair, ...],
    world: ServiceSimulator | None,
    moves: tuple[ServiceMove, ...],
) -> tuple[ServiceSimulator, tuple[ServiceMove, ...]]:
    """The world when one process of the service has ended, and the moves that are left."""
    left = list(moves)
    if world is None:
        world = ServiceSimulator(make, menu)
    else:
        world.make = make
        world._begin()
    world.make = _ends
    with suppress(_Ended):
        while left:
            world.move(left.pop(0))
        world.end()
    return world, tuple(left)
