"""The filter theorems in Rocq, for mechanisms with finitely many outcomes, and the record of what its kernel accepted.

>>> KERNEL["renyi_filter_both_ways"].module
'RenyiFilter'

The sources are the files `*.v` of this folder. `filterproof kernel` compiles and checks them and writes `record.json`;
nothing else needs Rocq. A statement counts as accepted only while the record's digests are those of the sources.
"""

from theory.kernel.record import Record, accepted, read_record
from theory.kernel.statements import KERNEL, KernelTheorem

__all__ = ["KERNEL", "KernelTheorem", "Record", "accepted", "read_record"]
