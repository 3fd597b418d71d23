"""The one holder of a budget: no second copy of it, no second process, no request within a request."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn, SupportsIndex

__all__ = ["Holder"]


class Holder:
    """What spends a budget, kept the only one that does.

    Changes wait for each other (threads), a change within a change is refused (a request made by a callback
    of a request), and so are copies, pickles and changes in a forked process: each would be a second spender.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # the thread that holds it is told to go, not left waiting for itself
        self._changing = False
        self._process = os.getpid()

    @contextmanager
    def _change(self, method: str) -> Iterator[None]:
        """The only change under way. Raises RuntimeError within another one, or in a forked process."""
        name = type(self).__name__
        if os.getpid() != self._process:  # asked first: a fork may have copied the lock while it was held
            raise RuntimeError(
                f"{name}.{method} must be called in the process that made it, got process {os.getpid()} for "
                f"{self._process}; save it with to_dict there and restore it here with "
                "from_dict, one holder at a time"
            )
        with self._lock:
            if self._changing:
                raise RuntimeError(
                    f"{name}.{method} must not be called within another call that decides, got one from a "
                    "callback (record, the filter or the pair); ask again once that call has returned"
                )
            try:
                self._changing = True
                yield
            finally:
                self._changing = False

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} must not be copied or pickled, for two of them would spend one budget "
            "twice; save it with to_dict and restore it with from_dict, one holder at a time"
        )
