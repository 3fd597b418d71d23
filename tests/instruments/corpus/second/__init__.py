"""The second half of the corpus, written by one who did not know the search that it measures; `CASES` lists it."""

from tests.instruments.corpus.second.branches import BRANCHES
from tests.instruments.corpus.second.calendar import CALENDAR
from tests.instruments.corpus.second.figures import FIGURES
from tests.instruments.corpus.second.steady_accounts import STEADY_ACCOUNTS
from tests.instruments.corpus.second.steady_stops import STEADY_STOPS
from tests.instruments.corpus.second.steady_sums import STEADY_SUMS
from tests.instruments.corpus.second.tariffs import TARIFFS
from tests.instruments.corpus.second.watchers import WATCHERS

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
