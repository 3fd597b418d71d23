"""A clock interrupts whatever does not end, on the main thread, and puts every alarm back as it was."""

from __future__ import annotations

import contextlib
import importlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

from mc.examine import clock as clock_module
from mc.examine.clock import Clock, OutOfTime

#: What may pass beyond a limit on a busy machine, and is still not for ever.
LATE = 20.0


@pytest.fixture(autouse=True)
def _no_alarm_is_left() -> Iterator[None]:
    before = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)[1]
    yield
    assert (signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)[1]) == before


def _for_ever(work: Callable[[], None]) -> None:
    while True:
        work()


def test_a_busy_loop_is_interrupted() -> None:
    with pytest.raises(OutOfTime), Clock.of(0.05).limiting():
        _for_ever(lambda: None)


def test_a_sleep_is_interrupted() -> None:
    began = time.monotonic()
    with pytest.raises(OutOfTime), Clock.of(0.05).limiting():
        time.sleep(3600)
    assert 0.04 < time.monotonic() - began < LATE


@pytest.mark.parametrize("catch", ["pass", "continue", "tries += 1"])
def test_a_loop_that_catches_everything_is_interrupted(catch: str) -> None:
    code = f"tries = 0\nwhile True:\n    try:\n        time.sleep(3600)\n    except BaseException:\n        {catch}\n"
    began = time.monotonic()
    with pytest.raises(OutOfTime), Clock.of(0.05).limiting():
        exec(code, {"time": time})  # noqa: S102 - a file of a stranger
    assert time.monotonic() - began < LATE
    assert sys.gettrace() is None


def test_a_loop_that_suppresses_everything_is_interrupted() -> None:
    def sleep() -> None:
        with contextlib.suppress(BaseException):
            time.sleep(3600)

    with pytest.raises(OutOfTime), Clock.of(0.05).limiting():
        _for_ever(sleep)


def test_a_clock_that_has_run_out_interrupts_at_once_and_leaves_no_alarm_behind() -> None:
    before = signal.getsignal(signal.SIGALRM)
    for left in (-1.0, 0.0, 1e-6, 1e-5, 3e-5, 1e-4):
        with pytest.raises(OutOfTime), Clock(time.monotonic() + left).limiting():
            time.sleep(3600)
        assert signal.getsignal(signal.SIGALRM) is before


def test_what_ends_in_time_is_not_interrupted_later() -> None:
    with Clock.of(0.05).limiting():
        pass
    time.sleep(0.1)
    with pytest.raises(KeyError), Clock.of(0.05).limiting():
        raise KeyError
    time.sleep(0.1)


def test_of_nested_limits_the_inner_one_rings_first_and_the_outer_one_still_rings() -> None:
    rung = []

    def sleep_a_little() -> None:
        with Clock.of(0.05).limiting():
            time.sleep(3600)

    def sleep_on() -> None:
        with pytest.raises(OutOfTime):
            sleep_a_little()
        rung.append("inner")
        time.sleep(3600)

    with pytest.raises(OutOfTime), Clock.of(0.3).limiting():
        sleep_on()
    assert rung == ["inner"]


def test_an_outer_limit_rings_within_an_inner_one_that_has_time_left() -> None:
    began = time.monotonic()
    with pytest.raises(OutOfTime), Clock.of(0.05).limiting(), Clock.of(3600.0).limiting():
        time.sleep(3600)
    assert time.monotonic() - began < LATE


def test_an_alarm_of_somebody_else_rings_afterwards_and_only_once() -> None:
    rung = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(OutOfTime), Clock.of(0.01).limiting():
            time.sleep(3600)
        assert not rung
        until = time.monotonic() + LATE
        while not rung and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.7)  # longer than the clock's own alarm takes to ring again
        assert rung == [signal.SIGALRM]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _mine(number: int, frame: FrameType | None) -> None:
    raise AssertionError("an alarm of a clock rang outside of it")


@pytest.fixture
def hours(monkeypatch) -> Iterator[list[float]]:
    """The hour on every clock, and a handler of one's own that is there before and after."""
    now = [0.0]
    monkeypatch.setattr(clock_module, "time", SimpleNamespace(monotonic=lambda: 3600.0 * now[0]))
    before, timer = signal.signal(signal.SIGALRM, _mine), signal.setitimer(signal.ITIMER_REAL, 0.0)
    yield now
    assert signal.getsignal(signal.SIGALRM) is _mine
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    signal.signal(signal.SIGALRM, before)
    signal.setitimer(signal.ITIMER_REAL, *timer)


def _ring_by_hand(frame: FrameType | None) -> None:
    handler = signal.getsignal(signal.SIGALRM)
    assert callable(handler)
    if handler is not _mine:
        handler(signal.SIGALRM, frame)


