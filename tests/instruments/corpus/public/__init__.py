"""Bugs of budget code that public threads tell, by kind of fault."""

from tests.instruments.corpus.public import charges, labels, sampling, state
from tests.instruments.corpus.public.bug import PublicBug

BUGS: tuple[PublicBug, ...] = (*charges.CASES, *sampling.CASES, *state.CASES, *labels.CASES)
