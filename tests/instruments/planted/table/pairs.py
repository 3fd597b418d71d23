"""Faults planted in the Gaussian and Laplace pairs, in randomised response and in selections."""

from __future__ import annotations

from tests.instruments.planted.fault import Change, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "theory/pairs/gaussian.py",
        Change(
            "def zcdp_rho(self) -> Real:\n        return self.mu * self.mu / 2",
            "def zcdp_rho(self) -> Real:\n        return self.mu * self.mu / 4",
            "rho of a Gaussian is half",
            "unsound",
        ),
        Change(
            "def gdp_mu(self) -> Real:\n        return self.mu",
            "def gdp_mu(self) -> Real:\n        return self.mu * (1 - 1e-9)",
            "mu of a Gaussian is small",
            "unsound",
        ),
        Change(
            "return alpha * (self.mu * self.mu / 2)",
            "return (alpha - 1) * (self.mu * self.mu / 2)",
            "the divergence of a Gaussian has the wrong order",
            "unsound",
        ),
        Change(
            "return -0.5 * x * x - LOG_SQRT_TWO_PI",
            "return -0.5000001 * x * x - LOG_SQRT_TWO_PI",
            "the normal density falls too fast",
            "unsound",
        ),
        Change(
            "low = centre - half < -1",
            "low = centre - half < -8",
            "a formula is used where it overflows",
            "equivalent",
            "up to 8 deviations the first formula has its digits: R stays far from overflow and Phi is near one",
        ),
        Change(
            "delta[centre - half > 100] = 0.0",
            "delta[centre - half > 5] = 0.0",
            "the hockey-stick ends at five deviations",
            "unsound",
        ),
        Change(
            "-portable.expm1(-size) + portable.exp(-size) * delta",
            "-portable.expm1(-size) + delta",
            "the hockey-stick below zero lacks a factor",
            "loose",
        ),
        Change(
            "tail &= centre < 1e150", "tail &= centre < 1e1", "the logarithm ends where doubles do", "loose"
        ),
        Change(
            'special.ndtr(-special.ndtri(check_probability("alpha", alpha)) - self.mu)',
            'special.ndtr(-special.ndtri(check_probability("alpha", alpha)) - self.mu / 2)',
            "the trade-off is that of half",
            "unsound",
        ),
        Change(
            "special.ndtr(x / self.mu - self.mu / 2)",
            "special.ndtr(x / self.mu + self.mu / 2)",
            "the loss has the law of the other direction",
            "loose",
        ),
        Change(
            "quantile = self.mu * self.mu / 2 - self.mu * z",
            "quantile = -self.mu * z",
            "quantiles of the loss lack its mean",
            "unsound",
        ),
        Change(
            "drawn = fast.losses(rng, self.mu, order - 0.5, n)",
            "drawn = fast.losses(rng, self.mu, order, n)",
            "compiled draws are tilted by half a unit more",
            "loose",
        ),
        Change(
            "np.multiply(mu, order - 0.5, out",
            "np.multiply(mu, order, out",
            "draws are tilted by half a unit more",
            "loose",
        ),
    ),
    *faults_in(
        "theory/pairs/laplace.py",
        Change(
            "return signed_square(self.pure_epsilon) / 2",
            "return signed_square(self.pure_epsilon) / 8",
            "rho of Laplace is a quarter",
            "unsound",
        ),
        Change(
            "def pure_epsilon(self) -> Real:\n        return inverse_beyond(self.b)",
            "def pure_epsilon(self) -> Real:\n        return inverse_beyond(2 * self.b)",
            "epsilon of Laplace is half",
            "unsound",
        ),
        Change(
            "far = -2 * special.ndtri_exp(-np.maximum(half, 0.5) - math.log(2))",
            "far = -2 * special.ndtri_exp(-np.maximum(half, 0.5))",
            "mu of Laplace far out lacks log 2",
            "unsound",
        ),
        Change(
            "inside = -portable.expm1(np.minimum(epsilon - e, 0.0) / 2)",
            "inside = -portable.expm1(np.minimum(epsilon - e, 0.0) / 4)",
            "the hockey-stick of Laplace is about half",
            "unsound",
        ),
        Change(
            "excess = (alpha * expm1_minus(t * e) + t * expm1_minus(-alpha * e)) / (2 * alpha - 1)",
            "excess = (alpha * expm1_minus(t * e) + t * expm1_minus(-alpha * e)) / (2 * alpha)",
            "the divergence of Laplace has a wrong denominator",
            "unsound",
        ),
        Change(
            "beyond = -portable.log(2 - 1 / alpha)",
            "beyond = -portable.log(2)",
            "the divergence of Laplace at large orders is that of the limit",
            "unsound",
        ),
        Change(
            "np.where(np.equal(t, 0), expm1_minus(-e), divergence)",
            "np.where(np.equal(t, 0), expm1_minus(-e / 2), divergence)",
            "the divergence of order 1 is wrong",
            "unsound",
        ),
        Change(
            "inside = np.clip(e + 2 * (portable.log1p",
            "inside = np.clip(e + (portable.log1p",
            "quantiles of Laplace are too close to e",
            "loose",
        ),
        Change(
            "inside = portable.exp(np.minimum(x - e, 0.0) / 2) / 2",
            "inside = portable.exp(np.minimum(x - e, 0.0) / 2)",
            "the law of the loss is doubled",
            "loose",
        ),
        Change(
            "e, r = self._e, order - 0.5",
            "e, r = self._e, order",
            "draws are tilted by half a unit more",
            "loose",
        ),
        Change(
            "low = np.exp(-r * width) / 2",
            "low = np.exp(-r * width)",
            "the least loss is drawn twice as often",
            "loose",
        ),
    ),
    *faults_in(
        "theory/pairs/randomized_response.py",
        Change(
            "return signed_square(self.epsilon) / 2",
            "return signed_square(self.epsilon) / 2.5",
            "rho of randomised response is small",
            "unsound",
        ),
        Change(
            "(-self.epsilon, portable.expit(-self.epsilon)),\n        )\n\n    def sample",
            "(-self.epsilon, 0.9 * portable.expit(-self.epsilon)),\n        )\n\n    def sample",
            "a tenth of an outcome is missing",
            "loose",
        ),
        Change(
            "keep = 1 / (1 + np.exp((1 - 2 * order) * self.epsilon))",
            "keep = 1 / (1 + np.exp((2 - 2 * order) * self.epsilon))",
            "draws are tilted by half a unit less",
            "loose",
        ),
        Change(
            "tilted, plain = (order - 0.5) * self.epsilon, 0.5 * self.epsilon",
            "tilted, plain = order * self.epsilon, 0.5 * self.epsilon",
            "weights are those of another tilt",
            "unsound",
        ),
        Change(
            "return pure_to_gdp(self.epsilon)",
            "return pure_to_gdp(self.epsilon) / 1.0001",
            "mu of randomised response is small",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/selection.py",
        Change(
            'return np.array(values, dtype=np.float64).take(index, mode="wrap")',
            'return np.array(values, dtype=np.float64).take(index * 0, mode="wrap")',
            "everybody is charged the first of the menu",
            "unsound",
        ),
        Change(
            "picked = np.where(index == place, value, picked)",
            "picked = np.where(index > place, value, picked)",
            "runs are charged another entry of the menu",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/base.py",
        Change(
            "return (order - 1) * self.renyi(order)",
            "return order * self.renyi(order)",
            "weights are those of another normaliser",
            "unsound",
        ),
        Change(
            "weight = (1 - order) * loss",
            "weight = -order * loss",
            "weights are those of another tilt",
            "unsound",
        ),
    ),
)
