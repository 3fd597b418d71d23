"""A worker ends in an answer, an exception or a sentence, whatever its code does, and leaves no process behind."""

import ctypes
import faulthandler
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from functools import partial
from itertools import count as numbers
from itertools import islice
from pathlib import Path

import pytest

from filterproof.filters.contract.work import OutOfWork, WorkLimit, activate_meter, count_work, current_meter
from filterproof.mc.examine.deadline import Deadline, OutOfTime
from filterproof.mc.examine.filter_fault import FilterFault
from filterproof.mc.examine.worker import (
    WorkerPaused,
    iter_isolated,
    iter_within_limit,
    register_summary,
    run_isolated,
)
from filterproof.mc.examine.worker.parent import FORK_UNITS
from tests.mc.examine import misbehaving_filters

ROOT = Path(__file__).parent.parent.parent.parent


def children() -> list[str]:
    return Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()


@pytest.fixture(autouse=True)
def _nobody_is_left_behind() -> Iterator[None]:
    before, files = children(), len(os.listdir("/proc/self/fd"))
    yield
    assert children() == before
    assert len(os.listdir("/proc/self/fd")) == files


def swallow_everything() -> None:
    while True:
        with suppress(BaseException):
            while True:
                time.sleep(0.01)


def replace_what_is_printed_to() -> int:
    sys.stdout = sys.stderr = None  # type: ignore[assignment]
    return 3


def leave_a_thread() -> int:
    threading.Thread(target=time.sleep, args=(3600,)).start()
    return 3


