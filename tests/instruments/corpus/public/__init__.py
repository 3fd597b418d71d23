"""Bugs of budget code that public threads tell, by kind of fault."""

from functools import partial

from tests.instruments.corpus.case import Case
from tests.instruments.corpus.public import charges, labels, sampling, state
from tests.instruments.corpus.public.bug import PublicBug

BUGS: tuple[PublicBug, ...] = (*charges.CASES, *sampling.CASES, *state.CASES, *labels.CASES)
#: Each bug as it was and as it was repaired.
CASES = tuple(
    Case(bug.name, kind, bug.confirmed, partial(bug.make, repaired=kind == "sound"), thread=bug.thread)
    for bug in BUGS
    for kind in ("broken", "sound")
)
