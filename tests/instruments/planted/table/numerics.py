"""Faults planted in numerical methods."""

from __future__ import annotations

from tests.instruments.planted.fault import Change, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "theory/numerics/stable.py",
        Change(
            "far = np.where(np.isposinf(x), np.inf, portable.expm1(x) - x)",
            "far = np.where(np.isposinf(x), np.inf, portable.expm1(x) - 0.999999 * x)",
            "e^x - 1 - x is wrong far from zero",
            "loose",
        ),
        Change(
            "1 / math.factorial(k) for k in range(19, 1, -1)",
            "1 / math.factorial(k) for k in range(9, 1, -1)",
            "a series ends too early",
            "loose",
        ),
        Change(
            "1 / math.factorial(k) for k in range(19, 1, -1)",
            "1 / math.factorial(k) for k in range(24, 1, -1)",
            "a series ends later",
            "equivalent",
            "terms beyond x^19/19! are below 2^-60 of the sum at |x| <= 0.75",
        ),
        Change(
            "arb(1 + exact).log())",
            "arb(1 + exact).log() * (1 - arb(1e-9)))",
            "a loss of a finite pair is small",
            "unsound",
        ),
        Change(
            "near = float(arb(exact).log1p() if",
            "near = float(arb(exact) if",
            "a loss near zero is that of first order",
            "loose",
        ),
        Change("<= 2e-16 * x) |", "<= 2e-8 * x) |", "roots are found to eight digits", "loose"),
    ),
    *faults_in(
        "theory/numerics/mills.py",
        Change(
            "_SQRT_HALF_PI = 1.2533141373155003",
            "_SQRT_HALF_PI = 1.2533141373",
            "a constant has eleven digits",
            "loose",
        ),
        Change(
            "LOG_SQRT_TWO_PI = 0.9189385332046727",
            "LOG_SQRT_TWO_PI = 0.9189385342046727",
            "the normal density is small by 1e-9",
            "unsound",
        ),
        Change(
            "power *= half * half / ((n + 1) * (n + 2))",
            "power *= half * half / ((n + 1) * (n + 1))",
            "a Taylor series has wrong factorials",
            "loose",
        ),
        Change(
            "close = half < 0.05 * np.maximum(centre, 1.0)",
            "close = half < 0.0005 * np.maximum(centre, 1.0)",
            "close Mills ratios are subtracted",
            "loose",
        ),
        Change(
            "_DEPTH = 60",
            "_DEPTH = 90",
            "a continued fraction is deeper",
            "equivalent",
            "at depth 60 its error is below 1e-16 already",
        ),
    ),
    *faults_in(
        "theory/numerics/norms.py",
        Change(
            "scale = np.where(largest > 0, largest, 1.0)",
            "scale = np.where(largest > 0, 2 * largest, 1.0)",
            "norms that over- or underflow are half",
            "unsound",
        ),
        Change("_LEAST = 2.0**-900", "_LEAST = 0.0", "norms of tiny vectors lose what underflows", "unsound"),
    ),
    *faults_in(
        "theory/thresholds/budgets.py",
        Change(
            "return found\n    raise",
            "return math.nextafter(found, math.inf)\n    raise",
            "every budget is rounded up",
            "unsound",
        ),
        Change(
            "return found\n    raise",
            "return found * (1 - 2.0**-30)\n    raise",
            "every budget gives 1e-9 away",
            "loose",
        ),
        Change(
            "((logarithm + arb(eps)).sqrt()",
            "((logarithm - arb(eps) / 10**9).sqrt()",
            "the simple budget has a wrong root",
            "unsound",
        ),
        Change(
            "(1 / t).log1p()) / (2 * t + 1)",
            "(1 / t).log1p()) / (2 * t + 0.9999)",
            "the CKS budget is off its curve",
            "unsound",
        ),
        Change(
            "- t.log1p() - log_delta",
            "- t.log1p() - log_delta * (1 + arb(1e-9))",
            "the CKS budget is that of a larger log(1/delta)",
            "loose",
        ),
        Change("rest = e.exp() * (far", "rest = (far", "mu lacks a factor e^epsilon", "loose"),
        Change(
            "return d - ((near",
            "return d * (1 + arb(1e-9)) - ((near",
            "mu is that of a larger delta",
            "unsound",
        ),
        Change(
            "max(int(lost), 0)",
            "max(int(lost), 64)",
            "mu is computed with a few bits more",
            "equivalent",
            "the largest double below a number does not depend on how narrow its ball is",
        ),
        Change(
            "else t * (1 / arb(t))",
            "else (t + 1) * (1 / arb(t))",
            "the gain of an order is too large",
            "unsound",
        ),
        Change(
            "+ gain) / t",
            "+ gain) / (t + fmpq(1, 10**6))",
            "the budget of an order is that of a larger one",
            "unsound",
        ),
        Change(
            "(goal * (-eps).exp()).log1p()", "goal.log1p()", "a pure budget forgets e^-epsilon", "unsound"
        ),
        Change("+ 2 * (-dhat).log1p()", "- 2 * (-dhat).log1p()", "the split has a wrong sign", "loose"),
        Change(
            "return arb(rounds).log()",
            "return 2 * arb(rounds).log()",
            "the split counts the rounds twice",
            "loose",
        ),
        Change("(whole - one) / (", "whole / (", "theta takes the whole delta", "unsound"),
    ),
)
