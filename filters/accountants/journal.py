"""A journal: everybody's sum of charges in one file, which never has less spending than was released.

The file, in little-endian numbers: a header (magic, layout, the budget's terms, the number of people), the high doubles
of all sums, the low doubles, one bit per person who left, and the SHA-256 of everything before it.

`write` writes the sums into a new file next to the journal, waits for the disk, renames the new file to the journal's
name, and waits for the disk again. Only then may anything be released. A crash at any moment leaves the old or the new
file under that name, each complete; the next `write` overwrites the leftover file. A damaged file has another SHA-256
and is refused. An older copy of the whole file cannot be detected: keep no copies in use.
"""

from __future__ import annotations

import hashlib
import os
import struct
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

_MAGIC, _LAYOUT = b"filterproof.journal of sums\n", 2
#: Magic, layout, terms, people.
_HEADER = struct.Struct("<28sIddQ")
_DIGEST = 32
_REMEDIES = {
    "made": "pass a path in a writable folder with room for it",
    "opened": "pass the path that the queries were made with",
    "written": "nothing was released, and the request counts as spent; free some space and open the journal again",
}


class JournalError(RuntimeError):
    """A journal is unusable: it is another file, damaged, open elsewhere or not written. Nothing was released."""


class Terms(NamedTuple):
    """The parameters of the sums in a journal."""

    norm_budget: float
    kappa: float


@dataclass(frozen=True, slots=True)
class Sums:
    """Everybody's sum of charges, high + low in a budget's units, and who has left: three arrays of shape (n,).

    <<<<<<< filters/accountants/journal.py
        17 bytes a person: two doubles and a flag. The arrays are changed in place, by their one accountant.
    =======
        17 bytes per person: two doubles and a flag. The arrays are changed in place by their only owner.
    >>>>>>> /tmp/eng/_n
    """

    high: NDArray[np.float64]
    low: NDArray[np.float64]
    left: NDArray[np.bool_]

    @classmethod
    def fresh(cls, people: int) -> Sums:
        """Return empty sums of this many people."""
        return cls(np.zeros(people), np.zeros(people), np.zeros(people, dtype=np.bool_))

    def __len__(self) -> int:
        return len(self.high)

    def part(self, people: slice) -> Sums:
        """Return these people's sums, in the same memory."""
        return Sums(self.high[people], self.low[people], self.left[people])

    def with_more(self, people: int) -> Sums:
        """Return these sums followed by those of new people, in new arrays."""
        new = Sums.fresh(people)
        return Sums(
            np.append(self.high, new.high), np.append(self.low, new.low), np.append(self.left, new.left)
        )


