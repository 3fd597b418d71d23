"""An output folder in which a set of files appears whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["OutputFolder"]


class OutputFolder:
    """A folder whose files are written under temporary names and renamed when all are complete.

    A context manager: the files appear when the block ends without an exception, and none of them if it raises.
    Raises OSError with one sentence when the folder cannot be written to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._staged: list[tuple[Path, str]] = []
        self._dropped: list[str] = []

    def __enter__(self) -> OutputFolder:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.path):
                pass
        except OSError as error:
            raise OSError(
                f"out must be a folder that can be written to, got out={str(self.path)!r} "
                f"({error.strerror or error}); pass --out with another folder"
            ) from error
        return self

    def add(self, name: str, content: bytes) -> None:
        """Stage a file; it appears under `name` when the block ends without an exception."""
        handle, staged = tempfile.mkstemp(prefix=f".{name}.", dir=self.path)
        self._staged.append((Path(staged), name))
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes private files; give them the permissions of the user's other files
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(staged, 0o666 & ~umask)

    def drop(self, name: str) -> None:
        """Remove an earlier file of that name when the block ends without an exception, if there is one."""
        self._dropped.append(name)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for staged, name in self._staged:
            if kind is None:
                os.replace(staged, self.path / name)
            else:
                staged.unlink(missing_ok=True)
        if kind is None:
            for name in self._dropped:
                (self.path / name).unlink(missing_ok=True)
