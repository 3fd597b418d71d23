"""Faults planted in laws of losses, their tails, and the composition of mechanisms fixed in advance."""

from __future__ import annotations

from tests.instruments.planted.node import At, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "mc/losses/finite_outputs.py",
        At("stopped", "(-gap).expm1()", "-gap", "a payoff is its loss", "unsound"),
    ),
    *faults_in(
        "mc/losses/tails.py",
        At(
            "Tails.hockey_stick",
            "self.infinite + p - ball(epsilon).exp() * q",
            "p - ball(epsilon).exp() * q",
            "infinite losses are free",
            "unsound",
        ),
        At(
            "_finite.above",
            "loss > (x if exact else point)",
            "loss >= (x if exact else point)",
            "a loss counts above itself",
            "loose",
        ),
        At(
            "_finite.above",
            "p.union(p + mass)",
            "p",
            "a loss that cannot be told from x is left out",
            "unsound",
        ),
    ),
    *faults_in(
        "mc/losses/allocation.py",
        At(
            "_bounds",
            "total.above(worth) + above.p_beyond * _UP",
            "total.above(worth)",
            "a ratio beyond the places is left out",
            "unsound",
        ),
        At("_sum", "steps - 1", "steps", "a person's own step counts twice", "unsound"),
        At("_hull", "y < hull[-1][1]", "y > hull[-1][1]", "only points that rise are kept", "loose"),
        At("_with_curve", "x * mass", "mass", "every outcome has the ratio 1", "unsound"),
    ),
    *faults_in(
        "mc/losses/powers.py",
        At("_transformed", "2 * slope", "slope * 0", "the error of a transform is forgotten", "unsound"),
        At("power", "-(first % size)", "first % size", "the window is rolled the wrong way", "unsound"),
        At(
            "_beyond.bound",
            "math.exp(min(exponent, 0.0)) * (1 + 1e-06)",
            "0.0",
            "nothing is said to lie outside the window",
            "unsound",
        ),
        At(
            "whole_power",
            "result * base",
            "base * base",
            "a power by squaring loses its odd factors",
            "unsound",
        ),
        At("transform_error", "math.log2(size) + 4", "1.0", "a transform has one level", "unsound"),
    ),
    *faults_in(
        "mc/losses/composition.py",
        At(
            "_infinite",
            "law.revealed / total",
            "law.revealed / (2 * total)",
            "half of what is revealed counts",
            "unsound",
        ),
        At(
            "_worse",
            "max(bounds.high for bounds in directions)",
            "min(bounds.high for bounds in directions)",
            "the better of both directions counts above",
            "unsound",
        ),
    ),
    *faults_in(
        "mc/losses/laplace_sums.py",
        At("_few_between", "place > limit", "place > limit + 1", "a loss just above is not paid", "unsound"),
        At(
            "_summed",
            "4 * line + 2",
            "4 * line + 1",
            "the density between is that of another tilt",
            "unsound",
        ),
    ),
    *faults_in(
        "mc/losses/step_moments.py",
        At("StepMoments._nodes", "m * m / 2", "m * m", "the output is off by half of a shift", "unsound"),
    ),
    *faults_in(
        "mc/losses/accountant_filter.py",
        At("_limit", "high <= most", "high < 0", "no more than what was tried first is granted", "loose"),
    ),
    *faults_in(
        "mc/losses/cells.py",
        At(
            "Cells.split",
            "[self.below]",
            "[flint.arb(0)]",
            "the lower tail is lost in the upper law",
            "unsound",
        ),
    ),
    *faults_in(
        "mc/losses/rounded_law.py",
        At(
            "lower_law",
            "max(down(mass), 0.0)",
            "max(up(mass), 0.0)",
            "masses of the lower law are rounded up",
            "unsound",
        ),
    ),
    *faults_in(
        "mc/losses/balls.py",
        At("up", "-x", "x", "a number is rounded up to minus itself", "unsound"),
    ),
)
