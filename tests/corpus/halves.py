"""The two halves of the corpus: one known to the author of the search of `mc/examine`, one written unknown to him."""

from tests.corpus.first import CASES as FIRST
from tests.corpus.first.case import Case
from tests.corpus.second import CASES as SECOND

__all__ = ["HALVES"]

HALVES: dict[str, tuple[Case, ...]] = {"first": FIRST, "second": SECOND}
