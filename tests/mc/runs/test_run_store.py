"""A store gives back what was put into it or says in one sentence why not: no damage is ever read as a result."""

import os
import random
import resource
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import filterproof as fp

RUNS: tuple[dict[str, Any], ...] = ({"game": "one", "seed": 1}, {"game": "other", "seed": 1})
Sums = dict[tuple[int, int], bytes]


def rows(number: int, batches: int = 40) -> list[tuple[int, int, NDArray[np.float64]]]:
    rng = np.random.default_rng(number)
    return [(batch, 100 + batch % 2, rng.random(40 if batch % 7 else 900)) for batch in range(batches)]


def stored_sums(store: fp.runs.RunStore, run: dict[str, Any]) -> Sums:
    return {place: sums.tobytes() for place, sums in store.load(run).items()}


def put(number: int) -> Sums:
    return {(batch, size): sums.tobytes() for batch, size, sums in rows(number)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of two runs on some thirty pages, closed."""
    path = tmp_path / "run.db"
    with fp.runs.RunStore(path) as store:
        for number, run in enumerate(RUNS):
            store.commit(run, rows(number))
    assert path.stat().st_size > 20 * 4096
    assert list(tmp_path.iterdir()) == [path]
    return path


def try_out(path: Path) -> str:
    """Open, read, write and read again: "whole" or "refused"; anything but the truth fails the test."""
    try:
        with fp.runs.RunStore(path) as store:
            assert [stored_sums(store, run) for run in RUNS] == [put(0), put(1)]
            store.commit(RUNS[0], [(1000, 5, np.ones(3))])
            assert stored_sums(store, RUNS[0]) == put(0) | {(1000, 5): np.ones(3).tobytes()}
    except fp.runs.StoreError as error:
        return one_sentence(error, path)
    return "whole"


def one_sentence(error: fp.runs.StoreError, path: Path) -> str:
    assert "\n" not in str(error)
    assert str(path) in str(error)
    return "refused"


def overwrite(content: bytearray, rng: random.Random) -> None:
    first = rng.randrange(len(content))
    some = rng.randbytes(rng.choice([1, 1, 2, 4, 8, 64, 4096]))
    content[first : first + len(some)] = some


def truncate(content: bytearray, rng: random.Random) -> None:
    del content[rng.randrange(len(content)) :]


def swap_pages(content: bytearray, rng: random.Random) -> None:
    first, other = (slice(4096 * k, 4096 * (k + 1)) for k in rng.sample(range(1, len(content) // 4096), 2))
    content[first], content[other] = content[other], content[first]


def tried_out(path: Path, damaged: Iterable[bytes]) -> list[str]:
    """What comes of each content of the file, nothing beside it being left from the one before."""
    seen = []
    for content in damaged:
        path.write_bytes(content)
        seen.append(try_out(path))
        for leftover in path.parent.iterdir():
            leftover.unlink()
    return seen


@pytest.mark.parametrize("damage", [overwrite, truncate, swap_pages])
def test_no_damage_is_read_as_a_result(
    path: Path, damage: Callable[[bytearray, random.Random], None]
) -> None:
    content_before, rng = path.read_bytes(), random.Random(damage.__name__)

    def damaged() -> bytearray:
        content = bytearray(content_before)
        damage(content, rng)
        return content

    assert "refused" in tried_out(path, (damaged() for _ in range(30)))


def alter(path: Path, *statements: str) -> None:
    with sqlite3.connect(path) as other:
        for statement in statements:
            other.execute(statement)
    other.close()


FIRST = "(SELECT min(run) FROM batch)"
SECOND = "(SELECT max(run) FROM batch)"


@pytest.mark.parametrize(
    "statement",
    [
        f"UPDATE batch SET run = {SECOND}, batch = batch + 100 WHERE run = {FIRST}",
        f"UPDATE OR REPLACE batch SET run = {SECOND} WHERE run = {FIRST}",
        "UPDATE batch SET batch = batch + 1000",
        "UPDATE batch SET size = size + 1000",
        "UPDATE batch SET (sums, checksum) = (SELECT sums, checksum FROM batch AS o WHERE o.batch = 3)",
        "UPDATE batch SET sums = sums || x'0000000000000000'",
        "UPDATE batch SET sums = 'text'",
        "UPDATE batch SET checksum = CAST(x'c328' AS TEXT)",
        "UPDATE batch SET batch = batch + 0.5",
        "UPDATE batch SET size = x'00ff'",
        "DROP TABLE batch",
        "ALTER TABLE batch RENAME COLUMN sums TO totals",
        "ALTER TABLE batch DROP COLUMN checksum",
        "ALTER TABLE batch ADD COLUMN more",
        "CREATE TABLE more (x)",
        "CREATE VIEW more AS SELECT * FROM batch",
        "CREATE TRIGGER more AFTER INSERT ON batch BEGIN DELETE FROM batch; END",
    ],
)
def test_a_row_that_was_changed_or_moved_is_refused(path: Path, statement: str) -> None:
    alter(path, statement)
    with pytest.raises(fp.runs.StoreError) as refused, fp.runs.RunStore(path) as store:
        list(map(store.load, RUNS))
    one_sentence(refused.value, path)


FOREIGN: dict[str, tuple[bytes | tuple[str, ...], str]] = {
    "text": (b"not a database, but long enough" * 10, "is not a run store of this package"),
    "only a header": (b"SQLite format 3\0" + b"\0" * 2000, "is not a run store of this package"),
    "another database": (("CREATE TABLE batch (x)",), "is not a run store of this package"),
    "an older layout": (
        (
            "PRAGMA application_id = 1718645350",
            "PRAGMA user_version = 1",
            "CREATE TABLE run (key TEXT PRIMARY KEY, description TEXT NOT NULL) WITHOUT ROWID",
            "CREATE TABLE batch (run TEXT, batch INTEGER, size INTEGER, sums BLOB, checksum INTEGER, "
            "PRIMARY KEY (run, batch)) WITHOUT ROWID",
        ),
        "has layout 1, but this version writes 3",
    ),
}


@pytest.mark.parametrize(("content", "sentence"), FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_file_is_refused_and_left_untouched(
    tmp_path: Path, content: bytes | tuple[str, ...], sentence: str
) -> None:
    path = tmp_path / "theirs.db"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        alter(path, *content)
    before = path.read_bytes()
    with pytest.raises(fp.runs.StoreError, match=f"{sentence} and was left untouched; pass another path"):
        fp.runs.RunStore(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")  # opening it would wait for ever
    for place, message in [
        (tmp_path, "is not a file and was left untouched; pass another path"),
        (tmp_path / "pipe", "is not a file"),
        (tmp_path / "x" / "run.db", f"must be in a folder, got no folder {tmp_path / 'x'}; make it"),
    ]:
        with pytest.raises(fp.runs.StoreError, match=message):
            fp.runs.RunStore(place)
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]
    monkeypatch.chdir(tmp_path)
    with fp.runs.RunStore(":memory:") as store:  # a name like any other, not SQLite's for no file at all
        store.commit(RUNS[0], rows(0))
    with fp.runs.RunStore(":memory:") as store:
        assert stored_sums(store, RUNS[0]) == put(0)


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """No file can be made longer than `size` bytes here: to SQLite the disk is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_is_full_from_the_start_leaves_no_partial_store(tmp_path: Path) -> None:
    stores, path = 0, tmp_path / "run.db"
    for size in (*range(0, 40_000, 4096), 100_000):
        with files_end_at(size):
            try:
                fp.runs.RunStore(path).close()
                stores += 1
            except fp.runs.StoreError as refused:
                one_sentence(refused, path)
        with fp.runs.RunStore(path) as store:  # there is space again
            store.commit(RUNS[0], rows(0))
            assert stored_sums(store, RUNS[0]) == put(0)
        path.unlink()
    assert stores > 0


def fill(store: fp.runs.RunStore, size: int) -> None:
    with files_end_at(size):
        for number in range(100):
            store.commit({"run": number}, rows(number))


def test_a_disk_that_fills_up_ends_a_commit_in_one_sentence_and_keeps_what_was_there(tmp_path: Path) -> None:
    for size in (40_000, 200_000):
        path = tmp_path / f"{size}.db"
        with fp.runs.RunStore(path) as store:
            store.commit(RUNS[0], rows(0, 10))
            before = stored_sums(store, RUNS[0])
            with pytest.raises(fp.runs.StoreError, match=r"cannot be written: .*; free some space"):
                fill(store, size)
            assert stored_sums(store, RUNS[0]) == before
            store.commit(RUNS[0], rows(0))  # there is space again
            assert stored_sums(store, RUNS[0]) == put(0)
        assert not list(tmp_path.glob("*.db-*"))
        path.unlink()


def test_what_is_stored_stays_whoever_stores_it_again(path: Path) -> None:
    with fp.runs.RunStore(path) as store, fp.runs.RunStore(path) as other:
        for each in (store, other):
            each.commit(RUNS[0], [(batch, size, np.zeros(3)) for batch, size, _ in rows(0)])
        assert [stored_sums(store, run) for run in RUNS] == [put(0), put(1)]
        assert stored_sums(store, dict(reversed(RUNS[0].items()))) == put(0)


def test_many_makers_of_one_store_all_get_it(tmp_path: Path) -> None:
    together = threading.Barrier(8)

    def make(number: int) -> None:
        together.wait(30)
        with fp.runs.RunStore(tmp_path / "run.db") as store:
            store.commit({"maker": number}, rows(number))

    with ThreadPoolExecutor(8) as makers:
        list(makers.map(make, range(8)))  # raises what any of them raised
    with fp.runs.RunStore(tmp_path / "run.db") as store:
        for number in range(8):
            assert stored_sums(store, {"maker": number}) == put(number)
    assert list(tmp_path.iterdir()) == [tmp_path / "run.db"]
