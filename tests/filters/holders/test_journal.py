"""The journal of linear queries: whatever a crash leaves of a file, nobody has less spent than was released."""

import itertools
import os
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import filters as fp
import filters.holders.journal
import filters.holders.linear_queries

JOURNAL = filters.holders.journal
HOW: dict[str, float] = {"norm_budget": 2.0, "kappa": 0.5}
PEOPLE = 5
#: Of two people a block, so that five people have three of them.
ROWS, PLACE = 2, 4096


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JOURNAL, "ROWS", ROWS)
    monkeypatch.setattr(filters.holders.linear_queries, "ROWS", ROWS)
    monkeypatch.setattr(JOURNAL, "_PLACE", PLACE)
    monkeypatch.setattr(os, "fsync", lambda file: None)  # the images are told, and the disk is not waited for


#: One seed for each generator.
SEEDS = itertools.count()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal"


def rng() -> np.random.Generator:
    return np.random.default_rng(next(SEEDS))  # a generator that is set back is refused


def made(path: Path, people: int = PEOPLE) -> fp.LinearQueries:
    return fp.LinearQueries(people, **HOW, journal=path)


def opened(path: Path) -> fp.LinearQueries:
    return fp.LinearQueries.open(path, **HOW)


def state(queries: fp.LinearQueries) -> Any:
    """Everybody's sum, to the bit, and who left."""
    return queries.to_dict()["state"]


def spent(queries: fp.LinearQueries) -> list[Fraction]:
    """Everybody's sum, exactly."""
    high, low, _ = (part["values"] for part in state(queries))
    return [Fraction(float.fromhex(h)) + Fraction(float.fromhex(x)) for h, x in zip(high, low, strict=True)]


def gone(queries: fp.LinearQueries) -> list[bool]:
    flags: list[bool] = state(queries)[2]["values"]
    return flags


def held(queries: fp.LinearQueries) -> Any:
    """All that the queries hold of people."""
    return queries.people, state(queries), spent(queries), gone(queries)


def reopened(path: Path) -> Any:
    """What the file opens to; None where it is refused."""
    try:
        queries = opened(path)
    except fp.JournalError as error:
        assert "\n" not in str(error)  # noqa: PT017
        return None
    with queries:
        return held(queries)


@contextmanager
def copy(path: Path) -> Iterator[Callable[[bytes | bytearray], Any]]:
    """What one image after the other opens to, in a file that stays open: to make one anew takes longer."""
    with path.open("wb", buffering=0) as file:

        def opens_to(image: bytes | bytearray) -> Any:
            file.truncate(len(image))
            file.seek(0)
            assert file.write(image) == len(image)
            return reopened(path)

        yield opens_to


def refused(sentence: str) -> Any:
    """A block that ends in the JournalError with this sentence."""
    return pytest.raises(fp.JournalError, match=f"^{sentence}")


UNUSABLE = "journal must be open and without an error"


#: What may be the last thing before a crash; each changes something. Odd numbers have low parts that are not zero.
CHANGES: dict[str, Callable[[fp.LinearQueries], object]] = {
    "everybody is asked": lambda queries: queries.answer(
        np.full((queries.people, 2), [0.1, 0.37]) * np.arange(1, queries.people + 1)[:, None] / 5, rng()
    ),
    "one person is asked": lambda queries: queries.answer(np.eye(queries.people)[3] * 0.3, rng()),
    "people join": lambda queries: queries.join(4),
    "people leave": lambda queries: queries.leave([0, 4]),
}


@dataclass
class Disk:
    """What was written to a file, in order, and where somebody waited for the disk."""

    done: list[tuple[int, bytes] | None] = field(default_factory=list)

    def watched(self, change: Callable[[], object]) -> None:
        write, sync = os.pwrite, os.fsync

        def pwrite(file: int, data: Any, offset: int) -> int:
            written = write(file, data, offset)
            self.done.append((offset, bytes(data[:written])))
            return written

        def fsync(file: int) -> None:
            self.done.append(None)
            sync(file)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "pwrite", pwrite)
            patch.setattr(os, "fsync", fsync)
            change()

    def images(self, before: bytes) -> Iterable[bytes]:
        """Every file that a power cut can leave, once: what was waited for, of the rest each write cut at each byte.

        Behind the cut is what was there before, or zeros; the other writes that nobody waited for are there or not.
        """
        return dict.fromkeys(self._images(before))

    def _images(self, before: bytes) -> Iterator[bytes]:
        image, waiting = bytearray(before), list[tuple[int, bytes]]()
        for event in [*self.done, None]:
            if event is not None:
                waiting.append(event)
                continue
            for cut, (place, data) in enumerate(waiting):
                for there in ([], waiting[:cut], waiting[:cut] + waiting[cut + 1 :]):
                    some = bytearray(image)
                    for other, content in there:
                        put(some, other, content)
                    for end in range(0, len(data) + 1, 7 if there else 1):
                        torn = bytearray(some)
                        put(torn, place, data[:end])
                        yield bytes(torn)
                        if end < len(data):
                            put(torn, place + end, bytes(len(data) - end))
                            yield bytes(torn)
            for place, data in waiting:
                put(image, place, data)
            waiting = []


