"""A comparison of two routes has an outcome of its own, derived from the numbers, and is read as no verdict."""

import math

import filterproof as fp

NEAR = fp.results.IntervalAndEnclosure("near", low=0.9, high=1.1, least=1.0, most=1.05)
WIDE = fp.results.IntervalAndEnclosure("wide", low=0.5, high=2.5, least=2.0, most=2.0)
OFF = fp.results.IntervalAndEnclosure("off", low=0.1, high=0.2, least=0.3, most=0.4)


def _agreement(*compared: fp.results.IntervalAndEnclosure) -> fp.results.Agreement:
    return fp.results.Agreement(compared, scope="two games", failure=1e-6, counterexample={"seed": 1})


def test_the_outcome_is_derived_from_the_intervals() -> None:
    agreed, not_agreed = _agreement(NEAR, WIDE), _agreement(NEAR, OFF, WIDE)
    assert agreed.outcome is fp.results.AgreementOutcome.AGREES
    assert (agreed.max_difference, agreed.relative_difference) == (1.5, 0.75)
    assert agreed.farthest_apart is WIDE
    assert "wide: [0.5, 2.5] beside 2" in agreed.detail
    assert not_agreed.outcome is fp.results.AgreementOutcome.DISAGREES
    assert not_agreed.farthest_apart is OFF
    assert "1 of 3 intervals excludes" in not_agreed.detail
    assert "within" not in str(not_agreed)


def test_intervals_that_touch_agree_and_a_gap_of_one_bit_does_not() -> None:
    assert fp.results.IntervalAndEnclosure("below", 0.0, 1.0, 1.0, 1.05).meets
    assert fp.results.IntervalAndEnclosure("above", 1.05, 2.0, 1.0, 1.05).meets
    assert not fp.results.IntervalAndEnclosure("below", 0.0, math.nextafter(1.0, 0.0), 1.0, 1.05).meets
    assert not fp.results.IntervalAndEnclosure("above", math.nextafter(1.05, 2.0), 2.0, 1.0, 1.05).meets


def test_a_number_that_is_zero_has_no_share() -> None:
    none = fp.results.IntervalAndEnclosure("none", 0.0, 1e-6, 0.0, 0.0)
    assert _agreement(NEAR, none).relative_difference == math.inf
    assert _agreement(NEAR, none).farthest_apart is NEAR  # by distance, where a share says nothing
    assert fp.results.IntervalAndEnclosure("same", 0.0, 0.0, 0.0, 0.0).relative_difference == 0
