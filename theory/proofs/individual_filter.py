"""A filter for each person: paper 000, Theorem 4.5, Corollary 4.11, Algorithm 7; paper 003, Theorem 12, Remark C.3."""

from __future__ import annotations

import sympy as sp

from theory.claims.notations import Formula
from theory.claims.table import in_kernel
from theory.claims.theorem import Step, Theorem
from theory.proofs.expressions import as_written
from theory.proofs.symbolic import Sides, signed, zero

__all__ = ["THEOREM"]

alpha, norm, sigma, clip, m, first, second, rest = sp.symbols("alpha B sigma C m a b d", positive=True)
least, over, counts = sp.symbols("a over v", nonnegative=True)
x, others, shift, z, power = sp.symbols("x y h z theta", real=True)


@as_written
def _smaller_squared(low: sp.Expr, high: sp.Expr) -> sp.Expr:
    return ((low + high - sp.Abs(low - high)) / 2) ** 2


@as_written
def _above_smaller() -> sp.Expr:
    return (least + over) ** 2 - _smaller_squared(least + over, least)


@as_written
def _left(counted_norm: sp.Expr, most: sp.Expr) -> sp.Expr:
    # what is left of B_norm is most^2, and a person of this norm takes its square of it
    return most**2 - counted_norm**2


@as_written
def _shifted(noise: sp.Expr) -> Sides:
    # alpha log p + (1 - alpha) log q of N(y + h, noise^2) and N(y, noise^2), the other people's sum being y
    p, q = -((x - others - shift) ** 2) / (2 * noise**2), -((x - others) ** 2) / (2 * noise**2)
    centred = -((x - others - alpha * shift) ** 2) / (2 * noise**2)
    return alpha * p + (1 - alpha) * q, centred + (alpha - 1) * alpha * shift**2 / (2 * sigma**2 * clip**2)


@as_written
def _lipschitz() -> sp.Expr:
    # an analysis that moves by h, at most the person's norm v times the constant: v K = h + over
    charge = alpha * (least + over) ** 2 / (2 * sigma**2)
    return charge - alpha * least**2 / (2 * sigma**2)


def _gaussian_loss(mu: sp.Expr) -> sp.Expr:
    return mu**2 / 2 + mu * z


@as_written
def _loss(noise: sp.Expr) -> Sides:
    at = others + shift + noise * z
    return ((at - others) ** 2 - (at - others - shift) ** 2) / (2 * noise**2), _gaussian_loss(
        shift / (sigma * clip)
    )


@as_written
def _promises(mu: sp.Expr) -> Sides:
    # alpha/2 times the square of the GDP parameter, and alpha times the zCDP parameter
    return alpha * mu**2 / 2, alpha * (norm / (2 * sigma**2 * clip**2))


def _of(squares: sp.Expr) -> sp.Expr:
    # E e^(-theta L) for L of the law N(mu^2/2, mu^2)
    return sp.exp(sp.expand(power * (power - 1) / 2 * squares))


def _first(low: sp.Expr, high: sp.Expr) -> sp.Expr:
    """The part of E_P e^(-theta L), L the loss m^2/2 + m z of Gaussian(m), that has its z from low to high."""
    rest_of_loss = sp.expand(_gaussian_loss(m) - m**2 / 2)
    density = sp.exp(-(z**2) / 2 - power * rest_of_loss) / sp.sqrt(2 * sp.pi)
    return sp.exp(-power * m**2 / 2) * sp.Integral(density, (z, low, high))


def _below_zero(sign: int = 1) -> Sides:
    at = sign * power * m / sp.sqrt(2)
    return _first(-sp.oo, sp.Integer(0)), _of(m**2) * (1 + sp.erf(at)) / 2


def _used_up(last: sp.Expr) -> Sides:
    """E_P e^(-theta L) of three Gaussians, m and then a, d or b, `last` by the sign of the first output's noise z."""
    below, above = _first(-sp.oo, sp.Integer(0)), _first(sp.Integer(0), sp.oo)
    afterwards = below * _of(first**2 + rest**2) + above * _of(second**2 + last**2)
    return afterwards, _of(m**2 + first**2 + rest**2)


