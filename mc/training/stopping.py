"""When to stop: the training accuracy, asked for by noisy counts that are charged to everyone's own budget.

>>> import numpy as np
>>> counts = PrivateCounts(people=1000, rho=0.04, looks=8)
>>> told = counts.count(np.ones(1000), np.random.default_rng(0))
>>> abs(told - 1000) < 60, counts.sigma
(True, 10.0)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from filters.holders.clipped_sums import ClippedSums
from filters.holders.individual import IndividualFilter
from filters.rules.zcdp import ZCDPFilter
from mc.training.data import real_array
from theory.arguments import check_count, check_positive, check_probability


class PrivateCounts:
    """Each answer is sum_i r_i + N(0, sigma^2), r_i in [0, 1] for person i, who is charged r_i^2 / (2 sigma^2).

    sigma = sqrt(looks / (2 rho)), so that `looks` answers never cost anyone more than rho, whatever is asked: rho-zCDP,
    by a filter for each person. Whoever does not count, being told wrongly, is charged nothing.
    The budget is apart from that of the steps, for those who have run out of theirs are the ones told wrongly: without
    them the count would say nothing. Raises ValueError for rho <= 0.
    Source: paper 000, Algorithm 3 and Appendix A, where these counts are exact and not charged.
    """

    def __init__(self, *, people: int, rho: float, looks: int) -> None:
        self.sigma = float((check_count("looks", looks) / (2 * check_positive("rho", rho))) ** 0.5)
        self._sums = ClippedSums(IndividualFilter(ZCDPFilter(rho), people=people), clip=1.0, sigma=self.sigma)

    @property
    def people(self) -> IndividualFilter:
        """The people, who hold the budgets of the counts."""
        return self._sums.people

    def count(self, counted: NDArray[np.float64], rng: np.random.Generator) -> float:
        """The noisy sum of `counted`, shape (n,), numbers in [0, 1]; more than `looks` of them count ever fewer.

        Raises TypeError for what is no array of real numbers and for a generator that is none, ValueError for another
        shape and for numbers out of range; then nothing is charged.
        """
        numbers, people = real_array("counted", counted), self.people.people
        if numbers.shape != (people,):
            raise ValueError(
                f"counted must have shape ({people},), got {numbers.shape}; pass one number for each person"
            )
        check_probability("counted", numbers)
        return float(self._sums.release(numbers[:, np.newaxis], rng).value[0])
