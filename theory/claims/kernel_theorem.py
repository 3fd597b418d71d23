"""Steps that are theorems of the kernel: accepted as the Rocq sources are now."""

from __future__ import annotations

from theory.claims.theorem import Reached, RefusedError, Step
from theory.evidence import Checked, Evidence
from theory.kernel.claimed import KERNEL, KernelTheorem
from theory.kernel.record import accepted

__all__ = ["beside", "decided_by", "kernel_step"]


def kernel_step(theorem: KernelTheorem, *, decides: bool) -> Step:
    """KERNEL: the step that is this theorem, accepted as the sources are now."""

    def check() -> Reached:
        try:
            found = accepted(theorem)
        except ValueError as reason:
            raise RefusedError(str(reason), engine="rocq", evidence=Evidence.KERNEL) from reason
        axioms = f"axioms: {', '.join(found.axioms)}" if found.axioms else "no axioms"
        data = {"name": found.name, "file": found.file, "statement": found.statement}
        return Reached(
            "rocq",
            Evidence.KERNEL,
            f"{found.how}; {axioms}",
            {"kind": "kernel", **data, "axioms": list(found.axioms)},
        )

    says = f"{theorem.says} ({theorem.name} in {theorem.module}.v)"
    return Step(says, check, checked=Checked.KERNEL, decides=decides, kernel=theorem)


def decided_by(*names: str) -> tuple[Step, ...]:
    """The steps that are these theorems of the kernel, which together are the claim."""
    return tuple(kernel_step(KERNEL[name], decides=True) for name in names)


def beside(*names: str) -> tuple[Step, ...]:
    """The steps that are these theorems of the kernel, on a part of the claim, or on a number of the code."""
    return tuple(kernel_step(KERNEL[name], decides=False) for name in names)
