"""Coverage where it is hardest: misses stay within the nominal rate.

Null of each statistical test: the method misses with probability at most 1e-2 on this case. Then the count of
misses exceeds `misses_allowed(a)` with probability at most a, a = 1e-6 / number of checks in the test.
"""

import numpy as np
import pytest
from scipy import stats

from mc.intervals.anytime import Side
from mc.intervals.coverage import HARD_CASES, METHODS, Coverage, HardCase, IntervalMethod, measure_coverage

CHECKS = [(m, c) for m in METHODS for c in m.cases]
EXACT = next(m for m in METHODS if m.name == "Clopper-Pearson")
NAMES = [f"{m.name}: {c.name}" for m, c in CHECKS]


def too_eager(values, mean, failure):
    """The textbook normal interval, which rare heavy values defeat: a planted fault."""
    half = stats.norm.isf(failure / 2) * values.std() / np.sqrt(values.size)
    if values.mean() - half > mean:
        return Side.ABOVE
    return Side.BELOW if values.mean() + half < mean else Side.UNDECIDED


def measure(method, case, repetitions):
    rng = np.random.default_rng([2026, METHODS.index(method), HARD_CASES.index(case)])
    return measure_coverage(method, case, rng=rng, repetitions=repetitions)


def test_misses_stay_within_the_nominal_rate_in_a_short_study():
    for method, case in CHECKS:
        coverage = measure(method, case, 100)
        assert coverage.misses <= coverage.misses_allowed(1e-6 / len(CHECKS)), str(coverage)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "case"), CHECKS, ids=NAMES)
def test_misses_stay_within_the_nominal_rate_in_ten_thousand_repetitions(method, case):
    coverage = measure(method, case, 10_000)
    assert coverage.misses <= coverage.misses_allowed(1e-6 / len(CHECKS)), str(coverage)


def test_the_study_exposes_the_normal_interval_on_rare_heavy_values():
    """At 1e-3 hits in 1000 samples there is none with probability 0.37, and then the interval is a point."""
    coverage = measure_coverage(
        IntervalMethod("normal", too_eager), HARD_CASES[0], rng=np.random.default_rng(1), repetitions=300
    )
    assert coverage.misses > coverage.misses_allowed(1e-9)
    assert coverage.too_low > 80
    assert 0.3675 in coverage.miss_rate


@pytest.mark.parametrize("which", [2, 3], ids=["just failing after no success", "fair coin"])
def test_clopper_pearson_misses_on_each_side_as_often_as_the_binomial_law_says(which):
    """Null: the rates that beta quantiles and the binomial law give; 1e-7 for each of the four ends."""
    case, n, repetitions = HARD_CASES[which], 1000, 10_000
    coverage = measure_coverage(EXACT, case, rng=np.random.default_rng(which), repetitions=repetitions)
    k = np.arange(n + 1)
    low, high = stats.beta.ppf(0.005, k, n - k + 1), stats.beta.isf(0.005, k + 1, n - k)
    chances = stats.binom.pmf(k, n, case.mean)
    too_high, too_low = chances[low > case.mean].sum(), chances[high < case.mean].sum()
    assert 0.003 < too_low < 0.005
    assert too_high < 0.005
    for count, rate in [(coverage.too_high, too_high), (coverage.too_low, too_low)]:
        law = stats.binom(repetitions, rate)
        assert law.isf(1 - 1e-7) <= count <= law.isf(1e-7)
    assert coverage.too_high > 0


def test_a_case_draws_what_its_mean_says():
    """Null: the mean is right; a z-score beyond 6 has probability 2e-9 for each of the cases."""
    rng = np.random.default_rng(3)
    for case in HARD_CASES:
        values = case.draw(rng, 200_000)
        variance = np.dot(np.square(case.levels), case.weights) - case.mean**2
        assert abs(values.mean() - case.mean) <= 6 * np.sqrt(variance / values.size) + 1e-12
        assert sum(case.weights) == pytest.approx(1, abs=1e-15)


def test_counts_are_not_taken_of_values_between_zero_and_one():
    case = HardCase("halves", (0.5,), (1.0,))
    with pytest.raises(ValueError, match="case must hold zeros and ones for Clopper-Pearson"):
        measure_coverage(EXACT, case, rng=np.random.default_rng(4), repetitions=1)


def test_a_coverage_states_its_counts_and_the_rate_with_its_interval():
    text = str(Coverage("betting", "fair coin", 1000, 10_000, 0.01, 3, 4))
    assert text.startswith("betting, fair coin: 7 of 10,000 missed at nominal 0.01 (rate in [")
