"""The stopping level kappa of the realisation-level filter: Taylor, Vippathalla & Coon (2025), Proposition 1."""

from __future__ import annotations

import sympy as sp

from filterproof.theory.proofs.ball_engine import certified_positive_check, rounding_check_and_control
from filterproof.theory.proofs.symbolic import Sides, identity_check_and_control, sign_check_and_controls
from filterproof.theory.theorems.formula import Formula
from filterproof.theory.theorems.theorem import ProofStep, Theorem, kernel_steps

# d is delta-hat; z is the standardised loss; the sensitivity is 1.
sigma, n, d, theta = sp.symbols("sigma N d theta", positive=True)
eps, loss, last, z, delta, multiplier = sp.symbols("epsilon loss last z delta lambda", real=True)

#: The loss of one round is N(_MEAN, 1/sigma^2).
_MEAN = 1 / (2 * sigma**2)
_KAPPA = (
    eps - 1 / sigma**2 - (sp.sqrt(2) * sp.erfinv(1 - 2 * d) + sp.sqrt(2) * sp.erfinv(1 - 2 * theta)) / sigma
)
#: Points with d, theta and delta below 1/2.
_POINT = {"epsilon": "1", "sigma": "2", "d": "1/5", "theta": "1/7", "N": "3", "delta": "1/3", "loss": "1/3"}


def _normal_isf(p: sp.Expr) -> sp.Expr:
    return sp.sqrt(2) * sp.erfinv(1 - 2 * p)


def _density(at: sp.Expr) -> sp.Expr:
    return sp.exp(-(at**2) / 2) / sp.sqrt(2 * sp.pi)


def _tail(at: sp.Expr) -> sp.Expr:
    return sp.erfc(at / sp.sqrt(2)) / 2


def _loss_exceedance_probability(level: sp.Expr) -> sp.Expr:
    """Return the probability that the loss of a round exceeds the level."""
    return _tail(sigma * (level - _MEAN))


def _solved(equation: sp.Expr, unknown: sp.Symbol) -> sp.Expr:
    """Return the only solution of equation = 0."""
    (solution,) = sp.solve(equation, unknown)
    return solution


def _largest_last_loss() -> sp.Expr:
    """Return the loss of the last output at which the next loss exceeds what is left with probability d."""
    return _solved(sigma * (eps - loss - last - _MEAN) - _normal_isf(d), last)


def _largest_loss_before_last() -> sp.Expr:
    """Return the loss before the last output at which the latter exceeds its limit with probability theta."""
    return _solved(sigma * (_largest_last_loss() - _MEAN) - _normal_isf(theta), loss)


def _theta_for_rest_of_delta() -> sp.Expr:
    return _solved(1 - (1 - d) * (1 - n * theta) - delta, theta)


def _tail_integral_sides() -> Sides:
    density = sigma * _density(sigma * (z - _MEAN))
    return sp.Integral(density, (z, last, sp.oo)), _loss_exceedance_probability(last)


def _lagrange_sides() -> Sides:
    """Return dL/dd at the multiplier that dL/dtheta = 0 gives, and its form in the two densities."""
    lagrangian = _normal_isf(d) + _normal_isf(theta) + multiplier * (d + theta * (1 - d) * n - delta)
    price = _solved(sp.diff(lagrangian, theta), multiplier)
    form = (1 - n * theta) / (n * (1 - d) * _density(_normal_isf(theta))) - 1 / _density(_normal_isf(d))
    return sp.diff(lagrangian, d).subs(multiplier, price), form


def _isf_sum_slope_sides() -> Sides:
    """Return the derivative in d of z_d + z_theta on the constraint, and the form in the two densities."""
    spends = _theta_for_rest_of_delta()
    along_theta = (1 - delta) / (n * (1 - d) ** 2 * _density(_normal_isf(spends)))
    return sp.diff(_normal_isf(d) + _normal_isf(spends), d), along_theta - 1 / _density(_normal_isf(d))


def _theta_curvature_sides() -> Sides:
    gap = sp.Symbol("gap", positive=True)  # 1 - delta
    return sp.diff(_theta_for_rest_of_delta().subs(delta, 1 - gap), d, 2), -2 * gap / (n * (1 - d) ** 3)


def _theta_formula(d_hat: str) -> str:
    """Formula: the theta that spends what d-hat leaves of delta = 1e-5 at N = 48."""
    return f"((1/10**5 - {d_hat})/(48*(1 - {d_hat})))"


