"""Whatever a filter's code does, an examination ends with a sentence about it, and leaves nothing behind."""

import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.examine.ending import Ending
from filterproof.mc.examine.examination import PartialExamination
from filterproof.mc.examine.verification import verify
from filterproof.theory.evidence import Outcome
from tests.mc.examine import misbehaving_filters
from tests.mc.examine.stages.test_stages import SeesRewinding
from tests.mc.examine.test_worker import assert_gone
from tests.slow_cases import slow_but

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


def line_of(kind: type, words: str) -> int:
    """The line of a class of `misbehaving_filters` that holds the words."""
    lines = Path(misbehaving_filters.__file__).read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(f"class {kind.__name__}("))
    return 1 + next(i for i in range(first, len(lines)) if words in lines[i])


#: The filter -> the method that is named, the words on its line, and words of the sentence.
BREAKS = {
    misbehaving_filters.Raises: ("admits", "raise Zero", "ZeroDivisionError: no budget was set"),
    misbehaving_filters.ScalarAnswers: ("admits", "def admits", "must return booleans of shape (1,), got"),
    misbehaving_filters.TakesNoRequest: (
        "admits",
        "def admits",
        "must accept (state, request), got (state); define admits(self, state, request)",
    ),
    misbehaving_filters.ScalarState: ("spend", "def spend", "must return an array"),
    misbehaving_filters.ChargesANumber: ("charge", "def charge", "must return a charge, got"),
    misbehaving_filters.PromiseRaises: ("promise", "raise KeyError", "KeyError: 'epsilon'"),
    misbehaving_filters.RunsOutOfMemory: ("spend", "raise MemoryError", "MemoryError"),
}


@pytest.mark.parametrize("kind", slow_but([*BREAKS][:4], BREAKS), ids=lambda kind: kind.__name__)
def test_code_that_breaks_is_a_fault_with_its_method_and_line(kind: type[fp.PrivacyFilter]) -> None:
    method, words, said = BREAKS[kind]
    found = verify(kind(), effort=EFFORT)
    assert found.ending is Ending.FAULTY
    assert found.verdict.outcome is Outcome.UNDECIDED
    fault = found.faults[0]
    assert fault.startswith(f"{kind.__name__}.{method} ")
    assert said in fault
    assert f"misbehaving_filters.py, line {line_of(kind, words)}" in fault
    assert found.verdict.detail == "no verdict: " + "; ".join(found.faults)
    assert found.counterexample is None


#: The filter -> words of the sentence.
IMPURE = {
    misbehaving_filters.KeepsStateOutside: "keeps data outside the state",
    misbehaving_filters.AnswersAtRandom: "breaks the contract: ",
}


@pytest.mark.parametrize("kind", IMPURE, ids=lambda kind: kind.__name__)
def test_a_filter_whose_state_is_not_all_it_knows_or_touches_is_at_fault(kind: type, capsys) -> None:
    found = verify(kind(), effort=EFFORT, mechanisms="gaussian", stages=["invariants"])
    assert capsys.readouterr() == ("", "")
    assert found.ending is Ending.FAULTY
    assert any(fault.startswith(kind.__name__) and IMPURE[kind] in fault for fault in found.faults)
    assert found.verdict.outcome is not Outcome.HOLDS


#: The filter -> a note on it.
ODD = {
    misbehaving_filters.Prints: "Prints prints while it decides; its output is not shown",
    **dict.fromkeys(
        (
            misbehaving_filters.UsesStandardOutput,
            misbehaving_filters.Warns,
            misbehaving_filters.GrowingState,
            misbehaving_filters.SetsNumpyErrors,
        )
    ),
}


