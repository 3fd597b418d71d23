"""Write the tables of the potential filter again: python -m tests.filters.rules.write_potential_tables."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import filters.rules.potential_design as design
from filters.rules import potential_table
from theory.pairs import SubsampledGaussian

FOLDER = Path(potential_table.__file__).with_name("potential_tables")
#: At most 1/375 of a plan between levels: three quarters of those of a design of one's own, .5 % of the rounds less.
LEVELS = 375
PROMISES = tuple((epsilon, delta) for delta in (1e-5, 1e-6) for epsilon in (1.0, 2.0, 4.0, 8.0))


def main(promises: tuple[tuple[float, float], ...] = PROMISES[:2]) -> None:
    design._LEVELS = LEVELS
    menu = cast("tuple[SubsampledGaussian, ...]", potential_table.COMMON_RATES)
    for epsilon, delta in promises:
        clock = design.potential_clock(epsilon, delta, menu)
        data = potential_table.packed(clock, epsilon, delta, menu)
        FOLDER.joinpath(potential_table.table_name(epsilon, delta)).write_bytes(data)
        print(epsilon, delta, clock.forward.heights.shape, len(data))


if __name__ == "__main__":
    main()
