"""Linear queries: noisy sums over people, each over those whose sum of squared norms stays within a budget.

>>> import filterproof as fp
>>> import numpy as np
>>> queries = fp.people.LinearQueries(people=100, norm_budget=5.0, kappa=1.0)
>>> answer = queries.answer(np.ones(100), np.random.default_rng(1))
>>> round(answer.sigma, 4), round(answer.error(delta=0.05), 4)
(1.5811, 3.8702)
>>> queries.join(3), queries.people
(range(100, 103), 103)
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from filterproof.filters.accountants.journal import Journal, JournalError, Sums, Terms
from filterproof.filters.accountants.personal_reports import MOST_PEOPLE, PersonalReport, check_person
from filterproof.filters.accountants.saved_state import (
    check_same,
    checked_key,
    decode_state,
    encode_state,
    saved_count,
    unsealed,
)
from filterproof.filters.accountants.secret_noise import UsedNoise
from filterproof.filters.accountants.stateful_accountant import StatefulAccountant
from filterproof.filters.accountants.verifiable import QueryKind
from filterproof.filters.accounting.charge_kinds import LinearCharge
from filterproof.filters.accounting.ledger import Budget, is_sum
from filterproof.filters.contract.parameters import one_delta, one_positive
from filterproof.theory.argument_checks import check_count
from filterproof.theory.display import one_line
from filterproof.theory.guarantees import ZCDP, Guarantee
from filterproof.theory.numerics.error_free import two_sum
from filterproof.theory.numerics.norms import exact_sum, nearest, squared_norms
from filterproof.theory.size_limits import in_memory

#: 2: people may have left.
_VERSION = 2
#: A quotient of doubles below this may be subnormal, with fewer digits.
_LEAST_VARIANCE = 2.0**-1020
_SAVED = ("norm_budget", "kappa", "people", "state")
#: Values handled at a time: what is computed on the way stays in cache, and takes no memory that grows.
_BLOCK = 1 << 15
#: A squared norm from here up does not change when its subnormal squares are rounded up.
_NORMAL = 2.0**-900


@dataclass(frozen=True, slots=True)
class LinearAnswer:
    """A noisy sum over the people S_t who took part, shape (d,); noise is N(0, sigma^2) in each coordinate."""

    value: NDArray[np.float64]
    sigma: float

    __repr__ = one_line

    def error(self, delta: float) -> float:
        """A bound on |value - sum over S_t|_inf that fails with probability at most delta.

        sigma sqrt(2 log(d/delta)) = sqrt(norm_budget log(d/delta) / kappa): the union over d coordinates of
        P(|N| > x) = erfc(x/sqrt2) <= e^{-x^2/2}. The sum is exact, and rounded once to a double
        together with its noise. Source: paper 000, Corollary 4.7.
        """
        return self.sigma * math.sqrt(2 * math.log(len(self.value) / one_delta("delta", delta)))


class LinearQueries(StatefulAccountant):
    """Answers sum_i q_t(x_i), t = 1, 2, ..., for adaptively chosen q_t, without a limit on their number.

    Person i takes part while sum_t |q_t(x_i)|_2^2 <= norm_budget; whoever would exceed it sits out that query
    only. The noise has variance norm_budget / (2 kappa). All answers together are kappa-zCDP for adding or
    removing one person, with all that this person counted between joining and leaving: when others come and go is
    the same with and without. For 0/1 queries norm_budget is the number s of queries in which one person may count.

        queries = LinearQueries(people=1_000_000, norm_budget=5.0, kappa=1.0, journal="spent.journal")
        answer = queries.answer(values, rng)  # charged, the charges on disk, then released
        queries.join(1000), queries.leave([17])
        queries = LinearQueries.open("spent.journal", norm_budget=5.0, kappa=1.0)  # after a crash

    journal: a new file for everybody's sums, or None. What was released is in it, whatever moment the process is
    killed at or the power fails, if the disk keeps what it says it wrote and no older copy is put in its place: see
    `filterproof.filters.accountants.journal`. Without one, what is spent since `to_dict` is lost with the process.
    Raises JournalError where the file cannot be written: then nothing is released, what was asked counts as spent, and
    no query is answered until the file is opened again.
    In memory a person takes 17 bytes, the sum as two doubles and a flag; an answer needs a few MB beside.
    Noise is drawn in doubles from the generator passed; against an adversary who reads the last bits of the
    answers use a hardened sampler. Threads may share it; it is not copied, pickled or used after a fork.
    Source: paper 000, Theorem 1.2, Corollary 4.7.
    """

    _terms_shown = ("norm_budget", "kappa")
    theorem: ClassVar[str] = "linear queries"
    kernel: ClassVar[tuple[str, ...]] = ("linear_queries",)
    rests_on: ClassVar[tuple[()]] = ()
    scope: ClassVar[str] = "every adaptive analyst, for adding or removing one person"
    played: ClassVar[QueryKind] = "sums"

    def __init__(
        self,
        people: int,
        *,
        norm_budget: float,
        kappa: float,
        journal: str | os.PathLike[str] | None = None,
    ) -> None:
        super().__init__()
        self._norm_budget = one_positive("norm_budget", norm_budget)
        self._kappa = one_positive("kappa", kappa)
        self._promise = ZCDP(self.kappa)
        self._budget = Budget.of(self.norm_budget)
        number = check_count("people", people, most=MOST_PEOPLE)
        with in_memory("people", number):
            self._sums = Sums.fresh(number)
        self._noise = UsedNoise()
        self._journal = None if journal is None else Journal.create(journal, self._terms, self._sums)

    @property
    def norm_budget(self) -> float:
        """The largest sum of squared norms with which one person counts."""
        return self._norm_budget

    @property
    def kappa(self) -> float:
        """The zCDP that all answers together keep, in nats."""
        return self._kappa

    @property
    def promise(self) -> Guarantee:
        """kappa-zCDP, for adding or removing one person."""
        return self._promise

    @classmethod
    def open(cls, journal: str | os.PathLike[str], *, norm_budget: float, kappa: float) -> Self:
        """The queries whose charges are in the file `journal`, and who go on writing to it.

        Nobody has less spent there than was released; what a crash interrupted may be spent and not released.
        norm_budget and kappa must be those that the journal was made with. Raises JournalError for a file that is
        damaged, of other terms, no journal, or open elsewhere.
        """
        queries = cls(1, norm_budget=norm_budget, kappa=kappa)
        opened, sums = Journal.open(journal, queries._terms)
        queries._journal = opened
        # an interrupt may have cut a charge between its two doubles, in memory: more than before, above the budget even
        sums = Sums(*two_sum(sums.high, sums.low), sums.left)
        reached = is_sum((sums.high, sums.low))
        if not reached.all():
            opened.close()
            raise JournalError(
                f"journal must hold sums that queries can lead to, got another for {np.count_nonzero(~reached)} of "
                f"{len(sums)} people; find the file as it was last written, or count everybody's budget as spent"
            )
        queries._sums = sums
        return queries

    @property
    def _terms(self) -> Terms:
        return Terms(self.norm_budget, self.kappa)

    @property
    def people(self) -> int:
        """The number of people, those who left included: how many rows a query has."""
        return len(self._sums)

    def sigma(self, dimension: int = 1) -> float:
        """The standard deviation of an answer's noise: sqrt(norm_budget / (2 kappa)), raised by a few ulps.

        A squared norm in doubles is too small by at most dimension + 2 half-ulps; the larger noise covers that.
        """
        dimension = check_count("dimension", dimension)
        variance = self.norm_budget / (2 * self.kappa)
        if not _LEAST_VARIANCE < variance < math.inf:
            # the quotient lost digits, underflowed or overflowed: divide the roots
            root = math.sqrt(self.norm_budget) / math.sqrt(self.kappa) / math.sqrt(2)
            return root * (1 + (dimension + 8) * 2.0**-52) + 2.0**-1073  # where it is subnormal
        return math.sqrt(variance) * (1 + (dimension + 4) * 2.0**-52)

    @property
    def largest(self) -> float:
        """About the largest norm with which anyone counts: the root of `norm_budget`, rounded down."""
        return math.sqrt(self.norm_budget) * (1 - 2.0**-50)

    def noisy_sum(self, values: ArrayLike, rng: np.random.Generator) -> LinearAnswer:
        """`answer`, under the name that every holder which releases sums has."""
        return self.answer(values, rng)

    def with_people(self, people: int) -> Self:
        """The same for so many people who have spent nothing, without a journal."""
        return type(self)(people, norm_budget=self.norm_budget, kappa=self.kappa)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.people}, norm_budget={self.norm_budget!r}, kappa={self.kappa!r})"

    # -- queries ------------------------------------------------------------------------------------

    def answer(self, values: ArrayLike, rng: np.random.Generator) -> LinearAnswer:
        """The noisy sum of q_t(x_i) = values[i], shape (n,) or (n, d), over the people whose budget allows.

        Pass the values of everyone, also of those who have run out; of those who left pass anything finite, zero say.
        Everyone who takes part is charged and, given a journal, the charges are on disk before noise is drawn. Raises
        ValueError for values that are not finite, not numbers, or not one row per person, and for a generator that was
        set back to where it drew for an earlier answer; then nobody is charged.
        """
        rows = _rows(values)
        if not hasattr(rng, "standard_normal"):
            raise TypeError(
                f"rng must be a generator, got {short(rng)}; pass np.random.default_rng(), nobody was charged"
            )
        with self._in_turn("answer"):
            if len(rows) != self.people:
                raise ValueError(
                    f"values must have one row per person, got shape {np.shape(values)} for {self.people} people; "
                    "pass q(x_i) for every person i"
                )
            self._check_usable()  # before anybody is charged
            self._noise.check(rng)
            total = exact_sum(self._charged(rows))
            self._write()
        # charged before the noise is drawn: if that raises, budget is lost and none gained
        sigma = self.sigma(rows.shape[1])
        noise = sigma * self._noise.drawn(rng, (rows.shape[1],))
        return LinearAnswer(nearest([*total, noise]), sigma)

    def _check_usable(self) -> None:
        if self._journal is not None:
            self._journal.check_usable()

    def _charged(self, rows: NDArray[Any]) -> Iterator[NDArray[np.float64]]:
        """The rows of those who take part, who are charged: block by block, each in a copy that nobody changes."""
        many = max(_BLOCK // rows.shape[1], 1)
        for first in range(0, len(rows), many):
            people = slice(first, min(first + many, len(rows)))
            with np.errstate(over="ignore"):  # what is no double is infinite, and nobody can pay for that
                block = np.array(rows[people], dtype=np.float64)
            squares = _squared_norms(block)
            if not squares.any():
                continue
            sums = self._sums.part(people)
            active = self._budget.charge((sums.high, sums.low), LinearCharge(squares), ~sums.left)
            block[~active] = 0.0  # what changed under way may be no number
            yield block

    def _write(self) -> None:
        """Everybody's sums are on the disk when this returns."""
        if self._journal is not None:
            self._journal.write(self._sums)

    # -- people -------------------------------------------------------------------------------------

    def join(self, people: int) -> range:
        """The numbers of so many new people, each with a whole budget; from now on a query has a row for them."""
        number = check_count("people", people, most=MOST_PEOPLE)
        with self._in_turn("join"):
            self._check_usable()
            new = range(self.people, self.people + number)
            with in_memory("people", number):
                self._sums = self._sums.with_more(number)
            self._write()
        return new

    def leave(self, people: int | Sequence[int] | NDArray[np.integer[Any]]) -> None:
        """These people take part no more. What they spent stays on record, and nobody gets their number again.

        people: one number or several, shape (m,). Raises ValueError for what is no number of a person. To leave
        twice changes nothing.
        """
        numbers = np.atleast_1d(_as_array("people", people))
        with self._in_turn("leave"):
            self._check_usable()
            if numbers.ndim != 1 or (numbers.dtype.kind not in "iu" and numbers.size):
                raise ValueError(
                    f"people must be whole numbers of shape (m,), got {short(people)}; pass e.g. [0, 2]"
                )
            wrong = numbers[(numbers < 0) | (numbers >= self.people)]
            if wrong.size:
                raise ValueError(
                    f"people must be from 0 to {self.people - 1}, got {wrong[0]}; pass the numbers of people"
                )
            numbers = numbers.astype(np.intp)
            self._sums.left[numbers] = True
            self._write()

    def report_for(self, person: int) -> PersonalReport:
        """The report that may be shown to `person` only; IndexError beyond the last person; see `PersonalReport`."""
        index = check_person(person, self.people)
        with self._lock:
            one = self._sums.part(slice(index, index + 1))
            left = float(self._budget.left((one.high, one.low))[0])
        return PersonalReport(index, str(self.promise), left / self.norm_budget * self.kappa * (1 - 2.0**-51))

    # -- keeping ------------------------------------------------------------------------------------

    def close(self) -> None:
        """Give the journal back, if there is one: no further query is answered. One being answered is waited for."""
        if self._journal is None:
            return
        if os.getpid() != self._process:  # a fork may have copied the lock locked for ever
            self._journal.close()
            return
        with self._lock:
            self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def to_dict(self, *, key: bytes | None = None) -> dict[str, object]:
        """Everything that `from_dict` needs, as JSON values. Personal data of everyone: store it as such.

        Signed with `key`, or else with the key it was restored with; unsigned if there is neither.
        """
        with self._lock:  # an answer may be charging in place
            content = {
                "norm_budget": self.norm_budget.hex(),
                "kappa": self.kappa.hex(),
                "people": self.people,
                "state": encode_state((self._sums.high, self._sums.low, self._sums.left)),
            }
        return self._sealed("queries", _VERSION, content, key)

    @classmethod
    def from_dict(
        cls,
        data: Mapping[str, object],
        *,
        norm_budget: float,
        kappa: float,
        key: bytes | None = None,
        journal: str | os.PathLike[str] | None = None,
    ) -> LinearQueries:
        """The queries that `to_dict` described; norm_budget and kappa must be those that were saved.

        journal: a new file for their sums from now on, or None. `Session.from_dict` says what a key protects and what
        not.
        """
        key = checked_key(key)
        content = unsealed(data, "queries", _VERSION, _SAVED, key, "LinearQueries.to_dict")
        for name, value in (("norm_budget", norm_budget), ("kappa", kappa)):
            kept = one_positive(name, value).hex()
            check_same(
                f"{name} must be what", value, content[name], kept, "pass what the queries were made with"
            )
        number = saved_count(content, "people", least=1)
        queries = cls(1, norm_budget=norm_budget, kappa=kappa)
        budget = queries._budget
        # decoded first, so that a forged number of people alone allocates no memory
        fresh = (np.zeros(1), np.zeros(1), np.zeros(1, dtype=np.bool_))
        state = decode_state(
            content["state"], fresh, number, lambda state: budget.is_reachable_state(state[:2])
        )
        queries._sums = Sums(*state)
        queries._key = key
        if journal is not None:
            queries._journal = Journal.create(journal, queries._terms, queries._sums)
        return queries


