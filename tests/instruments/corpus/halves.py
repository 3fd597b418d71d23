"""The parts of the corpus: one written before the search of `mc/examine`, two after, their authors unread in it.

The third is held out: it was written when the search was mended after the second.
"""

from tests.instruments.corpus.first import CASES as FIRST
from tests.instruments.corpus.first.case import Case
from tests.instruments.corpus.second import CASES as SECOND
from tests.instruments.corpus.third import CASES as THIRD

__all__ = ["HALVES"]

HALVES: dict[str, tuple[Case, ...]] = {"first": FIRST, "second": SECOND, "third": THIRD}
