"""Verdicts say what they cover, and never pretend."""

import pytest

from filterproof.theory.evidence import Evidence, Outcome, Verdict


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
