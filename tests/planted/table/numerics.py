"""Faults planted in numerical methods."""

from __future__ import annotations

from tests.planted.fault import Change, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "theory/numerics/stable.py",
        Change(
            "far = np.where(np.isposinf(x), np.inf, np.expm1(x) - x)",
            "far = np.where(np.isposinf(x), np.inf, np.expm1(x) - 0.999999 * x)",
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
            "return math.log(float(ratio))",
            "return math.log(float(ratio)) * (1 - 1e-9)",
            "a loss of a finite pair is small",
            "unsound",
        ),
        Change(
            "near = math.log1p(float(ratio - 1))",
            "near = float(ratio - 1)",
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
)
