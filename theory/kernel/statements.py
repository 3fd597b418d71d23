"""The statements that the kernel is asked for: each with the theorem of the papers that it is, and what it leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["KERNEL", "KernelTheorem"]


@dataclass(frozen=True, slots=True)
class KernelTheorem:
    """A theorem of the Rocq sources: its name, its file, the paper's theorem, what it says, and what it leaves out."""

    name: str
    module: str
    source: str
    says: str
    beyond: str = ""


_ALL = (
    KernelTheorem(
        "renyi_filter",
        "RenyiFilter",
        "Feldman & Zrnic, Theorem 4.3",
        "A filter that admits while declared charges sum to at most B, each at least the Rényi divergence of order "
        "alpha > 1 of its mechanism, keeps the divergence of the whole transcript at B.",
    ),
)

#: The statements by name.
KERNEL: Mapping[str, KernelTheorem] = {theorem.name: theorem for theorem in _ALL}
