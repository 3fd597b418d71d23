"""A journal: everybody's sum of charges in one file, which is never behind what was released.

The file, in little-endian numbers:

    0        the header: what this is, the budget's terms, a random identity; written once
    4096     two roots: which generation of the sums is complete
    12288    for each block of 8192 people two places, each for one record of their sums

A change is a new generation. First a record of every block in which somebody was charged goes to that block's other
place, over the older record, and the disk is waited for; then a root goes over the older root, and the disk is waited
for again. Only then may anything be released.

Why this is safe. Whatever was released, its charges are in whole records that no later write touches before newer
ones of the same people are whole. A write that a crash cuts off anywhere, or that reaches the disk out of order, leaves
a record whose SHA-256 is wrong, beside the one before it; a root says of every block which record was complete, by a
digest of all their generations. So a record that is missing can be told from one that was never finished: the first is
damage and the file is refused, the second was for an answer that nobody saw. A whole record newer than the root is
counted, whether a crash or damage kept its root away; where a root is lost, so are people who joined after it. One
damaged place is thus never read as less than was spent. A file that was removed while it is open is not written to any
more. An older copy of the whole file is not told from the file: keep no copies in use.

Why whole sums and no list of charges: nothing has to be added up again on opening, nothing grows or has to be
compacted, and a query writes at most 16 bytes a person; where few people are charged, only their blocks. The file takes
33 bytes a person.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import struct
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from filters.holders.sums import Sums

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

#: People in a block.
ROWS = 8192
_MAGIC, _LAYOUT = b"filterproof.journal of sums\n", 1
_PAGE, _DIGEST = 4096, 32
#: Identity, layout, and the terms.
_HEADER = struct.Struct("<28sI16sdd")
#: Generation, people, and the digest of all blocks' generations.
_ROOT = struct.Struct("<QQ32s")
#: Generation, and people of the block.
_RECORD = struct.Struct("<QQ")
_ROOTS, _RECORDS = _PAGE, 3 * _PAGE
_PLACE = -(-(_DIGEST + _RECORD.size + 16 * ROWS + ROWS // 8) // _PAGE) * _PAGE
#: More people than any file holds.
_MOST_BLOCKS = 2**32
_DAMAGED = "find the file as it was last written, or count everybody's budget as spent"
_REMEDIES = {
    "made": "pass a path in a writable folder with room for it",
    "opened": "pass the path that the queries were made with",
    "written": "nothing was released, what was asked counts as spent; make room, and open it again",
}


class JournalError(RuntimeError):
    """A journal that cannot be used: foreign, damaged, open elsewhere or not written; nothing was released."""


class Terms(NamedTuple):
    """What the sums of a journal are held to."""

    norm_budget: float
    kappa: float


class _Record(NamedTuple):
    """What one place of a block holds."""

    generation: int
    place: int
    sums: Sums


class Journal:
    """A file that holds the sums of everybody, as they were after the last `write` that returned, or later.

    One process at a time has it open. After an error nothing more is written; open it again.
    """

    def __init__(self, path: Path, file: int, identity: bytes) -> None:
        self.path = path
        self._file, self._identity = file, identity
        self._close = weakref.finalize(self, os.close, file)
        self._usable = True
        self._generation = 0
        #: 0 or 1: where the newest root is, and for each block its newest record.
        self._root, self._places = 1, np.empty(0, dtype=np.int8)
        self._generations = np.empty(0, dtype=np.uint64)

    # -- making and opening -----------------------------------------------------------------------

    @classmethod
    def create(cls, path: str | os.PathLike[str], terms: Terms, sums: Sums) -> Journal:
        """A new journal of these sums; JournalError where the file exists. It appears under its name when complete."""
        where = _path(path)
        with _told(where, "made"):
            if where.exists():
                raise JournalError(
                    f"journal must be a new file, got {str(where)!r}; open what it holds by LinearQueries.open"
                )
            file, beside = tempfile.mkstemp(prefix=".journal-", dir=where.absolute().parent)
            try:
                journal = cls(where, file, secrets.token_bytes(16))
                journal._lock()
                header = _HEADER.pack(_MAGIC, _LAYOUT, journal._identity, *terms)
                journal._put(0, header, hashlib.sha256(header).digest())
                journal._write(sums, range(_blocks(len(sums))))
                os.link(beside, where)  # fails where somebody else made the file in the meantime
            finally:
                os.unlink(beside)
            _sync_folder(where.absolute().parent)
        return journal

    @classmethod
    def open(cls, path: str | os.PathLike[str], terms: Terms) -> tuple[Journal, Sums]:
        """The journal in that file and the sums in it; JournalError where it is not whole, or of other terms."""
        where = _path(path)
        with _told(where, "opened"):
            file = os.open(where, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
            journal = cls(where, file, b"")
            try:
                journal._lock()
                journal._read_header(terms)
                sums = journal._read()
            except BaseException:
                journal.close()
                raise
        return journal, sums

    def _lock(self) -> None:
        if fcntl is None:
            raise JournalError("journal must be None on a system without fcntl; save with to_dict")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JournalError(
                f"journal must be open in one place at a time, got {str(self.path)!r}, which is open elsewhere; "
                "close it there first"
            ) from None

    def close(self) -> None:
        """Give the file back; what was written stays."""
        self._usable = False
        self._close()

    # -- writing ------------------------------------------------------------------------------------

    def check_usable(self) -> None:
        """Raises JournalError once the journal was closed, or an error kept something from being written."""
        if not self._usable:
            raise JournalError(
                f"journal must be open and without an error, got {str(self.path)!r}, which was closed or not written; "
                "open it again by LinearQueries.open"
            )

    def write(self, sums: Sums, blocks: Iterable[int]) -> None:
        """Put the sums of these blocks on disk, and of all new ones; once this returns, no crash can take them back."""
        self.check_usable()
        self._usable = False  # first: a second interrupt may come before the file is closed
        try:
            with _told(self.path, "written"):
                self._write(sums, blocks)
                if not os.fstat(self._file).st_nlink:
                    raise OSError("it was removed, or another file was put in its place")
        except BaseException:
            with suppress(OSError):
                self.close()  # what is on the disk is found out by opening it again
            raise
        self._usable = True

    def _write(self, sums: Sums, blocks: Iterable[int]) -> None:
        generation, many = self._generation + 1, _blocks(len(sums))
        if more := many - len(self._places):
            self._allocate(many)
            self._places = np.append(self._places, np.ones(more, dtype=np.int8))
            self._generations = np.append(self._generations, np.zeros(more, dtype=np.uint64))
        changed = sorted({*blocks, *range(many - more, many)})
        for block in changed:
            some = sums.part(_people(block))
            content: tuple[bytes | memoryview, ...] = (
                _RECORD.pack(generation, len(some)),
                *(np.ascontiguousarray(half, dtype="<f8").data for half in (some.high, some.low)),
                np.packbits(some.left).data,
            )
            place = 1 - int(self._places[block])
            self._put(_place(block, place), self._digest(f"block {block}", *content), *content)
            self._places[block], self._generations[block] = place, generation
        self._complete(generation, len(sums))

    def _complete(self, generation: int, people: int) -> None:
        """Make this the generation that counts, once all its records are on the disk."""
        self._sync()
        content = _ROOT.pack(generation, people, _of_all(self._generations))
        self._put(_ROOTS + (1 - self._root) * _PAGE, self._digest("root", content), content)
        self._sync()
        self._generation, self._root = generation, 1 - self._root

    def _put(self, offset: int, *parts: bytes | memoryview) -> None:
        rest = memoryview(b"".join(parts))
        while rest:
            written = os.pwrite(self._file, rest, offset)
            rest, offset = rest[written:], offset + written

    def _sync(self) -> None:
        full = getattr(fcntl, "F_FULLFSYNC", None)  # where fsync alone does not wait for the disk
        if full is None:
            os.fsync(self._file)
        else:
            fcntl.fcntl(self._file, full)

    def _allocate(self, blocks: int) -> None:
        """Take the room on the disk now: a full disk stops people from joining, and no answer."""
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(self._file, 0, _place(blocks, 0))

    # -- reading ------------------------------------------------------------------------------------

    def _read_header(self, terms: Terms) -> None:
        raw = os.pread(self._file, _HEADER.size + _DIGEST, 0)
        header, digest = raw[: _HEADER.size], raw[_HEADER.size :]
        if not header.startswith(_MAGIC):
            raise JournalError(
                f"journal must be a file that LinearQueries wrote, got {str(self.path)!r}, which is none; "
                "pass the path that the queries were made with"
            )
        if hashlib.sha256(header).digest() != digest:
            raise self._damage("header")
        _, layout, self._identity, *totals = _HEADER.unpack(header)
        if layout != _LAYOUT:
            raise JournalError(
                f"journal must have layout {_LAYOUT}, got layout {layout} in {str(self.path)!r}; "
                "open it with the version of this package that wrote it"
            )
        for name, asked, saved in zip(Terms._fields, terms, totals, strict=True):
            if asked.hex() != saved.hex():
                raise JournalError(
                    f"{name} must be what the journal was made with, got {name}={asked!r} for {saved!r} in "
                    f"{str(self.path)!r}; pass what the queries were made with"
                )

    def _read(self) -> Sums:
        """The newest whole sums, and a new root for them."""
        roots = {place: root for place in (0, 1) if (root := self._read_root(place)) is not None}
        if not roots:
            raise self._damage("roots")
        self._root = max(roots, key=lambda place: roots[place][0])
        complete, people, digest = roots[self._root]
        many = _blocks(people)
        parts: list[Sums] = []
        complete_generations, places, generations = [], [], []
        for block in range(_MOST_BLOCKS):
            records = [one for place in (0, 1) if (one := self._read_record(block, place)) is not None]
            # people who joined since the root: where no root is lost, a crash came before anybody saw their numbers
            if block >= many and not (records and len(roots) < 2):
                break
            before = max((one.generation for one in records if one.generation <= complete), default=0)
            # a whole record beyond the root is of an answer that nobody saw, or of a root that was lost: it counts
            newest = max(records, default=None, key=lambda one: one.generation)
            if (block < many and not before) or newest is None:
                raise self._damage(f"records of block {block}")
            if parts and len(parts[-1]) < ROWS:
                raise self._damage(f"records of block {block - 1}")
            if block < many:
                complete_generations.append(before)
            parts.append(newest.sums if len(roots) < 2 else newest.sums.part(slice(0, people - block * ROWS)))
            places.append(newest.place)
            generations.append(newest.generation)
        if _of_all(np.array(complete_generations, dtype=np.uint64)) != digest:
            raise self._damage("records")
        self._places = np.array(places, dtype=np.int8)
        self._generations = np.array(generations, dtype=np.uint64)
        sums = Sums.of(parts)
        self._allocate(len(parts))
        # newer than any record there is, also of a root that was lost: no two of a block are ever of one generation
        self._complete(max(complete, *generations) + 1, len(sums))
        return sums

    def _read_root(self, place: int) -> tuple[int, int, bytes] | None:
        raw = os.pread(self._file, _DIGEST + _ROOT.size, _ROOTS + place * _PAGE)
        digest, content = raw[:_DIGEST], raw[_DIGEST:]
        if len(content) < _ROOT.size or self._digest("root", content) != digest:
            return None
        generation, people, of_all = _ROOT.unpack(content)
        return generation, people, of_all

    def _read_record(self, block: int, place: int) -> _Record | None:
        raw = os.pread(self._file, _PLACE, _place(block, place))
        if len(raw) < _DIGEST + _RECORD.size:
            return None
        generation, people = _RECORD.unpack_from(raw, _DIGEST)
        end = _DIGEST + _RECORD.size + 16 * people + -(-people // 8)
        digest, content = raw[:_DIGEST], raw[_DIGEST:end]
        if len(raw) < end or self._digest(f"block {block}", content) != digest:
            return None
        sums = np.frombuffer(content, dtype="<f8", count=2 * people, offset=_RECORD.size)
        bits = np.frombuffer(content, dtype=np.uint8, offset=_RECORD.size + 16 * people)
        left = np.unpackbits(bits, count=people).astype(np.bool_)
        return _Record(generation, place, Sums(sums[:people], sums[people:], left))

    def _digest(self, what: str, *content: bytes | memoryview) -> bytes:
        """The checksum of a record of this journal, in its place."""
        digest = hashlib.sha256(self._identity + what.encode() + b"\n")
        for part in content:
            digest.update(part)
        return digest.digest()

    def _damage(self, what: str) -> JournalError:
        return JournalError(
            f"journal must be whole, got {str(self.path)!r} with damage in its {what}; {_DAMAGED}"
        )


def _path(path: object) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"journal must be a path, got {path!r}; pass e.g. 'spent.journal'")
    return Path(path)


def _blocks(people: int) -> int:
    return -(-people // ROWS)


def _people(block: int) -> slice:
    return slice(block * ROWS, (block + 1) * ROWS)


def _place(block: int, place: int) -> int:
    return _RECORDS + (2 * block + place) * _PLACE


def _of_all(generations: NDArray[np.uint64]) -> bytes:
    return hashlib.sha256(generations.astype("<u8").tobytes()).digest()


def _sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


@contextmanager
def _told(path: Path, done: str) -> Iterator[None]:
    """Turns errors of the system into a JournalError of one sentence."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise JournalError(
            f"journal must be a file that can be {done}, got {str(path)!r}: {reason}; {_REMEDIES[done]}"
        ) from error
