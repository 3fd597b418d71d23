"""A worker ends in an answer, an exception or a sentence, whatever its code does, and leaves no process behind."""

import ctypes
import faulthandler
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import filterproof as fp
from mc.examine.clock import Clock, OutOfTime
from mc.examine.filter_fault import FilterFault
from mc.examine.worker import alone, results, so_far
from tests.mc.examine import unhappy

#: Most of them sleep.
pytestmark = pytest.mark.usefixtures("wall_clock")

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


def write_everywhere(words: bytes) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for number in range(3, 64):
        with suppress(OSError):
            os.write(number, words)
    time.sleep(60)


def replace_what_is_printed_to() -> int:
    sys.stdout = sys.stderr = None  # type: ignore[assignment]
    return 3


def leave_a_thread() -> int:
    threading.Thread(target=time.sleep, args=(3600,)).start()
    return 4


def copy_itself() -> Iterator[int]:
    """A fork that Python does not know of: the copy goes on as well."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ctypes.CDLL(None).fork()
    for answer in (1, 2):
        time.sleep(0.1)
        yield answer


#: What the code does -> words of the sentence.
ENDS: dict[str, tuple[Callable[[], object], str]] = {
    "leaves with a status": (partial(os._exit, 7), "ended with status 7 before"),
    "exits": (partial(sys.exit, 0), "the code of Mine raised SystemExit: 0"),
    "exits without a word": (sys.exit, "the code of Mine raised SystemExit$"),
    "is killed": (lambda: os.kill(os.getpid(), signal.SIGKILL), "ended by SIGKILL before"),
    "kills its group": (lambda: os.killpg(0, signal.SIGKILL), "ended by SIGKILL before"),
    "kills its group by kill": (lambda: os.kill(0, signal.SIGKILL), "ended by SIGKILL before"),
    "crashes": (lambda: [faulthandler.disable(), ctypes.string_at(0)], "ended by SIGSEGV before"),
    "closes all files": (lambda: [os.closerange(3, 256), time.sleep(60)], "closed a file that it had not opened"),
    "writes junk": (partial(write_everywhere, b"junk"), "wrote to a file that it had not opened"),
    "writes a byte": (partial(write_everywhere, b"\0"), "wrote to a file that it had not opened"),
    "forges an answer": (
        partial(write_everywhere, bytes(23) + b"\x10" + b"\x80\x04\x88."), "wrote to a file that it had not opened"
    ),
    "forks": (os.fork, "Mine must not fork or replace the process, nor start others, while it decides"),
    "becomes another": (lambda: os.execv("/bin/true", ["true"]), "must not fork or replace the process"),
    "starts another": (lambda: subprocess.Popen(["true"], start_new_session=True), "nor start others"),
    "asks the shell": (lambda: os.system("true"), "nor start others"),
    "spawns": (lambda: os.posix_spawn("/bin/true", ["true"], {}), "nor start others"),
    "ends its parent": (lambda: os.kill(os.getppid(), signal.SIGTERM), "Mine must not signal other processes"),
    "ends its parent by a file of it": (
        lambda: signal.pidfd_send_signal(os.pidfd_open(os.getppid()), signal.SIGTERM), "must not signal other processes"
    ),
    "starts another by multiprocessing": (
        lambda: multiprocessing.get_context("spawn").Process(target=time.sleep, args=(9,)).start(), "nor start others"
    ),
    "ends its parent's group": (lambda: os.killpg(os.getpgid(os.getppid()), 15), "must not signal other processes"),
    "takes all memory": (lambda: bytearray(1 << 60), ""),
    "answers what it defined": (lambda: type("New", (), {})(), "could not be read"),
    "interrupts itself": (lambda: signal.raise_signal(signal.SIGINT), "the code of Mine raised KeyboardInterrupt"),
}  # fmt: skip


#: These write to whatever file is open, the pipes of parallel tests too: they run in a process that has none.
EVERYWHERE = frozenset({"writes junk", "writes a byte", "forges an answer"})


def test_code_that_writes_to_whatever_is_open_is_a_fault_in_a_sentence() -> None:
    call = (
        "from tests.mc.examine.test_worker import ENDS, EVERYWHERE, alone, FilterFault\n"
        "for name in sorted(EVERYWHERE):\n"
        "    try: alone(ENDS[name][0], whose='Mine')\n"
        "    except FilterFault as fault: print(fault)\n"
    )
    ended = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, cwd=ROOT)
    said = ended.stdout.splitlines()
    assert len(said) == len(EVERYWHERE), ended.stderr
    for name, line in zip(sorted(EVERYWHERE), said, strict=True):
        assert line.startswith(f"the code of Mine {ENDS[name][1]}")


@pytest.mark.parametrize("name", sorted(ENDS.keys() - EVERYWHERE))
def test_code_that_ends_its_process_is_a_fault_in_a_sentence(name: str) -> None:
    code, words = ENDS[name]
    with pytest.raises((FilterFault, PermissionError) if words else MemoryError, match=words or None):
        alone(code, whose="Mine")


ANSWERS: dict[str, tuple[Callable[[], object], object]] = {
    "replaces what is printed to": (replace_what_is_printed_to, 3),
    "closes what is printed to": (lambda: [sys.stdout.close(), sys.stderr.close()], [None, None]),
    "leaves a thread": (leave_a_thread, 4),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_harms_the_worker_alone_takes_no_answer_away(name: str) -> None:
    code, answer = ANSWERS[name]
    assert alone(code, whose="Mine") == answer


def test_of_a_worker_and_its_copy_one_answers() -> None:
    assert list(results(copy_itself, whose="Mine")) == [1, 2]


def assert_gone(process: int) -> None:
    """In time: whoever it belongs to now has yet to hear of its end."""
    state, until = Path(f"/proc/{process}/stat"), time.monotonic() + 30
    while state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < until
        time.sleep(0.01)


def test_what_the_code_started_ends_with_it() -> None:
    assert_gone(alone(lambda: subprocess.Popen(["sleep", "3600"]).pid, whose="Mine", command=True))


def test_who_swallows_every_exception_is_killed_in_time() -> None:
    began = time.monotonic()
    with pytest.raises(OutOfTime, match="was still at work when the time was up"):
        alone(swallow_everything, whose="Mine", clock=Clock.of(0.2))
    assert time.monotonic() - began < 30


def test_who_never_lets_another_thread_run_is_killed_in_time() -> None:
    with pytest.raises(OutOfTime, match="was still at work when the time was up, and did not return"):
        alone(partial(re.match, "(a+)+$", 64 * "a" + "b"), whose="Mine", clock=Clock.of(0.1))


def test_a_worker_in_a_worker_has_no_summary_but_its_own() -> None:
    def outer() -> list[object]:
        so_far(lambda: "the outer one's")
        found: list[object] = []
        with suppress(OutOfTime):
            found.extend(results(partial(time.sleep, 60), whose="Inner", clock=Clock.of(0.1)))
        return found

    assert alone(outer, whose="Outer") == []


def test_the_summary_so_far_comes_before_the_end() -> None:
    def work() -> Iterator[object]:
        so_far(lambda: "half of it")
        yield 1
        swallow_everything()

    told = results(work, whose="Mine", clock=Clock.of(2.0))
    assert (next(told), next(told)) == (1, "half of it")
    with pytest.raises(OutOfTime):
        next(told)
    broken = partial(so_far, lambda: 1 // 0)
    with pytest.raises(OutOfTime, match=r"was still at work when the time was up$"):
        alone(lambda: [broken(), swallow_everything()], whose="Mine", clock=Clock.of(0.2))


def test_what_is_slow_is_told_from_what_does_not_return() -> None:
    def ask(filt: fp.PrivacyFilter) -> None:
        while True:
            filt.admits(np.zeros(1), fp.Gaussian(0.1))

    slow = unhappy.first("Slow", partial(time.sleep, 0.4))()
    with pytest.raises(OutOfTime, match=r"it is slow, Slow.admits takes up to 0\.\d+ s a call"):
        alone(partial(ask, slow), filt=slow, clock=Clock.of(3.0))
    with pytest.raises(OutOfTime, match=r"Sleeps.admits had not returned after"):
        alone(partial(ask, sleeps := unhappy.Sleeps()), filt=sleeps, clock=Clock.of(1.0))


def test_exceptions_are_raised_as_they_are_with_their_traceback() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        alone(lambda: 1 // 0, whose="Mine")
    assert "in <lambda>" in str(caught.value.__cause__)


def test_what_no_import_finds_comes_back_as_what_it_was() -> None:
    class Local(unhappy.Plain):
        pass

    filt, hidden = Local(), type("Plain", (), {"__module__": unhappy.__name__})  # by another's name
    assert alone(lambda: [filt, Local, hidden], filt=filt) == [filt, Local, hidden]


def test_a_worker_in_a_worker_answers_and_ends_with_it() -> None:
    assert alone(lambda: alone(os.getpgrp, whose="Inner") == os.getpid(), whose="Outer")
    with pytest.raises(OutOfTime):
        alone(lambda: alone(swallow_everything, whose="Inner"), whose="Outer", clock=Clock.of(0.3))


def test_ctrl_c_ends_the_wait_and_the_worker() -> None:
    threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,)).start()
    with pytest.raises(KeyboardInterrupt):
        alone(swallow_everything, whose="Mine")


def test_the_first_ctrl_c_is_passed_on_to_a_command_and_the_second_ends_it() -> None:
    def work(answers: bool) -> Iterator[str]:
        yield "begun"
        with suppress(KeyboardInterrupt):
            time.sleep(60)
        if not answers:
            swallow_everything()
        yield "stopped"

    for answers in (True, False):
        told = results(partial(work, answers), whose="Mine", command=True, clock=Clock.of(20.0))
        assert next(told) == "begun"
        for seconds in (0.2, 0.6)[: 1 if answers else 2]:
            threading.Timer(seconds, signal.raise_signal, (signal.SIGINT,)).start()
        if answers:
            assert list(told) == ["stopped"]
        else:
            with pytest.raises(KeyboardInterrupt):
                next(told)


def process(code: str) -> subprocess.Popen[str]:
    """Python with a worker that does so."""
    code = f"import atexit, os, time\nfrom mc.examine.worker import alone\n{code}"
    own = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""}
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=own)


def test_a_command_prints_once_and_leaves_as_a_program_does() -> None:
    with process(
        "print('before')\n"
        "def work():\n    atexit.register(print, 'at the end')\n    print('said')\n"
        "alone(work, whose='Mine', command=True)\n"
    ) as ended:
        assert ended.communicate()[0] == "before\nsaid\nat the end\n"


def test_a_worker_ends_with_its_parent() -> None:
    parent = process(
        "import subprocess\n"
        "def work():\n    started = subprocess.Popen(['sleep', '3600'], stdout=subprocess.DEVNULL)\n"
        "    print(os.getpid(), started.pid, flush=True)\n    time.sleep(3600)\n"
        "alone(work, whose='Mine', command=True)\n"
    )
    assert parent.stdout is not None
    left = [*map(int, parent.stdout.readline().split())]
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for number in left:
        assert_gone(number)


def test_where_no_process_forks_nothing_is_run_and_a_sentence_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "fork")
    with pytest.raises(NotImplementedError, match=r"os\.fork must exist to run other people's code, got"):
        alone(swallow_everything, whose="Mine")