def _isf_sum_slope_sign_formula(d_hat: str) -> str:
    """Formula with the sign of the derivative of z_d + z_theta at d-hat, N = 48 and delta = 1e-5."""
    subtrahend = f"48*(1 - {d_hat})**2*exp(-quantile({_theta_formula(d_hat)})**2/2)"
    return f"(1 - 1/10**5)*exp(-quantile({d_hat})**2/2) - {subtrahend}"


#: Rationals on the two sides of the optimal d-hat, 1e-12 apart.
_LEFT, _RIGHT = "(5388960/10**12)", "(5388961/10**12)"
#: The z-sum at the left end, and minus its slope there times the width of the interval.
_Z_SUM = f"(quantile({_LEFT}) + quantile({_theta_formula(_LEFT)}))"
_RISES = f"(1 - 1/10**5)*exp(quantile({_theta_formula(_LEFT)})**2/2)/(48*(1 - {_LEFT})**2)"
_DROP = f"sqrt(2*pi)*(exp(quantile({_LEFT})**2/2) - {_RISES})*({_RIGHT} - {_LEFT})"


_FORMULA = Formula(
    "epsilon - 1/sigma**2 - (quantile(d) + quantile(theta))/sigma",
    rocq="epsilon - 1 / sigma ^ 2 - (zd + zt) / sigma",
    names={"zd": "quantile(d)", "zt": "quantile(theta)"},
)

