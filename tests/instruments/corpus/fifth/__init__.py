"""The fifth part of the corpus, written before budgets that move, long histories and narrow sums were looked for."""

from tests.instruments.corpus.fifth.moving import MOVING
from tests.instruments.corpus.fifth.shares import SHARES
from tests.instruments.corpus.fifth.sound_shares import SOUND_SHARES

CASES = (*SHARES, *MOVING, *SOUND_SHARES)
