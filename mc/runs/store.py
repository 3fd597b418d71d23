"""The run store: one SQLite file that keeps every finished batch of a simulation."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

#: "fprf" in ASCII: the application id in the header of our files.
APPLICATION_ID = 0x66707266
#: In layout 3 a run is the digest of its key; in 2 a second table had the key itself, which nothing read.
LAYOUT_VERSION = 3
CREATE_TABLE = (
    "CREATE TABLE batch (run BLOB NOT NULL, batch INTEGER NOT NULL, size INTEGER NOT NULL, "
    "sums BLOB NOT NULL, checksum BLOB NOT NULL, PRIMARY KEY (run, batch, size)) WITHOUT ROWID"
)
#: SQLite's primary result codes for a file that is locked, and for one that cannot be written; others mean damage.
_BUSY_CODES = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_WRITE_CODES = {
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_NOLFS, sqlite3.SQLITE_PROTOCOL),
}


class StoreError(RuntimeError):
    """Raised for an unusable run store (foreign, damaged, full, read-only) or a run that it cannot identify."""


class RunStore:
    """A file of finished batches; it survives `kill -9` at any moment.

    Parameters
    ----------
    path : str or path-like
        The file. It is created if it does not exist.

    Raises
    ------
    StoreError
        If the file is damaged or not a run store. The file then stays as it was.

    Notes
    -----
    The key of a run is a digest of the game, the code and the library versions (`filterproof.mc.runs.keys`). The key
    does not cover the following, so that a store may return sums from before a change: code that was patched in memory;
    the state of installed modules (`mpmath.mp.dps`); interpreter settings; what code reads during play (files, clock,
    environment, a generator other than `view.rng`); names found by `getattr`, `eval`, `exec`, `globals()` or
    `sys.modules`; attributes with two underscores at both ends; what an object of an installed class leaves out of its
    copies; caches.

    A commit is one SQLite transaction in a write-ahead log. The checksum of a row covers the row and the key of its
    run.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        with self._store_errors():
            if self.path.exists() and not self.path.is_file():
                raise StoreError(f"{self.path} is not a file and was left untouched; pass another path")
            if not self.path.parent.is_dir():
                raise StoreError(
                    f"{self.path} must be in a folder, got no folder {self.path.parent}; make it"
                )
            if self.path.exists() and self.path.stat().st_size:
                with closing(self._connect("ro")) as connection:
                    self._check_layout(connection)
            self.connection = self._connect("rwc")
            self._create_once()

    def __repr__(self) -> str:
        return f"RunStore({str(self.path)!r})"

    def close(self) -> None:
        """Close the file; committed batches stay."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def load(self, description: Mapping[str, Any]) -> dict[tuple[int, int], NDArray[np.float64]]:
        """Return {(batch, size): sums} of the finished batches of a run.

        Raises
        ------
        StoreError
            If a row fails its checksum.
        """
        key, sums_by_batch = _run_key(description), {}
        with self._store_errors():
            rows = self.connection.execute(
                "SELECT batch, size, sums, checksum FROM batch WHERE run = ?", (key,)
            )
            for batch, size, sums, checksum in rows:
                typed = [type(value) for value in (batch, size, sums)] == [int, int, bytes]
                if not typed or _checksum(key, batch, size, sums) != checksum:
                    raise StoreError(
                        f"{self.path} is damaged: the checksum of batch {batch!r} is wrong; move it away"
                    )
                sums_by_batch[batch, size] = np.frombuffer(sums, dtype="<f8")
        return sums_by_batch

    def commit(
        self, description: Mapping[str, Any], rows: Iterable[tuple[int, int, NDArray[np.float64]]]
    ) -> None:
        """Store (batch, size, sums) of finished batches, all or none; batches already stored stay as they are."""
        key = _run_key(description)
        blobs = [(batch, size, np.asarray(sums, dtype="<f8").tobytes()) for batch, size, sums in rows]
        with self._store_errors():
            run = self.connection.execute
            run("BEGIN IMMEDIATE")
            try:
                self.connection.executemany(
                    "INSERT OR IGNORE INTO batch VALUES (?, ?, ?, ?, ?)",
                    [
                        (key, batch, size, blob, _checksum(key, batch, size, blob))
                        for batch, size, blob in blobs
                    ],
                )
                run("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    run("ROLLBACK")
                raise

    def _create_once(self) -> None:
        """Make the table where the file is empty: in one transaction, which one of several makers has."""
        run = self.connection.execute
        try:
            run("BEGIN IMMEDIATE")
            if not run("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                run(CREATE_TABLE)
                run(f"PRAGMA application_id = {APPLICATION_ID}")
                run(f"PRAGMA user_version = {LAYOUT_VERSION}")
            run("COMMIT")
            with suppress(sqlite3.OperationalError):  # locked by another maker, who sets it after this one
                run("PRAGMA journal_mode = WAL")
        except BaseException:
            self.connection.close()  # which rolls back
            raise

    def _check_layout(self, connection: sqlite3.Connection) -> None:
        """Raise StoreError for a file that is no store of this layout, DatabaseError for a damaged one."""
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (layout,) = connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION_ID:
            raise self._foreign_error()
        if layout != LAYOUT_VERSION:
            raise StoreError(
                f"{self.path} has layout {layout}, but this version writes {LAYOUT_VERSION} and was left untouched; "
                "pass another path"
            )
        tables = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
        sound = connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
        if not sound or tables != [("table", "batch", "batch", CREATE_TABLE)]:
            raise sqlite3.DatabaseError("the check of its pages failed")

    def _foreign_error(self) -> StoreError:
        return StoreError(
            f"{self.path} is not a run store of this package and was left untouched; pass another path"
        )

    def _connect(self, mode: str) -> sqlite3.Connection:
        where = f"{self.path.absolute().as_uri()}?mode={mode}"
        connection = sqlite3.connect(where, timeout=60, isolation_level=None, uri=True)
        try:
            for pragma in ("cell_size_check = ON", "synchronous = NORMAL"):
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
            if (code := _primary_code(error)) in _BUSY_CODES:
                remedy = "wait for the program that holds it or pass another path"
            elif code in _WRITE_CODES:
                remedy = "free some space, make the folder writable or pass another path"
            elif code == sqlite3.SQLITE_NOTADB:
                raise self._foreign_error() from error
            else:
                raise StoreError(self._damaged_message(error)) from error
            raise StoreError(f"{self.path} cannot be written: {error}; {remedy}") from error
        except (UnicodeError, OverflowError, SystemError) as error:
            raise StoreError(self._damaged_message(error)) from error
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise StoreError(
                f"{self.path} cannot be used: {reason}; pass a path in a writable folder"
            ) from error

    def _damaged_message(self, error: Exception) -> str:
        return f"{self.path} is damaged ({error}) and was left untouched; move it away and run again"


def _primary_code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; SQLITE_CORRUPT for errors without one, as for text that is not UTF-8."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)) & 0xFF


def _run_key(description: Mapping[str, Any]) -> bytes:
    """Return the SHA-256 of a run's description: its key in the table."""
    return hashlib.sha256(json.dumps(description, sort_keys=True).encode()).digest()


def _checksum(key: bytes, batch: int, size: int, sums: bytes) -> bytes:
    """A digest of a row and of its run's key, so that a row moved to another run is detected."""
    numbers = b"".join(value.to_bytes(16, "big", signed=True) for value in (batch, size))
    return hashlib.blake2b(key + numbers + sums, digest_size=16).digest()