def test_an_alarm_at_any_line_of_entering_and_leaving_leaves_no_alarm_behind(hours) -> None:
    """Rung at each line in turn that runs while two clocks, one of them in a generator, are entered and left."""

    def inner() -> Iterator[int]:
        with Clock.of(7200.0).limiting():
            yield 1

    def outer() -> None:
        with Clock.of(3600.0).limiting():
            for _ in inner():
                pass

    heard = []
    for step in range(10_000):
        seen = 0

        def trace(frame: FrameType, event: str, told: object, step: int = step) -> Any:
            nonlocal seen
            seen += 1
            if seen == step + 1:
                hours[0] += 3
                _ring_by_hand(frame)
            return trace

        sys.settrace(trace)
        try:
            outer()
            heard.append(False)
        except OutOfTime:
            heard.append(True)
        finally:
            sys.settrace(None)
        assert signal.getsignal(signal.SIGALRM) is _mine, step
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0), step
        if seen <= step:
            break
    assert 100 < len(heard) < 10_000
    assert any(heard)
    assert not heard[-1]


def test_a_generator_that_is_closed_after_the_clock_around_it_leaves_the_handler_alone(hours) -> None:
    def limited() -> Iterator[int]:
        with Clock.of(3600.0).limiting():
            yield 1

    with Clock.of(3600.0).limiting():
        left = limited()
        next(left)
    assert signal.getsignal(signal.SIGALRM) is _mine
    with Clock.of(7200.0).limiting():
        held = signal.getsignal(signal.SIGALRM)
        left.close()
        assert signal.getsignal(signal.SIGALRM) is held
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0


def test_the_limit_of_a_suspended_generator_interrupts_nobody_else_and_the_one_around_it_does(hours) -> None:
    def limited() -> Iterator[int]:
        with Clock.of(3600.0).limiting():
            yield 1

    rung = []

    def consume() -> None:
        with Clock.of(4 * 3600.0).limiting():
            for _ in limited():
                for hours[0] in (0.0, 2.0, 5.0):
                    rung.append(hours[0])
                    _ring_by_hand(sys._getframe())

    with pytest.raises(OutOfTime):
        consume()
    assert rung == [0.0, 2.0, 5.0]


def test_an_import_is_not_interrupted(tmp_path, monkeypatch) -> None:
    (tmp_path / "slow_to_import.py").write_text("import time\ntime.sleep(0.3)\nwhole = True\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def import_and_sleep() -> None:
        importlib.import_module("slow_to_import")
        time.sleep(3600)

    with pytest.raises(OutOfTime), Clock.of(0.05).limiting():
        import_and_sleep()
    assert sys.modules["slow_to_import"].whole
    del sys.modules["slow_to_import"]


def test_a_module_that_limits_while_it_is_imported_is_interrupted(tmp_path, monkeypatch) -> None:
    (tmp_path / "limits_itself.py").write_text(
        "import time\n"
        "from mc.examine.clock import Clock, OutOfTime\n"
        "late = False\n"
        "try:\n"
        "    with Clock.of(0.05).limiting():\n"
        "        time.sleep(20)\n"
        "except OutOfTime:\n"
        "    late = True\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert importlib.import_module("limits_itself").late
    del sys.modules["limits_itself"]


def test_another_thread_is_not_interrupted_and_touches_no_alarm() -> None:
    ended = []

    def work() -> None:
        with Clock.of(0.01).limiting():
            time.sleep(0.1)
            ended.append(signal.getitimer(signal.ITIMER_REAL))

    thread = threading.Thread(target=work)
    armed = signal.getitimer(signal.ITIMER_REAL)[0] > 0  # pytest-timeout may have armed it
    thread.start()
    thread.join()
    assert [left > 0 for left, _ in ended] == [armed]


def test_a_part_of_a_clock_ends_before_it_and_never_after() -> None:
    clock = Clock.of(1000.0)
    assert 399 < clock.part(0.4).left <= 400
    assert 4 < clock.at_most(5.0).left <= 5
    assert clock.at_most(5000.0) == clock
    over = Clock(time.monotonic() - 1)
    assert over.over
    assert over.left == 0
    assert not clock.over
    assert over.part(0.5).left == 0


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_clock_of_no_time_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="seconds must be"):
        Clock.of(seconds)


def test_a_callback_of_the_garbage_collector_is_left_to_end_and_what_called_it_is_interrupted() -> None:
    """An exception in such a callback is printed and lost; a file of that name stands for it."""
    told: dict[str, Any] = {}
    source = "import time\ndef callback():\n    end = time.monotonic() + 0.3\n    while time.monotonic() < end: pass\n"
    exec(compile(source, "/lib/_weakrefset.py", "exec"), told)  # noqa: S102
    ended = []

    def work() -> None:
        with Clock.of(0.1).limiting():
            told["callback"]()
            ended.append(True)
            while True:
                pass

    with pytest.raises(OutOfTime):
        work()
    assert ended
