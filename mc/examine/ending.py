"""Outcomes of an examination, and their meaning for the filter's user."""

from __future__ import annotations

from enum import Enum

from filterproof.theory.evidence import Outcome


class Ending(Enum):
    """Outcomes of an examination, and their meaning for the filter's user."""

    REFUTED = f"the guarantee is {Outcome.REFUTED.value}"
    HOLDS = f"the guarantee is {Outcome.HOLDS.value}"
    UNDECIDED = "no violation of the guarantee was found; this is not a proof"
    FAULTY = "the filter's code breaks the contract of a filter; its guarantee was not judged"
    OUT_OF_TIME = (
        "the time limit ended the examination before any result about the guarantee; a method of the filter may "
        "never return, or wait for a thread that ran before the examination"
    )
    DISAGREEMENT = (
        "a theorem proves the guarantee and a counterexample refutes it; one of the two is wrong, an error in "
        "Filterproof; please report it"
    )
    NOT_EXAMINED = "the filter denies every request that was tried; nothing was examined"

    @property
    def meaning_sentence(self) -> str:
        """Return the meaning as a sentence."""
        return f"{self.value[0].upper()}{self.value[1:]}."
