"""Whatever a filter's code does, an examination ends with a sentence about it, and leaves nothing behind."""

import inspect
import os
import re
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.adapters.bridge import BridgeError, LateBridgeError
from filterproof.filters.contract.work import OutOfWork
from filterproof.mc.examine.ending import Ending
from filterproof.mc.examine.filter_fault import FilterFault, filter_faults_raised
from filterproof.mc.examine.verification import verify
from filterproof.theory.evidence import Outcome
from tests.mc.examine import misbehaving_filters
from tests.mc.examine.stages.test_stages import SeesRewinding

#: The work of an examination here; the seconds of one whose filter never returns.
EFFORT, SECONDS = 0.01, 0.5


@pytest.fixture(autouse=True)
def _everything_is_left_as_it_was() -> Iterator[None]:
    def seen() -> tuple[object, ...]:
        return sys.stdout, sys.stderr, list(warnings.filters), np.geterr(), sys.gettrace()

    before, process, shown = seen(), os.getpid(), warnings.showwarning
    processes = _children()
    yield
    assert seen() == before
    assert _children() == processes
    assert warnings.showwarning is shown
    assert os.getpid() == process


#: The filter -> the method that is named, and words of the sentence.
BREAKS = {
    misbehaving_filters.Raises: ("admits", "ZeroDivisionError: no budget was set"),
    misbehaving_filters.ScalarAnswers: ("admits", "must return booleans of shape (1,), got"),
    misbehaving_filters.TakesNoRequest: (
        "admits",
        "must accept (state, request), got (state); define admits(self, state, request)",
    ),
    misbehaving_filters.PromiseRaises: ("promise", "KeyError: 'epsilon'"),
}


@pytest.mark.parametrize("kind", BREAKS, ids=lambda kind: kind.__name__)
def test_code_that_breaks_is_a_fault_with_its_method_and_line(kind: type[fp.PrivacyFilter]) -> None:
    method, words = BREAKS[kind]
    exam = verify(kind(), effort=EFFORT)
    assert (exam.ending, exam.verdict.outcome, exam.counterexample) == (
        Ending.FAULTY,
        Outcome.UNDECIDED,
        None,
    )
    fault = exam.faults[0]
    assert fault.startswith(f"{kind.__name__}.{method} ")
    assert words in fault
    lines, first = inspect.getsourcelines(getattr(vars(kind)[method], "fget", vars(kind)[method]))
    place = re.search(r"misbehaving_filters\.py, line (\d+)", fault)
    assert place is not None
    assert first <= int(place[1]) < first + len(lines)
    assert exam.verdict.detail == "no verdict: " + "; ".join(exam.faults)


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (misbehaving_filters.KeepsStateOutside, "keeps data outside the state"),
        (misbehaving_filters.AnswersAtRandom, "breaks the contract: "),
    ],
)
def test_a_filter_whose_state_is_not_all_it_knows_or_touches_is_at_fault(kind: type, says: str) -> None:
    exam = verify(kind(), effort=EFFORT, mechanisms="gaussian", stages=["invariants"])
    assert exam.ending is Ending.FAULTY
    assert any(fault.startswith(kind.__name__) and says in fault for fault in exam.faults)
    assert exam.verdict.outcome is not Outcome.HOLDS


@pytest.mark.parametrize("name", ["Prints", "UsesStandardOutput", "Warns", "Caches"])
def test_what_harms_nobody_ends_no_examination_and_is_kept_from_the_page(name: str, capsys) -> None:
    exam = verify(
        getattr(misbehaving_filters, name)(), effort=EFFORT, mechanisms="gaussian", stages=["invariants"]
    )
    assert capsys.readouterr() == ("", "")
    assert (exam.ending, exam.faults) == (Ending.UNDECIDED, ())
    note = "Prints prints while it decides; its output is not shown"
    assert (note in exam.findings[-1].notes) is (name == "Prints")
    assert any("changed its own attributes" in words for words in exam.findings[-1].notes) is (
        name == "Caches"
    )
    assert not any("error" in finding.result for finding in exam.findings)


def test_a_filter_that_admits_nothing_is_not_examined_and_who_is_told_of_the_stages_may_print(capsys) -> None:
    exam = verify(misbehaving_filters.AdmitsNothing(), effort=EFFORT, on_stage=print)
    assert capsys.readouterr().out == "admission\n"
    assert not any("prints" in note for finding in exam.findings for note in finding.notes)
    assert (exam.ending, exam.faults) == (Ending.NOT_EXAMINED, ())
    assert "denies every request that was tried" in exam.verdict.detail


def test_a_filter_that_never_returns_is_examined_until_the_limit() -> None:
    exam = verify(misbehaving_filters.Hangs(), seconds=SECONDS)
    assert re.fullmatch(r"stopped after \d\d? % of the work", exam.stopped)
    assert (exam.faults, exam.counterexample, exam.ending) == ((), None, Ending.OUT_OF_TIME)
    assert exam.verdict.outcome is Outcome.UNDECIDED
    assert exam.verdict.detail.startswith(f"{exam.stopped}: No violation found. This is not a proof.")
    assert not exam.admits_something


