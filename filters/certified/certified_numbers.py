"""The numbers that a filter, an accountant or a pair computes, each compared with its theorem.

>>> from filterproof.filters.certified.comparison import Comparisons
>>> budget = Comparisons("RDP filter").at_most("budget", 0.5, "rho", rho=0.5)
>>> result = CertifiedNumbers.of("ZCDPFilter(0.5)", [budget])
>>> result.holds, result.rows()[0]["found"]
(True, 'FITS')
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from filterproof.filters.certified.comparison import Comparison
from filterproof.theory.display import Displayed, Row
from filterproof.theory.evidence import Evidence


@dataclass(frozen=True, slots=True, repr=False)
class CertifiedNumbers(Displayed):
    """The numbers that a filter, an accountant or a pair computes, each compared with its theorem at the same doubles.

    Attributes
    ----------
    subject : str
        The object.
    numbers : tuple of Comparison
        The compared numbers.
    uncovered : tuple of str
        What no comparison covers, with the reason.

    Notes
    -----
    A number is refused if it is unsound, looser than declared, farther from its exact value than declared, or if ball
    arithmetic cannot separate it from the theorem's value. The comparisons cover the stated points and no others.
    """

    subject: str
    numbers: tuple[Comparison, ...]
    uncovered: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, subject: str, numbers: Iterable[Comparison], uncovered: Iterable[str] = ()
    ) -> CertifiedNumbers:
        """Compare the numbers, and return the results."""
        # every status is true: this computes them now
        return cls(subject, tuple(number for number in numbers if number.status), tuple(uncovered))

    @property
    def holds(self) -> bool:
        """Whether there is at least one number and all numbers agree with their theorems."""
        return bool(self.numbers) and not self.refused

    @property
    def refused(self) -> tuple[Comparison, ...]:
        """The numbers that disagree with their theorems."""
        return tuple(number for number in self.numbers if not number.fits)

    @property
    def theorems(self) -> tuple[str, ...]:
        """The theorems of the numbers, without repetition."""
        return tuple(dict.fromkeys(number.theorem for number in self.numbers))

    @property
    def evidence(self) -> Evidence:
        """The evidence of the weakest comparison."""
        return Evidence.weakest(*(number.evidence for number in self.numbers))

    def __str__(self) -> str:
        lines = [f"{self.subject}: {len(self.numbers)} numbers, {len(self.refused)} refused"]
        if self.numbers:
            lines[0] += f" ({self.evidence.name})"
        lines += [f"{number.status.name}: {number.says}" for number in self.refused]
        lines += [f"not covered: {note}" for note in self.uncovered]
        return "\n".join(lines)

    def rows(self) -> list[Row]:
        """Return a row for each number: description, value, safe side, outcome, and declared loss of tightness."""
        return [
            {
                "theorem": number.theorem,
                "number": number.says,
                "value": None if number.value is None else str(number.value),
                "side": number.side,
                "found": number.status.name,
                "evidence": number.evidence.name,
                "declared": None if number.slack is None else float(number.slack),
                "detail": number.detail,
            }
            for number in self.numbers
        ]
