"""The parts of the corpus: one written before the search of `mc/examine`, four after, their authors unread in it.

The third was written when the search was mended after the second, the fourth before it read a filter's frontier,
the fifth before it moved budgets by losses on a grid and played long histories.
"""

from tests.instruments.corpus.fifth import CASES as FIFTH
from tests.instruments.corpus.first import CASES as FIRST
from tests.instruments.corpus.first.case import Case
from tests.instruments.corpus.fourth import CASES as FOURTH
from tests.instruments.corpus.second import CASES as SECOND
from tests.instruments.corpus.third import CASES as THIRD

__all__ = ["HALVES"]

HALVES: dict[str, tuple[Case, ...]] = {
    "first": FIRST,
    "second": SECOND,
    "third": THIRD,
    "fourth": FOURTH,
    "fifth": FIFTH,
}
