"""The journal of linear queries: whatever a crash leaves of a file, nobody has less spent than was released."""

import itertools
import multiprocessing
import os
import shutil
import signal
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import filterproof.filters as fp

HOW: dict[str, float] = {"norm_budget": 2.0, "kappa": 0.5}
PEOPLE = 5
SEEDS = itertools.count()
UNUSABLE = "journal must be open and without an error"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal"


def rng() -> np.random.Generator:
    return np.random.default_rng(next(SEEDS))  # a generator that is set back is refused


def create_journal(path: Path) -> fp.LinearQueries:
    return fp.LinearQueries(PEOPLE, **HOW, journal=path)


def opened(path: Path) -> fp.LinearQueries:
    return fp.LinearQueries.open(path, **HOW)


def exported_sums(queries: fp.LinearQueries) -> Any:
    """Everybody's sum, to the bit, and who left."""
    return queries.to_dict()["state"]


def spent(queries: fp.LinearQueries) -> list[Fraction]:
    """Everybody's sum, exactly."""
    high, low, _ = (part["values"] for part in exported_sums(queries))
    return [Fraction(float.fromhex(h)) + Fraction(float.fromhex(x)) for h, x in zip(high, low, strict=True)]


def reopened(path: Path) -> Any:
    with opened(path) as queries:
        return exported_sums(queries)


def refused(sentence: str) -> Any:
    """A block that ends in the JournalError with this sentence."""
    return pytest.raises(fp.JournalError, match=rf"^{sentence}[^\n]*$")


#: Each changes something. Odd numbers have low parts that are not zero.
CHANGES: dict[str, Callable[[fp.LinearQueries], object]] = {
    "everybody is asked": lambda queries: queries.answer(
        np.full((queries.people, 2), [0.1, 0.37]) * np.arange(1, queries.people + 1)[:, None] / 5, rng()
    ),
    "one person is asked": lambda queries: queries.answer(np.eye(queries.people)[3] * 0.3, rng()),
    "people join": lambda queries: queries.join(4),
    "people leave": lambda queries: queries.leave([0, 4]),
}


class Killed(BaseException):
    """The end of a process, or an interrupt."""


