"""Slips in the papers: the printed form is shown false or empty, at one instance or for all parameters of a step.

Each row of `SLIPS` is a slip: where and what it is in words, what is claimed with the printed form and with the
corrected one, and the claim in LaTeX. A claim is a formula that is above zero, or comparisons of rationals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import sympy as sp

from theory.claims.theorem import Check, Reached, RefusedError, Step, Theorem
from theory.evidence import Checked, Evidence
from theory.proofs.engines import Inequality, certified, certified_each, exact
from theory.proofs.kappa import BEST_THETA, not_stationary
from theory.proofs.symbolic import Sides, identity, nonnegative

alpha, sigma = sp.symbols("alpha sigma", positive=True)
#: Two laws of a coin, heads with probability 2/3 and 1/3, as (P, Q) outcome by outcome; and E_Q (P/Q)^2.
COIN = ((Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 3), Fraction(2, 3)))
SECOND_MOMENT = sum(p**2 / q for p, q in COIN)
#: Appendix A of 000: numbers of steps k, and the norm C of a gradient; B_norm is k C^2.
STEPS = ((112, 10), (180, 15), (420, 10))

#: A formula that is above zero, or comparisons of rationals.
Claim: TypeAlias = str | tuple[Inequality, ...]


class Slip(NamedTuple):
    """What is claimed with the printed form, which must be refused, and with the corrected one."""

    statement: str
    printed: Claim
    corrected: Claim
    latex: str

    @property
    def step(self) -> Step:
        """The step that runs both forms."""
        return Step(self.statement, self._check, {"as printed": _check(self.printed)}, self.latex)

    def _check(self) -> Reached:
        reached = _check(self.corrected)()
        try:
            accepted = _check(self.printed)()
        except RefusedError as refusal:
            evidence = Evidence.weakest(reached.evidence, refusal.evidence)
            detail = f"corrected: {reached.detail}; as printed: {refusal}"
            return Reached(reached.engine, evidence, Checked.POINT, detail)
        raise RefusedError(
            "the printed form was accepted", engine=accepted.engine, evidence=accepted.evidence
        )


def _check(claim: Claim) -> Check:
    return certified(claim, precision=128) if isinstance(claim, str) else exact(lambda: claim)


# -- paper 000 ----------------------------------------------------------------------------------------


def _cost(noise: int, steps: int) -> str:
    """The epsilon of so many steps by the paper's own conversion, delta = 1e-5."""
    rho = Fraction(steps, 2 * noise**2)
    return f"({rho} + 2*sqrt({rho}*5*log(10)))"


def _active(counts_skipped: bool) -> Iterator[Inequality]:
    """For squared norms 9/10, 1/2, 1/10 and budget 1: whether Algorithm 3 asks the person, and Corollary 4.7's S_t."""
    left, counted = Fraction(1), Fraction(0)
    for square in (Fraction(9, 10), Fraction(1, 2), Fraction(1, 10)):
        asks, in_s = square <= left, counted + square <= 1
        left -= square if asks else 0
        counted += square if counts_skipped or in_s else 0
        yield int(asks), "=", int(in_s)


# -- paper 003 ----------------------------------------------------------------------------------------


def _removal(laws: Iterable[tuple[Fraction, Fraction]]) -> Iterator[Inequality]:
    """Removal under Poisson subsampling at rate g is ((1-g) X + g Y, P), (P, Q) the coin; `laws` are X and Y."""
    rows = [(x, y, p, q) for (x, y), (p, q) in zip(laws, COIN, strict=True)]
    for rate in (Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1)):
        for order in (Fraction(1), Fraction(6, 5), Fraction(2)):
            # the truth: g times the hockey-stick of (Q, P) at order 1 + (order - 1)/g
            true = sum(max(rate * q - (order - 1 + rate) * p, Fraction(0)) for _, _, p, q in rows)
            stated = sum(max((1 - rate) * x + rate * y - order * p, Fraction(0)) for x, y, p, _ in rows)
            yield stated, "=", true


