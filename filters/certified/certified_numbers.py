"""Certified numbers: the running numbers of one thing, each compared with its theorem.

>>> from filterproof.filters.certified.comparison import Comparisons
>>> budget = Comparisons("RDP filter").at_most("budget", 0.5, "rho", rho=0.5)
>>> found = CertifiedNumbers.of("ZCDPFilter(0.5)", [budget])
>>> found.holds, found.rows()[0]["found"]
(True, 'FITS')
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from filterproof.filters.certified.comparison import Comparison, ComparisonResult
from filterproof.theory.display import Displayed, Row
from filterproof.theory.evidence import Evidence


@dataclass(frozen=True, slots=True, repr=False)
class CertifiedNumbers(Displayed):
    """The numbers that a filter, a holder or a pair runs with, each beside what its theorem allows at that very double.

    `numbers` are those that were compared; `uncovered` says what was not, and why. A number that is refused is unsound,
    looser than declared, further from what it stands for than declared, or not told apart by balls.
    The numbers are those that the code gave when it was run at the stated points, and nothing is said of others.
    """

    subject: str
    numbers: tuple[ComparisonResult, ...]
    uncovered: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, subject: str, numbers: Iterable[Comparison], uncovered: Iterable[str] = ()
    ) -> CertifiedNumbers:
        """The numbers, compared."""
        return cls(subject, tuple(number.checked() for number in numbers), tuple(uncovered))

    @property
    def holds(self) -> bool:
        """Whether there is a number, and every one of them fits its theorem."""
        return bool(self.numbers) and not self.refused

    @property
    def refused(self) -> tuple[ComparisonResult, ...]:
        """The numbers that do not fit."""
        return tuple(one for one in self.numbers if not one.fits)

    @property
    def theorems(self) -> tuple[str, ...]:
        """The theorems that the numbers belong to, each once."""
        return tuple(dict.fromkeys(one.number.theorem for one in self.numbers))

    @property
    def evidence(self) -> Evidence:
        """That of the weakest comparison."""
        return Evidence.weakest(*(one.evidence for one in self.numbers))

    def __str__(self) -> str:
        lines = [f"{self.subject}: {len(self.numbers)} numbers, {len(self.refused)} refused"]
        if self.numbers:
            lines[0] += f" ({self.evidence.name})"
        lines += [f"{one.found.name}: {one.number.says}" for one in self.refused]
        lines += [f"not covered: {note}" for note in self.uncovered]
        return "\n".join(lines)

    def rows(self) -> list[Row]:
        """A row for each number: what it is, its value, its safe side, what was found, what it gives away at most."""
        return [
            {
                "theorem": one.number.theorem,
                "number": one.number.says,
                "value": None if one.number.value is None else str(one.number.value),
                "side": one.number.side,
                "found": one.found.name,
                "evidence": one.evidence.name,
                "gives away at most": one.number.given_away() if one.fits else None,
                "declared": None if one.number.slack is None else float(one.number.slack),
                "detail": one.detail,
            }
            for one in self.numbers
        ]
