"""Where the paths of a simulation are played."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypedDict

from mc.runs import Progress
from mc.store import RunStore

__all__ = ["Where"]


class Where(TypedDict, total=False):
    """The arguments of `mc.runs.play` that change where paths are played, and not one bit of the result."""

    workers: int | None
    executor: Executor | None
    store: RunStore | str | os.PathLike[str] | None
    progress: Callable[[Progress], object] | None
