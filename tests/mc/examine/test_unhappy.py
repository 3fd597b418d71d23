"""Whatever a filter's code does, an examination ends in time with a sentence about it, and leaves nothing behind."""

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import filterproof as fp
from mc.examine.clock import Clock
from mc.examine.examination import Examination, Status
from mc.examine.verify import examine
from tests.mc.examine import unhappy
from tests.mc.examine.stages.test_stages import SeesRewinding
from theory.evidence import Outcome

SECONDS = 0.4
#: What may pass beyond the seconds given: a stage's grace, several rings of an alarm; of a sleep, a busy machine.
LATE = 25.0


@pytest.fixture(autouse=True)
def _everything_is_left_as_it_was() -> Iterator[None]:
    def seen() -> tuple[object, ...]:
        return sys.stdout, sys.stderr, list(warnings.filters), np.geterr(), sys.gettrace()

    before, process, shown = seen(), os.getpid(), warnings.showwarning
    yield
    assert seen() == before
    assert warnings.showwarning is shown
    assert os.getpid() == process


def examined(filt: fp.PrivacyFilter, seconds: float = SECONDS, **more) -> Examination:
    def alarm() -> tuple[object, float]:
        return signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)[1]

    began, before = Clock.now(), alarm()
    found = examine(filt, seconds=seconds, **more)
    # asked here, since pytest-timeout takes the alarm from a test that failed before it is torn down
    assert alarm() == before
    assert Clock.now() - began < seconds + LATE
    return found


def line_of(kind: type, words: str) -> int:
    """The line of a class of `unhappy` that holds the words."""
    lines = Path(unhappy.__file__).read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(f"class {kind.__name__}("))
    return 1 + next(i for i in range(first, len(lines)) if words in lines[i])


#: The filter -> the method that is named, the words on its line, and words of the sentence.
BREAKS = {
    unhappy.Raises: ("admits", "raise Zero", "ZeroDivisionError: no budget was set"),
    unhappy.Hangs: ("admits", "", "was still at work when the time was up"),
    unhappy.ScalarAnswers: ("admits", "def admits", "must return booleans of shape (1,), got"),
    unhappy.ScalarState: ("spend", "def spend", "must return an array"),
    unhappy.ChargesANumber: ("charge", "def charge", "must return a charge, got"),
    unhappy.PromiseRaises: ("promise", "raise KeyError", "KeyError: 'epsilon'"),
    unhappy.RunsOutOfMemory: ("spend", "raise MemoryError", "MemoryError"),
}


@pytest.mark.parametrize("kind", BREAKS, ids=lambda kind: kind.__name__)
def test_code_that_breaks_is_a_fault_with_its_method_and_line(kind: type[fp.PrivacyFilter]) -> None:
    method, words, said = BREAKS[kind]
    found = examined(kind())
    assert found.status is Status.FAULTY
    assert found.verdict.outcome is Outcome.UNDECIDED
    fault = found.faults[0]
    assert fault.startswith(f"{kind.__name__}.{method} ")
    assert said in fault
    assert "unhappy.py, line " in fault
    if words:
        assert f"unhappy.py, line {line_of(kind, words)}" in fault
    assert found.verdict.detail == "no verdict: " + "; ".join(found.faults)
    assert found.witness is None


#: The filter -> words of the sentence.
IMPURE = {
    unhappy.KeepsStateOutside: "keeps state outside its state",
    # which of its answers gives it away depends on how often it was asked before, and so on the time that there was
    unhappy.AnswersAtRandom: "breaks the contract: ",
    unhappy.ClosesStandardOutput: "closed standard output while it decides",
}


@pytest.mark.parametrize("kind", IMPURE, ids=lambda kind: kind.__name__)
def test_a_filter_whose_state_is_not_all_it_knows_or_touches_is_at_fault(kind: type, capsys) -> None:
    found = examined(kind(), 0.8)
    assert capsys.readouterr() == ("", "")
    assert found.status is Status.FAULTY
    assert any(fault.startswith(kind.__name__) and IMPURE[kind] in fault for fault in found.faults)
    assert found.verdict.outcome is not Outcome.HOLDS


#: The filter -> a note on it.
ODD = {
    unhappy.Prints: "Prints prints while it decides; what it printed was left out",
    **dict.fromkeys(
        (unhappy.LooksAtStandardOutput, unhappy.Warns, unhappy.GrowingState, unhappy.SetsNumpyErrors)
    ),
}


@pytest.mark.parametrize("kind", ODD, ids=lambda kind: kind.__name__)
def test_what_harms_nobody_ends_no_examination_and_is_kept_from_the_page(kind: type, capsys) -> None:
    found = examined(kind(), mechanisms="gaussian")
    assert capsys.readouterr() == ("", "")
    assert (found.status, found.faults) == (Status.EXAMINED, ())
    assert found.verdict.outcome is Outcome.UNDECIDED
    assert ODD[kind] is None or ODD[kind] in found.findings[-1].notes


def test_a_filter_that_admits_nothing_is_not_examined_and_who_is_told_of_the_stages_may_print(capsys) -> None:
    found = examined(unhappy.AdmitsNothing(), on_stage=print)
    assert capsys.readouterr().out == "admission\n"
    assert not any("prints" in note for one in found.findings for note in one.notes)
    assert (found.status, found.faults) == (Status.DENIES, ())
    assert "admits nothing that was tried" in found.verdict.detail


def test_a_hang_that_comes_late_is_told_and_the_rest_is_looked_at() -> None:
    found = examined(unhappy.HangsLate(), seconds=1.0, mechanisms="gaussian")
    told = [note for one in found.findings for note in one.notes]
    lines = {line_of(unhappy.HangsLate, words) for words in ("while", "pass")}
    sentences = {
        f"HangsLate.admits (unhappy.py, line {line}) was still at work when the time was up" for line in lines
    }
    assert any(note.startswith(sentence) for note in told for sentence in sentences)
    assert found.verdict.outcome is Outcome.UNDECIDED
    assert any(one.stage == "sequences" and one.tightness for one in found.findings)


def test_of_a_filter_whose_state_is_not_all_it_knows_no_game_on_states_is_believed() -> None:
    found = examined(SeesRewinding(), 0.3, mechanisms="rr")
    assert found.status is Status.FAULTY
    assert found.witness is None
    assert not any(one.stage == "games" for one in found.findings)


def test_what_forked_is_no_second_examination() -> None:
    """The child would go on as a second examination; os.fork is refused instead."""
    children = set(_children())
    assert "must not fork" in examined(unhappy.Forks()).faults[0]
    assert set(_children()) <= children
    child = os.fork()  # and is not refused any more
    if child == 0:
        os._exit(0)
    assert os.waitpid(child, 0) == (child, 0)


class Asked(type(fp.ZCDPFilter)):  # type: ignore[misc]
    """A kind that ends the process in which someone looks up what a filter of it is made of."""

    def __hash__(cls) -> int:
        if any(frame.name == "parts" for frame in traceback.extract_stack()):
            os._exit(42)
        return type.__hash__(cls)


def test_whoever_asks_what_a_filter_is_made_of_runs_its_code_in_no_process_of_the_caller() -> None:
    class Mine(fp.ZCDPFilter, metaclass=Asked):
        pass

    assert "ended with status 42" in examine(Mine(0.3), seconds=2.0).verdict.detail


def _children() -> list[str]:
    path = Path(f"/proc/self/task/{os.getpid()}/children")
    return path.read_text().split() if path.exists() else []
