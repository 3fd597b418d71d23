"""Individual tracking: one tracker per person, which limits nothing and bounds what was spent on each.

>>> import filterproof as fp
>>> import numpy as np
>>> people = fp.IndividualTracker(fp.GaussianTracker(size=0.5), people=2)
>>> people.spend(fp.gaussian_request(np.array([2.0, 0.0]), sigma=4.0))
>>> print(people.report_for(0))
For person 0 only, not to be shown to anyone else: at most 0.5 spent, counted by GaussianTracker(size=0.5)
"""

from __future__ import annotations

from filters.contract.state import copied, read_only
from filters.holders.holder import Holder
from filters.holders.personal import Personal, PersonalCost, check_pairs
from filters.holders.trackers import Tracker
from theory.arguments import check_count
from theory.pairs import DominatingPair

__all__ = ["IndividualTracker"]


class IndividualTracker(Holder):
    """One tracker per person: blocks of one size, of which each person has closed as many as the releases cost them.

    `spend` records a release and limits nothing. For each number m fixed in advance, all that was released before a
    person's m-th block closed satisfies `tracker.guarantee(m)` for removing that person. It does not hold at a time
    chosen by the value, and a value is personal data: `report_for` tells that person only.
    Threads may share it, releases wait for each other; it is not copied, pickled or used after a fork.
    Source: paper 000, Corollary 4.11 (Definition 2.5 for the pairs, not 2.6); for Gaussian DP paper 003, C.5.
    """

    _terms_shown = ("tracker", "people")

    def __init__(self, tracker: Tracker, people: int) -> None:
        super().__init__()
        if not isinstance(tracker, Tracker):
            raise TypeError(
                f"tracker must be a Tracker, got {tracker!r}; pass e.g. GaussianTracker(size=0.5)"
            )
        self._tracker, self._people = tracker, check_count("people", people)
        self._state = tracker.start(self._people)

    @property
    def tracker(self) -> Tracker:
        """The tracker that each person has."""
        return self._tracker

    @property
    def people(self) -> int:
        """The number of people."""
        return self._people

    def spend(self, request: DominatingPair) -> None:
        """Record that the release which `request` declares was made: the pair of each person's removal, or one for all.

        Record it before the release. Raises ValueError where the pairs are not one per person.
        """
        check_pairs(request, self._people)
        with self._in_turn("spend"), self._alone("spend"):
            self._state = copied(self._tracker.spend(read_only(self._state), request))

    def values(self) -> Personal[PersonalCost]:
        """What was spent on everyone, at most, in the tracker's own unit: hidden, see `Personal`."""
        name = repr(self._tracker)
        return Personal(
            self._tracker.value(read_only(self._state)),
            lambda person, value: PersonalCost(person, name, value),
        )

    def report_for(self, person: int) -> PersonalCost:
        """What may be shown to `person` only; IndexError beyond the last person; see `PersonalCost`."""
        return self.values().report_for(person)