def put(image: bytearray, place: int, data: bytes) -> None:
    if len(image) < place + len(data):
        image.extend(bytes(place + len(data) - len(image)))
    image[place : place + len(data)] = data


# -- crashes ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", CHANGES)
def test_a_power_cut_at_any_byte_leaves_what_was_released_as_spent(name: str, path: Path) -> None:
    disk = Disk()
    with made(path) as queries:
        CHANGES["everybody is asked"](queries)
        queries.leave(1)
        CHANGES["one person is asked"](queries)
        old = held(queries)
        before = path.read_bytes()
        disk.watched(lambda: CHANGES[name](queries))
        new = held(queries)
    assert old != new
    seen = []
    with copy(path.with_name("copy")) as opens_to:
        for image in disk.images(before):
            found = opens_to(image)
            assert found is not None  # a crash alone loses nobody the file
            assert found[0] in (old[0], new[0])
            assert len(found[2]) == found[0]
            assert all(least <= now for least, now in zip(old[2], found[2], strict=False))
            assert all(now <= most for most, now in zip(new[2], found[2], strict=False))
            assert all(now >= then for then, now in zip(old[3], found[3], strict=False))
            if not seen or found != seen[-1]:
                seen.append(found)
        assert old in seen
        assert opens_to(path.read_bytes()) == new
    assert len(seen) > 2 or name in ("one person is asked", "people join")  # of some blocks, not of others


@pytest.mark.usefixtures("small_blocks")
def test_a_crash_after_a_crash_is_survived(path: Path) -> None:
    """A record of an answer that nobody saw is counted from then on, and its place is written over with care."""
    survivor, first, second = path.with_name("copy"), Disk(), Disk()
    with made(path) as queries:
        CHANGES["one person is asked"](queries)
        before = path.read_bytes()
        first.watched(lambda: CHANGES["everybody is asked"](queries))
    torn = bytearray(before)
    for event in first.done[: first.done.index(None)]:  # all records, and no root
        assert event is not None
        put(torn, *event)
    survivor.write_bytes(torn)
    second.watched(lambda: reopened(survivor))
    with opened(survivor) as queries:
        counted = spent(queries)
        between = survivor.read_bytes()
        third = Disk()
        third.watched(lambda: CHANGES["one person is asked"](queries))
        after = spent(queries)
    with copy(path.with_name("cut")) as opens_to:
        for disk, start, most in ((second, bytes(torn), counted), (third, between, after)):
            for image in disk.images(start):
                found = opens_to(image)
                assert found is not None
                assert all(
                    least <= now <= top for least, now, top in zip(counted, found[2], most, strict=True)
                )


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("damage", ["flipped", "zeroed", "cut off"])
def test_a_damaged_file_is_refused_or_has_everything_that_was_released(damage: str, path: Path) -> None:
    with made(path) as queries:
        CHANGES["one person is asked"](queries)
        CHANGES["everybody is asked"](queries)
        queries.leave(1)
        whole = held(queries)
    content, refused, kept = path.read_bytes(), 0, 0
    places = [i for i in range(len(content)) if content[i] or i % PLACE < 120]
    assert len(places) > 800
    with copy(path.with_name("copy")) as opens_to:
        for place in places:
            image = bytearray(content)
            if damage == "flipped":
                image[place] ^= 1 << place % 8
            elif damage == "zeroed":
                image[place : place + 16] = bytes(len(image[place : place + 16]))
            else:
                del image[place:]
            found = opens_to(image)
            refused, kept = refused + (found is None), kept + (found is not None)
            assert found in (None, whole)
    assert refused > 100
    assert kept > 100 or damage == "cut off"


