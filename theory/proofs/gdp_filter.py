"""The GDP filter: paper 003, Theorem 11 and Algorithm 2. Its supermartingale is a mixture of hockey-sticks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product

import sympy as sp
from flint import ctx

from theory.evidence import Checked
from theory.proofs.engines import Sides, certified_each, in_kernel, nonnegative, zero
from theory.proofs.expressions import as_written
from theory.proofs.formula import compile_formula
from theory.proofs.notations import Formula
from theory.proofs.theorem import Step, Theorem
from theory.proofs.trees import Pair, all_trees, hockey_stick, play

__all__ = ["THEOREM"]

eps, s, x, edge, loss = sp.symbols("epsilon s x a L", real=True)
m, r, ratio, strike, mu = sp.symbols("m r z k mu", positive=True)
weight, above = sp.symbols("f d", nonnegative=True)


def _cdf(x: sp.Expr) -> sp.Expr:
    return sp.erfc(-x / sp.sqrt(2)) / 2


def _phi(x: sp.Expr) -> sp.Expr:
    return sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)


def _delta(at: sp.Expr, mean: sp.Expr) -> sp.Expr:
    return _cdf(mean / 2 - at / mean) - sp.exp(at) * _cdf(-mean / 2 - at / mean)


def _convolution(total: sp.Expr) -> Sides:
    # the density of the loss N(v/2, v) for v = m^2, convolved with that for v = r^2
    def exponent(level: sp.Expr, variance: sp.Expr) -> sp.Expr:
        return -((level - variance / 2) ** 2) / (2 * variance)

    inside = sp.exp(sp.expand(exponent(x, m**2) + exponent(s - x, r**2)))
    integral = sp.Integral(inside, (x, -sp.oo, sp.oo))
    return integral / (2 * sp.pi * m * r), sp.exp(exponent(s, total)) / sp.sqrt(2 * sp.pi * total)


def _bends(sign: int = 1) -> sp.Expr:
    # f(z) = delta_r(epsilon + log z) at z = e^{-L}: the delta of the remaining budget r^2 after a loss L
    return sign * sp.diff(_delta(eps + sp.log(ratio), r), ratio, 2)


def _density(sign: int = 1) -> tuple[sp.Expr, ...]:
    return (sign * _weight(ratio),)


def _weight(at: sp.Expr) -> sp.Expr:
    """The second derivative f''(z) at z = `at`."""
    return sp.exp(eps) * _phi((eps + sp.log(at)) / r + r / 2) / (r * at)


def _strike(at: sp.Expr) -> sp.Expr:
    """The k at which (eps + log k)/r + r/2 is `at`."""
    return sp.exp(r * at - r**2 / 2 - eps)


def _substituted(factor: sp.Expr | int = 1) -> Sides:
    # f''(k) dk in the variable x, and e^eps phi(x) dx
    return _weight(_strike(x)) * sp.diff(_strike(x), x), factor * sp.exp(eps) * _phi(x)


def _mixture(factor: sp.Expr | int = 1) -> Sides:
    # the integral of (k - z) f''(k) dk over k > z, at z = _strike(edge), and f(z)
    integrand = sp.exp(sp.expand(-(x**2) / 2 + r * x - r**2 / 2)) - sp.exp(r * edge - r**2 / 2) * sp.exp(
        -(x**2) / 2
    )
    integral = sp.Integral(integrand, (x, edge, sp.oo)) / sp.sqrt(2 * sp.pi)
    return integral, factor * _delta(r * edge - r**2 / 2, r)


@as_written
def _mixes(sign: int = 1) -> sp.Expr:
    # one order of the mixture: a hockey-stick that is larger by `above`, less the hockey-stick
    stick = sp.Symbol("H", nonnegative=True)
    return sign * (strike * (stick + above) * weight - strike * stick * weight)


def _put(sign: int = -1) -> Sides:
    # k times the hockey-stick integrand at order 1/k, and k - e^{-L}, where positive
    return strike * (1 - sp.exp(-sp.log(strike) + sign * loss)), strike - sp.exp(-loss)


def _spent_up(sign: int = 1) -> Sides:
    below = sp.Symbol("x", positive=True)
    return sp.limit(_delta(-below, mu), mu, 0), 1 - sp.exp(-sign * below)


@as_written
def _response_at_zero(factor: sp.Expr | int = 1) -> Sides:
    # RR keeps its bit with probability 1 - w, w = Phi(-mu/2); its hockey-stick at order g is 1 - w - g w
    tail = _cdf(-mu / 2)
    return _delta(sp.Integer(0), mu), 1 - 2 * factor * tail


def _response_slope(factor: sp.Expr | int = 1) -> Sides:
    slope = sp.diff(_delta(sp.log(ratio), mu), ratio)
    with sp.evaluate(False):
        return slope.subs(ratio, 1), -factor * _cdf(-mu / 2)


# -- the finite game: RR with rational weights, each exactly mu-GDP with mu = 2 quantile(w) -------------

_WEIGHTS = (Fraction(2, 5), Fraction(1, 4))
_MENU = tuple(Pair((1 - w, w), (w, 1 - w)) for w in _WEIGHTS)
_MUS = tuple(f"(2*quantile({w}))" for w in _WEIGHTS)
_BUDGET = f"({_MUS[0]}**2 + {_MUS[1]}**2)"


@cache
def _admits(released: tuple[int, ...], request: int) -> bool:
    # A spend whose ball overlaps the budget is admitted; this can only raise the worst case.
    spend = " + ".join(f"{_MUS[i]}**2" for i in (*released, request))
    with ctx.workprec(128):
        return not compile_formula(f"{spend} - {_BUDGET}")({}) > 0


def _late(released: tuple[int, ...], request: int) -> bool:
    return not released or _admits(released[:-1], released[-1])


def _rounds(share: str = "1") -> Callable[[], Iterator[str]]:
    """One formula per (w, r, epsilon): delta of sqrt(r^2 + share mu^2) minus the mean of delta_r(epsilon - L)."""

    def left(epsilon: str, mean: str) -> str:
        return f"(tail(({epsilon})/{mean} - {mean}/2) - exp({epsilon})*tail(({epsilon})/{mean} + {mean}/2))"

    def formulas() -> Iterator[str]:
        for w, mean, epsilon in product(
            (Fraction(2, 5), Fraction(1, 4), Fraction(1, 10)), ("(1/2)", "1", "2"), ("-1", "0", "1/2", "2")
        ):
            loss = f"log({(1 - w) / w})"
            before = left(epsilon, f"sqrt({mean}**2 + {share}*4*quantile({w})**2)")
            kept, turned = left(f"{epsilon} - {loss}", mean), left(f"{epsilon} + {loss}", mean)
            yield f"{before} - {1 - w}*{kept} - {w}*{turned}"

    return formulas


def _games(
    admits: Callable[[tuple[int, ...], int], bool] = _admits, share: str = "1"
) -> Callable[[], Iterator[str]]:
    """One formula per order g: `share` times delta_B(log g) minus the largest H_g of all strategies of three rounds."""

    def formulas() -> Iterator[str]:
        games = [list(play(tree, _MENU, admits)) for tree in all_trees(len(_MENU), 3)]
        for g in (Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4)):
            worst = max(hockey_stick(ends, g) for ends in games)
            mean = f"sqrt({_BUDGET})"
            yield (
                f"{share}*(tail(log({g})/{mean} - {mean}/2) - {g}*tail(log({g})/{mean} + {mean}/2)) - {worst}"
            )

    return formulas


_INSIDE = {"m": "1/2", "r": "2/3", "s": "1/5"}

_CURVE = Formula(
    "tail(epsilon/B - B/2) - exp(epsilon)*tail(epsilon/B + B/2)",
    rocq="Phi (mu / 2 - epsilon / mu) - exp epsilon * Phi (- mu / 2 - epsilon / mu)",
    names={"mu": "B"},
    epsilon=("1/8", "4"),
    B=("1/2", "3"),
)

THEOREM = Theorem(
    name="GDP filter",
    title="The Gaussian filter: fully adaptive composition under GDP",
    source="Koskela, Tobaben & Honkela, Theorems 11 and C.1",
    hypotheses="every real epsilon; one pair of neighbours, adaptive mechanisms with finitely many outcomes whose "
    "hockey-sticks at every order > 0, both ways, are at most those of Gaussian(mu_t) (mu_t-GDP by Lemma "
    "10), a filter that admits while sum mu_t^2 <= B^2 and decides before the release, finitely many "
    "rounds",
    claim="The transcript, stopping time included, is B-GDP; individual filters (Theorem 12) are not covered",
    claim_latex=rf"\sum_{{t\le T}}\mu_t^2 \le B^2 \implies H_{{e^\varepsilon}} \le {_CURVE.latex}"
    r"\text{ for all }\varepsilon",
    formulas=(_CURVE,),
    uses=("Gaussian hockey-stick",),
    steps=(
        in_kernel("gaussian_filter"),
        in_kernel("gaussian_round", decides=False),
        Step(
            "After a round of loss L what is left is f(e^-L), f(z) = delta_r(epsilon + log z) with r^2 the budget "
            "left; f is strictly convex.",
            nonnegative(_bends, _density, strict=True),
            {"concave": nonnegative(lambda: _bends(-1), lambda: _density(-1), strict=True)},
            r"f''(z) = \frac{e^\varepsilon}{rz}\varphi\left(\frac{\varepsilon+\log z}{r}+\frac r2\right) > 0",
        ),
        Step(
            "In x = (epsilon + log k)/r + r/2 the weight f''(k) dk is e^epsilon phi(x) dx.",
            zero(_substituted),
            {"1 % more": zero(lambda: _substituted(sp.Rational(101, 100)))},
            r"f''(k)\,dk = e^\varepsilon\varphi(x)\,dx",
        ),
        Step(
            "So f is a mixture of (k - z)_+ with these weights: the integral over k > z gives f(z) itself.",
            zero(_mixture),
            {"1 % less": zero(lambda: _mixture(sp.Rational(99, 100)))},
            r"f(z) = \int_z^\infty (k-z)\,f''(k)\,dk",
        ),
        Step(
            "At z = e^-L each of them is k times the hockey-stick integrand of order 1/k.",
            zero(_put),
            {"wrong sign": zero(lambda: _put(1))},
            r"(k - e^{-L})_+ = k\left(1 - e^{\log(1/k) - L}\right)_+",
        ),
        Step(
            "Domination of the round: the mean of f(e^-L) under P is the integral of k H_(1/k)(P||Q) f''(k) dk "
            "(Tonelli; f(0) = 1 where L is infinite), in which a hockey-stick above H_(1/k) adds k f''(k) times the "
            "difference: a mu_t-GDP round has a mean no larger than Gaussian(mu_t) in its place.",
            nonnegative(_mixes, lambda: (strike * weight * above,)),
            {"it falls": nonnegative(lambda: _mixes(-1), lambda: (-strike * weight * above,))},
            r"\mathbb{E}_P f(e^{-L}) = \int_0^\infty k\,H_{1/k}(P\|Q)\,f''(k)\,dk \le"
            r" \int_0^\infty k\,\delta_{\mu_t}(-\log k)\,f''(k)\,dk",
        ),
        Step(
            "Losses add: the law of Gaussian(m)'s loss convolved with that of Gaussian(r) is that of "
            "Gaussian(sqrt(m^2 + r^2)), so with Gaussian(m) in its place the mean is delta of what was left before.",
            zero(lambda: _convolution(m**2 + r**2), at=_INSIDE),
            {"mu adds instead of its square": zero(lambda: _convolution((m + r) ** 2), at=_INSIDE)},
            r"\mathbb{E}\,\delta_r(\varepsilon - L_m) = \delta_{\sqrt{m^2+r^2}}(\varepsilon)",
        ),
        Step(
            "At the stop M_T is at least the hockey-stick integrand (1 - e^epsilon)_+ at what remains of epsilon: "
            "delta tends to it as mu falls to 0, here for epsilon = -x < 0, and grows with mu; above 0 it is 0.",
            zero(_spent_up),
            {"wrong sign": zero(lambda: _spent_up(-1))},
            r"\lim_{\mu\to0}\delta_\mu(-x) = 1 - e^{-x}",
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
            "Instances: one round of it does not raise what is left, at 36 nodes of three weights, three remainders "
            "r, four epsilons.",
            certified_each(_rounds()),
            {"10 % less of mu^2": certified_each(_rounds("(9/10)"))},
            r"\mathbb{E}_P\,\delta_r(\varepsilon - L) < \delta_{\sqrt{r^2+\mu^2}}(\varepsilon)",
        ),
        Step(
            "Finite game: over all 723 strategies of three rounds of two rational responses under the filter the "
            "exact worst hockey-stick is below delta_B at six orders.",
            certified_each(_games()),
            {
                "6 % less": certified_each(_games(share="(94/100)")),
                "a filter that looks at the past only": certified_each(_games(admits=_late)),
            },
            r"\max_{\text{strategies}} H_g < \delta_B(\log g),\quad g = \tfrac12, 1, \tfrac32, 2, 3, 4",
            checked=Checked.GAME,
        ),
    ),
)
