"""A worker: a child process in which other people's code runs, which can be killed, and whose answers come as it goes.

>>> alone(lambda: 6 * 7, whose="a product")
42

The child is a fork and has all that its parent has, local classes and notebooks included. It is killed with all that
it started at its deadline, when it writes to a file that it did not open, when Ctrl-C ends the wait, and when its
parent is gone. A child that ends without an answer is a fault of the code that ran in it. Each message carries a secret
drawn for that child, so that no stray write is taken for one. What a child answers is data from code with its user's
rights: code that looks for the secret can forge it.
"""

from __future__ import annotations

from mc.examine.worker.inside import so_far
from mc.examine.worker.waiting import alone, results, set_aside

__all__ = ["alone", "results", "set_aside", "so_far"]
