"""The run store: every finished tile in one SQLite file, so that nothing is lost when a machine dies."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["RunStore", "StoreError"]

#: "fprf" in ASCII, at a fixed place in the header of our files.
APPLICATION = 0x66707266
LAYOUT = 1
SCHEMA = f"""
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {LAYOUT};
CREATE TABLE run (key TEXT PRIMARY KEY, description TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tile (
    run TEXT NOT NULL REFERENCES run(key),
    tile INTEGER NOT NULL,
    size INTEGER NOT NULL,
    sums BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (run, tile)
) WITHOUT ROWID;
"""


class StoreError(RuntimeError):
    """A run store that cannot be used: foreign, corrupt, full, or not writable."""


class RunStore:
    """One file of finished tiles, keyed by all that determines them; safe against `kill -9` at any moment.

    Each commit is one SQLite transaction in a write-ahead log: after a crash a tile is there whole or not at
    all. A file that is not ours, or damaged, is refused and left as it was.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        with self._told():
            if not self.path.exists():
                self._create()
            self._refuse_foreign()
            self._connection = sqlite3.connect(self.path, timeout=60, isolation_level=None)
            self._connection.execute("PRAGMA synchronous = NORMAL")

    def close(self) -> None:
        """Close the file; everything committed stays."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def load(self, description: Mapping[str, Any]) -> dict[tuple[int, int], NDArray[np.float64]]:
        """{(tile, size): sums} of the finished tiles of a run."""
        with self._told():
            rows = self._connection.execute(
                "SELECT tile, size, sums, checksum FROM tile WHERE run = ?", (_key(description),)
            ).fetchall()
        for tile, _, sums, checksum in rows:
            if zlib.crc32(sums) != checksum:
                raise StoreError(
                    f"{self.path} is damaged: the checksum of tile {tile} is wrong; move it away"
                )
        return {(tile, size): np.frombuffer(sums, dtype="<f8") for tile, size, sums, _ in rows}

    def commit(
        self, description: Mapping[str, Any], rows: Iterable[tuple[int, int, NDArray[np.float64]]]
    ) -> None:
        """Keep (tile, size, sums) of finished tiles, all or none."""
        key = _key(description)
        blobs = [(tile, size, np.asarray(sums, dtype="<f8").tobytes()) for tile, size, sums in rows]
        with self._told():
            run = self._connection.execute
            run("BEGIN IMMEDIATE")
            try:
                run("INSERT OR IGNORE INTO run VALUES (?, ?)", (key, _canonical(description)))
                self._connection.executemany(
                    "INSERT OR IGNORE INTO tile VALUES (?, ?, ?, ?, ?)",
                    [(key, tile, size, blob, zlib.crc32(blob)) for tile, size, blob in blobs],
                )
                run("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    run("ROLLBACK")
                raise

    def _create(self) -> None:
        """Build the file beside its place and move it there: a crash leaves no half-made store."""
        beside = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        try:
            connection = sqlite3.connect(beside, isolation_level=None)
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.executescript(SCHEMA)
            finally:
                connection.close()
            with suppress(FileExistsError):  # another driver was quicker: its file is as good
                os.link(beside, self.path)
        finally:
            beside.unlink(missing_ok=True)

    def _refuse_foreign(self) -> None:
        with self.path.open("rb") as file:
            header = file.read(100)
        if header[:16] != b"SQLite format 3\0" or int.from_bytes(header[68:72], "big") != APPLICATION:
            raise StoreError(
                f"{self.path} is not a run store of this package and was left untouched; pass another path"
            )
        layout = int.from_bytes(header[60:64], "big")
        if layout != LAYOUT:
            raise StoreError(
                f"{self.path} has layout {layout} where this version writes {LAYOUT} and was left untouched; "
                "pass another path"
            )
        connection = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True, timeout=60)
        try:
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()
            found = {
                row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
        finally:
            connection.close()
        if verdict != ("ok",) or not {"run", "tile"} <= found:
            raise sqlite3.DatabaseError("the check of its pages failed")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """SQLite's and the system's errors as one sentence."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "malformed" in str(error):
                raise StoreError(self._damaged(error)) from error
            raise StoreError(
                f"{self.path} cannot be written: {error}; free some space, make the folder writable or pass "
                "another path"
            ) from error
        except sqlite3.DatabaseError as error:
            raise StoreError(self._damaged(error)) from error
        except OSError as error:
            raise StoreError(
                f"{self.path} cannot be used: {error.strerror or error}; pass a path in a writable folder"
            ) from error

    def _damaged(self, error: Exception) -> str:
        return f"{self.path} is damaged ({error}) and was left untouched; move it away and run again"


def _canonical(description: Mapping[str, Any]) -> str:
    return json.dumps(description, sort_keys=True, separators=(",", ":"))


def _key(description: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(description).encode()).hexdigest()
