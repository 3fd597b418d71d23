"""Write the tables of the potential filter again: python -m tests.filters.rules.write_potential_tables."""

import json
import lzma
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

import filters.rules.potential_design as design
from filters.rules import potential_table
from filters.rules.potential_design import PotentialClock
from filters.rules.potential_family import SCALE, PotentialFamily, floors
from filters.rules.potential_table import ACROSS, ALONG
from theory.pairs import SubsampledGaussian

FOLDER = Path(potential_table.__file__).with_name("potential_tables")
#: At most 1/375 of a plan between levels: three quarters of those of a design of one's own, .5 % of the rounds less.
LEVELS = 375
#: Heights are kept in units of 2^SHIFT: what that adds is a small part of the slack of one round.
SHIFT = 16
PROMISES = tuple((epsilon, delta) for delta in (1e-5, 1e-6) for epsilon in (1.0, 2.0, 4.0, 8.0))


def packed(
    clock: PotentialClock, epsilon: float, delta: float, menu: tuple[SubsampledGaussian, ...]
) -> bytes:
    """The table of a clock, its heights rounded up; raises ValueError where that breaks the promise."""
    families = forward, backward = _coarse(clock.forward), _coarse(clock.backward)
    budget, step = clock.budget, 1
    while budget > 0 and any(family.value(budget) > Fraction(delta) for family in families):
        budget, step = budget - step, 2 * step
    rounded = PotentialClock(forward, backward, budget)
    if not rounded.is_valid(epsilon, delta):
        raise ValueError(
            f"clock must stay valid for (epsilon, delta) = ({epsilon!r}, {delta!r}) with its heights "
            f"rounded up, got {menu!r}; keep more bits of them"
        )
    header = {
        "epsilon": epsilon.hex(),
        "delta": delta.hex(),
        "budget": budget,
        "scale": SCALE,
        "shift": SHIFT,
        "differences": [ALONG, ACROSS],
        "floors": floors(),
        "members": [
            {
                "q": float(pair.q).hex(),
                "sigma": float(pair.sigma).hex(),
                "charges": rounded.charges(pair).tolist(),
            }
            for pair in menu
        ],
        "families": [
            {
                "parts": family.parts,
                "first": family.first,
                "at": family.at.tolist(),
                "knots": family.heights.shape[1],
                "top": family.top,
                "slack": family.slack,
            }
            for family in families
        ],
    }
    numbers = b"".join(_differences(family.heights >> SHIFT) for family in families)
    return lzma.compress(json.dumps(header).encode() + b"\n" + numbers, preset=9)


def _coarse(family: PotentialFamily) -> PotentialFamily:
    """The family with its heights rounded up to multiples of 2^SHIFT, convex again and falling."""
    heights = design._convex(-(-family.heights >> SHIFT), family.parts)
    heights = np.maximum.accumulate(heights, axis=0)
    last, rise = heights[:, -1].tolist(), (heights[:, -1] - heights[:, -2]).tolist()
    ends = (height + (family.parts - 1) * more for height, more in zip(last, rise, strict=True))
    return replace(family, heights=heights << SHIFT, top=max(family.top, max(ends) << SHIFT))


def _differences(heights: NDArray[np.int64]) -> bytes:
    """Differences, their signs in the last bit, byte by byte: all first bytes, then all second ones, and so on."""
    for axis, times in ((1, ALONG), (0, ACROSS)):
        for _ in range(times):
            heights = np.diff(heights, axis=axis, prepend=0)
    signed = (heights << 1) ^ (heights >> 63)
    return np.ascontiguousarray(signed.astype("<i8")).view(np.uint8).reshape(-1, 8).T.tobytes()


def main(promises: tuple[tuple[float, float], ...] = PROMISES[:2]) -> None:
    design._LEVELS = LEVELS
    menu = cast("tuple[SubsampledGaussian, ...]", potential_table.COMMON_RATES)
    for epsilon, delta in promises:
        clock = design.potential_clock(epsilon, delta, menu)
        data = packed(clock, epsilon, delta, menu)
        FOLDER.joinpath(potential_table.table_name(epsilon, delta)).write_bytes(data)
        print(epsilon, delta, clock.forward.heights.shape, len(data))


if __name__ == "__main__":
    main()
