"""Verdicts say what they cover and never pretend."""

import pytest

from theory.evidence import Evidence, Outcome, Verdict


def test_a_verdict_has_no_truth_value() -> None:
    verdict = Verdict(Outcome.UNDECIDED, Evidence.STATISTICAL, scope="two adversaries")
    with pytest.raises(TypeError, match="no truth value"):
        bool(verdict)


def test_a_simulation_can_never_say_holds() -> None:
    with pytest.raises(ValueError, match="failing to refute proves nothing"):
        Verdict(Outcome.HOLDS, Evidence.STATISTICAL, scope="every adversary")


def test_a_refutation_needs_a_witness() -> None:
    with pytest.raises(ValueError, match="witness"):
        Verdict(Outcome.REFUTED, Evidence.STATISTICAL, scope="erasures")


def test_a_verdict_names_its_scope() -> None:
    with pytest.raises(ValueError, match="scope"):
        Verdict(Outcome.UNDECIDED, Evidence.STATISTICAL, scope="")


def test_a_chain_is_as_strong_as_its_weakest_link() -> None:
    assert Evidence.weakest(Evidence.EXACT, Evidence.CITED, Evidence.DERIVED) is Evidence.CITED
    assert Evidence.weakest(Evidence.EXACT, Evidence.CERTIFIED) is Evidence.CERTIFIED


def test_what_holds_by_citation_names_the_theorem_and_nothing_else_cites() -> None:
    with pytest.raises(ValueError, match="citations must name the theorems"):
        Verdict(Outcome.HOLDS, Evidence.CITED, scope="every adversary")
    with pytest.raises(ValueError, match="citations must name the theorems"):
        Verdict(Outcome.HOLDS, Evidence.EXACT, scope="every adversary", citations=("Doob",))
    verdict = Verdict(Outcome.HOLDS, Evidence.CITED, scope="every adversary", citations=("Doob", "Tonelli"))
    assert verdict.joined_by == "joined by cited theorems: Doob; Tonelli"
    assert str(verdict) == "HOLDS (CITED; every adversary), joined by cited theorems: Doob; Tonelli"
    assert Verdict(Outcome.HOLDS, Evidence.EXACT, scope="every adversary").joined_by == ""
