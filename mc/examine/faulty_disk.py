"""The storage of a simulated service, which a power failure or a full disk interrupts at a chosen write.

>>> disk = FaultyDisk({"spent": 0.5})
>>> disk.inject_fault("disk_full")
>>> disk["spent"] = 1.0
Traceback (most recent call last):
OSError: [Errno 28] No space left on device
>>> disk["spent"]
0.5
"""

from __future__ import annotations

import errno
import os
import pickle
from collections import UserDict
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, Literal, Self, TypeAlias

#: A fault at the next write: none, a power failure before or after it, or a full disk.
Fault: TypeAlias = Literal["", "crash_before_write", "crash_after_write", "disk_full"]


class PowerFailure(BaseException):
    """The process ends here. Not an Exception, so that no error handler of the dead process runs."""


class FaultyDisk(UserDict[str, Any]):
    """The storage of a service. After a power failure, no write reaches it."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self.fault: Fault = ""
        self.before = 0
        #: The content at the power failure, or None before one.
        self.stored: dict[str, Any] | None = None
        super().__init__()
        self.data = deepcopy(dict(stored))

    def inject_fault(self, fault: Fault, before: int = 0) -> None:
        """Plan a fault for a later write, after `before` others; "" cancels it."""
        self.fault, self.before = fault, before

    def fail_power(self) -> None:
        """Make the present content final: no later write is stored."""
        if self.stored is None:
            self.stored = deepcopy(self.data)

    def __getitem__(self, name: str) -> Any:
        # a stored value that changes in memory is not stored until it is written
        return deepcopy(self.data[name])

    def __setitem__(self, name: str, value: Any) -> None:
        pickle.dumps(value)  # a value that no disk can store is an error of the service
        self._write(lambda: self.data.__setitem__(name, deepcopy(value)))

    def __delitem__(self, name: str) -> None:
        self._write(lambda: self.data.__delitem__(name))

    def __ior__(self, other: Any) -> Self:  # type: ignore[override,misc]
        self.update(other)  # one write for each name: UserDict.update would bypass the faults
        return self

    def _write(self, write: Callable[[], None]) -> None:
        """Write, or do what the planned fault says: refuse, or fail before or after the write."""
        self.before -= 1
        fault: Fault = "" if self.before >= 0 else self.fault
        self.fault = "" if fault else self.fault
        if fault == "disk_full":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if fault == "crash_before_write":
            self.fail_power()
        write()
        if fault == "crash_after_write":
            self.fail_power()
        if fault:
            raise PowerFailure
