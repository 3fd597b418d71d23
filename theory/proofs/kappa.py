"""The stopping level kappa of the realisation-level filter: Taylor, Vippathalla & Coon (2025), Proposition 1."""

from __future__ import annotations

import sympy as sp

from filterproof.theory.proofs.engines import certified_check, rounded_check
from filterproof.theory.proofs.symbolic import Sides, as_written, identity_check, sign_checks
from filterproof.theory.theorems.formula import Formula
from filterproof.theory.theorems.theorem import ProofStep, Theorem

# d is delta-hat, z_d and z_theta the upper quantiles of d and theta; the sensitivity is 1.
sigma, n, d, theta, g = sp.symbols("sigma N d theta g", positive=True)
eps, loss, z_d, z_theta, delta = sp.symbols("epsilon loss z_d z_theta delta", real=True)


def _standard(level: sp.Expr) -> sp.Expr:
    """Return a level of the loss, which is N(1/(2 sigma^2), 1/sigma^2), in standard normal units."""
    return sigma * (level - 1 / (2 * sigma**2))


#: The loss so far at which the next loss exceeds the remaining epsilon with probability d; and kappa.
_INNER_LIMIT = eps - 1 / (2 * sigma**2) - z_d / sigma
_KAPPA = eps - 1 / sigma**2 - (z_d + z_theta) / sigma
#: The spent delta: theta as a function of d.
_THETA = (delta - d) / (n * (1 - d))


@as_written
def _inner() -> Sides:
    return _standard(eps - (eps - 1 / (2 * sigma**2) - z_d / sigma)), z_d


@as_written
def _spent() -> Sides:
    return d + (delta - d) / (n * (1 - d)) * (1 - d) * n, delta


def _quantile(p: sp.Expr) -> sp.Expr:
    return sp.sqrt(2) * sp.erfinv(1 - 2 * p)


def _density(z: sp.Expr) -> sp.Expr:
    return sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)


def _slope() -> Sides:
    """Return the derivative in d of z_d + z_theta on the constraint, and the form in the two densities."""
    along_theta = (1 - delta) / (n * (1 - d) ** 2 * _density(_quantile(_THETA)))
    return sp.diff(_quantile(d) + _quantile(_THETA), d), along_theta - 1 / _density(_quantile(d))


def _curvature() -> Sides:
    # g is the quantile itself, z(p) = g; dz/dp = -1/phi(z), so z'' = z/phi(z)^2
    slope_of_density = sp.diff(1 / _density(g), g)
    with sp.evaluate(False):
        return -slope_of_density * (-1 / _density(g)), g / _density(g) ** 2


def _theta_bends() -> Sides:
    gap = sp.Symbol("gap", positive=True)  # 1 - delta
    return sp.diff(_THETA.subs(delta, 1 - gap), d, 2), -2 * gap / (n * (1 - d) ** 3)


def _theta_at(d_hat: str) -> str:
    """Formula: the theta that spends what d-hat leaves of delta = 1e-5 at N = 48."""
    return f"((1/10**5 - {d_hat})/(48*(1 - {d_hat})))"


def _slope_sign(d_hat: str) -> str:
    """Formula with the sign of the derivative of z_d + z_theta at d-hat, N = 48 and delta = 1e-5."""
    below = f"48*(1 - {d_hat})**2*exp(-quantile({_theta_at(d_hat)})**2/2)"
    return f"(1 - 1/10**5)*exp(-quantile({d_hat})**2/2) - {below}"


#: Rationals on the two sides of the optimal d-hat, 1e-12 apart.
_LEFT, _RIGHT = "(5388960/10**12)", "(5388961/10**12)"
#: The z-sum at the left end, and minus its slope there times the width of the interval.
_Z_SUM = f"(quantile({_LEFT}) + quantile({_theta_at(_LEFT)}))"
_RISES = f"(1 - 1/10**5)*exp(quantile({_theta_at(_LEFT)})**2/2)/(48*(1 - {_LEFT})**2)"
_DROP = f"sqrt(2*pi)*(exp(quantile({_LEFT})**2/2) - {_RISES})*({_RIGHT} - {_LEFT})"


_FORMULA = Formula("epsilon - 1/sigma**2 - (quantile(d) + quantile(theta))/sigma")

