"""The subsampled Gaussian in balls: P = q N(1, s^2) + (1-q) N(0, s^2) against Q = N(0, s^2), and the swapped pair.

>>> from filterproof.theory.pairs import SubsampledGaussian
>>> print(SubsampledGaussian(0.1, 0.8).reference_values.renyi(2).ball().str(12, radius=False))
0.0370137910563

With w(x) = 1 - q + q e^{(x - 1/2)/s^2}, the ratio P/Q is w. Divergences are integrals of powers of w under N(0, s^2).
They are cut off; a normal tail bounds the rest, which is added as a ball. Removal is P against Q, addition Q against P.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import ClassVar

from flint import acb, arb, ctx

from filterproof.theory.pairs import normal_distribution
from filterproof.theory.pairs.normal_distribution import tail
from filterproof.theory.pairs.reference_values import Exact, PairReferenceValues, ReferenceValue, ball_of


class MixtureReferenceValues(PairReferenceValues):
    """Reference values of the mixture of two normal distributions: sums and integrals."""

    integrated = True
    zcdp_theorem = "Rényi divergences"
    formulas: ClassVar = {"pure_epsilon": None, "zcdp_rho": "1/(2*sigma**2)", "gdp_mu": "1/sigma"}

    @property
    def _is_removal(self) -> bool:
        removal: bool = self.pair.adjacency == "removal"
        return removal

    @property
    def _parameter_balls(self) -> tuple[arb, arb, arb]:
        """Return q, s and s^2."""
        q, s = self.at["q"], self.at["sigma"]
        return ball_of(q), ball_of(s), ball_of(s * s)

    def renyi(self, alpha: Exact) -> ReferenceValue:
        return ReferenceValue(lambda: self._renyi_divergence(Fraction(alpha)))

    def _renyi_divergence(self, alpha: Fraction) -> arb:
        if self.pair.q == 1:
            return ball_of(alpha / (2 * self.at["sigma"] ** 2))
        if (separated := self._separated_renyi(ball_of(alpha))).rel_accuracy_bits() > ctx.prec - 24:
            return separated
        if alpha == 1:
            return self._entropy()
        closed_form = self._is_removal and alpha.denominator == 1 and alpha > 1
        moment = self._moment_by_binomial(int(alpha)) if closed_form else self._moment(ball_of(alpha))
        return moment.log() / ball_of(alpha - 1)

    def _separated_renyi(self, order: arb) -> arb:
        """Return a ball around D_a from bounds on both sides, which meet for distant normal distributions."""
        (q, _, variance), t = self._parameter_balls, order - 1
        rest, overlap = 1 - q, (-1 / (8 * variance)).exp()
        if not self._is_removal:  # -E log w <= D_a <= -log(1 - q), and log(1 + z) <= sqrt(z)
            most = -rest.log()
            return (most - (q / rest).sqrt() * overlap).union(most)
        if (
            t == 0
        ):  # the relative entropy of a mixture loses the entropy of the sampled component given the output
            least = q / (2 * variance) + q * q.log() + rest * rest.log()
            return least.union(least + 2 * arb(2).log() * (q * rest).sqrt() * overlap)
        parts = rest**order + q**order * (order * t / (2 * variance)).exp()
        most = order / t * (rest + q * (t / (2 * variance)).exp()).log()  # Minkowski
        if order < 2:
            both = (q * rest) ** (order / 2) * overlap ** (order * (2 - order))
            most = most.min((parts + (2**order - 2) * both).log() / t)
        return (parts.log() / t).union(most)

    def _moment_by_binomial(self, order: int) -> arb:
        """Return E w^order, term by term: E e^{k y} = e^{k (k-1) / (2 s^2)}."""
        q, _, variance = self._parameter_balls
        terms = (
            comb(order, k) * q**k * (1 - q) ** (order - k) * (arb(k * (k - 1)) / (2 * variance)).exp()
            for k in range(order + 1)
        )
        return sum(terms, arb(0))

    def _moment(self, order: arb) -> arb:
        """Return E w^alpha under N(0, s^2) for removal, E w^(1-alpha) for addition."""
        (q, scale, variance), far = self._parameter_balls, self._tail_cutoff
        power = order if self._is_removal else 1 - order

        def integrand(z: acb, analytic: bool) -> acb:
            weight = 1 - q + q * ((z - acb(0.5)) / variance).exp()
            return (acb(power) * weight.log(analytic=analytic) - z * z / (2 * variance)).exp()

        grown = (order * (order - 1) / (2 * variance)).exp()
        if self._is_removal:
            low, high = -far, (order + far)
            # above 1/2 the weight is at most e^y, below it at most 1
            rest = grown * tail((high - order) / scale) + tail(-low / scale)
        else:
            low, high = -(order - 1 + far), far + 1
            # above 1/2 the weight is at least 1, everywhere at least q e^y and at least 1 - q
            lean = q**power * grown * tail((-low - (order - 1)) / scale)
            rest = tail(high / scale) + lean.min((1 - q) ** power * tail(-low / scale))
        moment = acb.integral(integrand, low, high).real / (scale * (2 * arb.pi()).sqrt())
        return moment + rest.union(arb(0))

    def _entropy(self) -> arb:
        """Return E w log w for removal, -E log w for addition, under N(0, s^2)."""
        (q, scale, variance), far = self._parameter_balls, self._tail_cutoff

        def integrand(z: acb, analytic: bool) -> acb:
            weight = 1 - q + q * ((z - acb(0.5)) / variance).exp()
            log = weight.log(analytic=analytic)
            return (weight * log if self._is_removal else -log) * (-z * z / (2 * variance)).exp()

        low, high = -(far + 2), far + 2
        normal = scale * (2 * arb.pi()).sqrt()
        # |w log w| <= e^{2y} above 1/2, and 1/e below; |log w| <= |y| above, and -log(q) - y below
        upper = (1 / variance).exp() * tail((high - 2) / scale) + _mean_abs_log_ratio_tail_bound(high, scale)
        lower = tail(-low / scale) * (1 - q.log()) + _mean_abs_log_ratio_tail_bound(-low + 1, scale)
        rest = upper + lower
        return acb.integral(integrand, low, high).real / normal + rest.union(-rest)

    @property
    def _tail_cutoff(self) -> arb:
        """Return the distance beyond which the rest is below 2^-prec."""
        return self._parameter_balls[1] * arb(14 * ctx.prec / 10).sqrt()

    def above(self, x: Exact) -> tuple[arb, arb]:
        """Return the masses of the outcomes beyond the one with log w equal to x, or to -x."""
        (q, scale, _), removal = self._parameter_balls, self._is_removal
        inner = (ball_of(x if removal else -x).exp() - (1 - q)) / q  # at q = 1 nothing cancels
        if inner <= 0:  # log w is larger everywhere
            return (arb(int(removal)),) * 2
        if not inner > 0:
            return (arb(0.5, 0.5),) * 2
        output = arb(0.5) + scale * scale * inner.log()
        if removal:
            other = tail(output / scale)
            return q * tail((output - 1) / scale) + (1 - q) * other, other
        first = tail(-output / scale)
        return first, q * tail((1 - output) / scale) + (1 - q) * first

    def hockey_stick(self, epsilon: Exact) -> ReferenceValue:
        return ReferenceValue(lambda: self.hockey_stick_from_tails(epsilon))

    def loss_cdf(self, x: Exact) -> ReferenceValue:
        return ReferenceValue(lambda: 1 - self.above(x)[0])

    def loss_isf(self, tail: Exact) -> ReferenceValue:
        return ReferenceValue(lambda: self._loss_at_quantile(tail))

    def _loss_at_quantile(self, mass: Exact) -> arb:
        """Return the loss at the quantile of the output; for a mixture by bisection."""
        (q, scale, _), goal = self._parameter_balls, ball_of(mass)
        upper = normal_distribution.upper_quantile(goal)
        if not self._is_removal:
            return -self._loss_at(-scale * upper)
        low, high = (scale * upper - 1).lower(), (scale * upper + 2).upper()
        for _ in range(3 * ctx.prec):
            middle = ((low + high) / 2).mid()
            gap = q * tail((middle - 1) / scale) + (1 - q) * tail(middle / scale) - goal
            if gap > 0:
                low = middle
            elif gap < 0:
                high = middle
            else:
                break
        return self._loss_at(low.union(high))

    def _loss_at(self, x: arb) -> arb:
        q, scale, _ = self._parameter_balls
        return (1 - q + q * ((x - arb(0.5)) / (scale * scale)).exp()).log()


def _mean_abs_log_ratio_tail_bound(x: arb, scale: arb) -> arb:
    """Return an upper bound on E |y|, y = (X - 1/2)/s^2, over X > x - 1 >= 0 and X < 1 - x, X ~ N(0, s^2)."""
    edge = (x - 1) / scale
    moment = (-edge * edge / 2).exp() / (2 * arb.pi()).sqrt() / scale
    return moment + tail(edge) / (scale * scale)
