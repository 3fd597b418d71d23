"""Faults planted in what is charged and declared."""

from __future__ import annotations

from tests.instruments.planted.fault import Change, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "filters/accounting/charge_rules.py",
        Change(
            "return square_among(proper(request.mu), 0.5, _levels(request))",
            "return square_among(proper(request.mu), 0.25, _levels(request))",
            "the zCDP charge of a Gaussian is half",
            "unsound",
        ),
        Change(
            "return Square(proper(request.epsilon), 0.5)\n        if",
            "return Square(proper(request.epsilon), 0.25)\n        if",
            "the zCDP charge of randomised response is half",
            "unsound",
        ),
        Change(
            "return Square(proper(request.epsilon), 0.5)\n        if",
            "return Square(proper(request.epsilon), 0.5000001)\n        if",
            "the zCDP charge of randomised response is large by 2e-7",
            "loose",
        ),
        Change(
            "return Square(pure_epsilon(request), 0.5)",
            "return Square(pure_epsilon(request) * (1 - 1e-9), 0.5)",
            "the zCDP charge of pure pairs is small by 2e-9",
            "unsound",
        ),
        Change(
            "return Square(inverse_beyond(request.sigma), 0.5)",
            "return Square(request.q * inverse_beyond(request.sigma), 0.5)",
            "the subsampled Gaussian is amplified in zCDP",
            "unsound",
        ),
        Change(
            "return square_among(unvanished(proper(request.gdp_mu), request), 1.0, _levels(request))",
            "return square_among(unvanished(proper(request.gdp_mu), request), 0.5, _levels(request))",
            "GDP charges are halved",
            "unsound",
        ),
        Change(
            "return square_among(proper(request.mu), alpha / 2, _levels(request))",
            "return square_among(proper(request.mu), (alpha - 1) / 2, _levels(request))",
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
            "return proper(inverse_beyond(request.b))",
            "return proper(1 / request.b)",
            "epsilon of Laplace is rounded to nearest",
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
            "return proper(request.epsilon), proper(request.delta)",
            "return proper(request.epsilon), proper(request.delta) / 2",
            "delta of KOV counts half",
            "unsound",
        ),
        Change(
            "return _zero_like(request.p), proper(request.p)\n    epsilon",
            "return _zero_like(request.p), proper(request.p) ** 2\n    epsilon",
            "delta of erasure is squared",
            "unsound",
        ),
        Change(
            "larger = np.maximum(proper(",
            "larger = np.minimum(proper(",
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
            "return Square(proper(request.epsilon), 0.5), Plain(proper(request.delta))",
            "return Square(proper(request.epsilon), 0.25), Plain(proper(request.delta))",
            "rho of KOV beside xi is half",
            "unsound",
        ),
        Change(
            "return Plain(_zero_like(request.p)), Plain(proper(request.p))",
            "return Plain(_zero_like(request.p)), Plain(_zero_like(request.p))",
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
)
