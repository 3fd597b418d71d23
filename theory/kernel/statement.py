"""A theorem of the Rocq sources as data: its file and name there, words, the papers' theorem."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KernelTheorem"]


@dataclass(frozen=True, slots=True)
class KernelTheorem:
    """A theorem of the Rocq sources: its file and name there, what it says, and the paper's theorem.

    Each is about mechanisms with finitely many outcomes; `beyond` names what else a reader might look for in vain.
    """

    rocq: str
    says: str
    source: str = "this project"
    beyond: str = ""

    @property
    def module(self) -> str:
        """The file that states it, without its suffix."""
        return self.rocq.partition(".")[0]

    @property
    def name(self) -> str:
        """Its name in that file, by which `KERNEL` has it."""
        return self.rocq.partition(".")[2]
