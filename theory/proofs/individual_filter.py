"""A filter for each person: paper 000, Theorem 4.5, Corollary 4.11, Algorithm 7; paper 003, Theorem 12, Remark C.3."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from theory.evidence import Checked
from theory.proofs.engines import Sides, certified_each, exact, in_kernel, nonnegative, zero
from theory.proofs.expressions import as_written
from theory.proofs.notations import Formula
from theory.proofs.people import in_worst, now
from theory.proofs.people_games import (
    alone_rows,
    gaussian_formulas,
    leak_rows,
    moment_rows,
    pair_rows,
    response_formulas,
    same_rows,
    tracker_rows,
    who_rows,
)
from theory.proofs.people_tally import SAID
from theory.proofs.theorem import Step, Theorem

__all__ = ["THEOREM"]

alpha, norm, sigma, clip, m, first, second, rest = sp.symbols("alpha B sigma C m a b d", positive=True)
least, over, counts = sp.symbols("a over v", nonnegative=True)
x, others, shift, z, power = sp.symbols("x y h z theta", real=True)


@as_written
def _smaller_squared(low: sp.Expr, high: sp.Expr) -> sp.Expr:
    return ((low + high - sp.Abs(low - high)) / 2) ** 2


@as_written
def _above_smaller(sign: int = 1) -> sp.Expr:
    return sign * ((least + over) ** 2 - _smaller_squared(least + over, least))


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
    source="Feldman & Zrnic, Theorem 4.5, Corollary 4.11, Proposition 5.2; Koskela, Tobaben & Honkela, Theorem 12, "
    "Remark C.3",
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
    "m-th restart of a person's tracker of filters of size Delta is (alpha, m Delta)-RDP for that person",
    claim_latex=rf"D_\alpha(T\|T^{{-i}}) \le B,\qquad \sum_t\|v_t\|^2 \le n \implies"
    rf" H_{{e^\varepsilon}} \le \delta_\mu(\varepsilon),\quad \mu = {_MU.latex},\ n = B_{{\mathrm{{norm}}}}",
    formulas=(_MU,),
    uses=("RDP filter", "GDP filter", "Rényi divergences", "Gaussian hockey-stick", "trackers"),
    steps=(
        in_kernel("individual_filter", decides=False),
        in_kernel("individual_renyi_filter", decides=False),
        in_kernel("individual_zcdp_filter", decides=False),
        in_kernel("individual_tracker", decides=False),
        Step(
            f"Finite game: {SAID.words()}, and a budget at each sum "
            "that three charges of order 2 can have. On the four data sets that hold a person, those who take part in "
            "each round are, the person apart, those of the run without the person.",
            exact(who_rows()),
            {"charged on the data set at hand (Definition 2.6)": exact(who_rows(now))},
            r"S_t(D)\setminus\{i\} = S_t(D\setminus\{i\})",
            checked=Checked.GAME,
        ),
        Step(
            "What makes it so: a charge of Definition 2.5 is the same on the four data sets that hold the person, and "
            "the mechanisms asked are the same given the outputs. Checked for the 24 charges of order 2.",
            exact(same_rows()),
            {"charged on the data set at hand (Definition 2.6)": exact(same_rows(now))},
            r"\rho_t(i, D) = \rho_t(i, D'),\quad i \in D \cap D'",
        ),
        Step(
            f"In the same games at the budget that pays for each mechanism once, all {SAID.strategies} strategies: the "
            "runs with and "
            "without the person give each transcript the two masses that it has in the game of the person's filter "
            "alone, where a round without the person is a trivial pair and costs nothing, and this filter never halts.",
            exact(alone_rows()),
            {
                "charged on the data set at hand (Definition 2.6)": exact(alone_rows(now)),
                "the rounds that the person sits out are charged": exact(alone_rows(pays_when_out=True)),
            },
            r"\frac{dT}{dT^{-i}} = \prod_{t:\,i\in S_t} \frac{A_t(S_t)(a_t)}{A_t(S_t\setminus\{i\})(a_t)}",
            checked=Checked.GAME,
        ),
        Step(
            "In that game the adversary asks for the pair of S_t and S_t without the person, which costs at most what "
            "was declared, or for a trivial pair, which costs nothing: 24 pairs of each at orders 2 and 3. So under a "
            "Rényi or zCDP filter it is a game of the theorem RDP filter, under a Gaussian one of the theorem GDP "
            "filter.",
            exact(pair_rows()),
            {"the cheapest data set declared": exact(pair_rows(min))},
            r"D_\alpha(A_t(S_t)\|A_t(S_t\setminus\{i\})) \le \rho_t,\quad D_\alpha(A\|A) = 0,\quad \alpha = 2, 3",
        ),
        Step(
            f"Finite game: the same {SAID.words()}, orders 2 and 3, the four data sets "
            "that hold a person, both directions: the moment of the transcript is at most that of the budget.",
            exact(moment_rows()),
            {
                "1 % less than the budget": exact(moment_rows(share=Fraction(99, 100))),
                "a filter that looks at the past only": exact(moment_rows(late=True)),
                "charged on the data set at hand (Definition 2.6)": exact(moment_rows(now)),
            },
            r"\sum_\tau T^{-i}(\tau)\left(\frac{T(\tau)}{T^{-i}(\tau)}\right)^\alpha \le e^{(\alpha-1)B}",
            checked=Checked.GAME,
        ),
        Step(
            "Two randomised responses, which err with probability w = 2/5 and 1/4: the Gaussian trade-off curve of "
            "mu = 2 quantile(w) meets the response's in its corner (w, w), checked to 10^-30. The response's curve is "
            "the chords from there to (0, 1) and (1, 0), and the Gaussian's is convex: so the response is mu-GDP, and "
            "for no smaller mu.",
            certified_each(response_formulas()),
            {
                "2.5 % more": certified_each(response_formulas("(205/200)")),
                "1 % less": certified_each(response_formulas("(99/100)")),
            },
            r"\Phi\left(\Phi^{-1}(1-w) - \mu\right) = w,\quad \mu = 2\Phi^{-1}(1-w)",
        ),
        Step(
            "Finite game: these two about overlapping groups of the people, "
            f"all {SAID.strategies} strategies, both directions: the worst hockey-stick is below delta_B at six "
            "orders.",
            certified_each(gaussian_formulas()),
            {
                "6 % less": certified_each(gaussian_formulas(share="(94/100)")),
                "a filter that looks at the past only": certified_each(gaussian_formulas(late=True)),
                "charged on the data set at hand (Definition 2.6)": certified_each(gaussian_formulas(now)),
            },
            r"\max_{\text{strategies}} H_g < \delta_B(\log g),\quad g = \tfrac12, 1, \tfrac32, 2, 3, 4",
            checked=Checked.GAME,
        ),
        Step(
            "Definition 2.6 does not do: two people have a property, and randomised response at ratio 3 tells whether "
            "an active one has it, four times, with budgets of log 3. The first is charged 0, for the second has it "
            "too; alone, the second has spent all after one round. The hockey-stick at ratio 3, promised to be 0, is "
            "3/8 after three rounds and after four.",
            exact(leak_rows()),
            {"charged by Definition 2.5": exact(leak_rows(in_worst))},
            r"H_3 = 0, 0, \tfrac38, \tfrac38",
            checked=Checked.POINT,
        ),
        Step(
            "Clipping: the square of the smaller of C and the root of what is left is that of the smaller, a ...",
            zero(lambda: (_smaller_squared(least + over, least), least**2)),
            {"the larger": zero(lambda: (_smaller_squared(least + over, least), (least + over) ** 2))},
            r"\min(a, a+o)^2 = a^2",
        ),
        Step(
            "... and at most that of the larger: it exceeds neither C^2 nor what is left.",
            nonnegative(_above_smaller, lambda: (over * (2 * least + over),)),
            {"wrong sign": nonnegative(lambda: _above_smaller(-1), lambda: (-over * (2 * least + over),))},
            r"(a+o)^2 - \min(a, a+o)^2 = o(2a+o) \ge 0",
        ),
        Step(
            "A person whose norm v is at most the root of what is left, v + over, leaves no less than nothing; so "
            "by induction on the rounds the squares of each person add to at most B_norm.",
            nonnegative(lambda: _left(counts, counts + over), lambda: (over * (2 * counts + over),)),
            {
                "clipped to C, where that is the larger": nonnegative(
                    lambda: _left(counts + over, counts), lambda: (-over * (2 * counts + over),)
                )
            },
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
        Step(
            f"Finite game for trackers, as the first game {SAID.words()}: nobody sits out, "
            "strategies stopped before the person's tracker passes 2 Delta, charged by Definition 2.5 and by 2.6, both "
            "directions, order 2: the moment is at most that of 2 Delta.",
            exact(tracker_rows()),
            {
                "a restart that forgets the request": exact(tracker_rows(forgets=True)),
                "a tracker that starts at 0": exact(tracker_rows(first=0)),
            },
            r"e^{(\alpha-1)D_\alpha(T_m\|T_m^{-i})} \le e^{(\alpha-1)2\Delta}",
            checked=Checked.GAME,
        ),
    ),
)