class Kernel:
    """Counts the calls of the system that a journal makes, and stops before one of them."""

    NAMES = ("open", "stat", "fstat", "fsync", "replace", "unlink")

    def __init__(self, at: int, error: BaseException, *, for_good: bool) -> None:
        self.at, self.error, self.for_good, self.calls = at, error, for_good, 0

    def run(self, work: Callable[[], object]) -> bool:
        """Whether the work was stopped."""
        with pytest.MonkeyPatch.context() as patch:
            for name in self.NAMES:
                patch.setattr(os, name, self._counted(getattr(os, name)))
            try:
                work()
            except type(self.error):
                return True
        return False

    def _counted(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            self.calls += 1
            if self.calls == self.at or (self.for_good and self.calls > self.at):
                raise self.error  # a dead process calls nothing more
            return real(*arguments, **named)

        return call


@pytest.mark.parametrize("for_good", [True, False], ids=["killed", "interrupted"])
@pytest.mark.parametrize("name", CHANGES)
def test_a_stop_at_any_call_of_the_system_loses_nothing_that_was_released(
    name: str, for_good: bool, path: Path
) -> None:
    """In the change, and in opening the file again: it then holds what was before or what is after."""
    with create_journal(path) as queries:
        CHANGES["everybody is asked"](queries)
        CHANGES["one person is asked"](queries)
    before, image, seen = reopened(path), path.read_bytes(), []
    with opened(path) as queries:
        CHANGES[name](queries)
        after = exported_sums(queries)
    for at in itertools.count(1):
        path.write_bytes(image)
        queries, returned = opened(path), list[object]()
        kernel = Kernel(at, Killed(), for_good=for_good)
        stopped = kernel.run(lambda: returned.append(CHANGES[name](queries)))  # noqa: B023
        if stopped and not for_good:
            with refused(UNUSABLE):
                CHANGES[name](queries)
        queries.close()
        new = path.with_name("journal.new")
        if new.exists():  # as much of it as a dying process may have written
            os.truncate(new, new.stat().st_size // 2)
        Kernel(at, Killed(), for_good=for_good).run(lambda: opened(path).close())
        seen.append(reopened(path))
        assert seen[-1] in (before, after)
        assert seen[-1] == after or not returned
        if not stopped:
            break
    assert kernel.calls > 5
    assert before in seen  # it is not written too early in each of them


def ask(queries: fp.LinearQueries, times: int) -> None:
    """The query number `times`: one person after the other, so that each leaves other sums."""
    queries.answer(np.eye(PEOPLE)[times % PEOPLE] * 0.01, rng())


def release_until_killed(path: Path, pipe: Connection) -> None:
    with opened(path) as queries:
        for times in itertools.count():
            ask(queries, times)
            pipe.send_bytes(b"released")


@pytest.mark.slow
def test_a_process_that_is_killed_at_any_moment_has_recorded_what_it_released(path: Path) -> None:
    """Killed twenty times, after so many queries and up to two milliseconds; at most the last one was not released."""
    fork, when = multiprocessing.get_context("fork"), np.random.default_rng(20)
    for queries_before in when.integers(1, 60, size=20):
        path.unlink(missing_ok=True)
        create_journal(path).close()
        ours, theirs = fork.Pipe(duplex=False)
        child = fork.Process(target=release_until_killed, args=(path, theirs))
        child.start()
        theirs.close()
        released = 0
        while released < queries_before:
            ours.recv_bytes()
            released += 1
        time.sleep(when.uniform(0, 2e-3))
        child.kill()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        with suppress(EOFError):
            while True:  # what was released meanwhile
                ours.recv_bytes()
                released += 1
        recorded, followed = reopened(path), fp.LinearQueries(PEOPLE, **HOW)
        for times in range(released):
            ask(followed, times)
        if recorded != exported_sums(followed):
            ask(followed, released)
        assert recorded == exported_sums(followed)


def test_the_file_is_on_the_disk_before_its_name_and_the_name_before_the_noise(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then a power cut leaves the old file or the new one, and the new one if anything was released."""
    events: list[tuple[str, Any]] = []
    sync, replace = os.fsync, os.replace

    def synced(file: int) -> None:
        sync(file)
        events.append(("synced", (os.fstat(file).st_ino, os.fstat(file).st_size)))

    def replaced(source: Path, target: Path) -> None:
        events.append(("replaced", (os.stat(source).st_ino, os.stat(source).st_size)))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    drawing: Any = SimpleNamespace(
        standard_normal=lambda size: (events.append(("drawn", path.read_bytes())), np.zeros(size))[1]
    )
    with create_journal(path) as queries:
        events.clear()
        queries.answer(np.full(PEOPLE, 0.3), drawing)
        file = (path.stat().st_ino, path.stat().st_size)
        assert events[:2] == [("synced", file), ("replaced", file)]
        assert (events[2][0], events[2][1][0]) == ("synced", path.parent.stat().st_ino)
        assert events[3:] == [("drawn", path.read_bytes())]


@pytest.mark.parametrize("damage", ["flipped", "zeroed", "cut off"])
def test_a_damaged_file_is_refused(damage: str, path: Path) -> None:
    with create_journal(path) as queries:
        CHANGES["everybody is asked"](queries)
        queries.leave(1)
    content = path.read_bytes()
    for place in range(len(content)):
        image = bytearray(content)
        if damage == "flipped":
            image[place] ^= 1 << place % 8
        elif damage == "zeroed":
            image[place : place + 16] = bytes(len(image[place : place + 16]))
        else:
            del image[place:]
        path.write_bytes(image)
        if image != content:
            with refused("journal must "):
                opened(path)
            assert path.read_bytes() == image
    for other, word in ((content + b"\0", "undamaged"), (b"{}", "a file that LinearQueries wrote")):
        path.write_bytes(other)
        with refused(f"journal must be {word}"):
            opened(path)


@pytest.mark.parametrize("at", range(1, 8))
def test_what_cannot_be_written_is_not_released_and_answers_no_more(at: int, path: Path) -> None:
    queries, drawn, full = create_journal(path), list[int](), OSError(28, "No space left on device")
    generator: Any = SimpleNamespace(standard_normal=lambda size: (drawn.append(1), np.zeros(size))[1])
    with refused("journal must be a file that can be written, got .*: No space"):
        Kernel(at, full, for_good=False).run(lambda: queries.answer(np.full(PEOPLE, 0.1), generator))
    for _ in range(2):  # the disk has room again; what is on it nobody knows
        with refused(UNUSABLE):
            queries.answer(np.full(PEOPLE, 0.1), generator)
    assert not drawn
    assert set(spent(queries)) == {Fraction(0.1 * 0.1)}
    assert not path.with_name("journal.new").exists()
    with opened(path) as again:
        assert set(spent(again)) in ({Fraction(0)}, {Fraction(0.1 * 0.1)})


def test_a_journal_is_for_its_owner_alone(path: Path) -> None:
    with create_journal(path) as queries:
        CHANGES["everybody is asked"](queries)
    assert {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {
        "journal": 0o600,
        "journal.lock": 0o600,
    }


def test_a_charge_that_was_cut_between_its_two_doubles_counts_as_what_they_sum_to(path: Path) -> None:
    with create_journal(path) as queries:
        queries._sums.high[3], queries._sums.low[3] = 0.5, 0.25  # an interrupt, before the second was written
        queries.leave(0)
    with opened(path) as again:
        assert spent(again)[3] == Fraction(3, 4)


def test_a_journal_is_open_in_one_place_at_a_time(path: Path) -> None:
    queries = create_journal(path)
    link = path.with_name("link")
    link.symlink_to(path)
    content = path.read_bytes()
    for name in (path, link):
        with refused("journal must be open in one place at a time, got .*; close it"):
            opened(name)
    assert path.read_bytes() == content
    queries.close()
    with opened(link):
        with refused("journal must be open in one place at a time"):
            opened(path)
        with refused(UNUSABLE):
            queries.answer(np.zeros(PEOPLE), rng())
    create_journal(path.with_name("dropped"))
    assert reopened(path.with_name("dropped"))  # nobody holds it any more


def test_an_existing_file_is_never_begun_anew(path: Path) -> None:
    with create_journal(path) as queries:
        CHANGES["everybody is asked"](queries)
    content, saved = path.read_bytes(), fp.LinearQueries(2, **HOW).to_dict()
    for make in (
        lambda: create_journal(path),
        lambda: fp.LinearQueries.from_dict(saved, **HOW, journal=path),
    ):
        with refused("journal must be a new file, got .*; open the existing journal") as error:
            make()
        assert reopened(path), f"open elsewhere, while the error is there: {error}"
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("name", "value"), [("norm_budget", 2.5), ("kappa", 0.25), ("norm_budget", 2 + 2**-51)]
)
def test_a_journal_of_another_budget_is_refused(name: str, value: float, path: Path) -> None:
    create_journal(path).close()
    with refused(f"{name} must be the value in the journal") as error:
        fp.LinearQueries.open(path, **{**HOW, name: value})
    assert reopened(path) is not None, f"open elsewhere, while the error is there: {error}"


def test_sums_that_no_queries_lead_to_are_refused(path: Path) -> None:
    with create_journal(path) as queries:
        queries._sums.high[3] = -1.0  # no sum of charges
        queries.answer(np.eye(PEOPLE)[0], rng())
    with refused("journal must hold sums that queries can lead to, got another for 1 of 5"):
        opened(path)


@pytest.mark.parametrize("put", [False, True])
def test_a_file_that_was_removed_or_replaced_answers_no_more(put: bool, path: Path) -> None:
    with create_journal(path) as queries:
        shutil.copy(path, path.with_name("older"))
        CHANGES["one person is asked"](queries)
        path.with_name("older").replace(path) if put else path.unlink()
        with refused("journal must be a file that can be written, got .*: it was removed or replaced"):
            CHANGES["one person is asked"](queries)
        with refused(UNUSABLE):
            CHANGES["one person is asked"](queries)
