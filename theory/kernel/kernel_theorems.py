"""The statements that the kernel is asked for, with their words, as they stand above the theorems in the Rocq sources.

>>> KERNEL["zcdp_filter"].source, KERNEL["zcdp_filter"].module
('Feldman & Zrnic, Remark 4.4', 'ZCDPFilter')
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

_CLAIM = re.compile(
    r"^\(\*\* Claim: ((?:(?!\*\)).)*) \*\)\n(?:Theorem|Lemma|Corollary|Example)\s+([\w']+)",
    re.MULTILINE | re.DOTALL,
)
_PARTS = re.compile(r"\n    (Source|Covers|Beyond): ")
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


def sources() -> dict[str, str]:
    """The text of every Rocq source, by file, in the order in which they are compiled."""
    folder = files("filterproof.theory.kernel")
    listed = folder.joinpath("_CoqProject").read_text(encoding="utf-8").split()
    return {name: folder.joinpath(name).read_text(encoding="utf-8") for name in listed if name.endswith(".v")}


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
