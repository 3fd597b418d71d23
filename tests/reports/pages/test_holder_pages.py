"""The pages of the holders: what they say is what was simulated, and what contradicts a promise is said."""

import contextlib
import io
import pickle
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

import filterproof as fp
from reports.chapters import chapter, holders
from reports.chapters.holders import judged
from reports.drawing import svg_text
from reports.expression import read_holder
from reports.pages import held
from reports.pages.held import DELTA, NORMS, SIGMA, LookedAt, weakest
from reports.pages.holder_pages import holder_page, holder_pages
from reports.study import Study
from theory.evidence import Evidence, Outcome, Verdict

HOLDERS = chapter("held")

#: The two broken sums, which `tests/mc/examine/test_holders.py` sees refuted; their games take all the time given.
BROKEN = {"clipping": "ClippingAfterAdding", "forgetting": "ForgettingSums"}
#: Holders beside one of their page that is examined; `test_holders.py` sees that each of them holds.
BESIDE = ("Mixture", "Stitched", "Doubling", "Rogers", "Gaussian")
HOLDS = Verdict(
    Outcome.HOLDS, Evidence.CERTIFIED, "every play", "theorem 'odometers'; 9 numbers are certified"
)
REFUTED = Verdict(Outcome.REFUTED, Evidence.CERTIFIED, "one game", "0.9 > 0.5 in 3 rounds", {"low": 0.9})


def _told(proofs):
    looked_at = holders._looked_at

    def stand_in(seed, proofs, name):
        kind = type(held.made()[name]()).__name__
        if name[0] in BROKEN:
            return LookedAt(kind, "Broken()", REFUTED, "a game of 3 rounds is lost", 1.8)
        if name[1] in BESIDE:
            return LookedAt(kind, "Sound()", HOLDS, "3 plays by its own code", 0.5)
        return looked_at(seed, proofs, name)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(holders, "_looked_at", stand_in)
        # few people and runs: the trainings that break their promise are seen as well, and the words are the same
        patched.setattr(held, "_AUDITED", 800)
        patched.setattr(held, "_TRAINING_RUNS", 8000)
        patched.setattr(held, "TRAINED", 8)
        patched.setattr(held, "_RUNS", 4000)
        study = Study(quick=True, proofs=dict(proofs))
        return study, HOLDERS.tell(study, HOLDERS.claims)


@pytest.fixture(scope="module")
def told(once, proofs):
    return once("holders", lambda: _told(proofs))


@pytest.fixture(scope="module")
def pages(told):
    return holder_pages(told[0].holders)


def words(page):
    return " ".join(str(text) for _, text in page.facts)


#: The keys of what is simulated that stand on each page, in the order of the pages.
SHOWN = (("odometers",), ("trackers",), ("people",), ("trainings", "clipping", "forgetting"), ("queries",))
#: The page on which what is simulated stands.
PLACE = {key: place for place, keys in enumerate(SHOWN) for key in keys}


def test_every_claim_has_a_finding_as_expected_and_every_examination_is_a_claim_of_its_own(told):
    study, what = told
    assert [finding.claim for finding in what.findings] == list(HOLDERS.claims)
    assert all(finding.as_expected for finding in what.findings)
    assert study.made == len(what.tables[0].rows) == 22
    rows = [row for rows in study.holders.reached.values() for row in rows]
    assert all(row.estimate.failure <= study.failure / study.comparisons * 1.001 for row in rows)
    said = {each.key: each.verdict for page in study.holders.looked_at.values() for each in page}
    examined = [finding for finding in what.findings if finding.claim.key in said]
    assert {finding.claim.key: finding.verdict for finding in examined} == said
    assert len(said) == len(held.made())
    refuted = {finding.claim.key for finding in examined if finding.claim.expected is Outcome.REFUTED}
    assert refuted == {"examined-clippingafteradding", "examined-forgettingsums"}


@pytest.mark.parametrize("make", held.made().values(), ids=[name for _, name in held.made()])
def test_a_holder_is_typed_as_it_is_printed(make):
    made = make()
    typed = read_holder(repr(made))
    assert (type(typed), repr(typed)) == (type(made), repr(made))


def test_of_several_verdicts_that_is_told_of_which_least_is_known():
    by_kernel, undecided = replace(HOLDS, evidence=Evidence.KERNEL), replace(HOLDS, outcome=Outcome.UNDECIDED)
    for least, *others in ((REFUTED, undecided, HOLDS), (undecided, HOLDS), (HOLDS, by_kernel)):
        for verdicts in ((least, *others), (*others, least)):
            assert weakest([LookedAt("x", "X()", one, "", 0.0) for one in verdicts]) is least


def test_every_simulation_can_be_sent_to_another_process():
    jobs = held.simulations(lambda: 0.99, lambda n: n, seed=1)
    assert len(pickle.loads(pickle.dumps(jobs))) == len(jobs) == 22  # noqa: S301, our own bytes


TITLES = ["Odometers", "Trackers", "IndividualFilter", "ClippedSums", "LinearQueries"]


