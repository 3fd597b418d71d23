"""A journal: the sums of everybody in one file, at least as recent as the last release.

The file has little-endian numbers: a header (magic bytes, layout, the budget's terms, the number of people), the high
doubles of all sums, the low doubles, one bit for each person who left, and the SHA-256 of all that. `journal_file`
writes it. A damaged file has another SHA-256 and is refused. An older copy of the whole file looks like the file: keep
no copies in use.

Every write takes all sums, even if one person was charged: 16 bytes per person, about 30 ms for a million people.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.journal_file import JournalError

_MAGIC, _LAYOUT = b"filterproof.journal of sums\n", 2
#: Magic bytes, layout, terms, people.
_HEADER = struct.Struct("<28sIddQ")
_DIGEST_BYTES = 32


@dataclass(frozen=True, slots=True)
class JournalSums:
    """Everybody's sum of charges, high + low in a budget's units, and whether they left: three arrays of shape (n,).

    A person has 17 bytes: two doubles and a flag. Only the accountant changes the arrays, in place.
    """

    high: NDArray[np.float64]
    low: NDArray[np.float64]
    left: NDArray[np.bool_]

    @classmethod
    def without_charges(cls, people: int) -> JournalSums:
        """Return the sums of `people` people without charges."""
        return cls(np.zeros(people), np.zeros(people), np.zeros(people, dtype=np.bool_))

    def __len__(self) -> int:
        return len(self.high)

    def part_of_people(self, people: slice) -> JournalSums:
        """Return the sums of those people, in the same memory."""
        return JournalSums(self.high[people], self.low[people], self.left[people])

    def with_more(self, people: int) -> JournalSums:
        """Return these sums followed by those of new people, in new arrays."""
        new = JournalSums.without_charges(people)
        return JournalSums(
            np.append(self.high, new.high), np.append(self.low, new.low), np.append(self.left, new.left)
        )


def content_pieces(sums: JournalSums, norm_budget: float, kappa: float) -> Iterator[Any]:
    """Yield the content of a journal of these sums, charged under these parameters, in pieces."""
    digest = hashlib.sha256()
    for part in (
        _HEADER.pack(_MAGIC, _LAYOUT, norm_budget, kappa, len(sums)),
        np.ascontiguousarray(sums.high, dtype="<f8").data,
        np.ascontiguousarray(sums.low, dtype="<f8").data,
        np.packbits(sums.left).data,
    ):
        digest.update(part)
        yield part
    yield digest.digest()


def parsed_sums(content: bytes, norm_budget: float, kappa: float, path: str) -> JournalSums:
    """Return the sums in the content of a journal. Raises JournalError for damage and for other parameters."""
    if not content.startswith(_MAGIC):
        raise JournalError(
            f"journal must be a file that LinearQueries wrote, got {path!r}, which is no journal; "
            "pass the path that the queries were made with"
        )
    body, digest = memoryview(content)[:-_DIGEST_BYTES], content[-_DIGEST_BYTES:]
    if hashlib.sha256(body).digest() != digest:
        raise JournalError(
            f"journal must be undamaged, got {path!r}, whose digest is wrong; restore the file as it was last written, "
            "or treat everybody's budget as spent"
        )
    *_, saved_budget, saved_kappa, people = _HEADER.unpack(body[: _HEADER.size])
    for name, given, saved in (("norm_budget", norm_budget, saved_budget), ("kappa", kappa, saved_kappa)):
        if given.hex() != saved.hex():
            raise JournalError(
                f"{name} must be the value in the journal, got {name}={given!r} for {saved!r} in "
                f"{path!r}; pass the values of the original queries"
            )
    sums = np.frombuffer(body, dtype="<f8", count=2 * people, offset=_HEADER.size).astype(np.float64)
    left = np.frombuffer(body, dtype=np.uint8, offset=_HEADER.size + 16 * people)
    return JournalSums(sums[:people], sums[people:], np.unpackbits(left, count=people).astype(np.bool_))
