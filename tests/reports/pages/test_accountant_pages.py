"""The pages of accountants: what they say is what was simulated and examined, and what breaks a guarantee is said."""

import pickle
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache

import pytest

import filterproof as fp
from filterproof.reports.chapters import accountant_examples
from filterproof.reports.chapters.accountant_chapter import (
    PAGES,
    AccountantChapter,
    accountant_claims,
    refuted_verdict,
)
from filterproof.reports.chapters.accountant_examples import (
    min_bound_to_quantile_ratio,
    page_instances,
    page_simulations,
)
from filterproof.reports.chapters.estimate_and_guarantee import EstimateAndGuarantee
from filterproof.reports.pages.accountant_pages import accountant_page
from filterproof.reports.pages.page import Page
from filterproof.reports.study import Study
from filterproof.theory.evidence import Evidence, Outcome, Verdict

#: Of a scope of many words.
HOLDS = Verdict(
    Outcome.HOLDS,
    Evidence.CERTIFIED,
    ", ".join(["every play of many words"] * 40),
    "theorem 'odometers'; 9 numbers certified",
)
REFUTED = Verdict(Outcome.REFUTED, Evidence.CERTIFIED, "one game", "0.9 > 0.5 in 3 rounds", {"low": 0.9})


def chapter(page: str, verdict: Verdict = HOLDS) -> AccountantChapter:
    """The chapter of a page with made-up estimates, each 90 % of what is guaranteed."""
    rows = []
    for what, promised, _ in page_simulations(Study(quick=True), page):
        value = 0.9 * promised
        item = fp.Estimate(value, 0.9 * value, 1.1 * value, 1e-9, 4000, "plain, KL-Chernoff")
        rows.append(EstimateAndGuarantee(what, item, promised))
    verdicts = {type(item).__name__: verdict for item in page_instances(page).values()}
    return AccountantChapter(page, verdicts, tuple(rows))


@cache
def drawn(page: str) -> Page:
    return accountant_page(chapter(page))


def test_every_accountant_has_a_claim() -> None:
    names = [type(accountant).__name__ for page in PAGES for accountant in page_instances(page).values()]
    assert [claim.key for claim in accountant_claims()] == [f"examined-{name.lower()}" for name in names]
    assert all(claim.expected is Outcome.HOLDS for claim in accountant_claims())


def test_of_several_verdicts_a_page_shows_that_of_which_least_is_known() -> None:
    by_kernel, undecided = replace(HOLDS, evidence=Evidence.KERNEL), replace(HOLDS, outcome=Outcome.UNDECIDED)
    for weakest, *others in ((REFUTED, undecided, HOLDS), (undecided, HOLDS), (HOLDS, by_kernel)):
        for verdicts in ((weakest, *others), (*others, weakest)):
            assert (
                AccountantChapter("trackers", dict(zip("xyz", verdicts, strict=False)), ()).verdict is weakest
            )


@pytest.mark.parametrize("page", PAGES)
def test_simulations_share_the_failure_of_a_study_and_can_be_sent_to_another_process(page: str) -> None:
    study = Study(quick=True)
    jobs = page_simulations(study, page)
    assert all(work.keywords["failure"] == study.failure_per_comparison for *_, work in jobs)
    assert len(pickle.loads(pickle.dumps(jobs))) == len(jobs) > 0  # noqa: S301, our own bytes


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_what_was_examined_and_simulated(page: str) -> None:
    given, shown = chapter(page), drawn(page)
    assert shown.table is not None
    page_text = " ".join(
        [*(str(text) for _, text in shown.facts), *(cell for row in shown.table.rows for cell in row)]
    )
    assert shown.badge.words == "HOLDS"
    assert all(ET.fromstring(str(formula)).tag.endswith("math") for _, formula in shown.formulas)
    assert "by theorem odometers, for every play" in page_text
    assert all(row.interval in page_text for row in given.rows)
    assert "ABOVE" not in page_text
    assert shown.pictures[0].alt.endswith("above it: none.")


def test_an_interval_above_a_guarantee_refutes_and_is_said() -> None:
    given = chapter("people")
    low = replace(given.rows[0], promised=given.rows[0].estimate.low / 2)
    verdict = refuted_verdict(Study(), low)
    assert verdict.outcome is Outcome.REFUTED
    assert verdict.counterexample is not None
    assert verdict.counterexample["low"] == low.estimate.low
    shown = accountant_page(replace(chapter("people", verdict), rows=(low, *given.rows[1:])))
    assert shown.badge.words == "REFUTED"
    assert shown.table is not None
    assert "Above the guarantee" in " ".join(str(text) for _, text in shown.facts)
    assert [row[1] for row in shown.table.rows].count("ABOVE the guarantee") == 1
    assert shown.pictures[0].alt.endswith(f"above it: {low.what}.")


def test_an_odometer_is_above_the_quantile_of_the_loss() -> None:
    ratio, rounds = min_bound_to_quantile_ratio("Mixture")
    assert 1 < ratio < 3
    assert 1 <= rounds <= accountant_examples.ROUNDS
