"""Thresholds to at most 1,000 digits, against mpmath and the printed values."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import flint
import mpmath
import pytest

from filterproof.theory.proofs.threshold import (
    certified_delta,
    certified_split,
    gaussian_steps,
    threshold,
)
from filterproof.theory.thresholds.budgets import BUDGET_FUNCTIONS
from tests.slow_cases import slow_but

# Second route: mpmath's root finder on the definitions, at twice the digits.
DIGITS = 60


def _log_cks(t: mpmath.mpf, rho: mpmath.mpf, epsilon: mpmath.mpf) -> mpmath.mpf:
    return t * ((1 + t) * rho - epsilon) + t * mpmath.log(t) - (1 + t) * mpmath.log(1 + t)


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-5"), ("0.01", "0.3"), ("40", "1e-12")])
def test_sixty_digits_agree_with_mpmath(epsilon: str, delta: str) -> None:
    with mpmath.workdps(2 * DIGITS):
        e, d = mpmath.mpf(epsilon), mpmath.mpf(delta)
        simple = (mpmath.sqrt(-mpmath.log(d) + e) - mpmath.sqrt(-mpmath.log(d))) ** 2
        order = mpmath.exp(
            mpmath.findroot(
                lambda u: (
                    _log_cks(mpmath.exp(u), (e + mpmath.log1p(mpmath.exp(-u))) / (2 * mpmath.exp(u) + 1), e)
                    - mpmath.log(d)
                ),
                (-20, 20),
                solver="bisect",
                maxsteps=1000,
            )
        )
        cks = (e + mpmath.log1p(1 / order)) / (2 * order + 1)
        mu = mpmath.findroot(
            lambda x: mpmath.ncdf(x / 2 - e / x) - mpmath.exp(e) * mpmath.ncdf(-x / 2 - e / x) - d,
            mpmath.sqrt(2 * cks),
        )
        for name, second in (("simple", simple), ("CKS", cks), ("GDP", mu)):
            ball = threshold(name, epsilon, delta, digits=DIGITS)
            assert abs(mpmath.mpf(str(ball)) / second - 1) < mpmath.mpf(10) ** (1 - DIGITS)


@pytest.mark.parametrize("name", BUDGET_FUNCTIONS)
def test_more_digits_refine_the_same_number(name: str) -> None:
    before = flint.ctx.prec
    few, many = (
        threshold(name, "0.7", "1e-9", digits=15),
        threshold(name, "0.7", "1e-9", digits=400),
    )
    assert flint.ctx.prec == before
    assert few.low <= many.low <= many.high <= few.high
    assert len(str(many).lstrip("0.")) == 400
    assert Fraction(many.radius) < abs(Fraction(many.mid)) / 10**400


def _kappa(dhat: mpmath.mpf, rounds: int, delta: mpmath.mpf) -> mpmath.mpf:
    theta = (delta - dhat) / (rounds * (1 - dhat))
    return 10 - mpmath.mpf(1) / 4 - sum(mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * p) for p in (dhat, theta)) / 2


@pytest.mark.parametrize(
    ("rounds", "delta", "digits"),
    [(48, "1e-5", 10), (1, "0.2", 12), pytest.param(3, "1e-20", 12, marks=pytest.mark.slow)],
)
def test_kappa_is_the_largest_level_on_the_constraint(rounds: int, delta: str, digits: int) -> None:
    ball = threshold("kappa", 10, delta, sigma=2, rounds=rounds, digits=digits)
    dhat, theta = certified_split(rounds, delta, digits=digits)
    with mpmath.workdps(3 * digits + 40):
        d = mpmath.mpf(delta)
        # second route: mpmath searches the maximum of the definition, without the first-order condition
        low, high = d * mpmath.mpf("1e-3"), d * (1 - mpmath.mpf("1e-9"))
        for _ in range(5 * digits + 10):
            left, right = low + (high - low) * 0.382, low + (high - low) * 0.618
            if _kappa(left, rounds, d) < _kappa(right, rounds, d):
                low = left
            else:
                high = right
        assert abs(mpmath.mpf(str(ball)) - _kappa(low, rounds, d)) < mpmath.mpf(10) ** (2 - digits)
        assert abs(mpmath.mpf(str(dhat)) / low - 1) < mpmath.mpf(10) ** (1 - digits)
        spent = mpmath.mpf(str(dhat)) + mpmath.mpf(str(theta)) * (1 - low) * rounds
        assert abs(spent / d - 1) < mpmath.mpf(10) ** (2 - digits)


@pytest.mark.slow  # six seconds
def test_kappa_of_1000_digits_begins_as_that_of_100() -> None:
    few, many = (
        str(threshold("kappa", 10, "1e-5", sigma=2, rounds=48, digits=digits)) for digits in (100, 1000)
    )
    assert len(many) == 1001
    assert abs(Fraction(few) - Fraction(many)) < Fraction(1, 10**99)


@pytest.mark.parametrize(("mu", "epsilon"), [("1", "1"), ("0.01", "0.1"), ("3", "0"), ("0.7", "20")])
def test_delta_to_forty_digits_agrees_with_mpmath_and_its_inverse_returns(mu: str, epsilon: str) -> None:
    ball = certified_delta(mu, epsilon, digits=40)
    with mpmath.workdps(2000):  # terms cancel
        m, e = mpmath.mpf(mu), mpmath.mpf(epsilon)
        second = mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m)
        assert abs(mpmath.mpf(str(ball)) / second - 1) < mpmath.mpf(10) ** -39
    back = threshold("GDP", epsilon, ball.low, digits=30)
    assert back.low <= Fraction(mu) < back.high * (1 + Fraction(1, 10**25))


@pytest.mark.parametrize(("sigma", "epsilon"), [(100, "0.815623"), ("0.5", 1), (1, 40), (100, "0.7451")])
def test_one_step_more_than_the_number_of_steps_passes_delta(sigma: int | str, epsilon: int | str) -> None:
    steps = gaussian_steps(sigma, epsilon, "1e-5")
    assert steps == {"0.815623": 495, 1: 0}.get(epsilon, steps)
    with mpmath.workdps(60):
        e = mpmath.mpf(epsilon)
        for k, fits in ((steps, True), (steps + 1, False)):
            mu = mpmath.sqrt(k) / mpmath.mpf(sigma)
            delta = (
                mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)
                if k
                else mpmath.mpf(0)
            )
            assert (delta <= mpmath.mpf("1e-5")) is fits


def test_a_float_means_its_binary_value_and_a_string_its_decimals() -> None:
    assert threshold("CKS", 0.1, "1e-5") != threshold("CKS", "0.1", "1e-5")
    assert threshold("CKS", 0.1, "1e-5") == threshold("CKS", Fraction(0.1), "1e-5")
    assert threshold("CKS", 0.5, 0.25) == threshold("CKS", "0.5", Fraction(1, 4))


def test_epsilon_zero_is_a_budget_of_zero_for_the_simple_form_only() -> None:
    assert threshold("simple", 0, "1e-5").high == 0
    assert threshold("CKS", 0, "0.1").low > 0
    assert threshold("B*", 0, "0.1").low > 0
    assert threshold("GDP", 0, "0.1").low > 0


@pytest.mark.parametrize("name", slow_but({*BUDGET_FUNCTIONS} - {"B*"}, BUDGET_FUNCTIONS))
def test_a_solution_at_few_bits_encloses_the_one_at_many(name: str) -> None:
    epsilon, delta = flint.fmpq(7, 10), flint.fmpq(1, 10**9)
    with flint.ctx.workprec(400):
        fine = BUDGET_FUNCTIONS[name](epsilon, delta)
    for bits in (40, 53, 64, 100):
        with flint.ctx.workprec(bits):
            coarse = BUDGET_FUNCTIONS[name](epsilon, delta)
        assert coarse.contains(fine)
        assert float(coarse.rad() / coarse.mid()) < 2.0 ** (10 - bits / 2)


@pytest.mark.parametrize("name", ["B*", "CKS", "GDP"])
@pytest.mark.parametrize("nines", [100, 110, 115])
def test_a_delta_next_to_one_only_takes_more_bits(name: str, nines: int) -> None:
    ball = threshold(name, "0.5", 1 - Fraction(1, 10**nines), digits=10)
    assert Fraction(ball.radius) < Fraction(ball.mid) / 10**10
    assert ball.low > 0


@pytest.mark.parametrize(
    ("solve", "words"),
    [
        (
            partial(threshold, "RDP", 1, "1e-5"),
            r"name must be one of B\*, simple, CKS, GDP, kappa, got name='RDP'",
        ),
        (partial(threshold, "B*", -1, "1e-5"), "epsilon must be >= 0, got epsilon=-1"),
        (partial(threshold, "B*", 1, 0), r"delta must be in \(0, 1\), got delta=0"),
        (partial(threshold, "B*", "one", "1e-5"), "epsilon must be a finite number, got epsilon='one'"),
        (partial(threshold, "B*", float("inf"), "1e-5"), "epsilon must be a finite number"),
        (partial(threshold, "kappa", 10, "1e-5", sigma=2), "sigma and rounds must be given for 'kappa'"),
        (partial(threshold, "B*", 1, "1e-5", sigma=2), r"got sigma=2, rounds=None for name='B\*'"),
        (partial(threshold, "kappa", 10, "0.5", sigma=2, rounds=48), r"delta must be in \(0, 1/2\)"),
        (partial(certified_delta, 0, 1), "mu must be above zero, got mu=0"),
        (partial(gaussian_steps, "-1", 1, "1e-5"), "sigma must be above zero, got sigma='-1'"),
        (partial(threshold, "B*", 1, "1e-5", digits=1001), "digits must be at most 1,000, got digits=1001"),
        (partial(threshold, "kappa", 10, "1e-5", sigma=2, rounds=48, digits=10**9), "digits must be at most"),
        (partial(certified_split, 48, "1e-5", digits=10**9), "digits must be at most"),
        (partial(certified_delta, 1, 1, digits=10**9), "digits must be at most"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(solve: Callable[[], object], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        solve()
