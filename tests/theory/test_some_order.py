"""What the rule "at some order" takes of its delta: in balls, by the inequality that it rests on."""

import pytest

import filterproof as fp
from filterproof.filters.certified.comparison import Comparisons
from filterproof.filters.certified.some_order_checks import delta_share_comparison
from filterproof.theory.thresholds.some_order_delta_share import some_order_rule_delta_share

WHOLE = tuple(map(float, range(2, 65)))
SETS = [
    ((2.0, 32.0), 0.01),
    (WHOLE, 0.01),
    (WHOLE[1:], 1e-5),
    ((1.1, 1.3), 0.01),
    (tuple(2.5 + j / 8 for j in range(40)), 1e-5),
    ((64.0, 1.5, 7.25), 1e-12),
]


@pytest.mark.parametrize(("alphas", "delta"), SETS)
def test_the_share_is_that_of_the_payments_rounded_up(alphas: tuple[float, ...], delta: float) -> None:
    assert delta_share_comparison(Comparisons("some order kept"), alphas, delta).checked().fits


def test_all_mechanisms_lose_at_most_the_share_from_epsilon_on() -> None:
    filt = fp.SomeOrderMarkovFilter(6.0, 0.01, (2.0, 32.0))
    share = some_order_rule_delta_share((2.0, 32.0), 0.01)
    for epsilon in (6.0, 7.5):
        found = fp.supremum(filt, epsilon)
        assert 0 < found.low < found.high == pytest.approx(share * 0.01, rel=1e-8)
    assert fp.supremum(filt, 5.0).high > 0.01


def test_where_no_worst_mechanism_is_found_the_promise_alone_is_said() -> None:
    found = fp.supremum(fp.SomeOrderMarkovFilter(1e300, 0.01, (1 + 1e-9,)), 1e300)
    assert (found.low, found.high) == (0.0, pytest.approx(0.01))
