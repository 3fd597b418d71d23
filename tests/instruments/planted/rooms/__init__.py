"""Faults planted at nodes of `mc`, room by room; `FAULTS` is the table."""

from __future__ import annotations

from tests.instruments.planted.rooms import estimate, evaluate, intervals, losses, worst_case

__all__ = ["FAULTS"]

FAULTS = (
    *intervals.FAULTS,
    *losses.FAULTS,
    *evaluate.FAULTS,
    *worst_case.FAULTS,
    *estimate.FAULTS,
)