def test_of_a_filter_whose_state_is_not_all_it_knows_no_game_on_states_is_believed() -> None:
    exam = verify(SeesRewinding(), effort=EFFORT, mechanisms="rr")
    assert exam.ending is Ending.FAULTY
    assert exam.counterexample is None
    assert not any(finding.stage == "games" for finding in exam.findings)


def _children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


# -- the sentence about an exception: its method and line; all else passes -----------------------------------

HERE = Path(__file__)


class Breaks(misbehaving_filters.SumOfZCDP):
    """Its methods do what they are asked for: raise in a helper of this file, or call something."""

    def admits(self, state, request):
        return self.cost(state, request)

    def cost(self, state, request):
        return broken(request) if isinstance(request, BaseException) else request()


def broken(error):
    raise error


def line_of(words: str) -> int:
    return next(number for number, line in enumerate(HERE.read_text().splitlines(), 1) if words in line)


def call_admits(filt: fp.PrivacyFilter, request: object) -> Iterator[object]:
    yield filt.admits(np.zeros(1), request)


PLACE = f"in test_misbehaving_filters.py, line {line_of('    raise error')}; correct it there"
#: What is raised in the helper, and the sentence.
SAID = {
    "without words": (ValueError(), f"Breaks.cost raised ValueError {PLACE}"),
    "with words": (KeyError("x"), f"Breaks.cost raised KeyError: 'x' {PLACE}"),
    "in words of ours": (
        TypeError("Breaks.admits is"),
        f"Breaks.cost raised TypeError: Breaks.admits is {PLACE}",
    ),
    "for a generator": (StopIteration(), f"Breaks.cost raised StopIteration {PLACE}"),
    "an interrupt": (KeyboardInterrupt(), f"Breaks.cost raised KeyboardInterrupt {PLACE}"),
    "in another language": (BridgeError("bridge.mjs said nothing"), "bridge.mjs said nothing"),
}


@pytest.mark.parametrize("name", SAID)
def test_an_error_is_told_by_the_innermost_method_and_the_line_of_its_helper_once(name: str) -> None:
    error, sentence = SAID[name]
    filt = Breaks()
    with pytest.raises(FilterFault) as caught, filter_faults_raised(Breaks()), filter_faults_raised(filt):
        next(call_admits(filt, error))
    assert str(caught.value).startswith(sentence)


def spends(how: str) -> fp.PrivacyFilter:
    """A filter from a budget of another library whose code is at fault."""

    class Ledger:
        def __init__(self):
            self.lock = threading.Lock() if how == "uncopied" else None

        def spend(self, state, pair):
            return [True] if how == "answered" else broken(KeyError("row 7"))

    def ask(ledger, pair):
        return broken(KeyError("row 7")) if how == "function" else ledger.spend(ledger, pair)

    inner = fp.from_budget(Ledger, ask, fp.PureDP(1.0))
    return fp.LabelledFilter(inner, labels={"site": ("a", "b")}, over={"site": "a"})


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("method", f"Ledger.spend raised KeyError: 'row 7' {PLACE}"),
        ("function", f"Ledger: ask raised KeyError: 'row 7' {PLACE}"),
        ("answered", "Ledger: spend must grant or deny the whole request, got"),
        ("uncopied", "Ledger: cannot pickle"),
    ],
)
def test_a_fault_behind_an_adapter_is_told_by_the_code_of_the_user(how: str, sentence: str) -> None:
    filt = spends(how)
    with pytest.raises(FilterFault) as caught, filter_faults_raised(filt):
        filt.admits(filt.start(1), filt.at(fp.RandomizedResponse(0.5)))
    assert str(caught.value).startswith(sentence)


def test_what_a_person_interrupts_and_what_is_raised_elsewhere_is_no_fault() -> None:
    for error, what in ((KeyboardInterrupt, KeyboardInterrupt), (ZeroDivisionError, FilterFault)):
        filt = misbehaving_filters.first("Interrupted", lambda error=error: broken(error()))()
        with pytest.raises(what), filter_faults_raised(filt):
            filt.admits(np.zeros(1), fp.Gaussian(0.1))
        with pytest.raises(error), filter_faults_raised(filt):
            broken(error())


class Translates(misbehaving_filters.SumOfZCDP):
    """Makes its own error of whatever it meets."""

    def admits(self, state, request):
        try:
            raise request
        except BaseException as met:  # noqa: BLE001 - also what ends a search
            raise ValueError("my budget broke") from (met if isinstance(met, LateBridgeError) else None)


@pytest.mark.parametrize("end", [OutOfWork(), LateBridgeError("late")])
def test_what_a_filter_makes_of_the_end_of_a_search_is_no_fault_of_it(end: BaseException) -> None:
    filt = Translates()
    with pytest.raises(type(end)) as raised, filter_faults_raised(filt):
        next(call_admits(filt, end))
    assert raised.value is end
    with pytest.raises(FilterFault, match="my budget broke"), filter_faults_raised(filt):
        next(call_admits(filt, KeyError("x")))
