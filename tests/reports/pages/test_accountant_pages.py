"""The pages of the accountants: what they say is what was simulated and examined, and what breaks a promise is said."""

import pickle
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

import filterproof as fp
from filterproof.reports.chapters import chapter
from filterproof.reports.chapters.holders import judged
from filterproof.reports.finding import slug
from filterproof.reports.pages import accountant_examples
from filterproof.reports.pages.accountant_examples import (
    BROKEN,
    AccountantResults,
    LookedAt,
    nearest,
    weakest,
)
from filterproof.reports.pages.accountant_pages import accountant_page
from filterproof.reports.pages.reached_loss import ReachedRow
from filterproof.reports.study import Study
from filterproof.reports.words import declared
from filterproof.theory.evidence import Evidence, Outcome, Verdict

CHAPTER = chapter("held")
HOLDS = Verdict(Outcome.HOLDS, Evidence.CERTIFIED, "every play", "theorem 'odometers'; 9 numbers certified")
REFUTED = Verdict(Outcome.REFUTED, Evidence.CERTIFIED, "one game", "0.9 > 0.5 in 3 rounds", {"low": 0.9})
#: The keys of what is simulated that stand on a page, by the key of the page.
SHOWN = {key: (key, *BROKEN) if key == "trainings" else (key,) for key in declared("accountants", "page")}


def simulated(study: Study) -> list[accountant_examples.Simulation]:
    return accountant_examples.simulations(study.count, study.size, study.seed)


@pytest.fixture(scope="module")
def accountant_results() -> AccountantResults:
    """As the chapter leaves them, with made-up estimates: those of the broken sums lie above what is promised."""
    reached: dict[str, tuple[ReachedRow, ...]] = {}
    for page, what, promised, _ in simulated(Study(quick=True)):
        value = promised * (1.5 if page in BROKEN else 0.9)
        one = fp.Estimate(value, 0.9 * value, 1.1 * value, 1e-9, 4000, "plain, KL-Chernoff")
        reached[page] = (*reached.get(page, ()), ReachedRow(what, one, promised))
    looked_at: dict[str, tuple[LookedAt, ...]] = {}
    for (page, _), make in accountant_examples.made().items():
        one = LookedAt(type(make()).__name__, repr(make()), HOLDS, "3 plays by its own code", 0.9)
        looked_at[page] = (*looked_at.get(page, ()), one)
    claims = dict(zip(reached, CHAPTER.claims, strict=False))
    verdicts = {page: judged(Study(), claims[page], rows).verdict for page, rows in reached.items()}
    return AccountantResults(reached, verdicts, looked_at)


def words(accountant_results: AccountantResults, key: str) -> str:
    return " ".join(str(text) for _, text in accountant_page(accountant_results, key).facts)


def test_every_simulation_has_a_claim_and_every_examination_one_of_its_own(
    accountant_results: AccountantResults,
) -> None:
    keys = [claim.key for claim in CHAPTER.claims]
    examined = [f"examined-{slug(type(make()).__name__)}" for make in accountant_examples.made().values()]
    assert keys[len(accountant_results.reached) :] == examined
    assert sorted(accountant_results.typed) == sorted(examined)
    expected = {claim.key: claim.expected for claim in CHAPTER.claims}
    broken = {key for key, outcome in expected.items() if outcome is Outcome.REFUTED}
    assert broken == {"accountants-clipping-after-adding", "accountants-forgetting"}


def test_of_several_verdicts_that_is_told_of_which_least_is_known() -> None:
    by_kernel, undecided = replace(HOLDS, evidence=Evidence.KERNEL), replace(HOLDS, outcome=Outcome.UNDECIDED)
    for least, *others in ((REFUTED, undecided, HOLDS), (undecided, HOLDS), (HOLDS, by_kernel)):
        for verdicts in ((least, *others), (*others, least)):
            assert weakest([LookedAt("x", "X()", one, "", 0.0) for one in verdicts]) is least


def test_simulations_share_the_failure_of_a_study_and_can_be_sent_to_another_process() -> None:
    study = Study(quick=True)
    jobs = simulated(study)
    assert study.made == len(jobs) == 22
    assert all(
        1 - work.keywords["confidence"] <= 1.001 * study.failure / study.comparisons for *_, work in jobs
    )
    assert len(pickle.loads(pickle.dumps(jobs))) == 22  # noqa: S301, our own bytes


@pytest.mark.parametrize("key", SHOWN)
def test_a_page_says_what_was_examined_and_simulated(accountant_results: AccountantResults, key: str) -> None:
    page, told = accountant_page(accountant_results, key), words(accountant_results, key)
    assert page.badge.words == "HOLDS"
    assert page.known is not None
    assert (page.known.says, page.known.near) == (HOLDS.detail, "90 %")
    assert all(ET.fromstring(str(formula)).tag.endswith("math") for _, formula in page.formulas)
    for name in SHOWN[key]:
        for one in accountant_results.looked_at.get(name, ()):
            assert one.verdict.detail in told
        for row in accountant_results.reached[name]:
            assert row.interval in told
    # what is said to lie above, on the page and beside its picture, is what does
    assert told.count("ABOVE the promise") == 2 * (key == "trainings")
    (picture, *_) = page.pictures
    above = (
        "audited, clipping after adding, audited, forgetting who sat out" if key == "trainings" else "none"
    )
    assert picture.alt.endswith(f"above it: {above}.")


def test_an_interval_above_a_promise_refutes_and_is_said(accountant_results: AccountantResults) -> None:
    key = "people"
    claim = CHAPTER.claims[list(accountant_results.reached).index(key)]
    for which, row in enumerate(accountant_results.reached[key][:1]):
        rows = list(accountant_results.reached[key])
        rows[which] = replace(row, promised=row.estimate.low / 2)
        verdict = judged(Study(), claim, rows).verdict
        assert verdict.outcome is Outcome.REFUTED
        assert verdict.counterexample is not None
        assert verdict.counterexample["low"] == row.estimate.low
        reached, verdicts = (
            {**accountant_results.reached, key: tuple(rows)},
            {**accountant_results.verdicts, key: verdict},
        )
        broken = replace(accountant_results, reached=reached, verdicts=verdicts)
        assert accountant_page(broken, key).badge.words == "REFUTED"
        assert "Above the promise" in words(broken, key)


def test_an_odometer_is_above_the_quantile_of_the_loss() -> None:
    ratio, rounds = nearest("Mixture")
    assert 1 < ratio < 3
    assert 1 <= rounds <= accountant_examples.ROUNDS
