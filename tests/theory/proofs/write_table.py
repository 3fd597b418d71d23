"""Write the second checker's table of hashes: python -m tests.theory.proofs.write_table.

By it `theory/proofs/recheck.py` tells a theorem's text from any other. It is written when a theorem changes: a hash
that differs in the diff is a theorem that says something else than before, which the diff of its module shows.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from theory.proofs import prove_all
from theory.proofs.proof import Proof
from theory.proofs.recheck import theorem_hash

TABLE = Path(__file__).parents[3] / "theory" / "proofs" / "recheck_table.json"


def table_of(proofs: Iterable[Proof]) -> dict[str, Any]:
    """The hashes of these theorems and of those they use; one whose proof does not hold has no place in the table."""
    theorems: dict[str, str] = {}
    waiting = list(proofs)
    while waiting:
        proof = waiting.pop()
        if not proof.holds:
            raise ValueError(f"every theorem of the table must hold, got {proof.name!r}; prove it first")
        theorems[proof.name] = theorem_hash(json.loads(json.dumps(proof.certificate())))
        waiting += proof.lemmas
    return {"theorems": theorems}


if __name__ == "__main__":
    table = table_of(prove_all())
    TABLE.write_text(json.dumps(table, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
