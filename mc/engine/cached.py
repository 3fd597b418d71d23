"""A cache for functions of the library's own immutable values.

>>> asked = []
>>> @cache_results(2)
... def twice(number):
...     asked.append(number)
...     return 2 * number
>>> twice(1.5), twice(1.5), asked
(3.0, 3.0, [1.5])
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from typing import Any, TypeVar

from filterproof.filters.contract.content import content
from filterproof.filters.contract.library import consists_of_library_values

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class _CallKey:
    """The arguments of a call, compared by a key alone; they need not be hashable."""

    key: Hashable
    given: tuple[Any, ...] = field(compare=False)


def cache_results(most: int) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Cache the last `most` results of a function of library values.

    The function gets copies, which nobody else can change, and may keep them in its result.
    """

    def decorator(function: Callable[..., R]) -> Callable[..., R]:
        """Return `function` with a cache."""

        @lru_cache(maxsize=most)
        def cached_call(question: _CallKey) -> R:
            """Return the result for these arguments, from the cache or by a call with copies."""
            return function(*copy.deepcopy(question.given))

        @wraps(function)
        def wrapper(*given: Any) -> R:
            """Call through the cache if all arguments are library values, else directly."""
            return (
                cached_call(_CallKey(content(given), given))
                if consists_of_library_values(given)
                else function(*given)
            )

        return wrapper

    return decorator
