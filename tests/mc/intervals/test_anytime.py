"""The interval at any stopping time: the chance that it ever misses, and its ends by the definition."""

import mpmath
import pytest

from filterproof.mc.intervals.anytime import anytime_mean

#: The bets, as shares of the largest that cannot ruin a gambler.
SHARES = (63 / 64, 15 / 16, 7 / 8, 3 / 4, *(2.0**-d for d in range(1, 21)))


@pytest.mark.parametrize(("chance", "least"), [pytest.param(0.5, 0.0, marks=pytest.mark.slow), (0.9, -2.0)])
def test_the_chance_that_any_interval_misses_is_at_most_the_failure(chance: float, least: float) -> None:
    """The chance is exact: the masses of the counts of successes whose intervals held so far."""
    failure, mass_of = 0.2, {0: 1.0}
    for n in range(1, 41):
        after: dict[int, float] = {}
        for successes, mass in mass_of.items():
            for count, share in ((successes, 1 - chance), (successes + 1, chance)):
                after[count] = after.get(count, 0.0) + mass * share
        mass_of = {}
        for successes, mass in after.items():
            bounds = anytime_mean(
                [0.0, 1.0], [n - successes, successes], least=least, most=1.0, failure=failure
            )
            if bounds.low <= chance <= bounds.high:
                mass_of[successes] = mass
    assert 0.002 < 1 - sum(mass_of.values()) <= failure


def test_the_ends_are_the_means_at_which_the_capital_of_the_definition_is_just_large() -> None:
    for successes in (0, 3, 200, 990, 1000):
        bounds = anytime_mean([0, 1], [1000 - successes, successes], least=0.0, most=1.0, failure=1e-6)
        assert bounds.low <= successes / 1000 <= bounds.high
        for end, hits in ((bounds.low, successes), (1 - bounds.high, 1000 - successes)):
            assert (end == 0) == (hits == 0)
            if end > 0:
                with mpmath.workdps(40):
                    odds = (1 - mpmath.mpf(end)) / end
                    each = [(1 + c * odds) ** hits * (1 - mpmath.mpf(c)) ** (1000 - hits) for c in SHARES]
                    assert 2e6 <= mpmath.fsum(each) / len(each) < 2e6 * (1 + 1e-6)
