"""The run store: every finished tile in one SQLite file, so that nothing is lost when a machine dies."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import filters
import theory
from mc.streams import TILE

__all__ = ["RunStore", "StoreError", "fingerprint"]

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


def fingerprint(value: object) -> Any:
    """JSON-able data that tells `value` from every other: class, source of foreign classes, fields."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (float, np.floating)):
        return float(value).hex()
    if isinstance(value, (tuple, list)):
        return [fingerprint(x) for x in value]
    if isinstance(value, np.ndarray):
        return [value.dtype.str, list(value.shape), hashlib.sha256(value.tobytes()).hexdigest()]
    if isinstance(value, type):
        return [value.__module__, value.__qualname__, _source(value)]
    if callable(value) and hasattr(value, "__code__"):
        return [value.__module__, value.__qualname__, _source(value)]  # type: ignore[attr-defined]
    names = [f.name for f in fields(value)] if is_dataclass(value) else sorted(getattr(value, "__dict__", {}))
    if not names and not is_dataclass(value) and type(value).__module__ != "builtins":
        return [fingerprint(type(value)), str(value)]
    return [fingerprint(type(value)), {name: fingerprint(getattr(value, name)) for name in names}]


def code_version() -> str:
    """A digest of the source that a run's numbers depend on, and of NumPy's version."""
    return _digest_of_rooms() + f"-numpy-{np.__version__}-tile-{TILE}"


@lru_cache(maxsize=1)
def _digest_of_rooms() -> str:
    digest = hashlib.sha256()
    for folder in (Path(theory.__file__).parent, Path(filters.__file__).parent, Path(__file__).parent):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.relative_to(folder.parent).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _source(value: Any) -> str:
    """A digest of the file that a foreign class or function was written in; our own are in the version."""
    if value.__module__.partition(".")[0] in {"builtins", "theory", "filters", "mc", "numpy", "fractions"}:
        return ""
    try:
        path = inspect.getsourcefile(value)
        text = Path(path).read_bytes() if path and Path(path).exists() else inspect.getsource(value).encode()
    except (OSError, TypeError) as missing:
        raise StoreError(
            f"{value.__qualname__} has no source file, so a stored run could not tell it from another; "
            "write it in a file or leave store out"
        ) from missing
    return hashlib.sha256(text).hexdigest()


def _canonical(description: Mapping[str, Any]) -> str:
    return json.dumps(description, sort_keys=True, separators=(",", ":"))


def _key(description: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(description).encode()).hexdigest()
