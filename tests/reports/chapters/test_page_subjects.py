"""Every filter of the catalogue that claims to be sound has a page, whose code makes the filter and its menu."""

import re

import pytest

import filterproof as fp
from filterproof.filters.catalogue import CATALOGUE
from filterproof.reports.chapters import CLAIMS
from filterproof.reports.chapters.filter_page_subjects import SHOWN_BROKEN, SUBJECTS, FilterPageSubject
from filterproof.reports.template import formula_mathml

NAMED = pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)


def test_every_sound_filter_has_a_page_and_three_broken_ones_have() -> None:
    sound = [name for name, entry in CATALOGUE.items() if entry.sound is not False]
    assert sorted(subject.name for subject in SUBJECTS) == sorted([*sound, *SHOWN_BROKEN])
    assert len(SHOWN_BROKEN) == 3
    assert all(CATALOGUE[name].sound is False for name in SHOWN_BROKEN)
    assert len({subject.key for subject in SUBJECTS}) == len(SUBJECTS)


def test_the_guarantee_of_every_page_is_decided_by_a_claim_of_the_report() -> None:
    assert {subject.guarantee_claim_key for subject in SUBJECTS} <= {claim.key for claim in CLAIMS}


@NAMED
def test_the_code_to_try_makes_the_filter_and_the_menu_of_the_page(subject: FilterPageSubject) -> None:
    names: dict[str, object] = {"fp": fp}
    exec(subject.typed, names)  # noqa: S102, it is ours
    assert names["filt"] == subject.make()
    assert [repr(pair) for pair in names["menu"]] == [repr(pair) for pair in subject.menu]  # type: ignore[attr-defined]


@NAMED
def test_rule_and_guarantee_are_drawn_as_formulas(subject: FilterPageSubject) -> None:
    for latex in (subject.rule, subject.make().promise.formula):
        drawn = formula_mathml(latex)
        assert drawn.startswith("<math")
        assert not re.search(r"\\[a-z]", drawn), "a command that was not understood"


@NAMED
def test_the_game_is_solved_at_an_epsilon_that_is_simulated(subject: FilterPageSubject) -> None:
    at = float(subject.epsilon)
    assert min(abs(at - epsilon) for epsilon in subject.simulated) < 1e-5
    assert all(subject.make().open("retry").request(pair) for pair in subject.menu[:1])
