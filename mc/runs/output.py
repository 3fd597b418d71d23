"""An output folder in which files appear complete or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path


class OutputFolder:
    """A folder whose files are written in a hidden folder inside it and renamed when all are complete.

    A context manager: the files appear when the block ends without an exception, and none of them if it raises. At the
    end they are on the disk under their names. A folder that was created for the block and received nothing is removed.
    Raises OSError with one sentence if the folder, or a file in it, cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        #: To remove at the end: the hidden folder, and created folders that have stayed empty.
        self._left = ExitStack()
        self._names: dict[str, None] = {}
        self._dropped: dict[str, None] = {}

    def __enter__(self) -> OutputFolder:
        try:
            self._created_folders = [
                folder for folder in (self.path, *self.path.parents) if not folder.exists()
            ]
            for missing in reversed(self._created_folders):
                missing.mkdir()
                self._left.callback(_remove_if_empty, missing)
            # no TemporaryDirectory, which a fork of this process that ends in the meantime would remove
            self._hidden = Path(tempfile.mkdtemp(prefix=".unfinished.", dir=self.path))
            self._left.callback(shutil.rmtree, self._hidden, ignore_errors=True)
        except OSError as error:
            self._left.close()
            raise OSError(
                f"out must be a folder that can be written to, got out={str(self.path)!r} "
                f"({error.strerror or error}); pass --out with another folder"
            ) from error
        return self

    def add(self, name: str, content: bytes) -> None:
        """Stage a file; it appears under `name` when the block ends without an exception."""
        try:
            with (self._hidden / name).open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _output_error(self.path / name, error) from error
        self._names[name] = None

    def remove_at_exit(self, name: str) -> None:
        """Remove an earlier file of that name when the block ends without an exception, if there is one."""
        self._dropped[name] = None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._left:
            if kind is None:
                self._place_files()
                for folder in (self.path, *(created.parent for created in self._created_folders)):
                    _sync_folder(folder)

    def _place_files(self) -> None:
        """Rename the staged files and remove the dropped ones, unless a folder has the name of one."""
        names = self._names | self._dropped
        for name in names:
            if (self.path / name).is_dir() and not (self.path / name).is_symlink():
                raise _output_error(self.path / name, "it is a folder")
        for name in names:
            try:
                if name in self._names:
                    os.replace(self._hidden / name, self.path / name)
                else:
                    (self.path / name).unlink(missing_ok=True)
            except OSError as error:
                raise _output_error(self.path / name, error) from error


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):  # new files in it stay
        folder.rmdir()


def _sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    if os.name == "nt":  # folders cannot be opened there
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # not every file system supports it
            raise
    finally:
        os.close(file)


def _output_error(path: Path, why: OSError | str) -> OSError:
    reason = why if isinstance(why, str) else why.strerror or str(why)
    return OSError(
        f"out must have no file that cannot be replaced, got {str(path)!r} ({reason}); remove it or pass another folder"
    )
