"""Faults planted in exact games: windows, levels, roundings, enclosures."""

from __future__ import annotations

from tests.instruments.planted.node import At, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "mc/worst_case/windows.py",
        At(
            "Windows.sizes",
            "(self.highs - self.lows) // self.stride + 1",
            "(self.highs - self.lows) // self.stride",
            "a window lacks its last loss",
            "unsound",
        ),
    ),
    *faults_in(
        "mc/worst_case/payoffs.py",
        At(
            "rounded_bounds",
            "exact * factor + UNDERFLOW",
            "exact + UNDERFLOW",
            "sums of doubles do not err above",
            "unsound",
        ),
    ),
    *faults_in(
        "mc/worst_case/enclosure.py",
        At(
            "_between",
            "side != 'high'",
            "side != 'low'",
            "the lower bound is that of the upper game",
            "unsound",
        ),
    ),
)
