"""Verdicts and comparisons of two routes say what they cover, by the numbers that they hold, and never pretend."""

import math

import pytest

from filterproof.theory.agreement import Agreement, AgreementOutcome, IntervalAndEnclosure
from filterproof.theory.evidence import Evidence, Outcome, Verdict

NEAR = IntervalAndEnclosure("near", low=0.9, high=1.1, least=1.0, most=1.05)
WIDE = IntervalAndEnclosure("wide", low=0.5, high=2.5, least=2.0, most=2.0)
OFF = IntervalAndEnclosure("off", low=0.1, high=0.2, least=0.3, most=0.4)


def test_a_verdict_has_no_truth_value_and_names_what_it_cites() -> None:
    verdict = Verdict(Outcome.HOLDS, Evidence.CITED, "all", citations=("Doob; p. 1", "Tonelli"))
    with pytest.raises(TypeError, match="no truth value"):
        bool(verdict)
    assert str(verdict) == "HOLDS (CITED; all), joined by cited theorems: Doob; Tonelli"
    assert str(Verdict(Outcome.UNDECIDED, Evidence.CERTIFIED, "all")) == "UNDECIDED (left open for all)"
    assert Verdict(Outcome.HOLDS, Evidence.EXACT, "all").citation_phrase == ""


def test_a_chain_is_as_strong_as_its_weakest_link() -> None:
    assert Evidence.weakest(Evidence.EXACT, Evidence.CITED, Evidence.DERIVED) is Evidence.CITED
    assert Evidence.weakest(Evidence.EXACT, Evidence.CERTIFIED) is Evidence.CERTIFIED
    assert Evidence.KERNEL.weakness_rank == 0


def agreement(*compared: IntervalAndEnclosure) -> Agreement:
    return Agreement(compared, scope="two games", failure=1e-6, counterexample={"seed": 1})


def test_the_outcome_of_a_comparison_is_derived_from_its_intervals() -> None:
    agreed, not_agreed = agreement(NEAR, WIDE), agreement(NEAR, OFF, WIDE)
    assert agreed.outcome is AgreementOutcome.AGREES
    assert (agreed.max_difference, agreed.relative_difference) == (1.5, 0.75)
    assert agreed.farthest_apart is WIDE
    assert "wide: [0.5, 2.5] beside 2" in agreed.detail
    assert ["within" in str(result) for result in (agreed, not_agreed)] == [True, False]
    assert not_agreed.outcome is AgreementOutcome.DISAGREES
    assert not_agreed.farthest_apart is OFF
    assert "1 of 3 intervals excludes" in not_agreed.detail
    # a number that is zero has no share, and what is farthest is found by distance
    none = IntervalAndEnclosure("none", 0.0, 1e-6, 0.0, 0.0)
    assert agreement(NEAR, none).relative_difference == math.inf
    assert agreement(NEAR, none).farthest_apart is NEAR
    assert IntervalAndEnclosure("same", 0.0, 0.0, 0.0, 0.0).relative_difference == 0


def test_intervals_that_touch_agree_and_a_gap_of_one_bit_does_not() -> None:
    for low, high, meets in (
        (0.0, 1.0, True),
        (1.05, 2.0, True),
        (0.0, math.nextafter(1.0, 0.0), False),
        (math.nextafter(1.05, 2.0), 2.0, False),
    ):
        assert IntervalAndEnclosure("x", low, high, 1.0, 1.05).meets is meets
