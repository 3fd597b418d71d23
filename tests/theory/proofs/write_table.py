"""Write the second checker's table of theorems: python -m tests.theory.proofs.write_table [--check].

The table is what `theory/proofs/recheck.py` holds certificates against: every theorem's claim, steps, formulas,
boxes, lemmas, and a hash. It is written when a theorem changes, and read by a person in the diff.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from theory.proofs import prove_all
from theory.proofs.recheck import entry_hash
from theory.proofs.theorem import Proof

TABLE = Path(__file__).parents[3] / "theory" / "proofs" / "recheck_table.json"


def table_of(proofs: Iterable[Proof]) -> dict[str, Any]:
    """The table of these proofs and of those they use; a proof that does not hold has no place in it."""
    theorems: dict[str, Any] = {}

    def enter(certificate: dict[str, Any]) -> str:
        name: str = certificate["theorem"]
        if not certificate["holds"]:
            raise ValueError(f"every theorem of the table must hold, got {name!r}; prove it first")
        lemmas = [enter(lemma) for lemma in certificate["uses"]]
        run = ("theorem", "format", "holds", "versions", "steps", "uses")
        entry = {key: value for key, value in certificate.items() if key not in run}
        entry["uses"] = [lemma["theorem"] for lemma in certificate["uses"]]
        entry["steps"] = [
            {key: value for key, value in step.items() if key not in ("holds", "seconds")}
            | {"certificate": _without_trees(step["certificate"])}
            for step in certificate["steps"]
        ]
        entry["hash"] = entry_hash(entry, lemmas)
        theorems[name] = entry
        return str(entry["hash"])

    for proof in proofs:
        enter(json.loads(json.dumps(proof.certificate())))
    return {"theorems": theorems}


def _without_trees(data: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in data.items() if key != "tree"}
    if "parts" in kept:
        kept["parts"] = [_without_trees(part) for part in kept["parts"]]
    return kept


def written() -> str:
    """The text of the table's file."""
    return json.dumps(table_of(prove_all()), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    text = written()
    if "--check" in sys.argv[1:]:
        sys.exit(TABLE.read_text(encoding="utf-8") != text)
    TABLE.write_text(text, encoding="utf-8")