#: What the code does -> words of the sentence.
ENDS: dict[str, tuple[Callable[[], object], str]] = {
    "exits": (partial(sys.exit, 0), "the code of Mine raised SystemExit: 0"),
    "crashes": (lambda: [faulthandler.disable(), ctypes.string_at(0)], "ended by SIGSEGV before"),
    "takes all memory": (lambda: bytearray(1 << 60), ""),
    "answers what it defined": (lambda: type("New", (), {})(), "could not be read"),
    "interrupts itself": (lambda: signal.raise_signal(signal.SIGINT), "the code of Mine raised KeyboardInterrupt"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(ENDS))
def test_code_that_ends_its_process_is_a_fault_in_a_sentence(name: str) -> None:
    code, words = ENDS[name]
    with pytest.raises(FilterFault if words else MemoryError, match=words or None):
        run_isolated(code, whose="Mine")


def assert_gone(process: int) -> None:
    """In time: whoever it belongs to now has yet to hear of its end."""
    state, until = Path(f"/proc/{process}/stat"), time.monotonic() + 30
    while state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < until
        time.sleep(0.01)


def test_what_the_code_started_ends_with_it() -> None:
    assert_gone(run_isolated(lambda: subprocess.Popen(["sleep", "3600"]).pid, whose="Mine"))


def wait_for_itself() -> None:
    lock = threading.Lock()
    while lock.acquire():
        pass


@pytest.mark.parametrize(
    "code", [swallow_everything, wait_for_itself, partial(re.match, "(a+)+$", 64 * "a" + "b"), object]
)
def test_code_that_swallows_exceptions_waits_lets_no_thread_run_or_answers_for_ever_ends_at_the_deadline(
    code: Callable[[], object],
) -> None:
    with pytest.raises(OutOfTime):
        list(iter_isolated(partial(iter, code, object()), whose="Mine", deadline=Deadline.of(0.2)))


def ten_units_each() -> Iterator[int]:
    for number in numbers():
        count_work(10)
        yield number


def test_the_work_of_a_worker_is_counted_here_and_ends_it_after_its_own_summary() -> None:
    def outer() -> Iterator[object]:
        register_summary(lambda: "the summary")
        with suppress(OutOfWork):
            yield from iter_isolated(ten_units_each, whose="Inner", limit=WorkLimit.of(FORK_UNITS + 25))
        while True:
            count_work(1)

    with activate_meter():
        results = iter_isolated(outer, whose="Mine", limit=WorkLimit.of(2 * FORK_UNITS + 100))
        assert (next(results), next(results), next(results)) == (0, 1, "the summary")
        with pytest.raises(OutOfWork):
            next(results)
        assert current_meter().done == 2 * FORK_UNITS + 101


def test_worker_pauses_at_the_work_that_it_is_given_and_goes_on_where_it_was() -> None:
    def work() -> Iterator[int]:
        register_summary(lambda: "so far")
        yield from islice(ten_units_each(), 6)

    with activate_meter():
        pauses = (FORK_UNITS + 20, FORK_UNITS + 45)
        results = [
            (exam.summary, current_meter().done) if isinstance(exam, WorkerPaused) else exam
            for exam in iter_isolated(work, pauses=pauses)
        ]
    assert results == [0, ("so far", FORK_UNITS + 20), 1, 2, 3, ("so far", FORK_UNITS + 50), 4, 5]


def test_exceptions_are_raised_as_they_are_with_their_traceback() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run_isolated(lambda: 1 // 0, whose="Mine")
    assert "in <lambda>" in str(caught.value.__cause__)


def test_filter_of_a_class_that_no_import_finds_comes_back_as_it_is() -> None:
    filt = type("Local", (misbehaving_filters.SumOfZCDP,), {})()
    assert run_isolated(lambda: [filt, 1], filt=filt)[0] is filt


def test_worker_of_a_command_answers_and_ends_with_it(tmp_path: Path) -> None:
    assert run_isolated(lambda: run_isolated(os.getpgrp, whose="Inner") == os.getpid(), whose="Outer")
    fifo = tmp_path / "inner"
    os.mkfifo(fifo)

    def inner() -> None:
        fifo.write_text(str(os.getpid()))
        swallow_everything()

    def begun() -> None:
        number.append(int(fifo.read_text()))
        signal.raise_signal(signal.SIGINT)

    number: list[int] = []
    begins = threading.Thread(target=begun)
    begins.start()
    with pytest.raises(KeyboardInterrupt):
        run_isolated(lambda: run_isolated(inner, whose="Inner"), whose="Outer")
    begins.join()
    assert_gone(*number)


@pytest.mark.parametrize("presses", [1, 2])
def test_the_first_ctrl_c_is_passed_on_to_a_command_and_the_second_ends_it(presses: int) -> None:
    def work() -> Iterator[str]:
        yield "begun"
        with suppress(KeyboardInterrupt):
            time.sleep(60)
        if presses == 2:
            swallow_everything()
        yield "stopped"

    results = iter_isolated(work, whose="Mine", command=True, deadline=Deadline.of(60.0))
    assert next(results) == "begun"
    for press in range(presses):
        threading.Timer(0.2 + 0.3 * press, signal.raise_signal, (signal.SIGINT,)).start()
    with nullcontext() if presses == 1 else pytest.raises(KeyboardInterrupt):
        assert list(results) == ["stopped"]


@pytest.mark.parametrize("code", [replace_what_is_printed_to, leave_a_thread])
def test_what_harms_the_worker_alone_takes_no_answer_away(
    code: Callable[[], object],
) -> None:
    assert run_isolated(code, whose="Mine") == 3


def test_limited_work_ends_at_its_own_limit_reports_faults_and_does_not_pause() -> None:
    with activate_meter() as meter:
        meter.pauses, meter.pause = (15,), lambda: paused.append(meter.done)
        paused: list[int] = []

        results = iter_within_limit(ten_units_each(), misbehaving_filters.SumOfZCDP(), WorkLimit.of(25))
        assert (next(results), next(results)) == (0, 1)
        with pytest.raises(OutOfWork):
            next(results)
        count_work(1)  # no longer under that limit
        assert paused == [31]
        raising = misbehaving_filters.Raises()
        with pytest.raises(FilterFault):
            next(iter_within_limit(iter(lambda: raising.admits(None, None), 0), raising, WorkLimit.of(9)))


def test_a_command_prints_once_leaves_as_a_program_does_and_ends_with_its_parent() -> None:
    code = (
        "import atexit, os, time\nfrom filterproof.mc.examine.worker import run_isolated\nprint('before')\n"
        "def work(seconds):\n    atexit.register(print, 'at the end')\n    print(os.getpid(), flush=True)\n"
        "    time.sleep(seconds)\n"
        "for seconds in (0, 3600): run_isolated(lambda: work(seconds), whose='Mine', command=True)\n"
    )
    own = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=own) as parent:
        assert parent.stdout is not None
        before, first, at_end, second = (parent.stdout.readline().strip() for _ in range(4))
        parent.kill()
    assert (before, at_end) == ("before", "at the end")
    for number in (first, second):
        assert_gone(int(number))


def test_where_no_process_forks_nothing_is_run_and_a_sentence_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "fork")
    with pytest.raises(NotImplementedError, match=r"os\.fork must exist"):
        run_isolated(swallow_everything, whose="Mine")
