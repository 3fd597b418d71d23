"""The first half of the corpus; `CASES` lists it."""

from tests.corpus.first.adaptivity import ADAPTIVITY
from tests.corpus.first.arithmetic import ARITHMETIC
from tests.corpus.first.bookkeeping import BOOKKEEPING
from tests.corpus.first.charges import CHARGES
from tests.corpus.first.held_state import HELD_STATE
from tests.corpus.first.losses import LOSSES
from tests.corpus.first.promises import PROMISES

CASES = (*ARITHMETIC, *CHARGES, *BOOKKEEPING, *HELD_STATE, *LOSSES, *ADAPTIVITY, *PROMISES)
