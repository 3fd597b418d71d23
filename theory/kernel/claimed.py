"""The statements that the kernel is asked for, with their words, as they stand above the theorems in the Rocq sources.

>>> KERNEL["zcdp_filter"].source, KERNEL["zcdp_filter"].module
('Feldman & Zrnic, Remark 4.4', 'ZCDPFilter')
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from theory.kernel.record import sources
from theory.kernel.statement import KernelTheorem

__all__ = ["KERNEL", "claimed"]

_CLAIM = re.compile(
    r"^\(\*\* Claim: ((?:(?!\*\)).)*) \*\)\n(?:Theorem|Lemma|Corollary|Example)\s+([\w']+)",
    re.MULTILINE | re.DOTALL,
)
_PARTS = re.compile(r"\n    (Source|Covers|Beyond): ")


def claimed(texts: Mapping[str, str]) -> dict[str, KernelTheorem]:
    """The theorems under a comment "Claim: ...", by name; lines of it that begin with a part's name say more."""
    stated = {}
    for file, text in texts.items():
        for comment, name in _CLAIM.findall(text):
            says, *parts = (" ".join(part.split()) for part in _PARTS.split(comment))
            more = {key.lower(): words for key, words in zip(parts[::2], parts[1::2], strict=True)}
            stated[name] = KernelTheorem(f"{file.removesuffix('.v')}.{name}", says, **more)
    return stated


#: The statements of the kernel, by name.
KERNEL: Mapping[str, KernelTheorem] = claimed(sources())
