"""The filter theorems in Rocq, most for finitely many outcomes, and the record of the kernel's acceptance.

The sources are the files `*.v` of this folder. `filterproof kernel` compiles and checks them and writes `record.json`
and its digest, `record.sha256`. Nothing else needs Rocq. A statement counts as accepted only if the digest matches the
record and the record's digests match the sources.
"""

from filterproof.theory.kernel.kernel_theorems import KernelTheorem
from filterproof.theory.kernel.record import Record, accepted_statement, stored_record

__all__ = ["KernelTheorem", "Record", "accepted_statement", "stored_record"]
