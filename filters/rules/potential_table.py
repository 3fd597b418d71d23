"""Potential tables: designs that were computed once and are shipped, each with charges that a stranger can check.

A file holds whole numbers, and nothing that has to be believed: `PotentialClock.is_valid` is asked when it is read, and
charges follow from what was read. For its menu the file has the charges too, so that a checker that shares no code with
this one, tests/filters/rules/check_potential_table.py, can verify the inequality for the pairs themselves.

>>> clock = shipped_clock(2.0, 1e-5, COMMON_RATES)
>>> clock is not None and clock.is_valid(2.0, 1e-5)
True
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from filters.rules.potential_design import PotentialClock, potential_clock
from filters.rules.potential_family import PotentialFamily
from theory.pairs import DominatingPair, SubsampledGaussian

#: The menu of the tables that are shipped.
COMMON_RATES: tuple[DominatingPair, ...] = (
    SubsampledGaussian(q=0.01, sigma=1.0),
    SubsampledGaussian(q=0.02, sigma=1.0),
    SubsampledGaussian(q=0.05, sigma=1.5),
)
#: Differences that are kept in place of heights: so many times along the knots, so many along the levels.
ALONG, ACROSS = 4, 2
_FOLDER = "potential_tables"


def tabled_clock(epsilon: float, delta: float, menu: tuple[DominatingPair, ...]) -> PotentialClock:
    """The clock that is shipped for this menu, in any order, else the one that is designed for it."""
    return shipped_clock(epsilon, delta, menu) or potential_clock(epsilon, delta, menu)


def shipped_clock(epsilon: float, delta: float, menu: Iterable[DominatingPair]) -> PotentialClock | None:
    """The clock of the table for (epsilon, delta) and this menu, None where none is shipped."""
    if set(menu) != set(COMMON_RATES):
        return None
    return _shipped(epsilon, delta)


@lru_cache(maxsize=4)
def _shipped(epsilon: float, delta: float) -> PotentialClock | None:
    file = resources.files("filters.rules").joinpath(_FOLDER, table_name(epsilon, delta))
    return unpacked(file.read_bytes(), epsilon, delta) if file.is_file() else None


def table_name(epsilon: float, delta: float) -> str:
    """The file of a table."""
    return f"{epsilon:g}_{delta:g}.xz"


def unpacked(data: bytes, epsilon: float, delta: float) -> PotentialClock:
    """The clock of a table; raises ValueError where it is none for (epsilon, delta)."""
    head, _, numbers = lzma.decompress(data).partition(b"\n")
    header = json.loads(head, parse_float=_refused, parse_constant=_refused)
    families, place = [], 0
    for part in header["families"]:
        size = 8 * len(part["at"]) * part["knots"]
        heights = _summed(numbers[place : place + size], len(part["at"]), part["knots"]) << header["shift"]
        place += size
        at = np.array(part["at"], dtype=np.int64)
        family = PotentialFamily(part["parts"], part["first"], at, heights, part["top"], part["slack"])
        families.append(family)
    clock = PotentialClock(families[0], families[1], header["budget"])
    if (header["epsilon"], header["delta"]) != (epsilon.hex(), delta.hex()) or not clock.is_valid(
        epsilon, delta
    ):
        raise ValueError(
            f"data must be a table for (epsilon, delta) = ({epsilon!r}, {delta!r}), got one that is "
            f"not; write it again"
        )
    return clock


def _refused(text: str) -> int:
    raise ValueError(f"data must hold whole numbers alone, got {text}; write it again")


def _summed(data: bytes, levels: int, knots: int) -> NDArray[np.int64]:
    planes = np.frombuffer(data, dtype=np.uint8).reshape(8, levels * knots)
    signed = np.ascontiguousarray(planes.T).view("<u8").reshape(levels, knots)
    heights = ((signed >> np.uint64(1)) ^ (0 - (signed & np.uint64(1)))).astype(np.int64)
    for axis, times in ((0, ACROSS), (1, ALONG)):
        for _ in range(times):
            heights = np.cumsum(heights, axis=axis)
    return heights
