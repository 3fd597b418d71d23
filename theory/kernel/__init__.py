"""The filter theorems in Rocq, most for finitely many outcomes, and the record of what its kernel accepted.

The sources are the files `*.v` of this folder. `filterproof kernel` compiles and checks them and writes `record.json`
and its digest, `record.sha256`; nothing else needs Rocq. A statement counts as accepted only while the digest is the
record's, and the record's digests are those of the sources.
"""

from filterproof.theory.kernel.kernel_theorems import KernelTheorem
from filterproof.theory.kernel.record import Record, accepted, read_record

__all__ = ["KernelTheorem", "Record", "accepted", "read_record"]
