"""A file that one process at a time owns and replaces as a whole.

A crash leaves the old content or the new one. `write` writes the content to a new file next to the old one, waits for
the disk, gives the new file the old name, and waits for the disk again. Only then may anything be released. The next
`write` overwrites the remains of a crash.

A second file, `<name>.lock`, is locked while the journal is open. It stays there, because each write replaces the
journal itself by another file.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

_REMEDIES = {
    "made": "pass a path in a writable folder with room for it",
    "opened": "pass the path of the journal",
    "written": "nothing was released, the requests count as spent; make room, and open it again",
}


class JournalError(RuntimeError):
    """A journal is not usable: it is another file, damaged, open elsewhere or not written. Nothing was released."""


class JournalFile:
    """A file whose content is at least as recent as the last `write` that returned.

    After an error nothing more is written; open the file again.
    """

    def __init__(self, path: object) -> None:
        self.path = journal_path(path)
        if fcntl is None:
            raise JournalError("journal must be None on a system without fcntl; save with to_dict")
        file = os.open(_with_ending(self.path, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._close = weakref.finalize(self, os.close, file)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._close()
            raise JournalError(
                f"journal must be open in one place at a time, got {str(self.path)!r}, which is open elsewhere; "
                "close it there first"
            ) from None
        self._usable = True
        self._inode = -1

    @classmethod
    def create(cls, path: object, parts: Iterable[Any]) -> JournalFile:
        """Create a file with this content. Raises JournalError if it exists."""
        where = journal_path(path)
        with reraise_as_journal_error(where, "made"):
            journal = cls(where)
            with journal.close_on_error():
                if where.exists():
                    raise JournalError(
                        f"journal must be a new file, got {str(where)!r}; open the existing journal, or pass a new path"
                    )
                journal._replace_content(parts)
        return journal

    @classmethod
    def open(cls, path: object) -> tuple[JournalFile, bytes]:
        """Open the file and return it with its content."""
        where = journal_path(path)
        with reraise_as_journal_error(where, "opened"):
            where.stat()  # first, so that no lock file is left next to a missing file
            journal = cls(where)
            with journal.close_on_error(), open(where, "rb") as file:
                content, journal._inode = file.read(), os.fstat(file.fileno()).st_ino
        return journal, content

    def close(self) -> None:
        """Release the file. Its content stays."""
        self._usable = False
        self._close()

    @contextmanager
    def close_on_error(self) -> Iterator[None]:
        """Close the file if the block raises."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def check_usable(self) -> None:
        """Raise JournalError if the journal was closed, or an error prevented a write."""
        if not self._usable:
            raise JournalError(
                f"journal must be open and without an error, got {str(self.path)!r}, which was closed or not written; "
                "open it again"
            )

    def write(self, parts: Iterable[Any]) -> None:
        """Write this content to the disk. When this returns, no crash can undo it."""
        self.check_usable()
        self._usable = False  # first, because a second interrupt may come before the file is closed
        try:
            with reraise_as_journal_error(self.path, "written"):
                with suppress(FileNotFoundError):
                    if os.stat(self.path).st_ino == self._inode:
                        self._replace_content(parts)
                        self._usable = True
                        return
                raise OSError("it was removed or replaced")
        finally:
            if not self._usable:
                self.close()

    def _replace_content(self, parts: Iterable[Any]) -> None:
        new = _with_ending(self.path, ".new")
        try:
            inode = _write_synced_file(new, parts)
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


def journal_path(path: object) -> Path:
    """Return the resolved path."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"journal must be a path, got {path!r}; pass e.g. 'spent.journal'")
    return Path(path).resolve()


@contextmanager
def reraise_as_journal_error(path: Path, done: str) -> Iterator[None]:
    """Raise errors of the block (OSError, ValueError) as a JournalError with one sentence."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise JournalError(
            f"journal must be a file that can be {done}, got {str(path)!r}: {reason}; {_REMEDIES[done]}"
        ) from error


def _write_synced_file(path: Path, parts: Iterable[Any]) -> int:
    """Write a file, wait until it is on the disk, and return its inode number."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as file:
        file.writelines(parts)
        file.flush()
        _sync_to_disk(descriptor)
        return os.fstat(descriptor).st_ino


def _with_ending(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _sync_to_disk(file: int) -> None:
    """Wait until the file is on the disk."""
    full = getattr(fcntl, "F_FULLFSYNC", None)  # on systems where fsync does not wait for the disk
    if full is None:
        os.fsync(file)
    else:
        fcntl.fcntl(file, full)
