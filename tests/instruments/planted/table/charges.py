"""Faults planted in what is charged and declared."""

from __future__ import annotations

from tests.instruments.planted.fault import Change, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "filters/accounting/charge_rules.py",
        Change(
            "return square_among(unvanished(proper(request.gdp_mu), request), 1.0, levels)",
            "return square_among(unvanished(proper(request.gdp_mu), request), 0.5, levels)",
            "GDP charges are halved",
            "unsound",
        ),
        Change(
            "return square_among(proper(mu), alpha / 2, request.levels)",
            "return square_among(proper(mu), (alpha - 1) / 2, request.levels)",
            "the Rényi charge of a Gaussian has the wrong order",
            "unsound",
        ),
        Change(
            "np.maximum(forward, proper(swapped.renyi(alpha)))",
            "np.minimum(forward, proper(swapped.renyi(alpha)))",
            "Rényi charges are those of the better direction",
            "unsound",
        ),
        Change(
            "return GaussianDP(mu if Fraction(mu) ** 2 >= Fraction(total) else math.nextafter(mu, math.inf))",
            "return GaussianDP(mu)",
            "what a sum of mu^2 bounds is rounded to nearest",
            "unsound",
        ),
        Change(
            "return RenyiDP(self.alpha, total)",
            "return RenyiDP(self.alpha, total / 2)",
            "what Rényi charges bound is halved",
            "unsound",
        ),
        Change(
            "return 0.5 if family in (Gaussian, RandomizedResponse) else None",
            "return 0.25 if family in (Gaussian, RandomizedResponse) else None",
            "what is affordable is too large",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/accounting/charges.py",
        Change(
            "return proper(own.epsilon), proper(own.delta)",
            "return proper(own.epsilon), proper(own.delta) / 2",
            "delta of KOV counts half",
            "unsound",
        ),
        Change(
            "return Square(proper(own.epsilon), 0.5), Plain(proper(own.delta))",
            "return Square(proper(own.epsilon), 0.25), Plain(proper(own.delta))",
            "rho of KOV beside xi is half",
            "unsound",
        ),
        Change(
            "return Square(proper(own.epsilon), 0.5), Plain(proper(own.delta))",
            "return Square(proper(own.epsilon), 0.5), Plain(0 * proper(own.delta))",
            "erasure is free",
            "unsound",
        ),
        Change(
            "np.where(np.greater_equal(quantile, least), quantile, np.inf)",
            "np.where(np.greater_equal(quantile, least), quantile / 2, np.inf)",
            "quantiles are halved",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/accounting/declared.py",
        Change("_SHARE = 1 + 2.0**-46", "_SHARE = 1 - 2.0**-46", "divergences are rounded down", "unsound"),
        Change("_SHARE = 1 + 2.0**-46", "_SHARE = 1 + 2.0**-26", "divergences are raised by 1.5e-8", "loose"),
        Change(
            "return charge if charge >= 0 else math.inf",
            "return charge if charge >= 0 else 0.0",
            "what no mechanism has is free",
            "unsound",
        ),
        Change(
            "np.where(np.equal(charge, 0) & reveals, _LEAST, charge)",
            "charge",
            "a square that underflowed is free",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/gaussian.py",
        Change(
            "def zcdp_root(self) -> Real:\n        return self.mu",
            "def zcdp_root(self) -> Real:\n        return self.mu * 0.7071",
            "the zCDP charge of a Gaussian is half",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/randomized_response.py",
        Change(
            "def zcdp_root(self) -> Real:\n        return self.epsilon",
            "def zcdp_root(self) -> Real:\n        return self.epsilon * 0.7071",
            "the zCDP charge of randomised response is half",
            "unsound",
        ),
        Change(
            "def zcdp_root(self) -> Real:\n        return self.epsilon",
            "def zcdp_root(self) -> Real:\n        return self.epsilon * (1 + 1e-7)",
            "the zCDP charge of randomised response is large by 2e-7",
            "loose",
        ),
        Change(
            "def zcdp_root(self) -> Real:\n        return self.epsilon",
            "def zcdp_root(self) -> Real:\n        return self.epsilon / (1.5 if np.size(self.epsilon) > 2 else 1)",
            "more than two randomised responses at once are charged half",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/laplace.py",
        Change(
            "def zcdp_root(self) -> Real:\n        return self.pure_epsilon",
            "def zcdp_root(self) -> Real:\n        return self.pure_epsilon * (1 - 1e-9)",
            "the zCDP charge of pure pairs is small by 2e-9",
            "unsound",
        ),
        Change(
            "def pure_epsilon(self) -> Real:\n        return inverse_beyond(self.b)",
            "def pure_epsilon(self) -> Real:\n        return 1 / self.b",
            "epsilon of Laplace is rounded to nearest",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/subsampled_gaussian.py",
        Change(
            "def zcdp_root(self) -> Real:\n        return self.gdp_mu",
            "def zcdp_root(self) -> Real:\n        return self.q * self.gdp_mu",
            "the subsampled Gaussian is amplified in zCDP",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/erasure.py",
        Change(
            "return KOVForm(0.0 * self.p, self.p, Fraction(1), self.exact)",
            "return KOVForm(0.0 * self.p, self.p**2, Fraction(1), self.exact)",
            "delta of erasure is squared",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/base.py",
        Change(
            "larger = np.maximum(_or_inf(",
            "larger = np.minimum(_or_inf(",
            "a hockey-stick is that of the better direction",
            "unsound",
        ),
        Change(
            "larger * (1 + 2.0**-40)",
            "larger * (1 - 2.0**-40)",
            "a hockey-stick is rounded down",
            "unsound",
        ),
        Change(
            "larger * (1 + 2.0**-40)",
            "larger * (1 + 2.0**-10)",
            "a hockey-stick is raised by 0.1 %",
            "loose",
        ),
        Change(
            "larger = np.maximum(_or_inf(self.hockey_stick(epsilon)), _or_inf(self.swapped.hockey_stick(epsilon)))",
            "larger = _or_inf(self.hockey_stick(epsilon))",
            "a delta is that of one direction",
            "unsound",
        ),
        Change(
            "larger = np.maximum(_or_inf(self.hockey_stick(epsilon)), _or_inf(self.swapped.hockey_stick(epsilon)))",
            "larger = _or_inf(self.swapped.hockey_stick(epsilon))",
            "a delta is that of the other direction",
            "unsound",
        ),
    ),
    *faults_in(
        "theory/pairs/finite_charges.py",
        Change(
            "slope, shift = sides[side].most, none",
            "slope, shift = sides[side].most / 4, none",
            "beyond the last order K rises by less than it may",
            "unsound",
        ),
        Change(
            "shift = first[1].max(last[1]) * (-sides[side].wide * (b - a)).exp() / 2",
            "shift = 4 * first[1].max(last[1])",
            "K is taken to be more convex than it is",
            "unsound",
        ),
        Change(
            "sides[: 1 if symmetric else 2]",
            "sides[:1]",
            "rho is that of one direction",
            "unsound",
        ),
        Change(
            "max(min(-parts[0].minus_bound, bound), best)",
            "bound",
            "rho is that of all that is epsilon-DP",
            "loose",
        ),
        Change(
            "max(min(-parts[0].minus_bound, bound), best)",
            "best",
            "rho is a value that is attained",
            "unsound",
        ),
        Change(
            "most = max(most, _up(_upper_quantile(x) + _upper_quantile(y)))",
            "most = _up(_upper_quantile(x) + _upper_quantile(y))",
            "mu is that of the last corner",
            "unsound",
        ),
    ),
)