def test_a_page_has_all_its_parts_and_says_what_was_examined_and_simulated(told, pages):
    assert [page.title for page in pages] == TITLES
    assert len({page.key for page in pages}) == 5
    assert len({picture.name for page in pages for picture in page.pictures}) == 7
    holders = told[0].holders
    for page, keys in zip(pages, SHOWN, strict=True):
        assert page.badge.words == "HOLDS"
        assert page.known.says.startswith("theorem '")
        assert {"Verdict", "Theorem", "Played"} <= {label for label, _ in page.facts}
        assert page.uncovered
        assert page.pictures
        assert all(ET.fromstring(str(formula)).tag.endswith("math") for _, formula in page.formulas)
        for picture in page.pictures:
            assert picture.caption
            assert picture.alt
            assert svg_text(picture.figure).startswith("<svg")
        for one in (one for key in keys for one in holders.looked_at[key]):
            assert one.verdict.detail in words(page)
            assert one.verdict.outcome is (Outcome.REFUTED if one.name in BROKEN.values() else Outcome.HOLDS)
        for row in (row for key in keys for row in holders.reached[key]):
            assert row.interval in words(page)  # of what is refuted the interval alone is said
            assert row.refutes or f"{row.estimate.value:.3g}"[:4] in words(page)
        # nothing is said to lie above where nothing does
        assert "ABOVE" not in " ".join(str(text) for label, text in page.facts if label != "Done wrongly")
        assert "BELOW" not in words(page)


@pytest.mark.parametrize("place", range(5), ids=["odometers", "trackers", "people", "sums", "queries"])
def test_the_code_to_try_runs(pages, place):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(pages[place].code, {})  # noqa: S102, our own code
    assert "confidence" in out.getvalue()


@pytest.mark.parametrize("page", ["odometers", "trackers", "people", "queries", "trainings"])
def test_an_interval_above_a_promise_refutes_and_is_said_in_words(told, page):
    study = told[0]
    claim = HOLDERS.claims[list(study.holders.reached).index(page)]
    for which in range(len(study.holders.reached[page])):
        rows = list(study.holders.reached[page])
        rows[which] = replace(rows[which], promised=rows[which].estimate.low / 2 or -1.0)
        if rows[which].promised < 0:  # never seen: nothing lies below its interval
            continue
        finding = judged(study, claim, rows)
        assert finding.verdict.outcome is Outcome.REFUTED
        assert not finding.as_expected
        assert finding.verdict.witness["low"] == rows[which].estimate.low
        broken = replace(
            study.holders,
            reached={**study.holders.reached, page: tuple(rows)},
            verdicts={**study.holders.verdicts, page: finding.verdict},
        )
        shown = holder_page(broken, page)
        assert shown.badge.words == "REFUTED"
        assert "ABOVE" in words(shown)
        assert "Above the promise" in words(shown)


def test_the_bounds_lie_above_the_quantile_and_the_stairs_above_the_true_cost_or_it_is_said(told):
    found = told[0].holders
    low = {name: 0.5 * value for name, value in found.stairs.lines.items()}
    broken = replace(found, stairs=replace(found.stairs, lines=low))
    assert "BELOW" in words(holder_page(broken, "trackers"))
    z = 1.6448536269514722  # Phi(z) = 1 - DELTA
    s = 0.01 * found.bounds.rounds
    assert pytest.approx(0.05) == DELTA
    assert found.bounds.truth["quantile"] == pytest.approx(s / 2 + z * np.sqrt(s))
    for line in found.bounds.lines.values():
        assert (line > found.bounds.truth["quantile"]).all()
    line = fp.LineOdometer(DELTA, target=1.0).bound(s)
    assert found.bounds.lines["Line"] == pytest.approx(line)
    for name, value in found.stairs.lines.items():
        assert (value >= found.stairs.truth[name] * (1 - 1e-12)).all()
        assert value[-1] > 3 * value[0] or name == "Gaussian"


def test_people_take_part_as_often_as_their_norms_allow(told):
    people = told[0].holders.people
    allowed = SIGMA**2 / NORMS**2
    for t in (1, 16, 17, 100, 1000):
        sure = np.count_nonzero(allowed >= t * (1 + 1e-9))
        most = np.count_nonzero(allowed >= t * (1 - 1e-9))
        assert sure <= people.active[t - 1] <= most
    assert people.shared == 16
    rounds = np.minimum(np.floor(allowed[::5] * (1 - 1e-9)), people.at[-1])
    spent = np.quantile(rounds / allowed[::5], (0.1, 0.5, 0.9))
    assert people.spent[-1] == pytest.approx(spent, abs=2e-3)


def test_there_are_no_pages_before_the_chapter_has_run():
    with pytest.raises(RuntimeError, match="study must have told the chapter on holders"):
        holder_pages(None)


def test_the_words_about_answers_are_those_of_the_answers_and_a_page_came_as_near_as_its_nearest(told):
    found = told[0].holders
    four = {"error": np.array([1.0, 3.0, 1.0, 1.0]), "bound": np.full(4, 2.0), "left": np.array([9, 7, 5, 3])}
    (picture,) = holder_page(replace(found, answers=replace(found.answers, **four)), "queries").pictures
    assert picture.alt.startswith("1 of 4 errors lie beyond the bound 2; ")
    assert picture.alt.endswith(" 7 are left after 2 queries, and 3 at the end.")
    both = zip(found.looked_at["trackers"], (0.9, 0.2), strict=True)
    near = {"trackers": tuple(replace(each, near=share) for each, share in both)}
    assert replace(found, looked_at=found.looked_at | near).known("trackers").near == "90 %"


def test_sums_that_break_their_promise_are_said_to_lie_above_it(told, pages):
    (alt,) = (picture.alt for picture in pages[PLACE["clipping"]].pictures if picture.name == "trainings")
    assert alt.endswith("above it: audited, clipping after adding, audited, forgetting who sat out.")
    wrong = dict(pages[PLACE["clipping"]].facts)["Done wrongly"]
    assert str(wrong).count("ABOVE the promise") == 2
    for key in ("clipping", "forgetting"):
        (row,) = told[0].holders.reached[key]
        assert row.refutes
        assert row.interval in str(wrong)
