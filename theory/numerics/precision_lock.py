"""The lock for the precision of balls and of mpmath's numbers, which are global to the process.

>>> from flint import ctx
>>> with PRECISION_LOCK, ctx.workprec(64):
...     ctx.prec
64

Without the lock, two threads that set the precision would restore each other's values in the wrong order. A user thread
that sets `flint.ctx.prec` takes no lock unless it takes this one.
"""

from __future__ import annotations

import os
import sys
import threading


def _process_lock() -> threading.RLock:
    """Return the process-wide lock on flint's and mpmath's precision, created once."""
    running: threading.RLock | None = getattr(sys.modules.get(__name__), "PRECISION_LOCK", None)
    if running is not None:
        return running
    lock = threading.RLock()
    if hasattr(os, "register_at_fork"):  # a child has neither another thread's lock nor its precision
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock


#: Held wherever a precision is set, until it is set back. A lock of C's own: no interrupt leaves it locked.
PRECISION_LOCK = _process_lock()
