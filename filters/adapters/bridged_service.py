"""A service whose steps are the commands of a program with keys: ask, commit, release."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from filterproof.filters.adapters.bridge import LINE_UNITS, Bridge
from filterproof.filters.adapters.bridge import printable_start as printable
from filterproof.filters.adapters.commands import ask_command_text, command_text, json_loss
from filterproof.filters.adapters.service import Disk, Release
from filterproof.filters.contract.work import count_work
from filterproof.theory.pairs import DominatingPair


class BridgedServices:
    """Starts a budget of the program, or restarts one from its stored state. Raises `BridgeError` for a violation.

    A program without `state` and `restart` forgets nothing in a crash: only requests in flight are lost. `shown`
    returns the form of a request for the program, and raises ValueError for a request that it must not get.
    """

    def __init__(self, bridge: Bridge, shown: Callable[[DominatingPair], DominatingPair]) -> None:
        self.bridge, self.shown = Bridge(bridge.words, seconds=bridge.seconds), shown
        self.numbers = count(1)
        self._open: int | None = None

    def __call__(self, disk: Disk) -> BridgedService:
        if self._open is not None and disk.get("run") != self._open:
            self.bridge.exchange([command_text("close", self._open)])
            self._open = None
        service = (ClockedService if "clock" in self.bridge.stated_abilities else BridgedService)(self, disk)
        if "observe" in self.bridge.stated_abilities:
            service.observe = service.tell_loss
        if not service.stores:
            self._open = service.run
        return service


class BridgedService:
    """One budget of the program, under a number of its own; the disk has the last stored text."""

    def __init__(self, program: BridgedServices, disk: Disk) -> None:
        self.bridge, self.shown, self.disk = program.bridge, program.shown, disk
        self.stores = self.bridge.stores
        if not self.stores and "run" in disk:
            self.run: int = disk["run"]
            return
        self.run = disk["run"] = next(program.numbers)
        text = disk.get("state")
        self._command_answer(
            command_text("open", self.run) if text is None else command_text("restart", self.run, state=text)
        )

    def request(self, pair: DominatingPair, key: str) -> Iterator[Release | None]:
        if not self.bridge.granted(
            self._command_answer(ask_command_text(self.run, self.shown(pair), key)), pair
        ):
            return
        if "commit" in self.bridge.stated_abilities:
            yield None
            self._command_answer(command_text("commit", self.run, key))
        message: dict[str, Any] = {}
        if "release" in self.bridge.stated_abilities:
            yield None
            message = self._command_answer(command_text("release", self.run, key))
        is_retry, epoch, answer = message.get("again", False), message.get("epoch"), message.get("answer")
        wrong = not isinstance(is_retry, bool) or (epoch is not None and type(epoch) is not int)
        if wrong or (answer is not None and (is_retry or not isinstance(answer, str))):
            raise self.bridge.violation_error(
                f"answered {printable(message)} to release",
                'answer {}, {"again": true}, {"answer": "a name"} or {"epoch": 1}',
            )
        yield Release(is_retry, epoch, answer)

    #: Told of each release, if the program states the ability.
    observe: Callable[[str, float], None] | None = None

    def tell_loss(self, key: str, loss: float) -> None:
        """Tell the program what came out."""
        self._command_answer(command_text("observe", self.run, loss=json_loss(loss)))

    def kill(self) -> None:
        """Close the budget of a dead process, which restarts under another number."""
        if self.stores:
            self.bridge.exchange([command_text("close", self.run)])

    def _command_answer(self, sent: str) -> dict[str, Any]:
        """Return the answer to a command, and store the state after it on the disk."""
        count_work(LINE_UNITS)
        if not self.stores:
            (answer,) = self.bridge.exchange([sent])
            return answer
        answer, stored = self.bridge.exchange([sent, command_text("state", self.run)])
        self.disk["state"] = self.bridge.stored_text(stored)
        return answer


class ClockedService(BridgedService):
    """A bridged service that passes on the number of each epoch."""

    def clock(self, epoch: int) -> None:
        """Tell the program the number of the epoch."""
        self._command_answer(command_text("clock", self.run, now=epoch))