@pytest.mark.usefixtures("small_blocks")
def test_a_record_of_another_block_or_of_another_journal_is_damage(path: Path) -> None:
    other = path.with_name("other")
    for one, spent_by_the_first in ((path, 1.0), (other, 0.1)):
        with made(one) as queries:
            queries.answer(np.array([spent_by_the_first, 0.2, 0.1, 0.1, 0.1]), rng())
    content, foreign = path.read_bytes(), other.read_bytes()
    path.write_bytes(content[: JOURNAL._ROOTS] + foreign[JOURNAL._ROOTS :])
    assert reopened(path) is None
    first, second, third = (JOURNAL._place(block, 0) for block in range(3))
    path.write_bytes(content[:first] + content[second:third] + content[second:])
    assert reopened(path) is None


# -- what is on the disk ---------------------------------------------------------------------------------------


def drawing(first: Callable[[], object]) -> Any:
    """A generator of zeros that does something first."""
    return SimpleNamespace(standard_normal=lambda size: (first(), np.zeros(size))[1])


def test_the_charges_are_on_the_disk_before_noise_is_drawn(path: Path) -> None:
    queries, disk, then = made(path), Disk(), []

    def look() -> None:
        assert disk.done[-1] is None
        then.append((path.read_bytes(), state(queries)))

    disk.watched(lambda: queries.answer(np.full(PEOPLE, 0.3), drawing(look)))
    queries.close()
    content, charged = then[0]
    path.write_bytes(content)
    found = reopened(path)
    assert found[1] == charged
    assert found[2] == [Fraction(0.3 * 0.3)] * PEOPLE


@pytest.mark.usefixtures("small_blocks")
def test_a_reopened_journal_goes_on_to_the_bit(path: Path) -> None:
    kept, alone = made(path), fp.LinearQueries(PEOPLE, **HOW)
    values = np.random.default_rng(5)
    for t in range(40):
        people = kept.people
        asked = values.normal(size=(people, 3)) * 0.2 * (values.random((people, 1)) < 0.6)
        for queries in (kept, alone):
            if t % 7 == 3:
                queries.join(t % 4 + 1)
            if t % 11 == 5:
                queries.leave([t % people])
            if t % 7 != 3:
                queries.answer(asked, rng())
        if t % 5 == 4:
            kept.close()
            kept = fp.LinearQueries.open(path, **HOW)
        assert state(kept) == state(alone)
    kept.close()
    assert len(set(gone(alone))) == 2
    assert max(spent(alone)) > 1.9  # people have run out
    assert any(float.fromhex(x) for x in state(alone)[1]["values"])  # and sums have low parts


def test_only_blocks_of_people_who_are_charged_are_written(path: Path) -> None:
    people = 3 * filters.holders.journal.ROWS + 10
    with made(path, people) as queries:
        size = path.stat().st_size  # a full disk stops people from joining, and no answer
        assert size == JOURNAL._place(4, 0) or not hasattr(os, "posix_fallocate")
        for who, blocks in (([7], 1), ([0, people - 1], 2), (slice(None), 4), ([], 0)):
            values, disk = np.zeros(people), Disk()
            values[who] = 0.5
            disk.watched(lambda values=values: queries.answer(values, rng()))  # type: ignore[misc]
            assert sum(event is not None for event in disk.done) == blocks + 1  # and the root


