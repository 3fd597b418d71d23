"""A theorem of the Rocq sources as a row of the table: its name there, words, the papers' theorem."""

from __future__ import annotations

from dataclasses import dataclass

from theory.evidence import Checked, Evidence
from theory.proofs.theorem import Reached, RefusedError, Step

__all__ = ["KernelTheorem", "beside", "decided_by"]


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

    def step(self, *, decides: bool) -> Step:
        """KERNEL: the step that is this theorem, accepted as the sources are now."""
        says = f"{self.says} ({self.name} in {self.module}.v)"
        return Step(says, self._check, checked=Checked.KERNEL, decides=decides, kernel=self)

    def _check(self) -> Reached:
        from theory.kernel.record import accepted

        try:
            found = accepted(self.name)
        except ValueError as reason:
            raise RefusedError(str(reason), engine="rocq", evidence=Evidence.KERNEL) from reason
        axioms = f"axioms: {', '.join(found.axioms)}" if found.axioms else "no axioms"
        return Reached(
            "rocq",
            Evidence.KERNEL,
            f"{found.how}; {axioms}",
            {
                "kind": "kernel",
                "name": found.name,
                "file": found.file,
                "statement": found.statement,
                "axioms": list(found.axioms),
            },
        )


def decided_by(rocq: str, says: str, source: str = "this project", *, beyond: str = "") -> Step:
    """A step that is a theorem of the kernel; such steps together are the claim."""
    return KernelTheorem(rocq, says, source, beyond).step(decides=True)


def beside(rocq: str, says: str, source: str = "this project", *, beyond: str = "") -> Step:
    """A step that is a theorem of the kernel on another route to a part of the claim, or on a number of the code."""
    return KernelTheorem(rocq, says, source, beyond).step(decides=False)
