"""Linear queries: noisy sums over people, each over those whose sum of squared norms stays within a budget.

>>> import filterproof as fp
>>> import numpy as np
>>> queries = fp.LinearQueries(people=100, norm_budget=5.0, kappa=1.0)
>>> answer = queries.answer(np.ones(100), np.random.default_rng(1))
>>> round(answer.sigma, 4), round(answer.error(delta=0.05), 4)
(1.5811, 3.8702)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from reprlib import repr as short

import numpy as np
from numpy.typing import NDArray

from filters.accounting.amounts import Plain
from filters.accounting.ledger import Budget
from filters.contract.parameters import one_delta, one_positive
from filters.contract.state import choose
from filters.holders.envelope import checked_key, saved_count, sealed, unsealed
from filters.holders.holder import Holder
from filters.holders.personal import PersonalReport, check_person
from filters.holders.saved_state import decode_state, encode_state
from theory.arguments import check_count
from theory.guarantees import ZCDP, Guarantee

__all__ = ["LinearAnswer", "LinearQueries"]

_VERSION = 1
#: A quotient of doubles below this may be subnormal, with fewer digits.
_LEAST_VARIANCE = 2.0**-1020
_SAVED = ("norm_budget", "kappa", "people", "state")


@dataclass(frozen=True, slots=True)
class LinearAnswer:
    """A noisy sum over the people S_t who took part, shape (d,); noise is N(0, sigma^2) in each coordinate."""

    value: NDArray[np.float64]
    sigma: float

    def error(self, delta: float) -> float:
        """A bound on |value - sum over S_t|_inf that fails with probability at most delta.

        sigma sqrt(2 log(d/delta)) = sqrt(norm_budget log(d/delta) / kappa): the union over d coordinates of
        P(|N| > x) = erfc(x/sqrt2) <= e^{-x^2/2}. Source: paper 000, Corollary 4.7.
        """
        return self.sigma * math.sqrt(2 * math.log(len(self.value) / one_delta("delta", delta)))


class LinearQueries(Holder):
    """Answers sum_i q_t(x_i), t = 1, 2, ..., for adaptively chosen q_t, without a limit on their number.

    Person i takes part while sum_t |q_t(x_i)|_2^2 <= norm_budget; whoever would exceed it sits out that query
    only. The noise has variance norm_budget / (2 kappa). All answers together are kappa-zCDP for adding or
    removing one person. For 0/1 queries norm_budget is the number s of queries in which one person may count.
    Noise is drawn in doubles from the generator passed; against an adversary who reads the last bits of the
    answers use a hardened sampler. Threads may share it; it is not copied, pickled or used after a fork.
    Source: paper 000, Theorem 1.2, Corollary 4.7.
    """

    def __init__(self, people: int, *, norm_budget: float, kappa: float) -> None:
        super().__init__()
        self.norm_budget = one_positive("norm_budget", norm_budget)
        self.kappa = one_positive("kappa", kappa)
        self.promise: Guarantee = ZCDP(self.kappa)
        self._people = check_count("people", people)
        self._budget = Budget.of(self.norm_budget)
        self._state = self._budget.start(self._people)
        self._key: bytes | None = None

    def sigma(self, dimension: int = 1) -> float:
        """The standard deviation of an answer's noise: sqrt(norm_budget / (2 kappa)), raised by a few ulps.

        A squared norm in doubles is too small by at most dimension + 2 half-ulps; the larger noise covers that.
        """
        variance = self.norm_budget / (2 * self.kappa)
        if (
            not _LEAST_VARIANCE < variance < math.inf
        ):  # the quotient lost digits, underflowed or overflowed: divide the roots
            root = math.sqrt(self.norm_budget) / math.sqrt(self.kappa) / math.sqrt(2)
            return root * (1 + (dimension + 8) * 2.0**-52)
        return math.sqrt(variance) * (1 + (dimension + 4) * 2.0**-52)

    def answer(self, values: NDArray[np.float64], rng: np.random.Generator) -> LinearAnswer:
        """The noisy sum of q_t(x_i) = values[i], shape (n,) or (n, d), over the people whose budget allows.

        Pass the values of everyone, also of those who have run out. Raises ValueError for values that are not
        finite or not one per person.
        """
        rows = np.array(values, dtype=np.float64)  # a copy: no change by the caller between charge and sum
        rows = rows[:, None] if rows.ndim == 1 else rows
        if rows.ndim != 2 or len(rows) != self._people or not np.isfinite(rows).all():
            raise ValueError(
                f"values must be finite, one row per person, got shape {np.shape(values)} for "
                f"{self._people} people; pass q(x_i) for every person i"
            )
        with np.errstate(over="ignore"):
            squares = np.einsum("ij,ij->i", rows, rows)
        # rounding a subnormal square loses up to 2^-1075: 2^-1074 per entry covers it, negligible otherwise
        squares += np.count_nonzero(rows, axis=1) * 2.0**-1074
        with self._change("answer"):
            active, spent = self._budget.step(self._state, Plain(squares))
            # charged before the noise is drawn: if that raises, budget is lost and none gained
            self._state = choose(active, spent, self._state)
        sigma = self.sigma(rows.shape[1])
        return LinearAnswer(rows[active].sum(axis=0) + sigma * rng.standard_normal(rows.shape[1]), sigma)

    def report_for(self, person: int) -> PersonalReport:
        """The report that may be shown to `person` only; IndexError beyond the last person; see `PersonalReport`."""
        index = check_person(person, self._people)
        high, low = self._state
        left = float(self._budget.left((high[index : index + 1], low[index : index + 1]))[0])
        return PersonalReport(index, str(self.promise), left / self.norm_budget * self.kappa * (1 - 2.0**-51))

    def to_dict(self, *, key: bytes | None = None) -> dict[str, object]:
        """Everything that `from_dict` needs, as JSON values. Personal data of everyone: store it as such.

        Signed with `key`, or else with the key it was restored with; unsigned if there is neither.
        """
        content = {
            "norm_budget": self.norm_budget.hex(),
            "kappa": self.kappa.hex(),
            "people": self._people,
            "state": encode_state(self._state),
        }
        return sealed("queries", _VERSION, content, self._key if key is None else checked_key(key))

    @classmethod
    def from_dict(
        cls, data: Mapping[str, object], *, norm_budget: float, kappa: float, key: bytes | None = None
    ) -> LinearQueries:
        """The queries that `to_dict` described; norm_budget and kappa must be those that were saved.

        `Session.from_dict` says what a key protects and what not.
        """
        key = checked_key(key)
        content = unsealed(data, "queries", _VERSION, _SAVED, key, "LinearQueries.to_dict")
        for name, value in (("norm_budget", norm_budget), ("kappa", kappa)):
            if content[name] != one_positive(name, value).hex():
                raise ValueError(
                    f"{name} must be what was saved, got {value!r} for {short(content[name])}; pass what the queries "
                    "were made with"
                )
        number = saved_count(content, "people", least=1)
        budget = Budget.of(one_positive("norm_budget", norm_budget))
        # decoded first, so that a forged number of people alone allocates no memory
        state = decode_state(content["state"], budget.start(1), number, budget.reaches)
        queries = cls(number, norm_budget=norm_budget, kappa=kappa)
        queries._state, queries._key = state, key
        return queries