class Journal:
    """A file with the sums of everybody, at least as recent as the last `write` that returned.

    Only one process at a time can open it. After an error nothing more is written; open it again.
    """

    def __init__(self, path: Path, terms: Terms) -> None:
        self.path, self._terms = path, terms
        if fcntl is None:
            raise JournalError("journal must be None on a system without fcntl; save with to_dict")
        file = os.open(_beside(path, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._close = weakref.finalize(self, os.close, file)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._close()
            raise JournalError(
                f"journal must be open in one place at a time, got {str(path)!r}, which is open elsewhere; "
                "close it there"
            ) from None
        self._usable = True
        self._inode = -1

    @classmethod
    def create(cls, path: str | os.PathLike[str], terms: Terms, sums: Sums) -> Journal:
        """Create a journal of these sums. Raises JournalError if the file exists."""
        where = _path(path)
        with _told(where, "made"):
            journal = cls(where, terms)
            try:
                if where.exists():
                    raise JournalError(
                        f"journal must be a new file, got {str(where)!r}; open an existing journal by "
                        "LinearQueries.open"
                    )
                journal._put(sums)
            except BaseException:
                journal.close()
                raise
        return journal

    @classmethod
    def open(cls, path: str | os.PathLike[str], terms: Terms) -> tuple[Journal, Sums]:
        """Open the journal in that file and return it with its sums.

        Raises JournalError if it is damaged or has other terms.
        """
        where = _path(path)
        with _told(where, "opened"):
            where.stat()  # first, so that no lock file is left next to a missing file
            journal = cls(where, terms)
            try:
                sums = journal._read()
            except BaseException:
                journal.close()
                raise
        return journal, sums

    def close(self) -> None:
        """Release the file. Its content stays."""
        self._usable = False
        self._close()

    def check_usable(self) -> None:
        """Raise JournalError if the journal was closed, or an error prevented a write."""
        if not self._usable:
            raise JournalError(
                f"journal must be open and without an error, got {str(self.path)!r}, which was closed or not written; "
                "open it again by LinearQueries.open"
            )

    def write(self, sums: Sums) -> None:
        """Write these sums to the disk. When this returns, no crash can undo it."""
        self.check_usable()
        self._usable = False  # first, because a second interrupt may come before the file is closed
        try:
            with _told(self.path, "written"):
                with suppress(FileNotFoundError):
                    if os.stat(self.path).st_ino == self._inode:
                        self._put(sums)
                        self._usable = True
                        return
                raise OSError("it was removed or replaced")
        finally:
            if not self._usable:
                self.close()

    def _put(self, sums: Sums) -> None:
        new = _beside(self.path, ".new")
        try:
            inode = _write(new, sums, self._terms)
            os.replace(new, self.path)
        except BaseException:
            with suppress(OSError):
                os.unlink(new)
            raise
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        self._inode = inode

    def _read(self) -> Sums:
        with open(self.path, "rb") as file:
            content, self._inode = file.read(), os.fstat(file.fileno()).st_ino
        if not content.startswith(_MAGIC):
            raise JournalError(
                f"journal must be a file that LinearQueries wrote, got {str(self.path)!r}, which is no journal; "
                "pass the path that the queries were made with"
            )
        body, digest = memoryview(content)[:-_DIGEST], content[-_DIGEST:]
        if hashlib.sha256(body).digest() != digest:
            raise JournalError(
                f"journal must be whole, got {str(self.path)!r} with damage; restore the file as it was last written, "
                "or treat everybody's budget as spent"
            )
        *_, norm_budget, kappa, people = _HEADER.unpack(body[: _HEADER.size])
        for name, asked, saved in zip(Terms._fields, self._terms, (norm_budget, kappa), strict=True):
            if asked.hex() != saved.hex():
                raise JournalError(
                    f"{name} must be the value in the journal, got {name}={asked!r} for {saved!r} in "
                    f"{str(self.path)!r}; pass the values of the original queries"
                )
        sums = np.frombuffer(body, dtype="<f8", count=2 * people, offset=_HEADER.size).astype(np.float64)
        left = np.frombuffer(body, dtype=np.uint8, offset=_HEADER.size + 16 * people)
        return Sums(sums[:people], sums[people:], np.unpackbits(left, count=people).astype(np.bool_))


def _write(path: Path, sums: Sums, terms: Terms) -> int:
    """Write a journal to a file on the disk and return the inode number."""
    digest = hashlib.sha256()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as file:
        for part in (
            _HEADER.pack(_MAGIC, _LAYOUT, *terms, len(sums)),
            np.ascontiguousarray(sums.high, dtype="<f8").data,
            np.ascontiguousarray(sums.low, dtype="<f8").data,
            np.packbits(sums.left).data,
        ):
            digest.update(part)
            file.write(part)
        file.write(digest.digest())
        file.flush()
        _sync(descriptor)
        return os.fstat(descriptor).st_ino


def _path(path: object) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"journal must be a path, got {path!r}; pass e.g. 'spent.journal'")
    return Path(path).resolve()


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _sync(file: int) -> None:
    """Wait until the file is on the disk."""
    full = getattr(fcntl, "F_FULLFSYNC", None)  # on systems where fsync does not wait for the disk
    if full is None:
        os.fsync(file)
    else:
        fcntl.fcntl(file, full)


@contextmanager
def _told(path: Path, done: str) -> Iterator[None]:
    """Turn system errors into a JournalError with one sentence."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise JournalError(
            f"journal must be a file that can be {done}, got {str(path)!r}: {reason}; {_REMEDIES[done]}"
        ) from error
