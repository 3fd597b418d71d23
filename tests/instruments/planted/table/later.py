"""Faults that were written when the checks were done, by lines that the other faults do not touch: a second opinion."""

from __future__ import annotations

from tests.instruments.planted.fault import Change, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "theory/conversions.py",
        Change("for _ in range(12):", "for _ in range(2):", "the CKS order has not converged", "loose"),
        Change("for _ in range(40):", "for _ in range(3):", "the CKS epsilon has not converged", "loose"),
        Change(
            "positive = np.greater(rho, 0)",
            "positive = np.greater(rho, 1e-7)",
            "a little divergence counts as none",
            "unsound",
        ),
        Change(
            "np.maximum(self._epsilon(r, -portable.log(np.asarray(delta))), 0.0)",
            "np.abs(self._epsilon(r, -portable.log(np.asarray(delta))))",
            "an epsilon that is not needed is asked for",
            "loose",
        ),
        Change(
            "free = target >= np.asarray(pair.log_hockey_stick(0.0))",
            "free = target >= np.asarray(pair.log_hockey_stick(0.1))",
            "no epsilon is needed where a little is",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/guarantees.py",
        Change(
            "portable.exp(np.minimum(exponent, 0.0))",
            "portable.exp(np.minimum(exponent, 1.0))",
            "a delta may be more than one",
            "loose",
        ),
    ),
    *faults_in(
        "theory/relative_entropy.py",
        Change(
            "s / 2 + portable.log1p(series)", "s / 2 + series", "a logarithm is that of first order", "loose"
        ),
        Change(
            "bound = (size + expm1_minus",
            "bound = (size * 0.999 + expm1_minus",
            "the delta of order 1 is that of less",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/realisation.py",
        Change(
            "limit: Real = epsilon - 1 /",
            "limit: Real = np.abs(epsilon) - 1 /",
            "kappa forgets the sign of epsilon",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/gaussian.py",
        Change(
            "if np.less(epsilon, 0).any():",
            "if np.less(epsilon, -1).any():",
            "the hockey-stick is mirrored at zero",
            "loose",
        ),
        Change(
            "(mills(h - c) + mills(c + h))",
            "(mills(h - c) + 0.5 * mills(c + h))",
            "half of what cancels is forgotten",
            "loose",
        ),
        Change(
            "plain[tail] = _log_density(c - h) + portable.log(mills_drop(c, h))",
            "plain[tail] = _log_density(c + h) + portable.log(mills_drop(c, h))",
            "the logarithm far out is that of another density",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/laplace.py",
        Change(
            "np.where(np.less(epsilon, -e), -portable.expm1",
            "np.where(np.less(epsilon, -2 * e), -portable.expm1",
            "the hockey-stick of Laplace goes on below -e",
            "loose",
        ),
        Change(
            "+ math.log(2)), -e, e)",
            "+ math.log(2)), -2 * e, e)",
            "quantiles of Laplace go beyond -e",
            "loose",
        ),
        Change(
            "between = width / 4 * special.exprel",
            "between = width / 2 * special.exprel",
            "losses between the ends are drawn twice as often",
            "loose",
        ),
    ),
    *faults_in(
        "theory/pairs/randomized_response.py",
        Change(
            "keep = self.ratio / (1 + self.ratio)",
            "keep = self.ratio / (2 + self.ratio)",
            "exact masses are those of less",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/kov.py",
        Change(
            "p = (self.exact_delta, rest",
            "p = (self.exact_delta / 2, rest",
            "the exact delta is half",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/erasure.py",
        Change(
            "ExactMasses((self.exact, 1 - self.exact, zero)",
            "ExactMasses((self.exact / 2, 1 - self.exact / 2, zero)",
            "half of the exact bits are revealed",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/finite.py",
        Change(
            "log_fraction(a / b) if b", "log_fraction(b / a) if b", "losses have the wrong sign", "unsound"
        ),
        Change(
            "tuple((loss, mass / whole) for loss, mass in kept)",
            "tuple((loss, mass) for loss, mass in kept)",
            "finite losses are drawn with masses that do not sum to one",
            "loose",
        ),
        Change(
            "total = total - np.log(finite)",
            "total = total + np.log(finite)",
            "weights of finite losses are off by their mass",
            "unsound",
        ),
        Change(
            "if _is_infinite(loss)))",
            "if not _is_infinite(loss)))",
            "the infinite mass is that of the finite losses",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/subsampled_gaussian.py",
        Change(
            "np.maximum((self.q - 1) * portable.exp(-np.maximum(level, -700.0)), -1.0)",
            "np.maximum((self.q + 1) * portable.exp(-np.maximum(level, -700.0)), -1.0)",
            "far out the sampling rate has the wrong sign",
            "unsound",
        ),
        Change(
            "high = low + 1\n", "high = low + 0.5\n", "quantiles of a mixture are sought too low", "unsound"
        ),
        Change(
            "np.arange(low - 10 * sigma, high + 10 * sigma + step, step)",
            "np.arange(low - 3 * sigma, high + 3 * sigma + step, step)",
            "the integral is cut off too early",
            "loose",
        ),
        Change(
            "portable.exp(terms - terms.max())))) / t",
            "portable.exp(terms - terms.max())))) / alpha",
            "the divergence of a large order is divided by the order",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/base.py",
        Change(
            "weight[np.isposinf(loss)] = 0.0",
            "weight[np.isposinf(loss)] = -1.0",
            "an infinite loss has the wrong weight",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/numerics/mills.py",
        Change("_ODD_TERMS = 7", "_ODD_TERMS = 2", "a Taylor series ends too early", "loose"),
        Change(
            "this = this * ratios[-1 - n]",
            "this = this * ratios[-2 - n]",
            "moments are multiplied by the wrong ratio",
            "loose",
        ),
    ),
    *faults_in(
        "theory/numerics/stable.py",
        Change(
            "return math.nextafter(near, 1.0) if 0 <= near < _LEAST_NORMAL and mass > near else near",
            "return near",
            "a mass that underflows becomes nothing",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/accounting/amounts.py",
        Change("LEAST_ROOT = 2.0**-480", "LEAST_ROOT = 2.0**-600", "the least square underflows", "unsound"),
        Change(
            "_LEAST_SCALE = 2.0**-8",
            "_LEAST_SCALE = 2.0**-200",
            "scales are admitted at which the least square underflows",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/accounting/limit.py",
        Change(
            "return self.high if self.low >= 0 else math.nextafter(self.high, 0.0)",
            "return self.high",
            "the largest double within the limit may be beyond it",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/accounting/ledger.py",
        Change(
            "room = (gap + (rest + (self.low - state[1])))",
            "room = (gap + (rest - (self.low - state[1])))",
            "what is left has a wrong sign",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/accounting/charges.py",
        Change(
            "if at is None or np.all(np.isfinite(epsilon)):",
            "if True or np.all(np.isfinite(epsilon)):",
            "no mechanism is charged its hockey-stick",
            "loose",
        ),
    ),
    *faults_in(
        "filters/accounting/charge_rules.py",
        Change(
            "return RenyiDP(self.alpha, total)",
            "return RenyiDP(self.alpha + 1, total)",
            "sums bound a higher order",
            "unsound",
        ),
        Change(
            "return self.alpha / 2 if family is Gaussian else None",
            "return self.alpha / 4 if family is Gaussian else None",
            "what is affordable of Rényi budgets is too large",
            "unsound",
        ),
        Change(
            "return Plain(unvanished(proper(request.zcdp_rho), request))",
            "return Plain(proper(request.zcdp_rho) / 2)",
            "pairs of one's own are charged half in zCDP",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/additive.py",
        Change(
            "_LITTLE = 2.0**-40", "_LITTLE = 2.0**-400", "what little is affordable is not tried", "unsound"
        ),
    ),
    *faults_in(
        "filters/rules/basic.py",
        Change(
            "return (*self._epsilon.add(state[:2], Plain(epsilon)),",
            "return (*self._epsilon.add(state[:2], Plain(epsilon / 2)),",
            "epsilons are charged half",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/whitehouse.py",
        Change(
            "return (*self._squares.add(state[:2], Square(epsilon)),",
            "return (*self._squares.add(state[:2], Plain(epsilon)),",
            "epsilons are charged, not their squares",
            "loose",
        ),
        Change(
            "np.sqrt(self._squares.left(state[:2])) * (1 - 2.0**-50)",
            "np.sqrt(self._squares.left(state[:2])) * 2",
            "twice what is left is shown",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/rogers.py",
        Change(
            "*self._drift.add(state[:2], Plain(drift(epsilon))),",
            "*self._drift.add(state[:2], Plain(drift(epsilon) / 2)),",
            "half of the drift is charged",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/gdp.py",
        Change(
            "(self.budget.root_unit * (1 - 2.0**-52))",
            "(self.budget.root_unit * (1 + 2.0**-30))",
            "what is left is shown rounded up",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/realisation.py",
        Change(
            "slack = (released + 4) * 2.0**-51",
            "slack = 0 * (released + 4) * 2.0**-51",
            "rounding of the sums of losses is forgotten",
            "unsound",
        ),
        Change(
            "np.maximum(reach, 0.0)",
            "np.minimum(reach, 0.0)",
            "the next release is taken to lose nothing",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/blackwell.py",
        Change("_POINTS = 1025", "_POINTS = 9", "covers are found on a coarse grid", "loose"),
        Change(
            "for law in (_law(pairs, counts, high), _law(swapped, counts, high)):",
            "for law in (_law(pairs, counts, high),):",
            "one direction alone is covered",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/composition.py",
        Change("_UNIT = 2.0**-40", "_UNIT = 2.0**-20", "composed losses are rounded up by 1e-6", "loose"),
    ),
    *faults_in(
        "filters/rules/loss_lattice.py",
        Change("_REACH = 40.0", "_REACH = 4.0", "losses above 4 count as infinite", "loose"),
    ),
    *faults_in(
        "filters/rules/promised.py",
        Change(
            "return 2 * Fraction(rho) / Fraction(alpha)",
            "return 2 * Fraction(rho)",
            "the GDP budget of an RDP promise forgets the order",
            "unsound",
        ),
        Change(
            "mu = float(gaussian_mu(epsilon, delta))",
            "mu = float(gaussian_mu(epsilon, delta)) * (1 + 1e-9)",
            "the GDP budget of an approximate promise is larger by 2e-9",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/holders/odometers.py",
        Change("for step in (-1, 0, 1):", "for step in (0,):", "one line alone is stitched", "loose"),
        Change("math.sqrt(2.0) * _power(j)))", "_power(j)))", "lines are the best elsewhere", "loose"),
        Change(
            "(low >= least) & (high <= 1)",
            "(low >= least) & (high <= 100)",
            "Rogers' inner bound is used beyond its range",
            "unsound",
        ),
        Change(
            "least = 1 / self.records**2",
            "least = 1 / self.records",
            "Rogers' outer bound has another scale",
            "loose",
        ),
    ),
    *faults_in(
        "filters/holders/individual.py",
        Change(
            "_LEAST_SHARE = 2.0**-20", "_LEAST_SHARE = 2.0**-2", "people sit out with a quarter left", "loose"
        ),
        Change(
            "whole | (sizes == 0), sizes, np.nextafter(sizes, np.inf)",
            "whole | (sizes == 0), sizes, sizes",
            "integers that are no doubles are rounded to nearest",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/holders/clipped_sums.py",
        Change(
            "np.maximum(norms.ravel(), self._sigma * _FREE)",
            "norms.ravel()",
            "vectors that underflow are free",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/holders/trackers.py",
        Change(
            "mu, square = math.sqrt(blocks) * self.size,",
            "mu, square = blocks * self.size,",
            "parameters of blocks add, not their squares",
            "loose",
        ),
        Change("charge, n)", "charge, n) * 0.5", "blocks are counted half", "unsound"),
    ),
)
