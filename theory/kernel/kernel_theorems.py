"""The statements for the kernel, with their texts from the comments above the theorems in the Rocq sources.

>>> KERNEL_THEOREMS["zcdp_filter"].source, KERNEL_THEOREMS["zcdp_filter"].rocq_module
('Feldman & Zrnic, Remark 4.4', 'ZCDPFilter')
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

_CLAIM_COMMENT = re.compile(
    r"^\(\*\* Claim: ((?:(?!\*\)).)*) \*\)\n(?:Theorem|Lemma|Corollary|Example)\s+([\w']+)",
    re.MULTILINE | re.DOTALL,
)
_CLAIM_PARTS = re.compile(r"\n    (Source|Covers|Beyond): ")
#: The class of mechanisms of a statement that names no other.
FINITE_OUTCOMES_SCOPE = "mechanisms with finitely many outcomes"


@dataclass(frozen=True, slots=True)
class KernelTheorem:
    """A theorem of the Rocq sources: its file and name, its text, and the theorem of the paper.

    `covers` is its class of mechanisms. `beyond` names what the statement does not cover.
    """

    rocq: str
    says: str
    source: str = "this project"
    beyond: str = ""
    covers: str = FINITE_OUTCOMES_SCOPE

    @property
    def scoped_claim(self) -> str:
        """Return the text of the theorem, with its class of mechanisms unless that is `FINITE_OUTCOMES_SCOPE`."""
        return self.says if self.covers == FINITE_OUTCOMES_SCOPE else f"{self.says} For {self.covers}."

    @property
    def rocq_module(self) -> str:
        """Return the file of the theorem, without its suffix."""
        return self.rocq.partition(".")[0]

    @property
    def name(self) -> str:
        """Return the name of the theorem in its file, which is its key in `KERNEL_THEOREMS`."""
        return self.rocq.partition(".")[2]


def rocq_sources() -> dict[str, str]:
    """Return the text of every Rocq source by file, in the order of compilation."""
    folder = files("filterproof.theory.kernel")
    listed = folder.joinpath("_CoqProject").read_text(encoding="utf-8").split()
    return {name: folder.joinpath(name).read_text(encoding="utf-8") for name in listed if name.endswith(".v")}


def parse_claims(texts: Mapping[str, str]) -> dict[str, KernelTheorem]:
    """Return the theorems with a comment "Claim: ..." by name; lines that begin with a part's name extend that part."""
    stated = {}
    for file, text in texts.items():
        for comment, name in _CLAIM_COMMENT.findall(text):
            says, *parts = (" ".join(part.split()) for part in _CLAIM_PARTS.split(comment))
            more = {key.lower(): words for key, words in zip(parts[::2], parts[1::2], strict=True)}
            stated[name] = KernelTheorem(f"{file.removesuffix('.v')}.{name}", says, **more)
    return stated


#: The statements of the kernel, by name.
KERNEL_THEOREMS: Mapping[str, KernelTheorem] = parse_claims(rocq_sources())
