"""A search for the largest granted request of a family: on a grid of sizes, then between two of them.

>>> largest_granted(lambda size: size <= 1.1, (0.5, 1.0, 2.0))
1.1
>>> largest_granted(lambda size: size <= 1.1, (2.0, 3.0)) is None
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from filterproof.theory.rounding import double_to_place, place_to_double

#: Whether a request of this size is granted.
Step: TypeAlias = Callable[[float], bool]


def largest_granted(step: Step, grid: Sequence[float], tolerance: float = 0.0) -> float | None:
    """Return the largest size that `step` grants from the largest granted grid size on, or None.

    The grid ascends. It is tried from the top down, because a filter may deny a size and grant a larger one. Then
    `last_granted` searches between the two sizes at which the answer changes.
    """
    place = next((place for place in reversed(range(len(grid))) if step(grid[place])), None)
    if place is None or place + 1 == len(grid):
        return None if place is None else grid[place]
    return last_granted(step, grid[place], grid[place + 1], tolerance)


def last_granted(step: Step, granted: float, denied: float, tolerance: float = 0.0) -> float:
    """Bisect between a granted and a denied size and return the granted end of the final interval.

    Parameters
    ----------
    step : whether a request of a size is granted
    granted, denied : positive sizes, in either order
    tolerance : the relative width at which to stop; 0 goes on until the two are neighbouring doubles

    Notes
    -----
    Bisects on the bits of the doubles, in at most 63 calls of `step`; within an octave in 53. Every size tried has as
    few bits as its place in the bisection needs, so that sums of coarse sizes are exact.
    """
    good, bad = double_to_place(granted), double_to_place(denied)
    while abs(good - bad) > 1 and abs(
        place_to_double(bad) - place_to_double(good)
    ) > tolerance * place_to_double(good):
        middle = (good + bad) // 2
        good, bad = (middle, bad) if step(place_to_double(middle)) else (good, middle)
    return place_to_double(good)
