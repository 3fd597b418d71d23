"""The closed forms of `theory` at doubles: what its functions give, beside the formulas of the theorems, in balls.

>>> found = CertifiedNumbers.of("drift", numbers_of("guarantees"))
>>> found.holds
True
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from filters.certified.certified_numbers import CertifiedNumbers
from filters.certified.running_number import RunningNumber

__all__ = ["GROUPS", "closed_forms", "numbers_of"]

#: The groups of closed forms, each a module, and what it is called.
GROUPS = {
    "pairs": "the pairs",
    "conversions": "the conversions",
    "guarantees": "the guarantees, and the drift",
    "realisation": "kappa, its split, and walks that stay inside",
    "sampling": "draws and weights of losses",
    "numerics": "norms, and rationals as doubles",
}


def numbers_of(group: str) -> Iterator[RunningNumber]:
    """The numbers of one group, not yet compared; ValueError for an unknown one."""
    if group not in GROUPS:
        raise ValueError(f"group must be one of {', '.join(GROUPS)}, got group={group!r}; pass one of them")
    numbers: Iterator[RunningNumber] = import_module(f"filters.certified.closed_forms.{group}").numbers()
    return numbers


def closed_forms() -> Iterator[CertifiedNumbers]:
    """Every group of closed forms, compared."""
    for group, subject in GROUPS.items():
        yield CertifiedNumbers.of(subject, numbers_of(group))
