"""The third part of the corpus, written when the search was mended, its author unread in it; `CASES` lists it."""

from tests.instruments.corpus.third.gauges import GAUGES
from tests.instruments.corpus.third.ledgers import LEDGERS
from tests.instruments.corpus.third.sound_books import SOUND_BOOKS
from tests.instruments.corpus.third.sound_gauges import SOUND_GAUGES
from tests.instruments.corpus.third.totals import TOTALS
from tests.instruments.corpus.third.units import UNITS

CASES = (*GAUGES, *TOTALS, *LEDGERS, *UNITS, *SOUND_BOOKS, *SOUND_GAUGES)
