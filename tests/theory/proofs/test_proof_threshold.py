"""Thresholds to any number of digits, against mpmath and the printed values."""

from fractions import Fraction

import flint
import mpmath
import pytest

from filterproof.theory.proofs.threshold import threshold
from filterproof.theory.thresholds.budgets import BUDGET_FUNCTIONS

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


def test_a_float_means_its_binary_value_and_a_string_its_decimals() -> None:
    assert threshold("B*", 0.1, "1e-5") != threshold("B*", "0.1", "1e-5")
    assert threshold("B*", 0.1, "1e-5") == threshold("B*", Fraction(0.1), "1e-5")
    assert threshold("B*", 0.5, 0.25) == threshold("B*", "0.5", Fraction(1, 4))


def test_epsilon_zero_is_a_budget_of_zero_for_the_simple_form_only() -> None:
    assert threshold("simple", 0, "1e-5").high == 0
    assert threshold("CKS", 0, "0.1").low > 0
    assert threshold("B*", 0, "0.1").low > 0
    assert threshold("GDP", 0, "0.1").low > 0


@pytest.mark.parametrize("name", BUDGET_FUNCTIONS)
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
    ("arguments", "message"),
    [
        (("RDP", 1, "1e-5"), "name must be one of B\\*, simple, CKS, GDP, got name='RDP'"),
        (("B*", -1, "1e-5"), "epsilon must be >= 0, got epsilon=-1"),
        (("B*", 1, 0), "delta must be in \\(0, 1\\), got delta=0"),
        (("B*", 1, "1"), "delta must be in \\(0, 1\\), got delta='1'"),
        (("B*", "one", "1e-5"), "epsilon must be a finite number, got epsilon='one'"),
        (("B*", float("inf"), "1e-5"), "epsilon must be a finite number"),
    ],
)
def test_what_it_refuses_is_named(arguments: tuple[str, object, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        threshold(*arguments)  # type: ignore[arg-type]
