"""The table of claims: every theorem that the kernel decides, and every statement that the kernel is asked for.

>>> KERNEL["renyi_filter_both_ways"].module
'RenyiFilter'
>>> CLAIMS["RDP filter"].kernel[0]
'renyi_filter_both_ways'
"""

from __future__ import annotations

from collections.abc import Mapping

from theory.claims import (
    any_outcomes,
    approximate,
    closed_forms,
    conversions,
    divergences,
    gaussian,
    holders,
    interaction,
)
from theory.claims.kernel_theorem import kernel_step
from theory.claims.theorem import Step, Theorem
from theory.kernel.statement import KernelTheorem

__all__ = ["CLAIMS", "KERNEL", "in_kernel"]

_SUBJECTS = (
    divergences,
    conversions,
    approximate,
    gaussian,
    any_outcomes,
    closed_forms,
    holders,
    interaction,
)

#: The theorems that the kernel decides, by name.
CLAIMS: Mapping[str, Theorem] = {row.name: row for subject in _SUBJECTS for row in subject.ROWS}

#: The statements of the kernel, by name.
KERNEL: Mapping[str, KernelTheorem] = {
    stated.name: stated
    for stated in (
        *(step.kernel for row in CLAIMS.values() for step in row.steps if step.kernel),
        *(stated for subject in _SUBJECTS for stated in subject.STATEMENTS),
    )
}


def in_kernel(*names: str, decide: bool = False) -> tuple[Step, ...]:
    """The steps that are these statements, beside the steps of `theory.proofs`, whose claim they may `decide`."""
    return tuple(kernel_step(KERNEL[name], decides=decide) for name in names)