THEOREM = Theorem(
    name="kappa",
    title="The stopping limit kappa for Gaussian rounds",
    source="Taylor, Vippathalla & Coon, Proposition 1 and Section V-B",
    hypotheses="i.i.d. Gaussian rounds of sensitivity 1 and scale sigma > 0; 0 < d, theta < 1/2; "
    "figures at (epsilon, delta) = (10, 1e-5), sigma = 2, N = 48, d = delta-hat",
    claim="Condition (4), in both directions of one pair of neighbours, is: |loss so far| <= kappa; every N: "
    "theta = (delta - d)/(N (1 - d)) spends delta exactly and the best d is unique; at N = 48 and the figures it is "
    "certified",
    statement=(
        r"\kappa = ",
        _FORMULA,
        r",\quad d = \hat\delta,\quad\overline{\Phi}^{-1}(x) = \Phi^{-1}(1-x)",
    ),
    uses=("Gaussian hockey-stick",),
    steps=(
        ProofStep(
            "The next loss exceeds what is left with probability d exactly when the loss so far is at "
            "epsilon - 1/(2 sigma^2) - z_d/sigma.",
            *identity_check(_inner),
            r"\sigma\left(\varepsilon - l^{(i)} - \tfrac1{2\sigma^2}\right) = z_{\hat\delta}",
        ),
        ProofStep(
            "The loss of the round in between keeps under that limit with probability 1 - theta exactly when "
            "the loss before it is at kappa.",
            *identity_check(lambda: (_standard(_INNER_LIMIT - loss).subs(loss, _KAPPA), z_theta)),
            r"\sigma\left(\varepsilon - \tfrac1{2\sigma^2} - \tfrac{z_{\hat\delta}}{\sigma} - \kappa"
            r" - \tfrac1{2\sigma^2}\right) = z_\theta",
        ),
        ProofStep(
            "Both conditions tighten as the loss grows, at the rate sigma: they read, loss so far <= kappa.",
            *sign_checks(lambda: -sp.diff(_standard(eps - loss), loss), lambda: (sigma,), strict=True),
            r"\frac{d}{dl}\,\sigma\left(\varepsilon - l - \tfrac1{2\sigma^2}\right) = -\sigma < 0",
        ),
        ProofStep(
            "The loss of the other direction is the negative and has the same law: its condition ends at -kappa, so "
            "both together read |loss so far| <= kappa.",
            *identity_check(lambda: (_standard(_INNER_LIMIT - (-loss)).subs(loss, -_KAPPA), z_theta)),
            r"l(x',x) = -l(x,x'):\quad -l \le \kappa",
        ),
        ProofStep(
            "The failure probability 1 - (1 - d)(1 - N theta) is d + theta (1 - d) N.",
            *identity_check(lambda: (1 - (1 - d) * (1 - n * theta), d + n * theta * (1 - d))),
            r"1 - (1-\hat\delta)(1-N\theta) = \hat\delta + \theta(1-\hat\delta)N",
        ),
        ProofStep(
            "theta = (delta - d)/(N (1 - d)) spends delta exactly.",
            *identity_check(_spent),
            r"\theta = \frac{\delta-\hat\delta}{N(1-\hat\delta)}",
        ),
        ProofStep(
            "First order: the z-sum is stationary where N (1-d)^2 phi(z_theta) = (1-delta) phi(z_d).",
            *identity_check(_slope, at={"d": "1/4", "delta": "1/3", "N": "3"}),  # d < delta and theta < 1/2
            r"\frac{d}{d\hat\delta}\left(z_{\hat\delta}+z_\theta\right) = "
            r"\frac{1-\delta}{N(1-\hat\delta)^2\varphi(z_\theta)} - \frac1{\varphi(z_{\hat\delta})}",
        ),
        ProofStep(
            "The quantile is convex below probability 1/2, where z > 0: its second derivative is z/phi(z)^2.",
            *identity_check(_curvature),
            r"\frac{d^2z_p}{dp^2} = \frac{z_p}{\varphi(z_p)^2} > 0",
        ),
        ProofStep(
            "theta is concave in d, and a falling convex function of a concave one is convex: one minimum.",
            *identity_check(_theta_bends),
            r"\frac{d^2\theta}{d\hat\delta^2} = -\frac{2(1-\delta)}{N(1-\hat\delta)^3} < 0",
        ),
        ProofStep(
            "At N = 48, delta = 1e-5 the z-sum still falls at d = 5.388960e-6.",
            certified_check(f"0 - ({_slope_sign(_LEFT)})", precision=128),
            {"1 % more d": certified_check(f"0 - ({_slope_sign('(5442850/10**12)')})", precision=128)},
            r"\hat\delta^* > 5.388960\times10^{-6}",
        ),
        ProofStep(
            "And rises at d = 5.388961e-6: the optimum lies between.",
            certified_check(_slope_sign(_RIGHT), precision=128),
            {"1 % less d": certified_check(_slope_sign("(5335071/10**12)"), precision=128)},
            r"\hat\delta^* < 5.388961\times10^{-6}",
        ),
        ProofStep(
            "The z-sum is convex, so its optimum is above the tangent from the left end, which drops by "
            "less than 1e-12 over the bracket: the value at the left end has ten digits of the optimum.",
            certified_check(f"1/10**12 - {_DROP}", precision=128),
            {"less than 1e-15": certified_check(f"1/10**15 - {_DROP}", precision=128)},
            r"\left(z_{\hat\delta}+z_\theta\right)^* \ge z(l) + z'(l)\,(r-l)",
        ),
        ProofStep(
            "At (epsilon, delta) = (10, 1e-5), sigma = 2, N = 48 the best kappa is 4.9461276.",
            *rounded_check(f"10 - 1/4 - {_Z_SUM}/2", 49461276, 7),
            r"\kappa^* = 4.9461276\ldots",
        ),
    ),
)
