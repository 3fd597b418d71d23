"""The third part of the corpus, written when the search was mended, its author unread in it; `CASES` lists it."""

from tests.corpus.third.gauges import GAUGES
from tests.corpus.third.ledgers import LEDGERS
from tests.corpus.third.sound_books import SOUND_BOOKS
from tests.corpus.third.sound_gauges import SOUND_GAUGES
from tests.corpus.third.totals import TOTALS
from tests.corpus.third.units import UNITS

CASES = (*GAUGES, *TOTALS, *LEDGERS, *UNITS, *SOUND_BOOKS, *SOUND_GAUGES)
