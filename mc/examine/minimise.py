"""Return a part of `items` that still fails and from which no single item can be removed.

>>> minimise("abcdefgh", lambda part: {"b", "g"} <= set(part))
('b', 'g')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from filterproof.filters.contract.work import WorkLimit

T = TypeVar("T")


def minimise(
    items: Sequence[T], fails: Callable[[tuple[T, ...]], bool], *, limit: WorkLimit | None = None
) -> tuple[T, ...]:
    """A subsequence of `items` that still fails and from which no single item can be removed.

    Parameters
    ----------
    items
        What fails; that it does is not tried again.
    fails
        Whether a subsequence fails too.
    limit
        The work after which the subsequence is returned as it is then.

    Notes
    -----
    Halves, quarters, ..., single items are removed, the first ones first, until a pass over the single items removes
    none (Zeller and Hildebrandt, Simplifying and isolating failure-inducing input, 2002). The result depends on the
    arguments alone.
    """
    remaining, size = tuple(items), max(len(items) // 2, 1)
    while remaining:
        start, before = 0, remaining
        while start < len(remaining):
            if limit is not None and limit.exhausted:
                return remaining
            if fails(fewer := remaining[:start] + remaining[start + size :]):
                remaining = fewer
            else:
                start += size
        if size == 1 and remaining == before:
            break
        size = max(size // 2, 1)
    return remaining
