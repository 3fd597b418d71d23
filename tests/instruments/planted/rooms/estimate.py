"""Faults planted in estimators: ceilings, weights, bands, decisions."""

from __future__ import annotations

from tests.instruments.planted.node import At, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "mc/estimate/ceiling.py",
        At(
            "log_weight_bound",
            "t * (divergence - epsilon)",
            "t * (divergence / 2 - epsilon)",
            "weights are bounded by half the divergence",
            "unsound",
        ),
    ),
    *faults_in(
        "mc/estimate/decide_profile.py",
        At(
            "ProfileTest.decision",
            "log_mean_exp(tuple(point.log_e_above for point in points))",
            "max(point.log_e_above for point in points)",
            "the best capital of a curve stands for their mean",
            "unsound",
        ),
        At(
            "ProfileTest.decision",
            "all(point.log_e_below >= self.tests[0].wanted(n) for point in points)",
            "any(point.log_e_below >= self.tests[0].wanted(n) for point in points)",
            "a curve is below where one point is",
            "unsound",
        ),
    ),
    *faults_in(
        "mc/estimate/functionals.py",
        At(
            "HockeyStick.__call__",
            "paths.loss > self.epsilon",
            "paths.loss >= 0",
            "losses below epsilon pay, too",
            "unsound",
        ),
    ),
    *faults_in(
        "mc/estimate/martingale.py",
        At(
            "WeightedSlack.divergence",
            "self.beta * start",
            "start",
            "the control variate counts whole",
            "unsound",
        ),
    ),
    *faults_in(
        "mc/estimate/privacy_profile.py",
        At(
            "PrivacyProfile._hull",
            "(h1 - h0) * (g - g0) < (high - h0) * (g1 - g0)",
            "(h1 - h0) * (g - g0) > (high - h0) * (g1 - g0)",
            "the hull is the upper one",
            "unsound",
        ),
    ),
    *faults_in(
        "mc/estimate/trade_off.py",
        At(
            "TradeOff.low",
            "(top - a - 2 * ROUNDING) / slope",
            "top - a - 2 * ROUNDING",
            "a line of the dual is not divided by its slope",
            "unsound",
        ),
    ),
    *faults_in(
        "mc/estimate/survival.py",
        At("survival", "failure / len(counts)", "failure", "no round pays for the others", "unsound"),
    ),
)
