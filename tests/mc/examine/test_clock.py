"""A clock shares the time among tasks."""

from __future__ import annotations

import pytest

from mc.examine.clock import Clock


def test_a_part_of_a_clock_ends_before_it_and_never_after() -> None:
    clock = Clock.of(1000.0)
    assert 399 < clock.part(0.4).left <= 400
    assert 4 < clock.at_most(5.0).left <= 5
    assert clock.at_most(5000.0) == clock
    over = Clock(Clock.now() - 1)
    assert over.over
    assert over.left == 0
    assert not clock.over
    assert over.part(0.5).left == 0


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_clock_of_no_time_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="seconds must be"):
        Clock.of(seconds)
