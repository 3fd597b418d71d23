"""A journal: everybody's sum of charges in one file, which is never behind what was released.

The file, in little-endian numbers: a header (what this is, its layout, the budget's terms, the number of people), the
high doubles of all sums, the low doubles, one bit a person for those who left, and the SHA-256 of all that.
`journal_file` says how it is written. A damaged file has another SHA-256 and is refused. An older copy of the whole
file cannot be told from the file: keep no copies in use.

Every write takes all sums, also where one person was charged: 16 bytes a person, about 30 ms for a million people.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.journal_file import JournalError, JournalFile

_MAGIC, _LAYOUT = b"filterproof.journal of sums\n", 2
#: What this is, layout, terms, people.
_HEADER = struct.Struct("<28sIddQ")
_DIGEST = 32


class Terms(NamedTuple):
    """What the sums of a journal are held to."""

    norm_budget: float
    kappa: float


@dataclass(frozen=True, slots=True)
class Sums:
    """Everybody's sum of charges, high + low in a budget's units, and whether they left: three arrays of shape (n,).

    17 bytes a person: two doubles and a flag. The arrays are changed in place, by their one accountant.
    """

    high: NDArray[np.float64]
    low: NDArray[np.float64]
    left: NDArray[np.bool_]

    @classmethod
    def fresh(cls, people: int) -> Sums:
        """So many people who were charged nothing."""
        return cls(np.zeros(people), np.zeros(people), np.zeros(people, dtype=np.bool_))

    def __len__(self) -> int:
        return len(self.high)

    def part(self, people: slice) -> Sums:
        """Those people's sums, in the same memory."""
        return Sums(self.high[people], self.low[people], self.left[people])

    def with_more(self, people: int) -> Sums:
        """These sums and after them those of so many new people, in arrays of their own."""
        new = Sums.fresh(people)
        return Sums(
            np.append(self.high, new.high), np.append(self.low, new.low), np.append(self.left, new.left)
        )


class Journal:
    """A file that holds the sums of everybody, as they were after the last `write` that returned, or later."""

    def __init__(self, file: JournalFile, terms: Terms) -> None:
        self._file, self._terms = file, terms
        self.close, self.check_usable = file.close, file.check_usable

    @classmethod
    def create(cls, path: str | os.PathLike[str], terms: Terms, sums: Sums) -> Journal:
        """A new journal of these sums; JournalError where the file exists."""
        return cls(JournalFile.create(path, _parts(sums, terms)), terms)

    @classmethod
    def open(cls, path: str | os.PathLike[str], terms: Terms) -> tuple[Journal, Sums]:
        """Open the journal in that file and return it with its sums.

        Raises JournalError if it is damaged or has other terms.
        """
        file, content = JournalFile.open(path)
        with file.closed_by_an_error():
            return cls(file, terms), _read(content, terms, str(file.path))

    def write(self, sums: Sums) -> None:
        """Write these sums to the disk. When this returns, no crash can undo it."""
        self._file.write(_parts(sums, self._terms))


def _parts(sums: Sums, terms: Terms) -> Iterator[Any]:
    """Yield the content of a journal in pieces."""
    digest = hashlib.sha256()
    for part in (
        _HEADER.pack(_MAGIC, _LAYOUT, *terms, len(sums)),
        np.ascontiguousarray(sums.high, dtype="<f8").data,
        np.ascontiguousarray(sums.low, dtype="<f8").data,
        np.packbits(sums.left).data,
    ):
        digest.update(part)
        yield part
    yield digest.digest()


def _read(content: bytes, terms: Terms, path: str) -> Sums:
    if not content.startswith(_MAGIC):
        raise JournalError(
            f"journal must be a file that LinearQueries wrote, got {path!r}, which is no journal; "
            "pass the path that the queries were made with"
        )
    body, digest = memoryview(content)[:-_DIGEST], content[-_DIGEST:]
    if hashlib.sha256(body).digest() != digest:
        raise JournalError(
            f"journal must be whole, got {path!r} with damage; restore the file as it was last written, "
            "or treat everybody's budget as spent"
        )
    *_, norm_budget, kappa, people = _HEADER.unpack(body[: _HEADER.size])
    for name, asked, saved in zip(Terms._fields, terms, (norm_budget, kappa), strict=True):
        if asked.hex() != saved.hex():
            raise JournalError(
                f"{name} must be the value in the journal, got {name}={asked!r} for {saved!r} in "
                f"{path!r}; pass the values of the original queries"
            )
    sums = np.frombuffer(body, dtype="<f8", count=2 * people, offset=_HEADER.size).astype(np.float64)
    left = np.frombuffer(body, dtype=np.uint8, offset=_HEADER.size + 16 * people)
    return Sums(sums[:people], sums[people:], np.unpackbits(left, count=people).astype(np.bool_))
