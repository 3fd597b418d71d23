"""Faults planted in the conversions."""

from __future__ import annotations

from tests.instruments.planted.fault import Change, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "theory/conversions.py",
        Change(
            "return -gap * gap / (4 * rho)",
            "return -gap * gap / (2 * rho)",
            "the simple delta is squared",
            "unsound",
        ),
        Change(
            "np.maximum(epsilon - rho, 0.0)\n        return -gap",
            "np.maximum(epsilon, 0.0)\n        return -gap",
            "the simple delta forgets rho",
            "unsound",
        ),
        Change(
            "epsilon: Array = rho + 2 * np.where",
            "epsilon: Array = rho + 1.9999 * np.where",
            "the simple epsilon is small by 0.005 %",
            "unsound",
        ),
        Change(
            "epsilon: Array = rho + 2 * np.where",
            "epsilon: Array = 2 * rho + 2 * np.where",
            "the simple epsilon is large by rho",
            "loose",
        ),
        Change(
            "return np.maximum(epsilon - rho, 0.0) / (2 * rho)",
            "return np.maximum(epsilon - rho, 0.0) / (rho)",
            "the simple order is twice as far from one",
            "loose",
        ),
        Change(
            "return -(rho * t * t + portable.log1p(t))",
            "return -(rho * t * t + portable.log1p(t) + 1e-9)",
            "the CKS delta is small by 1e-9",
            "unsound",
        ),
        Change(
            "return -(rho * t * t + portable.log1p(t))",
            "return -(rho * t * t)",
            "the CKS delta lacks a factor",
            "loose",
        ),
        Change(
            "gap = portable.log1p(1 / t) + (epsilon - rho) - rho * t * 2",
            "gap = portable.log1p(1 / t) + (epsilon - rho) - rho * t * 2.000001",
            "the CKS order is not stationary",
            "loose",
        ),
        Change(
            "return (2 * t + 1) * rho - portable.log1p(1 / t)",
            "return (2 * t + 1) * rho - portable.log1p(1 / t) * 1.000000001",
            "the CKS epsilon is small by 1e-9",
            "unsound",
        ),
        Change(
            "return as_real(np.maximum(divergence - (gain + portable.log(np.asarray(delta))) / t, 0.0))",
            "return as_real(np.maximum(divergence - (gain * 1.000001 + portable.log(np.asarray(delta))) / t, 0.0))",
            "epsilon of one order is small",
            "unsound",
        ),
        Change(
            "gain = t * portable.log1p(1 / t) + portable.log1p(t)",
            "gain = (t + 1) * portable.log1p(1 / t) + portable.log1p(t)",
            "the gain of one order is too large",
            "unsound",
        ),
        Change(
            "return goal - log_delta, portable.exp(log_tail - log_delta)",
            "return goal - log_delta + 1e-9, portable.exp(log_tail - log_delta)",
            "the Gaussian epsilon is that of another delta",
            "unsound",
        ),
        Change(
            "far, most = size > 1e100, size * size / 2",
            "far, most = size > 1e1, size * size / 2",
            "the Gaussian epsilon is mu^2/2 from mu = 10 on",
            "unsound",
        ),
        Change(
            "for _ in range(40):",
            "for _ in range(60):",
            "Newton's method goes on",
            "equivalent",
            "the iteration has converged to the last bit after 40 steps; it stays there",
        ),
    ),
)
