"""Faults planted in the conversions."""

from __future__ import annotations

from tests.planted.fault import Change, faults_in

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
            "return root * root * (1 - 2.0**-49)",
            "return root * root",
            "the simple budget is rounded to nearest",
            "unsound",
        ),
        Change(
            "return root * root * (1 - 2.0**-49)",
            "return root * root * (1 + 2.0**-49)",
            "the simple budget is rounded up",
            "unsound",
        ),
        Change(
            "return root * root * (1 - 2.0**-49)",
            "return root * root * (1 - 2.0**-19)",
            "the simple budget gives 2e-6 away",
            "loose",
        ),
        Change(
            "root: Array = epsilon / (np.sqrt(log_inverse_delta + epsilon)",
            "root: Array = epsilon / (np.sqrt(log_inverse_delta - epsilon / 1e9)",
            "the simple budget has a wrong root",
            "unsound",
        ),
        Change(
            "return np.maximum(epsilon - rho, 0.0) / (2 * rho)",
            "return np.maximum(epsilon - rho, 0.0) / (rho)",
            "the simple order is twice as far from one",
            "loose",
        ),
        Change(
            "return -(rho * t * t + np.log1p(t))",
            "return -(rho * t * t + np.log1p(t) + 1e-9)",
            "the CKS delta is small by 1e-9",
            "unsound",
        ),
        Change(
            "return -(rho * t * t + np.log1p(t))",
            "return -(rho * t * t)",
            "the CKS delta lacks a factor",
            "loose",
        ),
        Change(
            "gap = np.log1p(1 / t) + (epsilon - rho) - rho * t * 2",
            "gap = np.log1p(1 / t) + (epsilon - rho) - rho * t * 2.000001",
            "the CKS order is not stationary",
            "loose",
        ),
        Change(
            "return (2 * t + 1) * rho - np.log1p(1 / t)",
            "return (2 * t + 1) * rho - np.log1p(1 / t) * 1.000000001",
            "the CKS epsilon is small by 1e-9",
            "unsound",
        ),
        Change(
            "return rho * (1 - 2.0**-50 * (8 + 8 * goal / used))",
            "return rho",
            "the CKS budget is rounded to nearest",
            "unsound",
        ),
        Change(
            "return rho * (1 - 2.0**-50 * (8 + 8 * goal / used))",
            "return rho * (1 - 2.0**-30 * (8 + 8 * goal / used))",
            "the CKS budget gives 1e-8 away",
            "loose",
        ),
        Change(
            "return rho * (1 - 2.0**-50 * (8 + 8 * goal / used))",
            "return rho * (1 + 1e-9)",
            "the CKS budget is larger by 1e-9",
            "unsound",
        ),
        Change(
            "return used + np.log1p(t) - goal, slope",
            "return used + np.log1p(t) - goal * 1.000000001, slope",
            "the CKS budget is that of a larger log(1/delta)",
            "loose",
        ),
        Change(
            "rho = both / (2 * t + 1)",
            "rho = both / (2 * t + 0.9999)",
            "the CKS budget is off its curve",
            "unsound",
        ),
        Change(
            "return as_real(np.maximum(divergence - (gain + np.log(np.asarray(delta))) / t, 0.0))",
            "return as_real(np.maximum(divergence - (gain * 1.000001 + np.log(np.asarray(delta))) / t, 0.0))",
            "epsilon of one order is small",
            "unsound",
        ),
        Change(
            "gain = t * np.log1p(1 / t) + np.log1p(t)",
            "gain = (t + 1) * np.log1p(1 / t) + np.log1p(t)",
            "the gain of one order is too large",
            "unsound",
        ),
        Change(
            "down = np.maximum(2.0**-48, ", "down = -np.maximum(2.0**-48, ", "mu is rounded up", "unsound"
        ),
        Change("down = np.maximum(2.0**-48, ", "down = np.maximum(2.0**-28, ", "mu gives 4e-9 away", "loose"),
        Change(
            "return as_real(np.maximum(mu * (1 - down) - _DUST, 0.0))",
            "return as_real(np.maximum(mu * (1 + 1e-9), 0.0))",
            "mu is larger by 1e-9",
            "unsound",
        ),
        Change(
            "log_rest = np.logaddexp(upper, eps + special",
            "log_rest = np.logaddexp(upper, special",
            "mu at a delta near one has a wrong rest",
            "loose",
        ),
        Change(
            "return goal - log_delta, np.exp(log_tail - log_delta)",
            "return goal - log_delta + 1e-9, np.exp(log_tail - log_delta)",
            "the Gaussian epsilon is that of another delta",
            "unsound",
        ),
        Change(
            "far, most = size > 1e100, size * size / 2",
            "far, most = size > 1e1, size * size / 2",
            "the Gaussian epsilon is mu^2/2 from mu = 10 on",
            "unsound",
        ),
        Change("_DUST = 2.0**-1068", "_DUST = 2.0**-60", "every budget is short by 2^-60", "loose"),
        Change(
            "for _ in range(40):",
            "for _ in range(60):",
            "Newton's method goes on",
            "equivalent",
            "the iteration has converged to the last bit after 40 steps; it stays there",
        ),
        Change(
            "t = increasing_root(excess, np.maximum(start, 1e-200))",
            "t = increasing_root(excess, np.maximum(start, 1e-100))",
            "another start for the root",
            "equivalent",
            "the root that is found does not depend on where the search starts",
        ),
        Change(
            "start = np.sqrt(2.0) * eps /",
            "start = np.sqrt(1.9) * eps /",
            "another start for mu",
            "equivalent",
            "the root that is found does not depend on where the search starts",
        ),
    ),
)
