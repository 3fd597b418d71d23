"""A theorem of the Rocq sources as data: its file and name there, words, the papers' theorem."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FINITE", "KernelTheorem"]

#: What a statement is about that names no other class of mechanisms.
FINITE = "mechanisms with finitely many outcomes"


@dataclass(frozen=True, slots=True)
class KernelTheorem:
    """A theorem of the Rocq sources: its file and name there, what it says, and the paper's theorem.

    `covers` is the class of mechanisms that it is about; `beyond` names what else a reader might look for in vain.
    """

    rocq: str
    says: str
    source: str = "this project"
    beyond: str = ""
    covers: str = FINITE

    @property
    def words(self) -> str:
        """What it says, with the class of mechanisms where that is another than `FINITE`."""
        return self.says if self.covers == FINITE else f"{self.says} For {self.covers}."

    @property
    def module(self) -> str:
        """The file that states it, without its suffix."""
        return self.rocq.partition(".")[0]

    @property
    def name(self) -> str:
        """Its name in that file, by which `KERNEL` has it."""
        return self.rocq.partition(".")[2]
