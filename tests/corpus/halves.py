"""The halves of the corpus: one written before the search of `mc/examine`, one after, its author unread in it."""

from tests.corpus.first import CASES as FIRST
from tests.corpus.first.case import Case

__all__ = ["HALVES"]

HALVES: dict[str, tuple[Case, ...]] = {"first": FIRST}
