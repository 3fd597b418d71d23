"""The hockey-stick divergence of two Gaussians: Koskela, Tobaben & Honkela (2023), equations (2.2) and (2.3)."""

from __future__ import annotations

import sympy as sp

from filterproof.theory.proofs.ball_engine import rounding_check_and_control
from filterproof.theory.proofs.symbolic import Sides, identity_check_and_control, without_evaluation
from filterproof.theory.theorems.formula import Formula
from filterproof.theory.theorems.theorem import ProofStep, Theorem, supporting_steps

mu, sigma = sp.symbols("mu sigma", positive=True)
eps, x, z, r, shift, s = sp.symbols("epsilon x z r shift s", real=True)
m, rest, ratio = sp.symbols("m r g", positive=True)
HALF = sp.Rational(1, 2)
#: The standardised noise at which the loss equals epsilon.
t = eps / mu - mu / 2


def _normal_density(v: sp.Expr) -> sp.Expr:
    return sp.exp(-(v**2) / 2) / sp.sqrt(2 * sp.pi)


def _normal_cdf(v: sp.Expr) -> sp.Expr:
    return sp.erfc(-v / sp.sqrt(2)) / 2


def _delta(at: sp.Expr = eps) -> sp.Expr:
    """Return equation (2.3) with Delta / sigma = mu."""
    return _normal_cdf(-at / mu + HALF * mu) - sp.exp(at) * _normal_cdf(-at / mu - HALF * mu)


def _log_ratio(shift: sp.Expr) -> sp.Expr:
    """Return the log-ratio of two normal densities, sigma z from the first mean, sigma z + shift from the other."""
    return -(z**2) / 2 - (-((sigma * z + shift) ** 2) / (2 * sigma**2))


def _integral_to_infinity(integrand: sp.Expr, start: sp.Expr) -> sp.Expr:
    return sp.Integral(integrand, (z, start, sp.oo))


def _delta_in_erfcx() -> sp.Expr:
    def erfcx(v: sp.Expr) -> sp.Expr:
        return sp.exp(v**2) * sp.erfc(v)

    return HALF * sp.exp(-(t**2) / 2) * (erfcx(t / sp.sqrt(2)) - erfcx((t + mu) / sp.sqrt(2)))


def _loss_convolution_sides() -> Sides:
    # the density of the loss N(v/2, v) for v = m^2, convolved with that for v = r^2
    def exponent(level: sp.Expr, variance: sp.Expr) -> sp.Expr:
        return -((level - variance / 2) ** 2) / (2 * variance)

    total = m**2 + rest**2
    inside = sp.exp(sp.expand(exponent(x, m**2) + exponent(s - x, rest**2)))
    integral = sp.Integral(inside, (x, -sp.oo, sp.oo))
    return integral / (2 * sp.pi * m * rest), sp.exp(exponent(s, total)) / sp.sqrt(2 * sp.pi * total)


def _delta_slope_at_one_sides() -> Sides:
    slope = sp.diff(_delta(at=sp.log(ratio)), ratio)
    with sp.evaluate(False):
        return slope.subs(ratio, 1), -_normal_cdf(-mu / 2)


_DELTA = Formula("tail(epsilon/mu - mu/2) - exp(epsilon)*tail(epsilon/mu + mu/2)")

