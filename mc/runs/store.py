"""The run store: one SQLite file that keeps every finished tile, so that a crash loses no finished work."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from reprlib import repr as short
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: "fprf" in ASCII: the application id in the header of our files.
APPLICATION = 0x66707266
#: In layout 3 a run is the digest of its key; in 2 a second table had the key itself, which nothing read.
LAYOUT = 3
TABLE = (
    "CREATE TABLE tile (run BLOB NOT NULL, tile INTEGER NOT NULL, size INTEGER NOT NULL, "
    "sums BLOB NOT NULL, checksum BLOB NOT NULL, PRIMARY KEY (run, tile, size)) WITHOUT ROWID"
)
#: SQLite's primary result codes for a file that is locked, and for one that cannot be written; others mean damage.
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_PLACE = {
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_NOLFS, sqlite3.SQLITE_PROTOCOL),
}

_Row: TypeAlias = tuple[bytes, int, int, bytes]


class StoreError(RuntimeError):
    """A run store that cannot be used (foreign, corrupt, full, not writable), or a run that it cannot identify."""


class RunStore:
    """A file of finished tiles, keyed by a description of their run; safe against `kill -9` at any moment.

    What the key tells apart is in `mc.runs.keys`. It does not see, so that a store gives the sums that were kept
    before: code that was patched in memory, builtins too; the state of the modules of this package and of installed
    ones (`mpmath.mp.dps`); the interpreter's own settings (`sys.setrecursionlimit`); what code reads while it plays
    (files, the clock, the environment, a generator other than `view.rng`); what is found by a computed name or a detour
    (`getattr`, `eval`, `exec`, `globals()`, `sys.modules`); data under names with two underscores at both ends; what
    an object of a built-in or installed class leaves out of its copies; and what caches of objects keep.

    Each commit is one SQLite transaction in a write-ahead log: after a crash each commit is stored whole or not at
    all. The checksum of a row covers the row and the key of its run. Raises StoreError for a file that is damaged
    or not a run store, and leaves it as it was.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
            raise TypeError(f"store must be the path of a file, got {short(path)}; pass 'runs.db', say")
        self.path = Path(path)
        with self._store_errors():
            if not self.path.exists():
                self._create()
            self._refuse_foreign()
            self.connection = self._connect(self.path.absolute())

    def __repr__(self) -> str:
        return f"RunStore({str(self.path)!r})"

    def close(self) -> None:
        """Close the file; everything committed stays."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def load(self, description: Mapping[str, Any]) -> dict[tuple[int, int], NDArray[np.float64]]:
        """{(tile, size): sums} of the finished tiles of a run."""
        with self._store_errors():
            return {
                (tile, size): np.frombuffer(sums, dtype="<f8")
                for _, tile, size, sums in self._rows(self.connection, "WHERE run = ?", _key(description))
            }

    def _rows(self, connection: sqlite3.Connection, which: str, *keys: bytes) -> Iterator[_Row]:
        """Yields (run, tile, size, sums) of the selected rows; raises StoreError for a row that fails its checks."""
        last: _Row | None = None
        for *row, checksum in connection.execute(
            f"SELECT run, tile, size, sums, checksum FROM tile {which}",
            keys,
        ):
            if [type(value) for value in (*row, checksum)] != [bytes, int, int, bytes, bytes]:
                raise StoreError(f"{self.path} is damaged: a tile has a value of another type; move it away")
            run, tile, size, sums = row
            if _checksum(run, tile, size, sums) != checksum:
                raise StoreError(
                    f"{self.path} is damaged: the checksum of tile {tile} is wrong; move it away"
                )
            if last is not None and (run, tile, size) <= last[:3]:
                raise StoreError(f"{self.path} is damaged: tile {tile} is not in its place; move it away")
            last = run, tile, size, sums
            yield last

    def commit(
        self, description: Mapping[str, Any], rows: Iterable[tuple[int, int, NDArray[np.float64]]]
    ) -> None:
        """Store (tile, size, sums) of finished tiles, all or none; tiles already stored stay as they are."""
        key = _key(description)
        blobs = [(tile, size, np.asarray(sums, dtype="<f8").tobytes()) for tile, size, sums in rows]
        with self._store_errors():
            run = self.connection.execute
            run("BEGIN IMMEDIATE")
            try:
                self.connection.executemany(
                    "INSERT OR IGNORE INTO tile VALUES (?, ?, ?, ?, ?)",
                    [(key, tile, size, blob, _checksum(key, tile, size, blob)) for tile, size, blob in blobs],
                )
                run("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    run("ROLLBACK")
                raise

    def _create(self) -> None:
        """Build the file in another folder and link it into place: a crash or a full disk leaves no partial store."""
        # a temporary folder, since SQLite creates other files beside the one that it writes
        with tempfile.TemporaryDirectory(prefix=".run-store-", dir=self.path.absolute().parent) as folder:
            beside = Path(folder) / "new"
            with closing(self._connect(beside)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")  # raises now if there is no space for the log
                connection.execute("BEGIN")
                connection.execute(TABLE)
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {LAYOUT}")
                connection.execute("COMMIT")
                for mode in ("DELETE", "WAL"):  # writes all pages to the file itself, or raises
                    connection.execute(f"PRAGMA journal_mode = {mode}")
            with suppress(FileExistsError):  # another driver has created the same store in the meantime
                os.link(beside, self.path)

    def _refuse_foreign(self) -> None:
        if not self.path.is_file():
            raise StoreError(f"{self.path} is not a file and was left untouched; pass another path")
        where = self.path.absolute().as_uri()
        # Read through SQLite: if this process opened and closed the file itself, its locks on the file would be lost.
        # First as immutable, without locks: locking would create files beside a database that is not ours.
        try:
            with closing(self._connect(f"{where}?immutable=1")) as look:
                self._refuse_header(look)
        except sqlite3.DatabaseError as error:
            if _code(error) == sqlite3.SQLITE_NOTADB:
                raise self._foreign() from error
            # the file is damaged, or being written at this moment: reading it with locks tells which
        with closing(self._connect(f"{where}?mode=ro")) as connection:
            self._refuse_header(connection)
            sound = connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
            sound &= connection.execute("PRAGMA encoding").fetchone() == ("UTF-8",)
            # only our table: SQLite would execute the triggers and views of a file
            tables = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
            if not sound or tables != [("table", "tile", "tile", TABLE)]:
                raise sqlite3.DatabaseError("the check of its pages failed")
            for _ in self._rows(connection, ""):
                pass

    def _refuse_header(self, connection: sqlite3.Connection) -> None:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (layout,) = connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION:
            raise self._foreign()
        if layout != LAYOUT:
            raise StoreError(
                f"{self.path} has layout {layout} where this version writes {LAYOUT} and was left untouched; "
                "pass another path"
            )

    def _foreign(self) -> StoreError:
        return StoreError(
            f"{self.path} is not a run store of this package and was left untouched; pass another path"
        )

    @staticmethod
    def _connect(place: str | Path) -> sqlite3.Connection:
        connection = sqlite3.connect(place, timeout=60, isolation_level=None, uri=isinstance(place, str))
        try:
            for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "synchronous = NORMAL"):
                connection.execute(f"PRAGMA {pragma}")
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _store_errors(self) -> Iterator[None]:
        """Turns errors of SQLite and of the system into a StoreError of one sentence."""
        try:
            yield
        except sqlite3.ProgrammingError as error:
            raise StoreError(
                f"{self.path} cannot be used here: {error}; open the store again where it is used"
            ) from error
        except sqlite3.Error as error:
            if (code := _code(error)) in _BUSY:
                remedy = "wait for the program that holds it or pass another path"
            elif code in _PLACE:
                remedy = "free some space, make the folder writable or pass another path"
            else:
                raise StoreError(self._damaged(error)) from error
            raise StoreError(f"{self.path} cannot be written: {error}; {remedy}") from error
        except (UnicodeError, OverflowError, SystemError) as error:
            raise StoreError(self._damaged(error)) from error
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise StoreError(
                f"{self.path} cannot be used: {reason}; pass a path in a writable folder"
            ) from error

    def _damaged(self, error: Exception) -> str:
        return f"{self.path} is damaged ({error}) and was left untouched; move it away and run again"


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; SQLITE_CORRUPT for errors without one, as for text that is not UTF-8."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)) & 0xFF


def _key(description: Mapping[str, Any]) -> bytes:
    return hashlib.sha256(json.dumps(description, sort_keys=True).encode()).digest()


def _checksum(key: bytes, tile: int, size: int, sums: bytes) -> bytes:
    """A digest of a row and of its run's key, so that a row moved to another run is detected."""
    numbers = b"".join(value.to_bytes(16, "big", signed=True) for value in (tile, size))
    return hashlib.blake2b(key + numbers + sums, digest_size=16).digest()
