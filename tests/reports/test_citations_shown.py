"""A reader of a page, a table or the data sees what a HOLDS rests on and what each step checked."""

import re
from pathlib import Path

from filterproof.reports.chapters import CHAPTERS, chapter
from filterproof.reports.commands.console import styled
from filterproof.reports.drawing import new_figure
from filterproof.reports.finding import Claim, Finding, Picture, Told
from filterproof.reports.report import render_page, verdicts_document
from filterproof.reports.study import Study
from filterproof.theory.evidence import Evidence, Outcome, Verdict

GDP = chapter("gdp")

BY_CITATION = Verdict(
    Outcome.HOLDS, Evidence.CITED, "every adversary", citations=("Doob, optional <stopping>",)
)
CLAIM = Claim("k", "s", "p", Outcome.HOLDS)
BY_PROOF = Verdict(Outcome.HOLDS, Evidence.DERIVED, "every adversary")
PILL = re.compile(r'<span class="pill ([^"]*)">(HOLDS[^<]*)</span>')


def _page(*findings: Finding) -> str:
    with new_figure() as figure:
        picture = Picture("overview", "caption", "alt", figure)
    drawn = {"overview": (picture, picture), "drawings": {"overview": "<svg/>"}}
    told = [(GDP, Told(findings))]
    return render_page(told, Study(), (), (), (), **drawn, out=Path("out"))


def test_the_green_badge_is_kept_for_what_cites_nothing_and_no_other_is_as_expected() -> None:
    assert Finding(CLAIM, BY_PROOF).as_expected
    assert not Finding(CLAIM, BY_CITATION).as_expected
    cited, derived = _page(Finding(CLAIM, BY_CITATION)), _page(Finding(CLAIM, BY_PROOF))
    # of the chapter, in the chapter, in the table of claims
    assert '<strong class="unexpected">0 of 1 came out' in cited
    assert '<p class="note">1 of 1 came out' in derived
    assert PILL.findall(cited)[:3] == [("joined", "HOLDS, citing")] * 3
    assert cited.count("joined by a cited theorem: Doob, optional &lt;stopping&gt;") == 2
    assert PILL.findall(derived)[:3] == [("holds", "HOLDS")] * 3
    assert "joined by a cited theorem:" not in derived
    assert "yellow" in styled(BY_CITATION)
    assert "joined by a cited theorem: Doob" in styled(BY_CITATION)
    assert styled(BY_PROOF) == "[green]HOLDS[/]"


def test_the_data_names_the_citations() -> None:
    told = [(GDP, Told((Finding(CLAIM, BY_CITATION), Finding(CLAIM, BY_PROOF))))]
    cited, derived = verdicts_document(told, Study())["verdicts"]  # type: ignore[misc]
    assert cited["citations"] == ["Doob, optional <stopping>"]
    assert derived["citations"] == []


def test_no_claim_names_the_theorem_on_individuals_that_nothing_checks() -> None:
    sources = [claim.source for chapter in CHAPTERS for claim in chapter.claims]
    assert not [source for source in sources if re.search(r"003 Theorems? (11 and )?12\b", source)]
