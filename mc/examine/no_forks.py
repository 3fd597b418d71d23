"""No forks: while a filter is examined its own code may not fork, for there would be two examinations.

>>> import os
>>> with without_forks(object()):
...     os.fork()
Traceback (most recent call last):
PermissionError: object must not fork or replace the process while it decides
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_forks"]

#: Thread -> the name of what is examined there.
_EXAMINED: dict[int, str] = {}
_REFUSED = frozenset({"os.fork", "os.forkpty", "os.exec"})
#: Whether the hook is in place; Python has no way to take one away, and it does nothing outside the block.
_HOOKED: list[bool] = []


@contextmanager
def without_forks(filt: object) -> Iterator[None]:
    """Raise PermissionError where this thread forks, or replaces its process, within the block."""
    if not _HOOKED:
        sys.addaudithook(_refuse)
        _HOOKED.append(True)
    here = threading.get_ident()
    before = _EXAMINED.get(here)
    _EXAMINED[here] = type(filt).__name__
    try:
        yield
    finally:
        if before is None:
            del _EXAMINED[here]
        else:
            _EXAMINED[here] = before


def _refuse(event: str, told: tuple[object, ...]) -> None:
    if event in _REFUSED and (name := _EXAMINED.get(threading.get_ident())) is not None:
        raise PermissionError(f"{name} must not fork or replace the process while it decides")
