"""Faults planted in trackers, odometers, individual accounting, queries and sums."""

from __future__ import annotations

from tests.instruments.planted.fault import Change, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "filters/holders/trackers.py",
        Change(
            "needs = np.where(enough, needs, needs + 1)",
            "needs = np.where(enough, needs, needs)",
            "a mechanism may close a block too few",
            "unsound",
        ),
        Change(
            "needs = np.where(enough, needs, needs + 1)",
            "needs = needs + 1",
            "a large mechanism closes a block too many",
            "loose",
        ),
        Change(
            "np.where(alone, 1.0, needs - (high == 0))",
            "np.where(alone, 1.0, needs - 1)",
            "a large mechanism after others closes a block too few",
            "unsound",
        ),
        Change(
            "np.where(counted & self._budget.reaches((high, low)), blocks + 1, np.inf)",
            "np.where(counted & self._budget.reaches((high, low)), blocks, np.inf)",
            "the open block is not counted",
            "unsound",
        ),
        Change(
            "return np.asarray(self._opened(state) * self.size)",
            "return np.asarray(np.sqrt(self._opened(state)) * self.size)",
            "divergences add like squares",
            "unsound",
        ),
        Change(
            "return np.asarray(np.sqrt(self._opened(state)) * self.size)",
            "return np.asarray(np.sqrt(self._opened(state) - 1) * self.size)",
            "the value is a block short",
            "unsound",
        ),
        Change(
            '"_budget", Budget.square_of(self.size)',
            '"_budget", Budget.of(self.size)',
            "the blocks of a Gaussian tracker have another size",
            "unsound",
        ),
        Change(
            "return RenyiDP(self.alpha, math.nextafter(rho, math.inf) if short else rho)",
            "return RenyiDP(self.alpha, rho)",
            "what blocks guarantee is rounded to nearest",
            "unsound",
        ),
        Change(
            "while Fraction(mu) ** 2 < square:",
            "while False:",
            "the mu of blocks is rounded to nearest",
            "unsound",
        ),
        Change("rho = blocks * self.size", "rho = (blocks - 1) * self.size", "a block is free", "unsound"),
    ),
    *faults_in(
        "filters/holders/odometers.py",
        Change(
            "squares = 2 * (state[0] + state[1]) * (1 + 2.0**-50)",
            "squares = (state[0] + state[1]) * (1 + 2.0**-50)",
            "S is half",
            "unsound",
        ),
        Change("_MARGIN = 1e-13", "_MARGIN = -1e-9", "bounds are rounded down", "unsound"),
        Change("_MARGIN = 1e-13", "_MARGIN = 1e-6", "bounds are raised by 1e-6", "loose"),
        Change(
            "return (k + 1) * squares / 2 + log / k",
            "return k * squares / 2 + log / k",
            "the line lacks its drift",
            "unsound",
        ),
        Change(
            "k = math.sqrt(2 * log / self.target)",
            "k = math.sqrt(log / self.target)",
            "the line is not the best at its target",
            "loose",
        ),
        Change(
            "log = portable.log1p(squares / self.scale) / 2 - portable.log(self.delta)",
            "log = portable.log1p(squares / self.scale) / 4 - portable.log(self.delta)",
            "the mixture grows too slowly",
            "unsound",
        ),
        Change(
            "squares / 2 + np.sqrt(2 * wide * log)",
            "squares / 2 + np.sqrt(2 * squares * log)",
            "the mixture forgets its scale",
            "unsound",
        ),
        Change(
            "1.4 * portable.log1p(j) + _LOG_ZETA",
            "1.4 * portable.log1p(j)",
            "the failures of the lines sum to more than delta",
            "unsound",
        ),
        Change(
            "j = np.where(rho > self.first * _power(j), j + 1, j)",
            "j = np.maximum(j - 1, 0.0)",
            "the filter is one that has halted",
            "unsound",
        ),
        Change(
            "delta = self.delta / ((j + 1) ** 2 * (math.pi**2 / 6))",
            "delta = self.delta / ((j + 1) ** 2)",
            "the failures of the filters sum to more than delta",
            "unsound",
        ),
        Change(
            "portable.log(4 * portable.log(self.records)",
            "portable.log(portable.log(self.records)",
            "Rogers' outer bound lacks a constant",
            "unsound",
        ),
        Change(
            "portable.log(110 * math.e) + 2",
            "portable.log(11 * math.e) + 2",
            "Rogers' inner bound has another constant",
            "unsound",
        ),
        Change(
            "Allowance(delta / 2))", "Allowance(delta))", "Rogers' odometer spends delta twice", "unsound"
        ),
        Change(
            "within = Allowance(self.xi).holds(state[2:])",
            "within = Allowance(2 * self.xi).holds(state[2:])",
            "xi is doubled",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/holders/individual.py",
        Change("_SHAVE = 1 - 2.0**-48", "_SHAVE = 1 + 2.0**-30", "a cut norm passes what is left", "unsound"),
        Change("_SHAVE = 1 - 2.0**-48", "_SHAVE = 1 - 2.0**-10", "a cut norm gives 0.1 % away", "loose"),
        Change(
            "np.nextafter(factors * sizes, np.inf)",
            "factors * sizes / 2",
            "a cut vector is charged half",
            "unsound",
        ),
        Change(
            "reach = np.minimum(left * (noise * _SHAVE), limit)",
            "reach = left * (noise * _SHAVE)",
            "the clip is not kept",
            "unsound",
        ),
        Change(
            "part = quotient_beyond(some, noise)",
            "part = some / (2 * noise)",
            "mu of a norm is half",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/holders/linear_queries.py",
        Change(
            "variance = self.norm_budget / (2 * self.kappa)",
            "variance = self.norm_budget / (4 * self.kappa)",
            "the noise has half of its variance",
            "unsound",
        ),
        Change(
            "return math.sqrt(variance) * (1 + (dimension + 4) * 2.0**-52)",
            "return math.sqrt(variance)",
            "the noise does not cover the rounding of norms",
            "unsound",
        ),
        Change(
            "return math.sqrt(variance) * (1 + (dimension + 4) * 2.0**-52)",
            "return math.sqrt(variance) * 1.001",
            "the noise is larger by 0.1 %",
            "loose",
        ),
        Change(
            "math.sqrt(2 * math.log(len(self.value)",
            "math.sqrt(math.log(len(self.value)",
            "the error bound is too small",
            "unsound",
        ),
        Change(
            "root = math.sqrt(self.norm_budget) / math.sqrt(self.kappa) / math.sqrt(2)",
            "root = math.sqrt(self.norm_budget) / math.sqrt(self.kappa) / 2",
            "the noise is too small where the quotient underflows",
            "unsound",
        ),
        Change(
            "* self.kappa * (1 - 2.0**-51)",
            "* self.kappa * 2",
            "a report shows twice what is left",
            "unsound",
        ),
        Change(
            "squares[small] += np.count_nonzero",
            "squares[small] += 0 * np.count_nonzero",
            "squares that underflow are free",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/holders/clipped_sums.py",
        Change(
            "_MARGIN = 2.0**-32", "_MARGIN = -(2.0**-32)", "the noise is smaller than charged for", "unsound"
        ),
        Change("_MARGIN = 2.0**-32", "_MARGIN = 2.0**-12", "the noise is larger than said", "loose"),
        Change("most=self._clip)", "most=2 * self._clip)", "vectors count with twice the clip", "unsound"),
        Change(
            "self._people.clip(charged, sigma=self._sigma, most",
            "self._people.clip(charged, sigma=2 * self._sigma, most",
            "people are charged for twice the noise",
            "unsound",
        ),
        Change(
            "return PrivateSum(total + self.sigma * noise, self.sigma)",
            "return PrivateSum(total + self.sigma * noise / 2, self.sigma)",
            "half of the noise is added",
            "unsound",
        ),
    ),
)
