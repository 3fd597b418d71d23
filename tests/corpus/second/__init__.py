"""The second half of the corpus, written by one who did not know the search that it measures; `CASES` lists it."""

from tests.corpus.second.branches import BRANCHES
from tests.corpus.second.calendar import CALENDAR
from tests.corpus.second.figures import FIGURES
from tests.corpus.second.steady_accounts import STEADY_ACCOUNTS
from tests.corpus.second.steady_stops import STEADY_STOPS
from tests.corpus.second.steady_sums import STEADY_SUMS
from tests.corpus.second.tariffs import TARIFFS
from tests.corpus.second.watchers import WATCHERS

CASES = (
    *CALENDAR,
    *TARIFFS,
    *FIGURES,
    *WATCHERS,
    *BRANCHES,
    *STEADY_SUMS,
    *STEADY_ACCOUNTS,
    *STEADY_STOPS,
)
