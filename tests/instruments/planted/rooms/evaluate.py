"""Faults planted in the evaluation of strategies: nodes, quadrature, enclosures."""

from __future__ import annotations

from tests.instruments.planted.node import At, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "mc/evaluate/ball_nodes.py",
        At("BallNodes._kernel", "x / m - m / 2", "x / m + m / 2", "a release has the mean of Q", "unsound"),
    ),
    *faults_in(
        "mc/evaluate/panels.py",
        At(
            "bisected",
            "(middle, b) if answer(_double(middle)) == below else (a, middle)",
            "(a, middle) if answer(_double(middle)) == below else (middle, b)",
            "the change is looked for on the other side",
            "unsound",
        ),
    ),
)