def _as_array(name: str, values: object) -> NDArray[Any]:
    """`values` as an array; TypeError for rows of different lengths, and for masked ones, whose mask would be lost."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} must be no masked array, got one; fill it first, with zero say")
    try:
        return np.asarray(values)
    except ValueError:
        raise TypeError(f"{name} must be an array, got rows of different lengths; pass rows alike") from None


def _rows(values: object) -> NDArray[Any]:
    """`values` as rows, one per person: finite numbers, shape (n, d)."""
    given = _as_array("values", values)
    if given.dtype.kind not in "fiub":
        raise ValueError(f"values must be real numbers, got dtype={given.dtype}; pass q(x_i) in doubles")
    rows = given[:, None] if given.ndim == 1 else given
    if rows.ndim != 2 or not rows.shape[1]:
        raise ValueError(
            f"values must have one row per person, shape (n,) or (n, d), got shape {given.shape}; "
            "pass q(x_i) for every person i"
        )
    if rows.size and not (np.isfinite(rows.min()) and np.isfinite(rows.max())):  # NaN is the least of all
        person, column = np.argwhere(~np.isfinite(rows))[0]
        raise ValueError(
            f"values must be finite, one row per person, got {rows[person, column]} for person {person}; "
            "pass q(x_i) for every person i, zero where there is none"
        )
    return rows


def _squared_norms(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """|rows[i]|_2^2, too small by at most d + 2 half-ulps, and above zero where anything in the row is."""
    with np.errstate(over="ignore"):
        squares = np.square(rows[:, 0]) if rows.shape[1] == 1 else squared_norms(rows)
    small = squares < _NORMAL
    if small.any():
        # rows of zeros have nothing to lose: twenty times as fast without them
        small &= rows[:, 0] != 0 if rows.shape[1] == 1 else rows.any(axis=1)
        # rounding a subnormal square loses up to 2^-1075: 2^-1074 per entry covers it, negligible otherwise
        squares[small] += np.count_nonzero(rows[small], axis=1) * 2.0**-1074
    return squares