THEOREM = Theorem(
    name="kappa",
    title="The stopping limit kappa for Gaussian rounds",
    source="Taylor, Vippathalla & Coon, Proposition 1 and Section V-B",
    hypotheses="i.i.d. Gaussian rounds of sensitivity 1 and scale sigma > 0; 0 < d, theta < 1/2, d = delta-hat; "
    "every N >= 1",
    claim="Condition (4), in both directions of one pair of neighbours, is: |loss so far| <= kappa; of all d and theta "
    "that spend at most delta < 1/2, some spend it and meet Lagrange's condition, and these have the greatest kappa",
    statement=(
        r"\kappa = ",
        _FORMULA,
        r",\quad d = \hat\delta,\quad\overline{\Phi}^{-1}(x) = \Phi^{-1}(1-x)",
    ),
    uses=("Gaussian hockey-stick",),
    steps=(
        ProofStep(
            "The loss of a round is N(1/(2 sigma^2), 1/sigma^2), so it exceeds a level v with a normal tail.",
            *identity_check_and_control(_tail_integral_sides),
            r"\Pr(L > v) = \int_v^\infty \sigma\varphi\left(\sigma\left(z-\tfrac1{2\sigma^2}\right)\right)dz = "
            r"\overline\Phi\left(\sigma\left(v-\tfrac1{2\sigma^2}\right)\right)",
        ),
        ProofStep(
            "The inner probability of (4), that the next loss exceeds what is left, grows strictly with the losses so "
            "far: the set of outputs in (4) is the half-line below the loss at which it is d.",
            *sign_check_and_controls(
                lambda: sp.diff(_loss_exceedance_probability(eps - last), last),
                lambda: (sigma * _density(sigma * (eps - last - _MEAN)),),
                strict=True,
            ),
            r"\frac{d}{dy}\Pr(L_{i+1} > \varepsilon - y) = "
            r"\sigma\varphi\left(\sigma\left(\varepsilon-y-\tfrac1{2\sigma^2}\right)\right) > 0",
        ),
        ProofStep(
            "Solved for the loss of output i, the inner probability is d at y = epsilon - l - 1/(2 sigma^2) - "
            "z_d/sigma, with Phi(-z_d) = d.",
            *identity_check_and_control(
                lambda: (_loss_exceedance_probability(eps - loss - last).subs(last, _largest_last_loss()), d),
                at=_POINT,
            ),
            r"\Pr\left(L_{i+1} > \varepsilon - l - y\right) = \hat\delta\quad\text{at}\quad "
            r"y = \varepsilon - l - \tfrac1{2\sigma^2} - \tfrac{z_{\hat\delta}}\sigma",
        ),
        ProofStep(
            "The outer probability of (4), that the loss of output i stays below it, is 1 - theta at l = kappa: "
            "solved for l, this is the printed kappa.",
            *identity_check_and_control(lambda: (_largest_loss_before_last(), _KAPPA), at=_POINT),
            r"\Pr\left(L_i > \varepsilon - l - \tfrac1{2\sigma^2} - \tfrac{z_{\hat\delta}}\sigma\right) = \theta"
            r"\quad\text{at}\quad l = \varepsilon - \tfrac1{\sigma^2} - \tfrac{z_{\hat\delta}+z_\theta}\sigma",
        ),
        *kernel_steps("stopping_level"),
        ProofStep(
            "The failure probability 1 - (1 - d)(1 - N theta) is d + theta (1 - d) N.",
            *identity_check_and_control(lambda: (1 - (1 - d) * (1 - n * theta), d + n * theta * (1 - d))),
            r"1 - (1-\hat\delta)(1-N\theta) = \hat\delta + \theta(1-\hat\delta)N",
        ),
        ProofStep(
            "Solved for theta, it is delta at theta = (delta - d)/(N (1 - d)).",
            *identity_check_and_control(lambda: (_theta_for_rest_of_delta(), (delta - d) / (n * (1 - d)))),
            r"\theta = \frac{\delta-\hat\delta}{N(1-\hat\delta)}",
        ),
        ProofStep(
            "Lagrange: with the multiplier from theta, the derivative in d of z_d + z_theta + lambda (d + theta (1-d) N"
            " - delta) vanishes where N (1-d) phi(z_theta) = (1 - N theta) phi(z_d).",
            *identity_check_and_control(_lagrange_sides, at=_POINT),
            r"\left.\frac{\partial\mathcal L}{\partial\hat\delta}\right|_{\partial_\theta\mathcal L=0} = "
            r"\frac{1-N\theta}{N(1-\hat\delta)\varphi(z_\theta)} - \frac1{\varphi(z_{\hat\delta})}",
        ),
        ProofStep(
            "On the constraint it is the slope of the z-sum, which is zero where N (1-d)^2 phi(z_theta) = "
            "(1-delta) phi(z_d).",
            *identity_check_and_control(_isf_sum_slope_sides, at=_POINT),
            r"\frac{d}{d\hat\delta}\left(z_{\hat\delta}+z_\theta\right) = "
            r"\frac{1-\delta}{N(1-\hat\delta)^2\varphi(z_\theta)} - \frac1{\varphi(z_{\hat\delta})}",
        ),
        ProofStep(
            "The quantile is convex below probability 1/2, where z > 0: its second derivative is z/phi(z)^2.",
            *identity_check_and_control(
                lambda: (sp.diff(_normal_isf(d), d, 2), _normal_isf(d) / _density(_normal_isf(d)) ** 2),
                at=_POINT,
            ),
            r"\frac{d^2z_p}{dp^2} = \frac{z_p}{\varphi(z_p)^2} > 0",
        ),
        ProofStep(
            "theta is concave in d, and a falling convex function of a concave one is convex: one minimum.",
            *identity_check_and_control(_theta_curvature_sides),
            r"\frac{d^2\theta}{d\hat\delta^2} = -\frac{2(1-\delta)}{N(1-\hat\delta)^3} < 0",
        ),
        *kernel_steps("best_split", "split_exists"),
        ProofStep(
            "At N = 48, delta = 1e-5 the z-sum still falls at d = 5.388960e-6.",
            certified_positive_check(f"0 - ({_isf_sum_slope_sign_formula(_LEFT)})", precision=128),
            {
                "1 % more d": certified_positive_check(
                    f"0 - ({_isf_sum_slope_sign_formula('(5442850/10**12)')})", precision=128
                )
            },
            r"\hat\delta^* > 5.388960\times10^{-6}",
        ),
        ProofStep(
            "And rises at d = 5.388961e-6: the optimum lies between.",
            certified_positive_check(_isf_sum_slope_sign_formula(_RIGHT), precision=128),
            {
                "1 % less d": certified_positive_check(
                    _isf_sum_slope_sign_formula("(5335071/10**12)"), precision=128
                )
            },
            r"\hat\delta^* < 5.388961\times10^{-6}",
        ),
        ProofStep(
            "The z-sum is convex, so its optimum is above the tangent from the left end, which drops by "
            "less than 1e-12 over the bracket: the value at the left end has ten digits of the optimum.",
            certified_positive_check(f"1/10**12 - {_DROP}", precision=128),
            {"less than 1e-15": certified_positive_check(f"1/10**15 - {_DROP}", precision=128)},
            r"\left(z_{\hat\delta}+z_\theta\right)^* \ge z(l) + z'(l)\,(r-l)",
        ),
        ProofStep(
            "At (epsilon, delta) = (10, 1e-5), sigma = 2, N = 48 the best kappa is 4.9461276.",
            *rounding_check_and_control(f"10 - 1/4 - {_Z_SUM}/2", 49461276, 7),
            r"\kappa^* = 4.9461276\ldots",
        ),
    ),
)
