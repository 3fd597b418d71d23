"""A worker: a child process that runs other people's code, can be killed, and sends its results one by one.

The child is a fork. It has everything that its parent has except other threads, including local classes and notebooks.
It is killed, with all processes that it started, at its deadline and when Ctrl-C ends the wait. It ends with its
parent. If a child ends without an answer, the code in it is at fault. Code that waits for another thread of the parent
waits until the deadline. The code has its user's rights and is trusted not to deceive on purpose.

>>> run_isolated(lambda: 6 * 7, whose="a product")
42
"""

from __future__ import annotations

from filterproof.mc.examine.worker.child import register_summary
from filterproof.mc.examine.worker.parent import WorkerPaused, iter_isolated, iter_within_limit, run_isolated

__all__ = [
    "WorkerPaused",
    "iter_isolated",
    "iter_within_limit",
    "register_summary",
    "run_isolated",
]
