"""Broken filters are refuted by the stage that should see them, sound ones never; the verdict says what was found."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.catalogue import CATALOGUE
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.ending import Ending
from filterproof.mc.examine.examination import Examination, PartialExamination
from filterproof.mc.examine.pairs_in_attributes import pairs_of_attribute
from filterproof.mc.examine.replay import MAX_FAILURE
from filterproof.mc.examine.stage_finding import STOPPED_AFTER, UNFINISHED, StageFinding, Tightness
from filterproof.mc.examine.stage_schedule import FAILURE, STAGES
from filterproof.mc.examine.verification import verify
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from tests.mc.examine import example_filters, misbehaving_filters, services
from tests.mc.examine.test_accountants import Forgets
from tests.slow_cases import slow_but

FEW = {"mechanisms": "gaussian", "effort": 0.01}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, entry in CATALOGUE.items() if entry.sound is True])
def test_no_sound_filter_of_the_catalogue_is_refuted(name: str) -> None:
    exam = verify(CATALOGUE[name].example(), effort=0.1)
    assert exam.counterexample is None
    assert exam.ending in (Ending.HOLDS, Ending.UNDECIDED)
    assert all(row.attack <= row.promised * (1 + 1e-9) for row in exam.tightness)


def test_a_stage_of_ours_that_breaks_ends_no_examination(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaking(*_: object) -> Iterator[object]:
        raise LookupError("odd")

    monkeypatch.setattr("filterproof.mc.examine.stage_schedule.game_stage", breaking)
    filt = example_filters.ByHand()
    filt.scope = "those who ask for Gaussians"
    exam = verify(filt, **FEW)
    assert exam.failure == FAILURE <= MAX_FAILURE
    assert exam.verdict.scope == filt.scope
    (ended,) = (finding for finding in exam.findings if finding.stage == "games")
    assert ended.notes == ("the stage ended with an error: ByHand returned: LookupError: odd",)
    assert ended.not_tried == UNFINISHED
    assert "the rest of the stage (games)" in exam.verdict.detail


@pytest.mark.parametrize("stops", ["while it is played again", "while it is told"])
def test_after_ctrl_c_a_refutation_stands_that_was_played_again(
    stops: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    replayed = stops == "while it is told"

    def stop(*_: object) -> str:
        raise KeyboardInterrupt

    if not replayed:
        monkeypatch.setattr("filterproof.mc.examine.stage_schedule.revalidate", stop)
    with pytest.raises(PartialExamination) as stopped:
        verify(
            example_filters.Forgets(),
            effort=0.07,
            mechanisms="gaussian",
            on_stage=lambda stage: stop() if stage == "shrinking" else None,
        )
    exam = stopped.value.examination
    assert exam.stopped == "stopped by Ctrl-C"
    assert exam.verdict.outcome is (Outcome.REFUTED if replayed else Outcome.UNDECIDED)
    assert (exam.counterexample is not None) is replayed


def test_an_effort_of_any_type_of_number_is_kept_as_one_that_json_can_hold() -> None:
    exam = verify(misbehaving_filters.AdmitsNothing(), effort=np.float32(0.0001), mechanisms=["rr"])
    assert exam.effort == float(np.float32(0.0001))
    assert type(exam.effort) is float


# -- what follows from findings --------------------------------------------------------------------------------


class Counterexample(SimpleNamespace):
    """What refutes, as far as a verdict looks at it."""

    order, own_pairs = (0, 0.0), ()

    def __str__(self) -> str:
        return "four Gaussians"


AT = Divergence.hockey_stick(1.0)
HOLDS = Verdict(Outcome.HOLDS, Evidence.DERIVED, "all", "by a theorem")


def _examination(*findings: StageFinding) -> Examination:
    return Examination(example_filters.ByHand(), ("gaussian",), findings, 1, FAILURE)


def _finding(stage: str = "certificate", result: str = "something", **more) -> StageFinding:
    return StageFinding(stage, "?", result, "menu", "", **more)


OPEN, NOTHING = (_finding("admission", found) for found in ("gaussian up to 1", "nothing"))
WHOLE, BROKEN = _finding(verdict=HOLDS, covers_all=True), _finding(fault="It raises.")
UNPROVED = _finding(verdict=replace(HOLDS, outcome=Outcome.UNDECIDED), covers_all=True)
REFUTED = _finding(
    "games",
    counterexample=Counterexample(),
    verdict=replace(HOLDS, outcome=Outcome.REFUTED, counterexample={"a": 1}),
)
#: The findings -> how it ends, and the end of what is said; what holds is the promise itself and not a menu's.
FOLLOWS: list[tuple[tuple[StageFinding, ...], Ending, str]] = [
    ((OPEN, WHOLE), Ending.HOLDS, HOLDS.detail),
    ((OPEN, _finding(verdict=HOLDS)), Ending.UNDECIDED, "Nothing could be compared with the guarantee"),
    ((OPEN, UNPROVED, WHOLE), Ending.HOLDS, HOLDS.detail),
    # no verdict, whatever a theorem says
    ((OPEN, WHOLE, BROKEN, BROKEN), Ending.FAULTY, "no verdict: It raises."),
    # one of the two is wrong, and neither is told as the verdict
    ((OPEN, WHOLE, REFUTED), Ending.DISAGREEMENT, "Counterexample: four Gaussians"),
    ((NOTHING, WHOLE), Ending.NOT_EXAMINED, Ending.NOT_EXAMINED.value),
    ((WHOLE,), Ending.NOT_EXAMINED, Ending.NOT_EXAMINED.value),
]


@pytest.mark.parametrize(("findings", "ending", "detail"), FOLLOWS)
def test_the_promise_holds_by_a_theorem_on_all_of_a_filter_that_was_examined_and_by_nothing_else(
    findings: tuple[StageFinding, ...], ending: Ending, detail: str
) -> None:
    exam = _examination(*findings)
    assert exam.ending is ending
    assert exam.faults == (("It raises.",) if ending is Ending.FAULTY else ())
    assert exam.verdict.detail.endswith(detail)
    assert (exam.verdict == HOLDS) is (detail == HOLDS.detail)
    assert exam.verdict.outcome is (Outcome.HOLDS if detail == HOLDS.detail else Outcome.UNDECIDED)


def test_a_time_limit_says_how_far_the_examination_came_and_what_was_refuted_before_stands() -> None:
    cut = replace(_finding("games", f"{STOPPED_AFTER} 41 % of the work"), not_tried=UNFINISHED)
    exam = _examination(OPEN, cut)
    assert exam.stopped == "stopped after 41 % of the work"
    assert exam.verdict.detail.startswith("stopped after 41 % of the work: No violation found")
    assert _examination(OPEN, REFUTED, cut).verdict.outcome is Outcome.REFUTED
    assert not _examination(OPEN, WHOLE).stopped


def test_what_is_undecided_closes_with_what_no_stage_looked_at() -> None:
    unseen = (("invariants", "other requests"), ("search", "all of them"), ("search", "other strategies"))
    findings = (replace(_finding(stage), not_tried=words) for stage, words in unseen)
    assert _examination(OPEN, *findings).verdict.detail.endswith("Not tried: other strategies (search)")
    assert "Not tried" not in _examination(OPEN, _finding()).verdict.detail


def test_the_most_telling_counterexample_and_the_number_nearest_to_the_promise_come_first() -> None:
    early, late = (
        _finding(
            counterexample=Counterexample(order=order),
            verdict=replace(HOLDS, detail=f"{near}"),
            tightness=(Tightness(AT, "menu", near, None, 1.0, Evidence.EXACT),),
        )
        for order, near in (((2, 0.1), 0.1), ((1, 0.9), 0.9))
    )
    for order in ((early, late), (late, early)):
        exam = _examination(OPEN, *order)
        again = replace(late, verdict=early.verdict)  # of equals the last, which was told
        assert _examination(OPEN, *order, again).refutation is again
        assert (exam.verdict, exam.counterexample) == (late.verdict, late.counterexample)
        assert [row.share for row in exam.tightness] == [0.9, 0.1]


@pytest.mark.parametrize(("names", "weakest"), [((), "CERTIFIED"), (("EXACT", "STATISTICAL"), "STATISTICAL")])
def test_what_is_undecided_is_as_sure_as_the_least_sure_comparison(names, weakest) -> None:
    rows = tuple(Tightness(AT, "menu", 0.5, None, 1.0, Evidence[name]) for name in names)
    verdict = _examination(OPEN, _finding(tightness=rows)).verdict
    assert (verdict.outcome, verdict.evidence) == (Outcome.UNDECIDED, Evidence[weakest])
    assert all(row.share == 0.5 for row in rows)
    assert Tightness(AT, "menu", 0.25, None, 0.0, Evidence.EXACT).share == float("inf")


def test_each_search_has_a_turn_before_any_has_its_next_and_the_laws_come_between():
    stages = []
    exam = verify(example_filters.ByHand(), on_stage=stages.append, **FEW)
    assert exam.counterexample is None
    first, then = stages.index("invariants"), stages[stages.index("invariants") :]
    assert stages[:4] == ["admission", "sequences", "games", "sequences"]
    assert stages[:first].count("sequences") == stages[:first].count("games") > 1
    assert "sequences" in then
    assert sum(finding.result.startswith("0 refutations among ") for finding in exam.findings) == 1


def test_first_refutation_ends_the_search_and_a_thorough_one_goes_on():
    first, every = (
        verify(example_filters.Forgets(), thorough=thorough, effort=0.02, mechanisms="gaussian")
        for thorough in (False, True)
    )
    refuting, shrinking = (finding.stage for finding in first.findings if finding.counterexample is not None)
    assert (refuting in ("sequences", "games"), shrinking) == (True, "shrinking")
    assert "invariants" not in [finding.stage for finding in first.findings]
    assert {"invariants", "sequences", "games"} <= {finding.stage for finding in every.findings}
    assert first.counterexample.replay().refutes
    assert every.counterexample.replay().refutes


def test_only_the_stages_that_are_named_are_run_and_unknown_ones_are_refused():
    exam = verify(example_filters.ByHand(), stages=["invariants"], **FEW)
    assert {finding.stage for finding in exam.findings} == {"admission", "invariants"}
    with pytest.raises(ValueError, match=f"stages must be among {', '.join(STAGES)}, got 'lows'"):
        verify(example_filters.ByHand(), stages=["lows"])


# -- the same is found again: in a fresh process, whose hashes are others, and of a slow filter ------------------

ROOT = Path(__file__).parents[3]


class OfASet(example_filters.StopsAtLosses):
    """Names its menu in no order: hashes of pairs are other ones in each process."""

    menu = frozenset(fp.SubsampledGaussian(0.5, 8.0 + k, adjacency="removal") for k in range(6))


class CertifiedSum(example_filters.Sum):
    """Its budget is that of a conversion, whose proof is one of many steps."""

    promise, most = fp.ApproxDP(1.0, 1e-6), fp.CKS.budget(1.0, 1e-6)


#: Something of each kind to examine, with an effort by which every stage asks something, and the stages if few.
EXAMINED: dict[str, tuple[Any, ...]] = {
    "sound sum": (example_filters.ByHand, 0.01),
    "refuted by a sequence": (example_filters.Forgets, 0.02),
    "refuted by a game": (example_filters.AfterGain, 0.02),
    "looks at losses": (OfASet, 0.003),
    "of the library": (lambda: fp.ZCDPFilter(0.5), 0.005),
    "proved from its source": (CertifiedSum, 1.0, "source"),
    "accountant": (lambda: Forgets(fp.ZCDPFilter(0.5), 3), 0.003),
    "sound service": (partial(fp.services.with_promise, services.Purse, fp.PureDP(1.0)), 0.01),
    "refuted by a schedule": (partial(fp.services.with_promise, services.FreeRetry, fp.PureDP(1.0)), 0.01),
}


def examined(name: str) -> str:
    """All that is found of it."""
    make, effort, *stages = EXAMINED[name]
    return verify(make(), effort=effort, seed=1, stages=stages or None).json().rstrip()


def in_a_fresh_process(name: str) -> str:
    """Whose hashes are other ones."""
    code = f"from tests.mc.examine.test_examination import examined; print(examined({name!r}))"
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}
    how: Any = {"cwd": ROOT, "env": environment, "capture_output": True, "text": True, "check": True}
    return subprocess.run([sys.executable, "-c", code], **how).stdout.rstrip()


@pytest.mark.parametrize("name", slow_but(("accountant",), EXAMINED))
def test_the_same_is_found_in_a_fresh_process(name: str) -> None:
    assert in_a_fresh_process(name) == examined(name)


class Remote(example_filters.ByHand):
    """Sound, and asked over a line that takes its time: for every answer, or for the first one of each process."""

    wait: Any = staticmethod(lambda: None)

    def admits(self, state, request):
        self.wait()
        return super().admits(state, request)


@pytest.mark.parametrize("effort", [1e-6, pytest.param(2e-3, marks=pytest.mark.slow)])
def test_how_long_answers_take_decides_neither_the_status_nor_a_word(effort: float) -> None:
    waits = (lambda: None), (lambda: time.sleep(5e-4)), cache(lambda: time.sleep(0.2))
    exams = []
    for wait in waits:
        remote = type("Remote", (Remote,), {"wait": staticmethod(wait)})
        exams.append(verify(remote(), effort=effort, mechanisms=["gaussian"]))
    assert {exam.json() for exam in exams} == {exams[0].json()}
    assert exams[0].ending is Ending.UNDECIDED


def test_a_menu_that_has_no_order_is_asked_in_that_of_its_words() -> None:
    assert pairs_of_attribute(OfASet(), "menu") == tuple(sorted(OfASet.menu, key=repr))
