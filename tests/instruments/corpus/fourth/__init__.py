"""The fourth part of the corpus, written before the search learnt to read a filter's frontier; `CASES` lists it."""

from tests.instruments.corpus.fourth.clocks import CLOCKS
from tests.instruments.corpus.fourth.fortunes import FORTUNES
from tests.instruments.corpus.fourth.purses import PURSES
from tests.instruments.corpus.fourth.registers import REGISTERS
from tests.instruments.corpus.fourth.sound_clocks import SOUND_CLOCKS
from tests.instruments.corpus.fourth.sound_purses import SOUND_PURSES

CASES = (*PURSES, *FORTUNES, *CLOCKS, *REGISTERS, *SOUND_PURSES, *SOUND_CLOCKS)