def _below_gaussian(mean: str, variance: str) -> str:
    """Formula: at epsilon = 1 the event of being more than 1/1000 away from 1 is none beyond Gaussian(1).

    The laws are N(1, 1) and the second Gaussian, its mean and variance.
    """
    low, high = (f"({edge} - {mean})/sqrt({variance})" for edge in ("999/1000", "1001/1000"))
    away = f"(2*tail(1/1000) - exp(1)*(1 - tail({low}) + tail({high})))"
    allowed = "(tail(1/(1) - (1)/2) - exp(1)*tail(1/(1) + (1)/2))"
    return f"{allowed} - {away}"


SLIPS = (
    Slip(
        "000, proof of Theorem 4.9: (alpha, B*)-RDP for all alpha must read (alpha, alpha B*)-RDP; a Gaussian "
        "that is B*-zCDP exceeds the printed bound, at B* = 1/2 and alpha = 3.",
        printed=((Fraction(3, 2), "<=", Fraction(1, 2)),),
        corrected=((Fraction(3, 2), "<=", 3 * Fraction(1, 2)),),
        latex=r"\alpha B^* - B^* = (\alpha-1)B^* > 0",
    ),
    # a squared norm of 5 under the noise sigma C, sigma = 2 and C = 3, costs 5/(2 (2 * 3)^2)
    Slip(
        "000, proof of Proposition 5.2: alpha B_norm/(2 sigma^2) drops the C^2 of the noise sigma C, at sigma = 2 and "
        "C = 3.",
        printed=((Fraction(5, 2 * 2**2), "=", Fraction(5, 2 * (2 * 3) ** 2)),),
        corrected=((Fraction(5, 2 * 2**2 * 3**2), "=", Fraction(5, 2 * (2 * 3) ** 2)),),
        latex=r"\rho = \frac{B_{\mathrm{norm}}}{2\sigma^2C^2}",
    ),
    Slip(
        "000, Appendix A: a person of norm C is filtered out after k steps, not k C^2, for the three parameter "
        "sets printed.",
        printed=tuple((Fraction(k * c**2, c**2), "=", k * c**2) for k, c in STEPS),
        corrected=tuple((Fraction(k * c**2, c**2), "=", k) for k, c in STEPS),
        latex=r"B_{\mathrm{norm}}/C^2 = k",
    ),
    Slip(
        "000, Algorithm 5: round 1 sets O_1 from O_0, which is never set; it must start at Delta, for from 0 it "
        "does not cover the first round.",
        # in units of Delta: two rounds of Delta/2 fill a filter before it restarts
        printed=((Fraction(1, 2), "<=", 0),),
        corrected=tuple((Fraction(rounds, 2), "<=", 1 + (rounds - 1) // 2) for rounds in range(1, 9)),
        latex=r"\sum_{j\le t}\rho_j \le O_t",
    ),
    Slip(
        "000, Theorem 3.1 at alpha = 1: the moment is 1, so the bound read from it is D <= 0, which is false for "
        "a coin of 2/3 and 1/3; the drift argument gives D_1 <= B.",
        printed="0 - (2*log(2)/3 - log(2)/3)",
        corrected="1/3 - (2*log(2)/3 - log(2)/3)",
        latex=r"\mathbb{E}_Q\left(\tfrac{dP}{dQ}\right)^1 = 1,\quad D_1 = \tfrac13\log2 > 0",
    ),
    Slip(
        "000, Algorithms 6 and 7: the noise stands inside the sum over n persons, whose variances add to n "
        "sigma^2 C^2; the B_norm/(2 sigma^2 C^2) of Proposition 5.2 is that of noise added once, at n = 7.",
        printed=((Fraction(5, 2 * 7 * 2**2 * 3**2), "=", Fraction(5, 2 * (2 * 3) ** 2)),),
        corrected=((Fraction(5, 2 * 2**2 * 3**2), "=", Fraction(5, 2 * (2 * 3) ** 2)),),
        latex=r"\sigma^2C^2 \text{ on the sum, not } n\sigma^2C^2",
    ),
    Slip(
        "000, Corollary 4.7: S_t counts queries from which a person was left out; Algorithm 3, whose answers it "
        "describes, does not, at squared norms 9/10, 1/2 and 1/10.",
        printed=tuple(_active(counts_skipped=True)),
        corrected=tuple(_active(counts_skipped=False)),
        latex=r"\|q_t\|^2 = \tfrac9{10}, \tfrac12, \tfrac1{10}:\quad \tfrac9{10}+\tfrac1{10} \le 1",
    ),
    Slip(
        "000, Appendix A: sigma = 170 and k = 112 cost more than epsilon = 0.3 by the paper's own conversion; k = "
        "111 does not.",
        printed=f"3/10 - {_cost(170, 112)}",
        corrected=f"3/10 - {_cost(170, 111)}",
        latex=r"\varepsilon(170, 112) = 0.30066\ldots",
    ),
    Slip(
        "000, Appendix A: sigma = 130 and k = 180 cost more than epsilon = 0.5; k = 179 does not.",
        printed=f"1/2 - {_cost(130, 180)}",
        corrected=f"1/2 - {_cost(130, 179)}",
        latex=r"\varepsilon(130, 180) = 0.50054\ldots",
    ),
    Slip(
        "000, Appendix A: sigma = 100 and k = 420 cost more than epsilon = 1; k = 416 does not.",
        printed=f"1 - {_cost(100, 420)}",
        corrected=f"1 - {_cost(100, 416)}",
        latex=r"\varepsilon(100, 420) = 1.00440\ldots",
    ),
    Slip(
        '000, Appendix A: reports that cost "a few dozen extra steps" are not "less than 1 %" of epsilon = 1: '
        "by the paper's own conversion 24 steps more than 420 cost 2.9 %, while 8 cost less than 1 %.",
        printed=f"1/100 - ({_cost(100, 444)} - {_cost(100, 420)})",
        corrected=f"1/100 - ({_cost(100, 428)} - {_cost(100, 420)})",
        latex=r"\varepsilon(100, 444) - \varepsilon(100, 420) = 0.0289\ldots",
    ),
    Slip(
        "003, Lemma 8: the removal pair must be ((1-g) P + g Q, P); as printed, ((1-g) Q + g P, P) is not even "
        "trivial at g = 0.",
        printed=tuple(_removal(COIN[::-1])),
        corrected=tuple(_removal(COIN)),
        latex=r"H_x\left((1-\gamma)P+\gamma Q\|P\right) = \gamma H_{1+(x-1)/\gamma}(Q\|P)",
    ),
    Slip(
        "003, Section 5, after (5.1): the second Gaussian is N(0, 1), not N(mu, 0), a point that the first never "
        "hits: at mu = 1 and variance 10^-8 already the pair is beyond Gaussian(1).",
        printed=_below_gaussian("1", "(1/10**8)"),
        corrected=_below_gaussian("0", "1"),
        latex=r"\mathcal N(\mu,0) \to \mathcal N(0,1)",
    ),
    Slip(
        "003, Remark C.3: the budget is consumed when the squares of mu add to B^2, not when the mu add to B.",
        printed=(((3 + 4) ** 2, "=", 3**2 + 4**2),),
        corrected=((5**2, "=", 3**2 + 4**2),),
        latex=r"3^2 + 4^2 = 5^2 \ne 7^2",
    ),
    Slip(
        "003, Algorithm 2: the sum runs from index 0, but the first parameter is mu_1: k rounds of mu^2 = B^2/k, "
        "of which the filter admits k, have k + 1 terms in it.",
        printed=tuple((Fraction(k + 1, k), "=", 1) for k in range(1, 9)),
        corrected=tuple((Fraction(k, k), "=", 1) for k in range(1, 9)),
        latex=r"\sum_{\ell=1}^j\mu_\ell^2",
    ),
    Slip(
        "003, Algorithm 2: when all k rounds are within the budget it returns a^(k-1) and loses the last output.",
        printed=tuple((k, "=", k - 1) for k in range(1, 5)),
        corrected=tuple((k, "=", k) for k in range(1, 5)),
        latex=r"a^{(k)}",
    ),
    Slip(
        "003, Appendix A: (alpha, rho)-RDP does not bound Loss at each outcome by e^((alpha-1) rho), only its "
        "conditional mean; and the loss meant is that of round n.",
        printed=tuple(((p / q) ** 2, "<=", SECOND_MOMENT) for p, q in COIN),
        corrected=((sum(q * (p / q) ** 2 for p, q in COIN), "<=", SECOND_MOMENT),),
        latex=r"\mathbb{E}[\mathrm{Loss}_n \mid a^{(n-1)}] \le e^{(\alpha-1)\rho_n}",
    ),
    # y_1, ..., y_(N-1) of an interaction that never halts
    Slip(
        "004, Algorithm 1: with y_0 fixed the loop releases N - 1 real outputs, while the proof sums to N.",
        printed=tuple((most - 1, "=", most) for most in range(1, 6)),
        corrected=tuple((most - 1, "=", most - 1) for most in range(1, 6)),
        latex=r"i = 0, \dots, N-1",
    ),
)


# -- steps of another form -------------------------------------------------------------------------------

# (5.1) "for all epsilon" asks of DP-SGD at any rate what it asks at rate 1: mu >= sqrt(T)/sigma. T rounds at rate q in
# (0, 1) and noise sigma compare the product of q a + (1 - q) b with that of b, a = N(1, sigma^2) and b = N(0, sigma^2).


def _hockey_sticks() -> Sides:
    # order alpha = k + 2; the integral of the right side over u from 0 to x is what is differentiated, at u = x
    x, k, u = sp.symbols("x k u", positive=True)
    integral = (k + 2) * x * u ** (k + 1) - (k + 1) * u ** (k + 2)
    return sp.diff(integral, u), (k + 2) * (k + 1) * u**k * (x - u)


def _one_round(share: sp.Expr) -> Check:
    # if the rounds before have density before + more >= before, one round more keeps the order; q = 1/(1 + r)
    before, more, a, b, r = sp.symbols("before more a b r", positive=True)
    q = 1 / (1 + r)
    mixed = q * a + (1 - q) * b
    kept = share.subs(sp.Symbol("q", positive=True), q)
    return nonnegative(
        lambda: (before + more) * mixed - before * kept * a, lambda: (more * mixed, before * b * r / (1 + r))
    )


def _square() -> Sides:
    x = sp.Symbol("x", real=True)
    density = alpha * (x - 1) ** 2 + (1 - alpha) * x**2
    return -density / (2 * sigma**2), -((x - alpha) ** 2) / (2 * sigma**2) + alpha * (alpha - 1) / (
        2 * sigma**2
    )


def _above(gap: sp.Expr | int) -> Check:
    """The log-moment of T rounds at a large order is above that of Gaussian(mu), mu^2 = T/sigma^2 - gap.

    The order is 2 + 4 T log(1/q)/g, and the rate of sampling e^-rate.
    """
    rounds, rate, g = sp.symbols("T rate g", positive=True)
    order = 2 + 4 * rounds * rate / g
    square = rounds / sigma**2 - gap
    reached = rounds * (order * (order - 1) / (2 * sigma**2) - order * rate)
    return nonnegative(
        lambda: reached - order * (order - 1) * square / 2,
        lambda: (order * rounds * rate, order * g / 2),
        strict=True,
    )


def _printed_splits(factor: str) -> Iterator[str]:
    for exponent in range(7, 11):
        legible, cut_off = "(4797/10**9)", f"(2073/10**{exponent + 3})"
        # only the largest reading of the exponent, and the pair the other way round, are above the condition
        yield not_stationary(legible, cut_off, factor if exponent == 7 else f"(1/{factor})")
        yield not_stationary(cut_off, legible, factor)


#: What fails for all parameters, and a claim with two numbers.
OTHERS = (
    Step(
        '003, (5.1): "for all epsilon" it asks for mu >= sqrt(T)/sigma on T rounds of DP-SGD, whatever the rate q '
        "in (0, 1); the mu of the central limit does not meet it. (5.1) compares hockey-sticks, of which the "
        "moment at order alpha > 2 is an integral with weights above 0: alpha x t^(alpha-1) - (alpha-1) t^alpha, "
        "which is x^alpha at t = x and 0 at t = 0, grows at the rate alpha (alpha-1) t^(alpha-2) (x-t). So (5.1) "
        "compares moments.",
        *identity(_hockey_sticks),
        r"x^\alpha = \int_0^\infty \alpha(\alpha-1)\,t^{\alpha-2}(x-t)_+\,dt",
    ),
    Step(
        "The same: the density of T rounds is at least q^T times that of T Gaussians, by induction on the rounds, "
        "and so their moment is at least q^(T alpha) times theirs.",
        _one_round(sp.Symbol("q", positive=True)),
        {"without q": _one_round(sp.Integer(1))},
        r"\prod_t\left(q a_t + (1-q) b_t\right) \ge q^T\prod_t a_t",
    ),
    Step(
        "The same: the moment of one Gaussian round is e^(alpha (alpha-1)/(2 sigma^2)), by completing the square.",
        *identity(_square),
        r"\mathbb{E}_Q\left(\tfrac{a}{b}\right)^\alpha = e^{\alpha(\alpha-1)/(2\sigma^2)}",
    ),
    Step(
        "The same: if mu^2 = T/sigma^2 - g with g > 0, then at alpha = 2 + 4 T log(1/q)/g the moment of the T "
        "rounds is above that of Gaussian(mu), and (5.1) fails at some epsilon.",
        _above(sp.Symbol("g", positive=True)),
        {"mu = sqrt(T)/sigma": _above(0)},
        r"T\left(\tfrac{\alpha(\alpha-1)}{2\sigma^2} - \alpha\log\tfrac1q\right) > "
        r"\tfrac{\alpha(\alpha-1)}2\mu^2",
    ),
    Step(
        "004, Section V-B: the printed (delta-hat, theta) at N = 48 is optimal for no delta. Its numbers are "
        "4.797e-6 and 2.073 times a power of ten that our text does not show: with each exponent from -7 to -10, "
        "in either order, it misses the first-order condition, in which delta does not stand, by a factor over 2.",
        certified_each(lambda: _printed_splits("2")),
        {
            "by a factor over 3": certified_each(lambda: _printed_splits("3")),
            "the optimal split": certified(not_stationary("(5388961/10**12)", BEST_THETA, "2")),
        },
        r"N\varphi(z_\theta)(1-\hat\delta) \ne (1-N\theta)\varphi(z_{\hat\delta})",
    ),
)

THEOREM = Theorem(
    name="slips",
    title="Slips in the papers",
    source="papers 000, 003, 004",
    hypotheses="the printed statements named in the steps, each at the instance that its check states; (5.1) of 003 "
    "for all numbers of rounds, sigma > 0 and 0 < q < 1",
    claim="Each printed form is false or empty at its instance, where the corrected form is true; (5.1) of 003 for "
    "all epsilon fails on DP-SGD wherever mu < sqrt(T)/sigma",
    steps=(*(one.step for one in SLIPS), *OTHERS),
)