@pytest.mark.parametrize("kind", slow_but([*ODD][:3], ODD), ids=lambda kind: kind.__name__)
def test_what_harms_nobody_ends_no_examination_and_is_kept_from_the_page(kind: type, capsys) -> None:
    found = verify(kind(), effort=EFFORT, mechanisms="gaussian", stages=["invariants"])
    assert capsys.readouterr() == ("", "")
    assert (found.ending, found.faults) == (Ending.UNDECIDED, ())
    assert found.verdict.outcome is Outcome.UNDECIDED
    assert ODD[kind] is None or ODD[kind] in found.findings[-1].notes


def test_a_filter_that_admits_nothing_is_not_examined_and_who_is_told_of_the_stages_may_print(capsys) -> None:
    found = verify(misbehaving_filters.AdmitsNothing(), effort=EFFORT, on_stage=print)
    assert capsys.readouterr().out == "admission\n"
    assert not any("prints" in note for one in found.findings for note in one.notes)
    assert (found.ending, found.faults) == (Ending.NOT_EXAMINED, ())
    assert "denies every request that was tried" in found.verdict.detail


HANGS = (misbehaving_filters.Hangs, misbehaving_filters.HangsLate)


@pytest.mark.parametrize("kind", slow_but(HANGS[:1], HANGS), ids=lambda kind: kind.__name__)
def test_a_filter_that_never_returns_is_examined_until_the_limit(kind: type) -> None:
    found = verify(kind(), seconds=SECONDS)
    assert re.fullmatch(r"stopped after \d\d? % of the work", found.stopped)
    assert (found.faults, found.counterexample) == ((), None)
    assert found.ending in (Ending.OUT_OF_TIME, Ending.UNDECIDED)
    assert found.verdict.outcome is Outcome.UNDECIDED
    assert found.verdict.detail.startswith(f"{found.stopped}: No violation found. This is not a proof.")
    assert kind is misbehaving_filters.HangsLate or not found.admits_something


def test_ctrl_c_ends_the_examination_of_a_filter_that_never_returns() -> None:
    def pressed(stage: str) -> None:
        if stage == "sequences":
            threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,)).start()

    with pytest.raises(PartialExamination) as caught:
        verify(misbehaving_filters.HangsLate(), mechanisms=["rr"], on_stage=pressed)
    found = caught.value.examination
    assert found.stopped.startswith("stopped by Ctrl-C")
    assert found.admits_something


def test_a_process_that_a_filter_starts_ends_with_its_examination() -> None:
    found = verify(
        misbehaving_filters.StartsAProcess(), effort=EFFORT, mechanisms="gaussian", stages=["invariants"]
    )
    assert (found.ending, found.faults) == (Ending.UNDECIDED, ())
    words = "\0".join(misbehaving_filters.StartsAProcess.words).encode()
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        if words in _read(one):  # which is killed, and may not have ended yet
            assert_gone(int(one.parent.name))


def test_a_filter_that_asks_a_thread_is_examined_before_its_first_use_and_not_at_fault_after() -> None:
    filt = misbehaving_filters.HasAPool()
    found = verify(filt, effort=EFFORT, mechanisms=["rr"], stages=["games"])
    assert (found.ending, found.faults, found.stopped) == (Ending.UNDECIDED, (), "")
    assert any(one.stage == "games" and one.tightness for one in found.findings)
    filt.open("retry").request(fp.Gaussian(0.1))
    with filt.pool:
        found = verify(filt, effort=EFFORT, mechanisms=["rr"])
    assert (found.ending, found.faults) == (Ending.THREADS_LOST, ())
    assert re.match(
        r"threads ran in this process before \(.*HasAPool_0.*\), and a forked process does", found.stopped
    )
    assert found.verdict.outcome is Outcome.UNDECIDED
    assert found.verdict.detail.startswith(found.stopped)


def test_of_a_filter_whose_state_is_not_all_it_knows_no_game_on_states_is_believed() -> None:
    found = verify(SeesRewinding(), effort=EFFORT, mechanisms="rr")
    assert found.ending is Ending.FAULTY
    assert found.counterexample is None
    assert not any(one.stage == "games" for one in found.findings)


def _children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it ended meanwhile
        return b""
