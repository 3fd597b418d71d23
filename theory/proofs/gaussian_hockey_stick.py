"""The hockey-stick divergence of two Gaussians: paper 003, equations (2.2) and (2.3)."""

from __future__ import annotations

import sympy as sp

from theory.claims.kernel_theorem import beside
from theory.claims.notations import Formula
from theory.claims.theorem import Step, Theorem
from theory.proofs.engines import certified
from theory.proofs.expressions import as_written
from theory.proofs.symbolic import Sides, zero

__all__ = ["THEOREM"]

mu, sigma = sp.symbols("mu sigma", positive=True)
eps, x, z, r, shift, s = sp.symbols("epsilon x z r shift s", real=True)
m, rest, ratio = sp.symbols("m r g", positive=True)
HALF = sp.Rational(1, 2)


def _phi(v: sp.Expr) -> sp.Expr:
    return sp.exp(-(v**2) / 2) / sp.sqrt(2 * sp.pi)


def _cdf(v: sp.Expr) -> sp.Expr:
    return sp.erfc(-v / sp.sqrt(2)) / 2


def _delta(mean_shift: sp.Expr = HALF, at: sp.Expr = eps) -> sp.Expr:
    """Equation (2.3) with Delta / sigma = mu; `mean_shift` is its constant 1/2."""
    return _cdf(-at / mu + mean_shift * mu) - sp.exp(at) * _cdf(-at / mu - mean_shift * mu)


def _loss(half: sp.Expr = HALF) -> Sides:
    # The two densities at x = x0 + sigma z with x0 - x1 = shift; sigma is the standard deviation of both.
    log_p, log_q = -(z**2) / 2, -((sigma * z + shift) ** 2) / (2 * sigma**2)
    return log_p - log_q, half * (shift / sigma) ** 2 + (shift / sigma) * z


def _turned(sign: int = -1) -> Sides:
    # the same under Q: log q/p at x = x1 + sigma z, where p is the density around x0 = x1 + shift
    log_q, log_p = -(z**2) / 2, -((sigma * z - shift) ** 2) / (2 * sigma**2)
    return log_q - log_p, HALF * (shift / sigma) ** 2 + sign * (shift / sigma) * z


def _crossing(half: sp.Expr = HALF) -> Sides:
    return (mu**2 / 2 + mu * z).subs(z, eps / mu - half * mu), eps


def _square(sign: int = 1) -> Sides:
    # the integrand e^{eps - L} phi(z) with L = mu^2/2 + mu z
    exponent = eps - mu**2 / 2 - mu * z - z**2 / 2
    return exponent, eps - (z + sign * mu) ** 2 / 2


def _tail(sign: int = 1) -> Sides:
    return sp.Integral(_phi(z), (z, r, sp.oo)), _cdf(-sign * r)


def _from_integral(mean_shift: sp.Expr = HALF) -> Sides:
    start = eps / mu - mu / 2
    integral = sp.Integral(_phi(z), (z, start, sp.oo)) - sp.exp(eps) * sp.Integral(
        _phi(z + mu), (z, start, sp.oo)
    )
    return integral, _delta(mean_shift)


def _in_mu(factor: sp.Expr | int = 1) -> Sides:
    return sp.diff(_delta(), mu), factor * _phi(eps / mu - mu / 2)


def _in_epsilon(sign: int = -1) -> Sides:
    return sp.diff(_delta(), eps), sign * sp.exp(eps) * _cdf(-mu / 2 - eps / mu)


def _scaled(half: sp.Expr = HALF) -> Sides:
    def erfcx(v: sp.Expr) -> sp.Expr:
        return sp.exp(v**2) * sp.erfc(v)

    t = eps / mu - mu / 2
    stable = half * sp.exp(-(t**2) / 2) * (erfcx(t / sp.sqrt(2)) - erfcx((t + mu) / sp.sqrt(2)))
    return stable, _delta()


def _convolution(total: sp.Expr) -> Sides:
    # the density of the loss N(v/2, v) for v = m^2, convolved with that for v = r^2
    def exponent(level: sp.Expr, variance: sp.Expr) -> sp.Expr:
        return -((level - variance / 2) ** 2) / (2 * variance)

    inside = sp.exp(sp.expand(exponent(x, m**2) + exponent(s - x, rest**2)))
    integral = sp.Integral(inside, (x, -sp.oo, sp.oo))
    return integral / (2 * sp.pi * m * rest), sp.exp(exponent(s, total)) / sp.sqrt(2 * sp.pi * total)


@as_written
def _response_at_zero(factor: sp.Expr | int = 1) -> Sides:
    # RR keeps its bit with probability 1 - w, w = Phi(-mu/2); its hockey-stick at order g is 1 - w - g w
    return _delta(at=sp.Integer(0)), 1 - 2 * factor * _cdf(-mu / 2)


def _response_slope(factor: sp.Expr | int = 1) -> Sides:
    slope = sp.diff(_delta(at=sp.log(ratio)), ratio)
    with sp.evaluate(False):
        return slope.subs(ratio, 1), -factor * _cdf(-mu / 2)


def _value(centre: int) -> str:
    """Formula, positive if delta_1(1) rounds to centre / 10^12."""
    return f"(1/(2*10**12))**2 - (tail(1/2) - exp(1)*tail(3/2) - {centre}/10**12)**2"


_INSIDE = {"m": "1/2", "r": "2/3", "s": "1/5"}

_DELTA = Formula("tail(epsilon/mu - mu/2) - exp(epsilon)*tail(epsilon/mu + mu/2)", mu=("1/2", "3"))

