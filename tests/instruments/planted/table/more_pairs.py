"""Faults planted in KOV, erasure, finite pairs and the subsampled Gaussian."""

from __future__ import annotations

from tests.instruments.planted.fault import Change, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "theory/pairs/kov.py",
        Change(
            "(self.epsilon, rest * portable.expit(self.epsilon)),",
            "(self.epsilon, portable.expit(self.epsilon)),",
            "the masses of KOV sum to more than one",
            "loose",
        ),
        Change(
            "def _missing(self) -> Real:\n        return self.delta",
            "def _missing(self) -> Real:\n        return 0.0",
            "the outcome of Q alone is forgotten",
            "equivalent",
            "it only enters divergences, which are infinite for delta > 0 by the outcome of P alone",
        ),
        Change(
            "return self._unless_erased(self.epsilon)",
            "return self._unless_erased(self.epsilon / 2)",
            "epsilon of KOV is half",
            "unsound",
        ),
        Change(
            "np.where(np.equal(self.delta, 0), charge, math.inf)",
            "charge",
            "KOV is charged as if delta were 0",
            "unsound",
        ),
        Change(
            "signed_square(self.epsilon) / 2)",
            "signed_square(self.epsilon) / 3)",
            "rho of KOV is small",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/erasure.py",
        Change(
            "return (np.inf, self.p), (0.0, 1 - self.p)",
            "return (np.inf, self.p / 2), (0.0, 1 - self.p)",
            "half of the revealed bits are forgotten",
            "unsound",
        ),
        Change(
            "np.where(np.equal(self.p, 0), 0.0, math.inf)",
            "np.where(np.equal(self.p, 0), 0.0, 1.0)",
            "erasure has a finite epsilon",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/discrete_gaussian.py",
        Change(
            "quotient_beyond(np.full(np.shape(self.sigma), float(self.sensitivity)), self.sigma)",
            "quotient_beyond(np.ones(np.shape(self.sigma)), self.sigma)",
            "rho that is charged for discrete Gaussian noise leaves out the sensitivity",
            "unsound",
        ),
        Change(
            "np.where(np.isfinite(t), t * s, 0.0), self.sigma) / t",
            "np.where(np.isfinite(t), t * s, 0.0), self.sigma)",
            "the divergence of discrete Gaussian noise lacks a quotient",
            "unsound",
        ),
        Change(
            "above - below, 0.0)",
            "above - 2 * below, 0.0)",
            "the hockey-stick of discrete Gaussian noise takes too much away",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/discrete_laplace.py",
        Change(
            "def zcdp_root(self) -> Real:\n        return self.pure_epsilon",
            "def zcdp_root(self) -> Real:\n        return self.pure_epsilon / 2",
            "rho that is charged for discrete Laplace is a quarter",
            "unsound",
        ),
        Change(
            "first = (self.sensitivity + 1) // 2",
            "first = (self.sensitivity + 1) // 4 + 1",
            "mu of discrete Laplace is at another cut",
            "unsound",
        ),
        Change(
            "-n * rate - portable.log1p(ratio)",
            "-n * rate",
            "masses of discrete Laplace sum to more than one",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/finite.py",
        Change(
            "mu * (1 + 2.0**-48) + 2.0**-1071",
            "mu * (1 - 2.0**-48)",
            "mu of Laplace is rounded down",
            "unsound",
        ),
        Change("mu * (1 + 2.0**-48)", "mu * (1 + 2.0**-20)", "mu of Laplace is raised by 1e-6", "loose"),
        Change(
            "enumerate((p - power * q, q - power * p))",
            "enumerate((p - power * q, p - power * q))",
            "a finite pair's delta is that of one direction",
            "unsound",
        ),
        Change(
            "return least_zcdp_rho(self.held_masses)[1]",
            "return least_zcdp_rho(self.held_masses)[1] / 4",
            "rho of a finite pair is a quarter",
            "unsound",
        ),
        Change(
            "log_beyond(max(p / q, q / p))",
            "log_beyond(max(p / q, Fraction(1)))",
            "epsilon of a finite pair is that of one direction",
            "unsound",
        ),
        Change(
            "mu * (1 + 2.0**-48) + 2.0**-1071",
            "mu * (1 - 2.0**-48) + 2.0**-1071",
            "mu of a pure mechanism is rounded down",
            "unsound",
        ),
        Change(
            "mu * (1 + 2.0**-48) + 2.0**-1071",
            "mu * (1 + 2.0**-20) + 2.0**-1071",
            "mu of a pure mechanism is raised by 1e-6",
            "loose",
        ),
        Change(
            "near = np.sqrt(8.0) * special.erfinv",
            "near = np.sqrt(7.9) * special.erfinv",
            "mu of a pure mechanism is small near zero",
            "unsound",
        ),
        Change(
            "total = total - mass * portable.expm1(np.minimum(epsilon - loss, 0.0))",
            "total = total - mass * portable.expm1(np.minimum(epsilon - loss, 0.0)) / 2",
            "finite hockey-sticks are half",
            "unsound",
        ),
        Change(
            "portable.log1p(curved + b * relative)",
            "portable.log1p(curved + relative)",
            "finite divergences have a wrong term",
            "loose",
        ),
        Change(
            "term = mass * expm1_minus(-loss)",
            "term = mass * expm1_minus(-loss) / 2",
            "finite divergences of order 1 are half",
            "unsound",
        ),
        Change(
            "return np.where(np.isposinf(top), np.inf, top + portable.log(total) / b)",
            "return np.where(np.isposinf(top), np.inf, portable.log(total) / b)",
            "large divergences lack the largest loss",
            "unsound",
        ),
        Change(
            "level = np.where(np.less_equal(above, tail), loss, level)",
            "level = np.where(np.less(above, tail / 2), loss, level)",
            "quantiles of finite pairs are those of half the tail",
            "loose",
        ),
        Change(
            "total = total + np.where(np.less_equal(loss, x), mass, 0.0)",
            "total = total + np.where(np.less(loss, x - 1), mass, 0.0)",
            "the law of a finite loss is shifted",
            "loose",
        ),
        Change(
            "mass * np.exp((order - 1) * loss - log_normaliser)",
            "mass * np.exp(order * loss - log_normaliser)",
            "tilted masses are those of another order",
            "loose",
        ),
        Change(
            "np.copyto(drawn, loss, where=uniform < threshold)",
            "np.copyto(drawn, loss, where=uniform < 0.99 * threshold)",
            "large losses are drawn too rarely",
            "loose",
        ),
    ),
    *faults_in(
        "theory/pairs/subsampled_gaussian.py",
        Change(
            "np.divide(1.0, 2 * self.sigma * self.sigma)",
            "np.divide(self.q * self.q, 2 * self.sigma * self.sigma)",
            "rho is amplified by q^2, which no theorem gives",
            "unsound",
        ),
        Change(
            "np.broadcast_to(inverse_beyond(self.sigma), self.shape)",
            "np.broadcast_to(self.q * inverse_beyond(self.sigma), self.shape)",
            "mu is amplified by q",
            "unsound",
        ),
        Change(
            "inside = self.q * full.hockey_stick(np.maximum(inner, -1e3))",
            "inside = self.q**2 * full.hockey_stick(np.maximum(inner, -1e3))",
            "the hockey-stick of removal has q^2",
            "unsound",
        ),
        Change(
            "factor = np.maximum(self.q - (1 - self.q) * grown, 0.0)",
            "factor = np.maximum(self.q - self.q * grown, 0.0)",
            "the hockey-stick of addition has a wrong factor",
            "unsound",
        ),
        Change(
            "y = (x - 0.5) / (sigma * sigma)",
            "y = x / (sigma * sigma)",
            "the loss is that of an output half a unit away",
            "loose",
        ),
        Change(
            "portable.log1p(math.fsum(moment)) / t",
            "portable.log1p(math.fsum(moment)) / alpha",
            "the divergence is divided by the order",
            "unsound",
        ),
        Change(
            "step = sigma * min(sigma, 1.0) / 2.5",
            "step = sigma * min(sigma, 1.0) / 1.0",
            "the integral is too coarse",
            "loose",
        ),
        Change(
            "step = sigma * min(sigma, 1.0) / 2.5",
            "step = sigma * min(sigma, 1.0) / 4.0",
            "the integral is finer",
            "equivalent",
            "at the step of 1/2.5 its error is below 1e-16 already",
        ),
        Change(
            "centres * (centres - 1) / (2 * sigma**2)",
            "centres * centres / (2 * sigma**2)",
            "draws of removal have wrong shares",
            "loose",
        ),
        Change(
            "return x, -t * (_log_ratio(",
            "return x, -0.5 * t * (_log_ratio(",
            "draws of addition are thinned too little",
            "loose",
        ),
    ),
)
