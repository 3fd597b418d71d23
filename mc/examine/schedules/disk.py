"""A disk that outlives a process, and what happens to a write: it is refused, or the power fails before or after it.

>>> disk = FaultyDisk({"spent": 0.5})
>>> disk.strike("unwritten")
>>> try:
...     disk["spent"] = 1.0
... except PowerFailure:
...     print(disk.kept)
{'spent': 0.5}
"""

from __future__ import annotations

import errno
from collections import UserDict
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, Literal, Self, TypeAlias

__all__ = ["DiskFull", "Fault", "FaultyDisk", "PowerFailure"]

#: What happens to the next write: nothing, the power fails before it or after it, or the disk is full.
Fault: TypeAlias = Literal["", "unwritten", "written", "full"]


class DiskFull(OSError):  # noqa: N818 - what the system calls it
    """The disk refuses a write, as the system says it."""

    def __init__(self) -> None:
        super().__init__(errno.ENOSPC, "No space left on device")


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
            raise DiskFull
        if fault == "unwritten":
            self.fail()
        write()
        if fault == "written":
            self.fail()
        if fault:
            raise PowerFailure