THEOREM = Theorem(
    name="Gaussian hockey-stick",
    title="Hockey-stick divergence of two Gaussians",
    source="Koskela, Tobaben & Honkela, equations (2.2) and (2.3)",
    hypotheses="mu = Delta / sigma > 0, every real epsilon; P = N(x0, sigma^2), Q = N(x1, sigma^2)",
    claim="The loss is N(mu^2/2, mu^2) under P, and the hockey-stick divergence is (2.3) in both directions",
    stated=(r"\delta_\mu(\varepsilon) = ", _DELTA, r",\quad \overline{\Phi} = 1 - \Phi"),
    steps=(
        Step(
            "The loss at x0 + sigma z is mu^2/2 + mu z with mu = (x0 - x1)/sigma, so it is N(mu^2/2, mu^2).",
            zero(_loss),
            {"mean mu^2 instead of mu^2/2": zero(lambda: _loss(sp.Integer(1)))},
            r"L = \frac{(x_0-x_1)^2}{2\sigma^2} + \frac{x_0-x_1}{\sigma} z",
        ),
        Step(
            "The loss of the other direction at x1 + sigma z is mu^2/2 - mu z; z and -z have one law, so it is "
            "N(mu^2/2, mu^2) too.",
            zero(_turned),
            {"plus mu z": zero(lambda: _turned(1))},
            r"\log\frac{q}{p}(x_1+\sigma z) = \frac{(x_0-x_1)^2}{2\sigma^2} - \frac{x_0-x_1}{\sigma} z",
        ),
        Step(
            "The loss reaches epsilon at z = epsilon/mu - mu/2.",
            zero(_crossing),
            {"plus mu/2": zero(lambda: _crossing(-HALF))},
            r"\frac{\mu^2}{2} + \mu z = \varepsilon \iff z = \frac\varepsilon\mu - \frac\mu2",
        ),
        Step(
            "Completing the square: e^(epsilon - L) phi(z) = e^epsilon phi(z + mu).",
            zero(_square),
            {"wrong sign": zero(lambda: _square(-1))},
            r"e^{\varepsilon - \mu^2/2 - \mu z}\varphi(z) = e^\varepsilon\varphi(z+\mu)",
        ),
        Step(
            "The standard normal tail from r is Phi(-r).",
            zero(_tail),
            {"wrong sign": zero(lambda: _tail(-1))},
            r"\int_r^\infty \varphi(z)\,dz = \Phi(-r)",
        ),
        Step(
            "Integrating (1 - e^(epsilon - L))_+ over z gives (2.3).",
            zero(_from_integral),
            {"mu/2 off by 1 %": zero(lambda: _from_integral(HALF * sp.Rational(101, 100)))},
            r"\int_{\varepsilon/\mu-\mu/2}^\infty \left(\varphi(z) - e^\varepsilon\varphi(z+\mu)\right)dz"
            r" = \delta_\mu(\varepsilon)",
        ),
        Step(
            "The derivative in mu is phi(epsilon/mu - mu/2), above 0: delta grows strictly with mu.",
            zero(_in_mu),
            {"1 % more": zero(lambda: _in_mu(sp.Rational(101, 100)))},
            r"\frac{\partial\delta}{\partial\mu} = \varphi\left(\frac\varepsilon\mu - \frac\mu2\right)",
        ),
        Step(
            "The derivative in epsilon is -e^epsilon Phi(-mu/2 - epsilon/mu).",
            zero(_in_epsilon),
            {"wrong sign": zero(lambda: _in_epsilon(1))},
            r"\frac{\partial\delta}{\partial\varepsilon} = -e^\varepsilon\,"
            r"\Phi\left(-\frac\mu2 - \frac\varepsilon\mu\right)",
        ),
        Step(
            "The form in the scaled erfc, free of cancellation, is the same function.",
            zero(_scaled),
            {"without the half": zero(lambda: _scaled(sp.Integer(1)))},
            r"\delta_\mu(\varepsilon) = \tfrac12 e^{-t^2/2}\left(\mathrm{erfcx}\tfrac{t}{\sqrt2}"
            r" - \mathrm{erfcx}\tfrac{t+\mu}{\sqrt2}\right),\quad t = \frac\varepsilon\mu - \frac\mu2",
        ),
        *beside("gdp_delta_turned"),
        Step(
            "Losses add: the law of Gaussian(m)'s loss convolved with that of Gaussian(r) is that of "
            "Gaussian(sqrt(m^2 + r^2)).",
            zero(lambda: _convolution(m**2 + rest**2), at=_INSIDE),
            {"mu adds instead of its square": zero(lambda: _convolution((m + rest) ** 2), at=_INSIDE)},
            r"\mathbb{E}\,\delta_r(\varepsilon - L_m) = \delta_{\sqrt{m^2+r^2}}(\varepsilon)",
        ),
        Step(
            "Randomised response with Q-weight w = Phi(-mu/2) touches the Gaussian at order 1.",
            zero(_response_at_zero),
            {"1 % more": zero(lambda: _response_at_zero(sp.Rational(101, 100)))},
            r"\delta_\mu(0) = 1 - 2\Phi(-\mu/2)",
        ),
        Step(
            "And is tangent to it there; delta is convex in the order, so this response is exactly mu-GDP.",
            zero(_response_slope),
            {"1 % steeper": zero(lambda: _response_slope(sp.Rational(101, 100)))},
            r"\left.\frac{d}{dg}\delta_\mu(\log g)\right|_{g=1} = -\Phi(-\mu/2)",
        ),
        Step(
            "At mu = epsilon = 1 it is 0.126936737507 to the last digit.",
            certified(_value(126936737507), precision=128),
            {
                "one unit in the last digit": certified(_value(126936737508), precision=128),
                "1 % more": certified(_value(128206104882), precision=128),
            },
            r"\delta_1(1) = 0.126936737507\ldots",
        ),
    ),
)
