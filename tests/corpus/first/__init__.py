"""The first half of the corpus; `CASES` lists it."""

from tests.corpus.first.adaptivity import ADAPTIVITY
from tests.corpus.first.arithmetic import ARITHMETIC
from tests.corpus.first.bookkeeping import BOOKKEEPING
from tests.corpus.first.charges import CHARGES
from tests.corpus.first.held_state import HELD_STATE
from tests.corpus.first.losses import LOSSES
from tests.corpus.first.promises import PROMISES
from tests.corpus.first.sound_stops import SOUND_STOPS
from tests.corpus.first.sound_sums import SOUND_SUMS

CASES = (
    *ARITHMETIC,
    *CHARGES,
    *BOOKKEEPING,
    *HELD_STATE,
    *LOSSES,
    *ADAPTIVITY,
    *PROMISES,
    *SOUND_SUMS,
    *SOUND_STOPS,
)
