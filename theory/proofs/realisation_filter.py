"""The realisation-level filter: paper 004, Theorem 1, on finite games with every transcript enumerated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import sympy as sp

from theory.evidence import Checked
from theory.proofs.engines import Inequality, Sides, exact, in_kernel, nonnegative, zero
from theory.proofs.notations import Formula
from theory.proofs.theorem import Step, Theorem
from theory.proofs.trees import Pair, Tree, bernoulli, full_trees

__all__ = ["THEOREM"]

# dhat is delta-hat, h = 1 - dhat, s = dhat - delta_i >= 0; the four masses of two events.
dhat, theta, n, h, extra, p = sp.symbols("dhat theta N h extra p", positive=True)
s, both, one, other, neither = sp.symbols("s both one other neither", nonnegative=True)


def _frechet(sign: int = 1) -> sp.Expr:
    total = both + one + other + neither
    return sign * (both - ((both + one) + (both + other) - total))


def _tighter(sign: int = 1) -> sp.Expr:
    # a round with delta_i = dhat - s: 1/(1 - dhat) against 1/(1 - delta_i)
    return sign * (1 / h - 1 / (h + s))


def _first_round(sign: int = 1) -> sp.Expr:
    # T = 1 of probability p, output 1 safe with probability 1 - delta_1 = h + s
    return sign * ((h + s) * p - h * p)


def _summed(charged: sp.Expr) -> Sides:
    # 1 - sum_i (1-dhat)(P(T=i) - theta), theta charged in `charged` of the rounds, the P(T=i) adding to 1
    return 1 - (1 - dhat) * (1 - charged * theta), dhat + theta * (1 - dhat) * n


def _free_first(charged: sp.Expr) -> Sides:
    # the same sum if T = 1, of probability `first`, is not charged theta and the other n - 1 values are
    first = sp.Symbol("first", positive=True)
    safe = (1 - dhat) * first + (1 - dhat) * ((1 - first) - (n - 1) * theta)
    return 1 - safe, dhat + theta * (1 - dhat) * charged


def _naive(factor: sp.Expr | int = 1) -> Sides:
    # one more round of the recursion, and 1 - (1-p)^{n+1}: the bit stays hidden with probability (1-p)^{n+1}
    p = sp.Symbol("p", positive=True)
    reached = 1 - (1 - p) ** n
    return reached + factor * p * (1 - reached), 1 - (1 - p) ** (n + 1)


# -- finite games ---------------------------------------------------------------------------------

_RATIO = Fraction(2)  # e^epsilon
_THETA, _DHAT = Fraction(1, 50), Fraction(1, 20)
_ROUNDS = 3
#: Two leaks of the bit, of probability theta and dhat, and a coin that can be tossed once within epsilon.
_MENU = (bernoulli("1/50", "0"), bernoulli("1/20", "0"), bernoulli("3/5", "2/5"))

#: Whether the filter goes on after the current pair; its arguments are the masses p, q of the transcript before it.
ChargeCheck = Callable[[Fraction, Fraction, Pair], bool]


@dataclass(frozen=True, slots=True)
class _End:
    """A full transcript: masses under P and Q, and T, the number of outputs released."""

    p: Fraction
    q: Fraction
    stopped_at: int


def _risk(p: Fraction, q: Fraction, pair: Pair) -> Fraction:
    """P(L > epsilon - loss so far) for the pair as the next request after a transcript with masses p, q."""
    return sum(
        (a for a, b in zip(pair.p, pair.q, strict=True) if p * a > _RATIO * q * b),
        Fraction(0),
    )


@cache
def _look_ahead(p: Fraction, q: Fraction, current: Pair) -> bool:
    """Condition (4), both directions: with probability 1 - theta over the current output, every request of the menu
    has risk at most dhat.
    """
    for a, b, now, menu in (
        (p, q, current, _MENU),
        (q, p, current.swapped, tuple(pair.swapped for pair in _MENU)),
    ):
        for pair in menu:
            safe = sum(
                (x for x, y in zip(now.p, now.q, strict=True) if _risk(a * x, b * y, pair) <= _DHAT),
                Fraction(0),
            )
            if safe < 1 - _THETA:
                return False
    return True


def _sees_the_output(p: Fraction, q: Fraction, current: Pair) -> bool:
    """`_look_ahead` as if no output were unseen; used with `late`, after the output is known, which is unsound."""
    return _look_ahead(p, q, Pair((Fraction(1),), (Fraction(1),)))


def _play(tree: Tree | None, check: ChargeCheck, late: bool) -> Iterator[_End]:
    # before the first round nothing was released: the dummy output has loss 0
    dummy = Pair((Fraction(1),), (Fraction(1),))
    if tree is None or not check(Fraction(1), Fraction(1), dummy):
        yield _End(Fraction(1), Fraction(1), 0)
        return
    stack = [(tree, Fraction(1), Fraction(1), 1)]
    while stack:
        node, p, q, round_number = stack.pop()
        pair = _MENU[node.request]
        accepted = check(p, q, pair)
        for y, below in enumerate(node.after):
            p_next, q_next = p * pair.p[y], q * pair.q[y]
            goes_on = check(p_next, q_next, pair) if late else accepted
            if below is not None and goes_on:
                stack.append((below, p_next, q_next, round_number + 1))
            else:
                yield _End(p_next, q_next, round_number)


def _games(
    charged: int = _ROUNDS - 1, *, check: ChargeCheck = _look_ahead, late: bool = False
) -> Callable[[], Iterator[Inequality]]:
    """Every strategy that never stops by itself, both directions: (12) for each round, then (5) and (6)."""

    def comparisons() -> Iterator[Inequality]:
        promise = _DHAT + _THETA * (1 - _DHAT) * charged
        for tree in full_trees(len(_MENU), _ROUNDS):
            ends = list(_play(tree, check, late))
            for way in (ends, [_End(end.q, end.p, end.stopped_at) for end in ends]):
                for i in range(1, _ROUNDS + 1):
                    here = [end for end in way if end.stopped_at == i]
                    stops = sum((end.p for end in here), Fraction(0))
                    safe = sum((end.p for end in here if end.p <= _RATIO * end.q), Fraction(0))
                    # the first round is checked with no unseen output before it, so it costs no theta
                    yield (1 - _DHAT) * (stops - (_THETA if i > 1 else 0)), "<=", safe
                unsafe = sum((end.p for end in way if end.p > _RATIO * end.q), Fraction(0))
                yield unsafe, "<=", promise
                stick = sum((max(end.p - _RATIO * end.q, Fraction(0)) for end in way), Fraction(0))
                yield stick, "<=", unsafe

    return comparisons


def _worst(rounds: int, product: Fraction) -> Callable[[], Iterator[Inequality]]:
    """The leaks of theta, theta, ..., dhat are all admitted and reveal the bit with probability 1 - `product`."""

    def comparisons() -> Iterator[Inequality]:
        tree: Tree | None = None
        for request in (1, *(0 for _ in range(rounds - 1))):
            tree = Tree(request, (tree, tree))
        ends = list(_play(tree, _look_ahead, late=False))
        yield min(end.stopped_at for end in ends if end.q > 0), "=", rounds
        yield sum((end.p for end in ends if end.q == 0), Fraction(0)), "=", 1 - product

    return comparisons


def _erasures(claim: Callable[[Fraction, int], Fraction]) -> Callable[[], Iterator[Inequality]]:
    """The naive filter on erasures: it admits every round, and after `rounds` it has reached claim(chance, rounds)."""

    def comparisons() -> Iterator[Inequality]:
        for chance in (Fraction(1, 100), Fraction(1, 10)):
            pair = Pair((chance, Fraction(0), 1 - chance), (Fraction(0), chance, 1 - chance))
            hidden_p = hidden_q = Fraction(1)
            reached = Fraction(0)
            for rounds in range(1, 25):
                # naive check: the next output exceeds epsilon with probability at most delta = chance
                yield _risk(hidden_p, hidden_q, pair), "<=", chance
                reached += hidden_p * chance
                hidden_p, hidden_q = hidden_p * pair.p[2], hidden_q * pair.q[2]
                yield reached, "=", claim(chance, rounds)
                if rounds > 1:
                    yield chance, "<", reached

    return comparisons


_SPENT = Formula(
    "dhat + theta * (1 - dhat) * N",
    rocq="dhat + theta * (1 - dhat) * INR N",
    dhat=("0", "1/10"),
    theta=("0", "1/10"),
    N=("1", "48"),
)

THEOREM = Theorem(
    name="realisation filter",
    title="The realisation-level filter",
    source="Taylor, Vippathalla & Coon, Theorem 1 and Section II-B",
    hypotheses="epsilon >= 0, 0 <= dhat, theta < 1, delta <= 1, every N; adaptive mechanisms with finitely many "
    "outcomes; an analyst whose requests come from the allowable sets and who goes on while the filter "
    "lets it; at most N outputs; dhat + theta (1 - dhat) N <= delta",
    claim="Algorithm 1 is (epsilon, delta)-DP",
    claim_latex=rf"H_{{e^\varepsilon}}(P\|Q) \le {_SPENT.latex} \le \delta",
    formulas=(_SPENT,),
    steps=(
        in_kernel("realisation_filter"),
        Step(
            "(9): two events overlap at least by the excess of their probabilities over 1; what is "
            "left over is "
            "the mass of neither.",
            nonnegative(_frechet, lambda: (neither,)),
            {"wrong sign": nonnegative(lambda: _frechet(-1), lambda: (-neither,))},
            r"P(E_1\cap E_2) - \left(P(E_1) + P(E_2) - 1\right) = P(\bar E_1\cap\bar E_2) \ge 0",
        ),
        Step(
            "(11): a round that goes ahead has delta_i <= dhat, so 1/(1 - delta_i) <= 1/(1 - dhat).",
            nonnegative(_tighter, lambda: (s / (h * (h + s)),)),
            {"wrong sign": nonnegative(lambda: _tighter(-1), lambda: (-s / (h * (h + s)),))},
            r"\frac1{1-\hat\delta} - \frac1{1-\hat\delta+s} = \frac{s}{(1-\hat\delta)(1-\hat\delta+s)} \ge 0",
        ),
        Step(
            "Summing (12) over the N values of T.",
            zero(lambda: _summed(n)),
            {"over N - 1 values": zero(lambda: _summed(n - 1))},
            r"1 - \sum_{i=1}^N (1-\hat\delta)\left(P(T=i) - \theta\right) = \hat\delta +"
            r" \theta(1-\hat\delta)N",
        ),
        Step(
            "The first round is checked when nothing is released: the output before it is fixed, so condition (4), "
            "met with probability 1 - theta > 0, is met with certainty, and with 1 - dhat + s safe (12) holds for T = "
            "1 without theta.",
            nonnegative(_first_round, lambda: (s * p,)),
            {"wrong sign": nonnegative(lambda: _first_round(-1), lambda: (-s * p,))},
            r"P(A_1, T=1) - (1-\hat\delta)\,P(T=1) = s\,P(T=1) \ge 0",
        ),
        Step(
            "Then N - 1 charges are enough, for every N.",
            zero(lambda: _free_first(n - 1)),
            {"N - 2 charges": zero(lambda: _free_first(n - 2))},
            r"1 - (1-\hat\delta)P(T=1) - \sum_{i=2}^N (1-\hat\delta)\left(P(T=i) - \theta\right)"
            r" = \hat\delta + \theta(1-\hat\delta)(N-1)",
        ),
        Step(
            "Finite game, N = 3: all 2187 strategies on a menu of two leaks and a coin, both directions: (12) for "
            "each T, the sum (5) with N - 1 charges, and the hockey-stick below it.",
            exact(_games()),
            {
                "N - 2 charges": exact(_games(_ROUNDS - 2)),
                "a check that has seen the output": exact(_games(check=_sees_the_output, late=True)),
            },
            r"P(A_i, T=i) \ge (1-\hat\delta)\left(P(T=i) - \theta\,[i>1]\right),\quad P\left(L^{(T)}"
            r" > \varepsilon\right) \le \hat\delta + \theta(1-\hat\delta)(N-1)",
            checked=Checked.GAME,
        ),
        Step(
            "At N = 3 that is nearly attained: leaks of theta twice and of dhat once are all admitted.",
            exact(_worst(3, (1 - _THETA) ** 2 * (1 - _DHAT))),
            {"one leak of theta": exact(_worst(3, (1 - _THETA) * (1 - _DHAT)))},
            r"1 - (1-\theta)^{N-1}(1-\hat\delta)",
        ),
        Step(
            "The naive filter on erasure: one more round adds the share p of what is not yet revealed, so by induction "
            "on the rounds it is 1 - (1-p)^N.",
            zero(_naive, at={"p": "1/3", "N": "2"}),
            {"1 % less": zero(lambda: _naive(sp.Rational(99, 100)), at={"p": "1/3", "N": "2"})},
            r"1-(1-p)^n + p(1-p)^n = 1-(1-p)^{n+1}",
        ),
        Step(
            "It admits every round, since what is revealed next has probability p, and passes delta = p with the "
            "second: enumerated for 24 rounds and p = 1/100, 1/10.",
            exact(_erasures(lambda p, rounds: 1 - (1 - p) ** rounds)),
            {"delta kept": exact(_erasures(lambda p, rounds: p))},
            r"\delta_N = 1 - (1-p)^N > p",
        ),
    ),
)
