"""Every planted fault; `FAULTS` is the table."""

from __future__ import annotations

from tests.instruments.planted.fault import Fault
from tests.instruments.planted.table import (
    charges,
    conversions,
    examined,
    guarantees,
    holders,
    later,
    more_pairs,
    more_rules,
    numerics,
    pairs,
    rules,
    sums,
)

__all__ = ["FAULTS"]

FAULTS: tuple[Fault, ...] = (
    *conversions.FAULTS,
    *guarantees.FAULTS,
    *numerics.FAULTS,
    *pairs.FAULTS,
    *more_pairs.FAULTS,
    *sums.FAULTS,
    *charges.FAULTS,
    *rules.FAULTS,
    *more_rules.FAULTS,
    *holders.FAULTS,
    *later.FAULTS,
    *examined.FAULTS,
)
