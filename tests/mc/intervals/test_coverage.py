"""Coverage where it is hardest: misses stay within the nominal rate.

Null of each statistical test: the method misses with probability at most 1e-2 on this case. Then the count of
misses exceeds `misses_allowed(a)` with probability at most a, a = 1e-6 / number of checks in the test.
"""

import numpy as np
import pytest
from scipy import stats

import filterproof as fp
from filterproof.mc.intervals.coverage import (
    HARD_CASES,
    INTERVAL_METHODS,
    IntervalMethod,
    _draw_samples,
    measure_coverage,
)

CHECKS = [(m, c) for m in INTERVAL_METHODS for c in m.cases]
EXACT = next(m for m in INTERVAL_METHODS if m.name == "Clopper-Pearson")
NAMES = [f"{m.name}: {c.name}" for m, c in CHECKS]


def too_eager(values, mean, failure):
    """The textbook normal interval, which rare heavy values defeat: a planted fault."""
    half = stats.norm.isf(failure / 2) * values.std() / np.sqrt(values.size)
    if values.mean() - half > mean:
        return fp.results.ThresholdSide.ABOVE
    return (
        fp.results.ThresholdSide.BELOW if values.mean() + half < mean else fp.results.ThresholdSide.UNDECIDED
    )


def measure(method, case, repetitions):
    rng = np.random.default_rng([2026, INTERVAL_METHODS.index(method), HARD_CASES.index(case)])
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


IN_PARTS = [m for m in INTERVAL_METHODS if m.parts]


@pytest.mark.parametrize("method", IN_PARTS, ids=[m.name for m in IN_PARTS])
def test_the_order_of_values_within_a_part_makes_no_difference_to_a_method(method):
    """At a mean in the middle of the sample's own, where sides are met as well as missed."""
    rng = np.random.default_rng(5)
    sides = set()
    for case in method.cases:
        values = case.draw(rng, 1000)
        ends = np.cumsum([1000 * part // sum(method.parts) for part in method.parts])
        shuffled = np.concatenate([rng.permutation(part) for part in np.split(values, ends[:-1])])
        for mean in (case.mean, 0.8 * values.mean() + 1e-6, min(1.2 * values.mean() + 1e-6, 0.999)):
            side = method.miss(values, mean, 0.01)
            assert method.miss(shuffled, mean, 0.01) is side
            sides.add(side)
    assert len(sides) > 1


def test_every_repetition_is_an_independent_sample_of_the_law_in_each_part():
    """Null: a part's count of each level is binomial; 15 z-scores and their products are within 6 but for 1e-7."""
    case, repetitions = HARD_CASES[-1], 4000
    drawn = list(_draw_samples(case, (1, 4), 1000, np.random.default_rng(6), repetitions))
    often = np.array([times for _, times in drawn])
    assert often.sum() == repetitions
    assert {values.size for values, _ in drawn} == {1000}
    assert len({values.tobytes() for values, _ in drawn}) == len(drawn) < repetitions
    scores = []
    for part in (slice(200), slice(200, None)):
        for level, weight in zip(case.levels, case.weights, strict=True):
            counts = np.array([(values[part] == level).sum() for values, _ in drawn])
            size = len(drawn[0][0][part])
            scores.append((counts - size * weight) / np.sqrt(size * weight * (1 - weight)))
    means = [np.dot(often, score) / np.sqrt(repetitions) for score in scores]
    products = [np.dot(often, a * b) / np.sqrt(repetitions) for a in scores[:4] for b in scores[4:]]
    assert np.abs(means + products).max() < 6
    assert all(
        0.9 < np.dot(often, score**2) / repetitions < 1.1 for score in (scores[0], scores[1], scores[4])
    )


def test_a_decision_at_any_look_counts_though_a_later_one_takes_it_back():
    (looks,) = (method for method in INTERVAL_METHODS if "looks" in method.name)
    values = np.repeat([1.0, 0.0], [100, 700])  # the first look sees ones alone
    assert looks.miss(values, 0.5, 0.01) is fp.results.ThresholdSide.ABOVE
    assert looks.miss(values[100:], 0.5, 0.01) is fp.results.ThresholdSide.BELOW
