"""The first half of the corpus; `CASES` lists it."""

from tests.instruments.corpus.first.adaptivity import ADAPTIVITY
from tests.instruments.corpus.first.arithmetic import ARITHMETIC
from tests.instruments.corpus.first.bookkeeping import BOOKKEEPING
from tests.instruments.corpus.first.charges import CHARGES
from tests.instruments.corpus.first.held_state import HELD_STATE
from tests.instruments.corpus.first.losses import LOSSES
from tests.instruments.corpus.first.promises import PROMISES
from tests.instruments.corpus.first.sound_stops import SOUND_STOPS
from tests.instruments.corpus.first.sound_sums import SOUND_SUMS

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