@as_written
def _one_more(left: sp.Expr) -> Sides:
    # a round m, then what is left, against R = m + d
    def mean(squares: sp.Expr) -> sp.Expr:
        return sp.exp(power * (power - 1) / 2 * squares)

    return mean(m**2) * mean(left), mean((m + rest) ** 2)


_AT = {"a": "1/2", "b": "1/3", "d": "2/5", "m": "3/4", "theta": "5/3"}

_MU = Formula("sqrt(n)/(sigma*C)", n=("1/8", "4"), sigma=("1/2", "4"), C=("1/4", "3"))

THEOREM = Theorem(
    name="individual filter",
    title="Individual filters: a filter for each person",
    source="Feldman & Zrnic, Example 2.8, Theorem 4.5, Corollary 4.11, Proposition 5.2; Koskela, "
    "Tobaben & Honkela, Theorem 12, Remark C.3",
    hypotheses="every order alpha >= 1 (for GDP every real epsilon); a Rényi, zCDP or Gaussian filter for each person; "
    "finitely many rounds, each mechanism chosen by the outputs so far and applied to those whose own filter admits, "
    "before the release, a pair that dominates it both ways for removing that person from each data set that holds "
    "the person (Definition 2.5); the others are not charged. Clipping: sigma, C, B_norm > 0, once a round Gaussian "
    "noise of standard deviation sigma C per coordinate on the sum of vectors clipped to min(C, sqrt(B_norm - s)), s "
    "the person's squared norms so far. Trackers: charges of at most Delta by Definition 2.5 or 2.6, nobody sits out, "
    "so that two data sets that differ in the person are one pair of neighbours to the theorem on trackers",
    claim="For adding or removing one person the transcript satisfies what the filter promises for one analysis: "
    "(alpha, B)-RDP, zCDP or B-GDP. With clipping it is B_norm/(2 sigma^2 C^2)-zCDP and sqrt(B_norm)/(sigma C)-GDP, "
    "and exactly this Gaussian where the person's squared norms add to B_norm on each path. The transcript up to the "
    "m-th restart of the tracker, of filters of size Delta, of a person who is never left out is (alpha, m Delta)-RDP "
    "for that person",
    stated=(
        r"D_\alpha(T\|T^{-i}) \le B,\qquad \sum_t\|v_t\|^2 \le n \implies H_{e^\varepsilon} \le "
        r"\delta_\mu(\varepsilon),\quad \mu = ",
        _MU,
        r",\ n = B_{\mathrm{norm}}",
    ),
    uses=("RDP filter", "GDP filter", "Rényi divergences", "Gaussian hockey-stick", "trackers"),
    steps=(
        *in_kernel(
            "individual_filter",
            "individual_renyi_filter",
            "individual_zcdp_filter",
            "individual_gaussian_filter",
            "individual_tracker",
        ),
        Step(
            "Clipping: the square of the smaller of C and the root of what is left is that of the smaller, a ...",
            zero(lambda: (_smaller_squared(least + over, least), least**2)),
            {"the larger": zero(lambda: (_smaller_squared(least + over, least), (least + over) ** 2))},
            r"\min(a, a+o)^2 = a^2",
        ),
        Step(
            "... and at most that of the larger: it exceeds neither C^2 nor what is left.",
            *signed(_above_smaller, lambda: (over * (2 * least + over),), wrong="wrong sign"),
            r"(a+o)^2 - \min(a, a+o)^2 = o(2a+o) \ge 0",
        ),
        Step(
            "A person whose norm v is at most the root of what is left, v + over, leaves no less than nothing; so "
            "by induction on the rounds the squares of each person add to at most B_norm.",
            *signed(
                lambda: _left(counts, counts + over),
                lambda: (over * (2 * counts + over),),
                wrong="clipped to C, where that is the larger",
            ),
            r"(v+o)^2 - v^2 = o(2v+o) \ge 0",
        ),
        Step(
            "Noise sigma C on the sum y of the others, whatever y is: per coordinate h of the person's vector the log "
            "of p^alpha q^(1-alpha) is that of a normal density plus (alpha-1) alpha h^2/(2 sigma^2 C^2); over "
            "the coordinates h^2 adds to the squared norm.",
            zero(lambda: _shifted(sigma * clip)),
            {"sigma, without C (as the proof of Proposition 5.2 has it)": zero(lambda: _shifted(sigma))},
            r"D_\alpha = \frac{\alpha\|v\|^2}{2\sigma^2C^2}",
        ),
        Step(
            "The loss per coordinate at y + h + sigma C z is mu^2/2 + mu z with mu = h/(sigma C), whatever y is: over "
            "the coordinates the pair is Gaussian(|v|/(sigma C)) on each data set that holds the person.",
            zero(lambda: _loss(sigma * clip)),
            {"sigma, without C": zero(lambda: _loss(sigma))},
            r"L = \frac{\mu^2}{2} + \mu z,\quad \mu = \frac{h}{\sigma C}",
        ),
        Step(
            "The same noise on an analysis of all vectors: where it moves by h <= K |v|, as it does if it is "
            "K-Lipschitz in this person's vector and a removed one is the origin, alpha K^2 |v|^2/(2 sigma^2) is "
            "enough (Example 2.8), and so is Gaussian(K |v|/sigma).",
            *signed(
                _lipschitz,
                lambda: (alpha * over * (2 * least + over) / (2 * sigma**2),),
                wrong="less than the move",
            ),
            r"\frac{\alpha K^2\|v\|^2}{2\sigma^2} \ge \frac{\alpha h^2}{2\sigma^2},\quad K\|v\| = h + o",
        ),
        Step(
            "So a filter of squares admits each clipped round: at B_norm the GDP parameter sqrt(B_norm)/(sigma C) "
            "is the zCDP parameter B_norm/(2 sigma^2 C^2).",
            zero(lambda: _promises(sp.sqrt(norm) / (sigma * clip))),
            {"sqrt(B_norm)/sigma": zero(lambda: _promises(sp.sqrt(norm) / sigma))},
            r"\frac{\mu^2}{2} = \frac{B_{\mathrm{norm}}}{2\sigma^2C^2},"
            r"\quad \mu = \frac{\sqrt{B_{\mathrm{norm}}}}{\sigma C}",
        ),
        Step(
            "Tightness, the first of three rounds, Gaussian(m) of loss m^2/2 + m z: where the noise z is below 0, the "
            "mean of e^(-theta L) is that of all z times Phi(theta m).",
            zero(_below_zero, at=_AT),
            {"the other half": zero(lambda: _below_zero(-1), at=_AT)},
            r"\mathbb{E}_P\,e^{-\theta L}1_{z<0} = e^{\theta(\theta-1)m^2/2}\,\Phi(\theta m)",
        ),
        Step(
            "Tightness, three rounds: Gaussian(m), then Gaussian(a) or Gaussian(b) by the sign of its noise, then "
            "what uses up B^2. The mean of e^(-theta L) is that of one Gaussian(B), for every real theta.",
            zero(lambda: _used_up(sp.sqrt(first**2 + rest**2 - second**2)), at=_AT),
            {
                "mu adds up to B instead of its square (as Remark C.3 is printed)": zero(
                    lambda: _used_up(first + rest - second), at=_AT
                )
            },
            r"\mathbb{E}_P e^{-\theta L} = e^{\theta(\theta-1)B^2/2},\quad"
            r" B^2 = m^2 + a^2 + d^2 = m^2 + b^2 + (a^2 + d^2 - b^2)",
        ),
        Step(
            "For more rounds, from the last one back: where mu_t^2 adds to B^2 on each path, the loss still to come "
            "has, given the outputs, the law of one Gaussian of square R^2, with R^2 what is left: a round m and then "
            "R^2 - m^2 have the means of R^2. So L has the law of Gaussian(B)'s in both directions, and with it its "
            "hockey-sticks.",
            zero(lambda: _one_more((m + rest) ** 2 - m**2)),
            {"R - m instead of the squares": zero(lambda: _one_more(rest**2))},
            r"e^{\theta(\theta-1)m^2/2}\,e^{\theta(\theta-1)(R^2-m^2)/2} = e^{\theta(\theta-1)R^2/2},\quad R = m + d",
        ),
    ),
)