def test_a_journal_is_for_its_owner_alone(path: Path) -> None:
    made(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["journal"]


# -- refusals --------------------------------------------------------------------------------------------------


def test_a_journal_is_open_in_one_place_at_a_time(path: Path) -> None:
    queries = made(path)
    content = path.read_bytes()
    with refused("journal must be open in one place at a time, got .*; close it"):
        opened(path)
    assert path.read_bytes() == content
    queries.close()
    with opened(path):
        with refused("journal must be open in one place at a time"):
            opened(path)
        with refused(UNUSABLE):
            queries.answer(np.zeros(PEOPLE), rng())


def test_a_journal_that_nobody_holds_any_more_is_free(path: Path) -> None:
    made(path)
    assert reopened(path) is not None


def test_an_existing_file_is_never_begun_anew(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with made(path) as queries:
        CHANGES["everybody is asked"](queries)
    content = path.read_bytes()
    with refused("journal must be a new file, got .*; open what it holds by"):
        made(path)
    with refused("journal must be a new file"):
        fp.LinearQueries.from_dict(fp.LinearQueries(2, **HOW).to_dict(), **HOW, journal=path)
    monkeypatch.setattr(Path, "exists", lambda self: False)  # somebody makes it between the look and the link
    with refused(".*File exists"):
        made(path)
    assert [one.name for one in path.parent.iterdir()] == ["journal"]
    assert path.read_bytes() == content


def test_the_name_of_a_new_journal_is_on_the_disk_before_it_is_used(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[object] = []
    link, sync = os.link, os.fsync
    monkeypatch.setattr(os, "link", lambda *names: done.append("named") or link(*names))
    monkeypatch.setattr(os, "fsync", lambda file: done.append(os.fstat(file).st_ino) or sync(file))
    made(path).close()
    assert done[-2:] == ["named", path.parent.stat().st_ino]


@pytest.mark.parametrize(
    ("name", "value"), [("norm_budget", 2.5), ("kappa", 0.25), ("norm_budget", 2 + 2**-51)]
)
def test_a_journal_of_another_budget_is_refused(name: str, value: float, path: Path) -> None:
    made(path).close()
    content = path.read_bytes()
    with refused(f"{name} must be what the journal was made with, got {name}={value}") as kept:
        fp.LinearQueries.open(path, **{**HOW, name: value})
    assert path.read_bytes() == content
    assert reopened(path) is not None, f"open elsewhere, while the error is there: {kept}"


def test_a_journal_of_another_layout_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(JOURNAL, "_LAYOUT", 2)
        made(path).close()
    with refused("journal must have layout 1, got layout 2 in .*; open it with"):
        opened(path)


@pytest.mark.parametrize("content", [b"", b"{}", b"\x80\x04pickle", bytes(20000), b"#!/bin/sh\n"], ids=repr)
def test_a_file_that_is_no_journal_is_refused_and_left_as_it_is(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    with refused("journal must be a file that LinearQueries wrote, got "):
        opened(path)
    assert path.read_bytes() == content


def test_sums_that_no_queries_lead_to_are_refused(path: Path) -> None:
    with made(path) as queries:
        queries._sums.high[3] = -1.0  # no sum of charges
        queries.answer(np.eye(PEOPLE)[0], rng())
    with refused("journal must hold sums that queries can lead to, got another for 1 of 5"):
        opened(path)


def test_a_charge_that_was_cut_between_its_two_doubles_counts_as_what_they_sum_to(path: Path) -> None:
    with made(path) as queries:
        queries._sums.high[3], queries._sums.low[3] = 0.5, 0.25  # an interrupt, before the second was written
        queries.leave(0)
    assert reopened(path)[2][3] == Fraction(3, 4)


def test_no_file_no_folder_and_a_folder_are_one_sentence_each(tmp_path: Path) -> None:
    for nowhere in (tmp_path / "none", tmp_path, tmp_path / "no" / "folder"):
        with refused(r"journal must be a file that can be opened, got [^\n]*$"):
            opened(nowhere)
    with refused(r"journal must be a file that can be made, got [^\n]*$"):
        made(tmp_path / "no" / "folder")


@pytest.mark.parametrize("failing", ["pwrite", "fsync"])
@pytest.mark.parametrize("late", [1, 2])
def test_what_cannot_be_written_is_not_released_and_counts_as_spent(
    failing: str, late: int, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries, values = made(path), np.full(PEOPLE, 0.5)
    drawn: list[int] = []
    generator = drawing(lambda: drawn.append(1))
    calls, real = [0], getattr(os, failing)

    def full(*arguments: Any) -> Any:
        calls[0] += 1
        if calls[0] >= late:
            raise OSError(28, "No space left on device")
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(os, failing, full)
        with refused("journal must be a file that can be written, got .*: No space"):
            queries.answer(values, generator)
    for _ in range(2):  # the disk has room again; what is on it nobody knows
        assert not drawn
        assert spent(queries) == [Fraction(1, 4)] * PEOPLE  # and what is refused is not charged
        with refused(UNUSABLE):
            queries.answer(values, generator)
    assert not drawn
    assert spent(queries) == [Fraction(1, 4)] * PEOPLE
    assert reopened(path)[2] in ([Fraction(1, 4)] * PEOPLE, [Fraction(0)] * PEOPLE)


def test_short_writes_are_carried_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, offset: write(file, data[:7], offset))
    with made(path) as queries:
        CHANGES["everybody is asked"](queries)
        whole = held(queries)
    assert reopened(path) == whole


@pytest.mark.parametrize("twice", [False, True])
def test_an_interrupt_while_it_is_written_is_nothing_released(
    twice: bool, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries, sync, calls = made(path), os.fsync, [0]

    def interrupted(file: int) -> None:
        sync(file)
        calls[0] += 1
        if calls[0] == 2:  # the root is on the disk, and nobody here knows
            raise KeyboardInterrupt

    def interrupted_again() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupted)
        if twice:  # the second comes before the file is given back
            patch.setattr(queries._journal, "close", interrupted_again)
        with pytest.raises(KeyboardInterrupt):
            CHANGES["everybody is asked"](queries)
    charged = spent(queries)
    with refused(UNUSABLE):
        CHANGES["one person is asked"](queries)
    queries.close()
    with opened(path) as again:
        assert spent(again) == charged
        CHANGES["one person is asked"](again)
        charged = spent(again)
    assert reopened(path)[2] == charged


# -- what an examiner found ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", ["one person is asked", "people join"])
def test_a_crash_and_a_lost_root_together_forget_nothing(name: str, path: Path) -> None:
    """Records without their root, then the newest root is damaged, then more is asked: all of it is spent."""
    queries = made(path)
    queries.answer(np.eye(PEOPLE)[0] * 0.1, rng())
    queries.answer(np.eye(PEOPLE)[4], rng())
    journal: Any = queries._journal
    put, newest = journal._put, journal._root

    def crash(offset: int, *parts: Any) -> None:
        if offset < JOURNAL._RECORDS:
            raise KeyboardInterrupt
        put(offset, *parts)

    journal._put = crash
    with pytest.raises(KeyboardInterrupt):
        queries.answer(np.eye(PEOPLE)[0], rng())
    damage(path, JOURNAL._ROOTS + newest * JOURNAL._PAGE)
    with opened(path) as again:
        again.answer(np.eye(PEOPLE)[0] * 0.2, rng())
        CHANGES[name](again)
        known = spent(again)
    with opened(path) as last:
        assert spent(last) == known


def damage(path: Path, place: int) -> None:
    image = bytearray(path.read_bytes())
    image[place : place + 64] = bytes(64)
    path.write_bytes(bytes(image))


@pytest.mark.usefixtures("small_blocks")
def test_numbers_given_out_are_not_given_again_where_their_root_is_lost(path: Path) -> None:
    queries = made(path)
    CHANGES["one person is asked"](queries)
    given = queries.join(4)
    journal: Any = queries._journal
    place, last = JOURNAL._ROOTS + journal._root * JOURNAL._PAGE, journal._places[2]
    queries.close()
    damage(path, place)
    image = path.read_bytes()
    with opened(path) as again:
        assert again.people == given.stop
        assert again.join(1).start == given.stop
    path.write_bytes(image)
    damage(
        path, JOURNAL._place(2, int(last))
    )  # where the first of them are: the next would get their numbers
    assert reopened(path) is None


def test_to_close_waits_for_the_answer_that_is_being_written(path: Path) -> None:
    queries = made(path)
    journal: Any = queries._journal
    put, writing, go = journal._put, threading.Event(), threading.Event()

    def slow(offset: int, *parts: Any) -> None:
        writing.set()
        go.wait(10)
        put(offset, *parts)

    journal._put = slow
    told: list[object] = []
    answering = threading.Thread(target=lambda: told.append(queries.answer(np.ones(PEOPLE), rng())))
    closing = threading.Thread(target=queries.close)
    answering.start()
    assert writing.wait(10)
    closing.start()
    closing.join(0.05)
    assert closing.is_alive(), "the file is not given back under an answer"
    go.set()
    answering.join(10)
    closing.join(10)
    assert len(told) == 1
    with opened(path) as again:
        assert min(spent(again)) > 0


@pytest.mark.parametrize("put", [False, True])
def test_a_file_that_was_removed_or_replaced_answers_no_more(put: bool, path: Path) -> None:
    with made(path) as queries:
        path.with_name("older").write_bytes(path.read_bytes())
        CHANGES["one person is asked"](queries)
        path.with_name("older").replace(path) if put else path.unlink()
        with refused("journal must be a file that can be written, got .*: it was removed, or another file"):
            CHANGES["one person is asked"](queries)
        with refused(UNUSABLE):
            CHANGES["one person is asked"](queries)


def test_a_sparse_file_takes_no_memory(path: Path) -> None:
    with made(path) as queries:
        journal: Any = queries._journal
        people = 2 * 10**10
        content = JOURNAL._ROOT.pack(99, people, bytes(32))
        for place in (JOURNAL._ROOTS, JOURNAL._ROOTS + JOURNAL._PAGE):
            journal._put(place, journal._digest("root", content), content)
        os.ftruncate(journal._file, JOURNAL._place(JOURNAL._blocks(people), 0))
    with refused("journal must be whole, got .* with damage"):
        opened(path)


def test_a_closed_journal_takes_nobody_in(path: Path) -> None:
    queries = made(path)
    journal: Any = queries._journal
    queries.close()  # the number of the file may be another file's from now on
    for change in (lambda: queries.join(3), lambda: queries.leave(0), lambda: journal.write(None, [])):
        with refused(UNUSABLE):
            change()
    assert (queries.people, gone(queries)) == (PEOPLE, [False] * PEOPLE)