THEOREM = Theorem(
    name="Gaussian hockey-stick",
    title="Hockey-stick divergence of two Gaussians",
    source="Koskela, Tobaben & Honkela, equations (2.2) and (2.3)",
    hypotheses="mu = Delta / sigma > 0, every real epsilon; P = N(x0, sigma^2), Q = N(x1, sigma^2)",
    claim="The loss is N(mu^2/2, mu^2) under P, and the hockey-stick divergence is (2.3) in both directions",
    statement=(r"\delta_\mu(\varepsilon) = ", _DELTA, r",\quad \overline{\Phi} = 1 - \Phi"),
    steps=(
        ProofStep(
            "The loss at x0 + sigma z is mu^2/2 + mu z with mu = (x0 - x1)/sigma, so it is N(mu^2/2, mu^2).",
            *identity_check_and_control(
                lambda: (_log_ratio(shift), HALF * (shift / sigma) ** 2 + (shift / sigma) * z),
            ),
            r"L = \frac{(x_0-x_1)^2}{2\sigma^2} + \frac{x_0-x_1}{\sigma} z",
        ),
        ProofStep(
            "The loss of the other direction at x1 + sigma z is mu^2/2 - mu z; z and -z have one law, so it is "
            "N(mu^2/2, mu^2) too.",
            *identity_check_and_control(
                lambda: (_log_ratio(-shift), HALF * (shift / sigma) ** 2 - (shift / sigma) * z),
            ),
            r"\log\frac{q}{p}(x_1+\sigma z) = \frac{(x_0-x_1)^2}{2\sigma^2} - \frac{x_0-x_1}{\sigma} z",
        ),
        ProofStep(
            "The loss reaches epsilon at z = epsilon/mu - mu/2.",
            *identity_check_and_control(lambda: ((mu**2 / 2 + mu * z).subs(z, t), eps)),
            r"\frac{\mu^2}{2} + \mu z = \varepsilon \iff z = \frac\varepsilon\mu - \frac\mu2",
        ),
        ProofStep(
            "Completing the square: e^(epsilon - L) phi(z) = e^epsilon phi(z + mu).",
            *identity_check_and_control(
                lambda: (eps - mu**2 / 2 - mu * z - z**2 / 2, eps - (z + mu) ** 2 / 2)
            ),
            r"e^{\varepsilon - \mu^2/2 - \mu z}\varphi(z) = e^\varepsilon\varphi(z+\mu)",
        ),
        ProofStep(
            "The standard normal tail from r is Phi(-r).",
            *identity_check_and_control(
                lambda: (_integral_to_infinity(_normal_density(z), r), _normal_cdf(-r))
            ),
            r"\int_r^\infty \varphi(z)\,dz = \Phi(-r)",
        ),
        ProofStep(
            "Integrating (1 - e^(epsilon - L))_+ over z gives (2.3).",
            *identity_check_and_control(
                lambda: (
                    _integral_to_infinity(_normal_density(z), t)
                    - sp.exp(eps) * _integral_to_infinity(_normal_density(z + mu), t),
                    _delta(),
                )
            ),
            r"\int_{\varepsilon/\mu-\mu/2}^\infty \left(\varphi(z) - e^\varepsilon\varphi(z+\mu)\right)dz"
            r" = \delta_\mu(\varepsilon)",
        ),
        ProofStep(
            "The derivative in mu is phi(epsilon/mu - mu/2), above 0: delta grows strictly with mu.",
            *identity_check_and_control(lambda: (sp.diff(_delta(), mu), _normal_density(t))),
            r"\frac{\partial\delta}{\partial\mu} = \varphi\left(\frac\varepsilon\mu - \frac\mu2\right)",
        ),
        ProofStep(
            "The derivative in epsilon is -e^epsilon Phi(-mu/2 - epsilon/mu).",
            *identity_check_and_control(
                lambda: (sp.diff(_delta(), eps), -sp.exp(eps) * _normal_cdf(-mu / 2 - eps / mu))
            ),
            r"\frac{\partial\delta}{\partial\varepsilon} = -e^\varepsilon\,"
            r"\Phi\left(-\frac\mu2 - \frac\varepsilon\mu\right)",
        ),
        ProofStep(
            "The form in the scaled erfc, free of cancellation, is the same function.",
            *identity_check_and_control(lambda: (_delta_in_erfcx(), _delta())),
            r"\delta_\mu(\varepsilon) = \tfrac12 e^{-t^2/2}\left(\mathrm{erfcx}\tfrac{t}{\sqrt2}"
            r" - \mathrm{erfcx}\tfrac{t+\mu}{\sqrt2}\right),\quad t = \frac\varepsilon\mu - \frac\mu2",
        ),
        *supporting_steps("gdp_delta_turned"),
        ProofStep(
            "Losses add: the law of Gaussian(m)'s loss convolved with that of Gaussian(r) is that of "
            "Gaussian(sqrt(m^2 + r^2)).",
            *identity_check_and_control(_loss_convolution_sides, at={"m": "1/2", "r": "2/3", "s": "1/5"}),
            r"\mathbb{E}\,\delta_r(\varepsilon - L_m) = \delta_{\sqrt{m^2+r^2}}(\varepsilon)",
        ),
        *supporting_steps("gdp_delta_rises", "gdp_delta_falls", "gaussian_calibration"),
        ProofStep(
            "Randomised response with Q-weight w = Phi(-mu/2) touches the Gaussian at order 1.",
            # such a response keeps its bit with probability 1 - w; its hockey-stick at order g is 1 - w - g w
            *identity_check_and_control(
                without_evaluation(lambda: (_delta(at=sp.Integer(0)), 1 - 2 * _normal_cdf(-mu / 2)))
            ),
            r"\delta_\mu(0) = 1 - 2\Phi(-\mu/2)",
        ),
        ProofStep(
            "And is tangent to it there; delta is convex in the order, so this response is exactly mu-GDP.",
            *identity_check_and_control(_delta_slope_at_one_sides),
            r"\left.\frac{d}{dg}\delta_\mu(\log g)\right|_{g=1} = -\Phi(-\mu/2)",
        ),
        ProofStep(
            "At mu = epsilon = 1 it is 0.126936737507 to the last digit.",
            *rounding_check_and_control("tail(1/2) - exp(1)*tail(3/2)", 126936737507, 12),
            r"\delta_1(1) = 0.126936737507\ldots",
        ),
    ),
)
