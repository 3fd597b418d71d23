"""Linear queries: noisy sums over the people whose sums of squared norms stay within a budget."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from filterproof.filters.accountants.journal_file import JournalError, JournalFile
from filterproof.filters.accountants.linear_queries_journal import JournalSums, content_pieces, parsed_sums
from filterproof.filters.accountants.personal_reports import MAX_PEOPLE, PersonalRemainingBudget, check_person
from filterproof.filters.accountants.saved_state import (
    check_same,
    checked_content,
    checked_key,
    decode_state,
    encode_state,
    saved_count,
)
from filterproof.filters.accountants.secret_noise import UsedNoise
from filterproof.filters.accountants.stateful_accountant import StatefulAccountant
from filterproof.filters.accountants.verifiable import QueryKind
from filterproof.filters.accounting.charge_kinds import LinearCharge
from filterproof.filters.accounting.ledger import Budget, is_valid_sum
from filterproof.filters.contract.parameters import one_delta, one_positive
from filterproof.theory.argument_checks import check_count
from filterproof.theory.display import one_line_repr
from filterproof.theory.guarantees import ZCDP, Guarantee
from filterproof.theory.numerics.error_free import two_sum
from filterproof.theory.numerics.norms import exact_sum_parts, nearest_doubles_of_sum, squared_norms
from filterproof.theory.size_limits import too_large_on_memory_error

#: 2: people may have left.
_VERSION = 2
#: A quotient of doubles below this may be subnormal, with fewer digits.
_MIN_VARIANCE = 2.0**-1020
_SAVED = ("norm_budget", "kappa", "people", "state")
#: Values processed at a time, so that temporary data fit into the cache.
_BLOCK = 1 << 15
#: A squared norm from this size on does not change when its subnormal squares are rounded up.
_NORMAL = 2.0**-900


@dataclass(frozen=True, slots=True)
class LinearAnswer:
    """A noisy sum over the people who took part.

    Parameters
    ----------
    value : ndarray of float, shape (d,)
        The noisy sum.
    sigma : float
        The standard deviation of the noise in each coordinate.
    """

    value: NDArray[np.float64]
    sigma: float

    __repr__ = one_line_repr

    def error(self, delta: float) -> float:
        """Return a bound on the largest coordinate error that fails with probability at most delta.

        The bound is for the largest coordinate of value - sum over the people who took part::

            sigma sqrt(2 log(d/delta)) = sqrt(norm_budget log(d/delta) / kappa)

        Parameters
        ----------
        delta : float in (0, 1)
            The failure probability.

        Notes
        -----
        Feldman & Zrnic (2021), Corollary 4.7, by the union over d coordinates of `P(|N| > x)` = erfc(x/sqrt2) <=
        e^{-x^2/2}. The sum is exact, and is rounded once together with its noise.
        """
        return self.sigma * math.sqrt(2 * math.log(len(self.value) / one_delta("delta", delta)))


class LinearQueries(StatefulAccountant):
    """Noisy answers to adaptively chosen linear queries sum_i q_t(x_i), without a limit on their number.

    Person i takes part in query t while::

        sum_{s <= t} |q_s(x_i)|_2^2 <= norm_budget

    A person who would exceed it skips that query only. The noise has variance norm_budget / (2 kappa). All answers
    together are kappa-zCDP for adding or removing one person.

    Parameters
    ----------
    people : int, >= 1
        The number of people, n.
    norm_budget : float, > 0
        The largest sum of squared norms of one person. For 0/1 queries it is the number of queries that may count a
        person.
    kappa : float, > 0
        The zCDP parameter of all answers, in nats.
    journal : path, optional
        A new file for everybody's sums. Without it a crash loses what is spent since the last `to_dict`.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    JournalError
        If the file cannot be written. Then nothing is released, the query counts as spent, and no query is answered
        until the file is opened again.

    Notes
    -----
    Feldman & Zrnic (2021), Theorem 1.2 and Corollary 4.7. The guarantee covers everything that the person counted
    between joining and leaving. The journal contains every release, even after a crash or a power failure, if the disk
    keeps what it confirms and nobody restores an older copy. A person takes 17 bytes of memory. Noise is drawn in
    doubles from the generator; use a hardened sampler against an adversary who reads the last bits. Threads may share
    the object. A copy or a pickle raises TypeError, a use after a fork RuntimeError.

    Examples
    --------
    >>> import filterproof as fp
    >>> queries = fp.people.LinearQueries(people=3, norm_budget=1.0, kappa=0.5)
    >>> queries.answer(np.array([1.0, 0.0, 1.0]), np.random.default_rng(1)).value.shape
    (1,)
    >>> queries.report_for(0).remaining, round(queries.report_for(1).remaining, 6)  # in the unit of kappa
    (0.0, 0.5)
    """

    _terms_shown = ("norm_budget", "kappa")
    theorem: ClassVar[str] = "linear queries"
    kernel_theorems: ClassVar[tuple[str, ...]] = ("linear_queries",)
    underlying_filters: ClassVar[tuple[()]] = ()
    scope: ClassVar[str] = "every adaptive analyst, for adding or removing one person"
    query_kind: ClassVar[QueryKind] = "sums"

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
        number = check_count("people", people, most=MAX_PEOPLE)
        with too_large_on_memory_error("people", number):
            self._sums = JournalSums.without_charges(number)
        self._noise = UsedNoise()
        self._journal = None if journal is None else JournalFile.create(journal, self._journal_content())

    @property
    def norm_budget(self) -> float:
        """The largest sum of squared norms of one person."""
        return self._norm_budget

    @property
    def kappa(self) -> float:
        """The zCDP parameter of all answers together, in nats."""
        return self._kappa

    @property
    def promise(self) -> Guarantee:
        """The guarantee: kappa-zCDP for adding or removing one person."""
        return self._promise

    @classmethod
    def open(cls, journal: str | os.PathLike[str], *, norm_budget: float, kappa: float) -> Self:
        """Open the queries whose charges are in the file `journal`, and continue to write to it.

        Parameters
        ----------
        journal : path
            The file.
        norm_budget, kappa : float
            The same numbers as before.

        Raises
        ------
        JournalError
            If the file is damaged, has other numbers, is no journal, or is open elsewhere.

        Notes
        -----
        Nobody has a smaller charge in the file than the releases cost. A crash may leave a charge without a release.
        """
        queries = cls(1, norm_budget=norm_budget, kappa=kappa)
        queries._journal, content = JournalFile.open(journal)
        with queries._journal.close_on_error():
            sums = parsed_sums(content, queries.norm_budget, queries.kappa, str(queries._journal.path))
            # an interrupt may have split a charge between its two doubles in memory: too much is charged, even above
            # the budget
            sums = JournalSums(*two_sum(sums.high, sums.low), sums.left)
            reached = is_valid_sum((sums.high, sums.low))
            if not reached.all():
                raise JournalError(
                    f"journal must hold sums that queries can lead to, got another for {np.count_nonzero(~reached)} "
                    f"of {len(sums)} people; restore the file as it was last written, or treat everybody's budget as "
                    "spent"
                )
        queries._sums = sums
        return queries

    def _journal_content(self) -> Iterator[Any]:
        return content_pieces(self._sums, self.norm_budget, self.kappa)

    @property
    def people(self) -> int:
        """The number of people, including those who left: the number of rows of a query."""
        return len(self._sums)

    def sigma(self, dimension: int = 1) -> float:
        """Return the standard deviation of an answer's noise, sqrt(norm_budget / (2 kappa)), raised by a few ulps.

        A squared norm in doubles is too small by at most dimension + 2 half-ulps, which the larger noise covers.
        """
        dimension = check_count("dimension", dimension)
        variance = self.norm_budget / (2 * self.kappa)
        if not _MIN_VARIANCE < variance < math.inf:
            # the quotient lost digits, underflowed or overflowed: divide the roots
            root = math.sqrt(self.norm_budget) / math.sqrt(self.kappa) / math.sqrt(2)
            return root * (1 + (dimension + 8) * 2.0**-52) + 2.0**-1073  # if it is subnormal
        return math.sqrt(variance) * (1 + (dimension + 4) * 2.0**-52)

    @property
    def largest_norm(self) -> float:
        """The largest norm of one person in one query, about the root of `norm_budget`, rounded down."""
        return math.sqrt(self.norm_budget) * (1 - 2.0**-50)

    def noisy_sum(self, values: ArrayLike, rng: np.random.Generator) -> LinearAnswer:
        """Return `answer`; the name is the same for every accountant that releases sums."""
        return self.answer(values, rng)

    def with_people(self, people: int) -> Self:
        """Return a new object with the same parameters, for `people` people with full budgets, without a journal."""
        return type(self)(people, norm_budget=self.norm_budget, kappa=self.kappa)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.people}, norm_budget={self.norm_budget!r}, kappa={self.kappa!r})"

    # -- queries ------------------------------------------------------------------------------------

    def answer(self, values: ArrayLike, rng: np.random.Generator) -> LinearAnswer:
        """Return the noisy sum over the people whose budget allows it.

        Parameters
        ----------
        values : array_like, shape (n,) or (n, d)
            q_t(x_i) in row i, for everyone. For people who left pass any finite number, such as zero.
        rng : numpy.random.Generator
            The generator of the noise.

        Returns
        -------
        LinearAnswer

        Raises
        ------
        ValueError
            For values that are not finite, not numbers or not one row per person, and for a generator in the state of
            an earlier answer. Then nobody is charged.

        Notes
        -----
        Everyone who takes part is charged, and the journal is on disk, before the noise is drawn.
        """
        rows = _checked_rows(values)
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
            self._noise.mark_used(rng)
            total = exact_sum_parts(self._charge_participants(rows))
            self._write_journal()
        # charged before the noise is drawn: an exception then costs budget and adds none
        sigma = self.sigma(rows.shape[1])
        noise = sigma * self._noise.draw_unused_normals(rng, (rows.shape[1],))
        return LinearAnswer(nearest_doubles_of_sum([*total, noise]), sigma)

    def _check_usable(self) -> None:
        if self._journal is not None:
            self._journal.check_usable()

    def _charge_participants(self, rows: NDArray[Any]) -> Iterator[NDArray[np.float64]]:
        """Charge the participants block by block and yield copies of their rows."""
        many = max(_BLOCK // rows.shape[1], 1)
        for first in range(0, len(rows), many):
            people = slice(first, min(first + many, len(rows)))
            with np.errstate(
                over="ignore"
            ):  # a value outside the doubles is infinite, and nobody can pay for it
                block = np.array(rows[people], dtype=np.float64)
            squares = _squared_norms(block)
            if not squares.any():
                continue
            sums = self._sums.part_of_people(people)
            fits, after = self._budget.step((sums.high, sums.low), LinearCharge(squares))
            active = fits & ~sums.left
            for old, new in zip((sums.high, sums.low), after, strict=True):
                np.copyto(old, new, where=active)
            block[~active] = 0.0  # an array that changed during the call may contain NaN
            yield block

    def _write_journal(self) -> None:
        """Write everybody's sums to the disk."""
        if self._journal is not None:
            self._journal.write(self._journal_content())

    # -- people -------------------------------------------------------------------------------------

    def join(self, people: int) -> range:
        """Add new people with full budgets, and return their numbers; later queries have a row for each."""
        number = check_count("people", people, most=MAX_PEOPLE)
        with self._in_turn("join"):
            self._check_usable()
            new = range(self.people, self.people + number)
            with too_large_on_memory_error("people", number):
                self._sums = self._sums.with_more(number)
            self._write_journal()
        return new

    def leave(self, people: int | Sequence[int] | NDArray[np.integer[Any]]) -> None:
        """Remove people from all later queries. Their charges remain, and nobody gets their numbers again.

        Parameters
        ----------
        people : int or sequence of int, shape (m,)
            Their numbers. A second removal changes nothing.

        Raises
        ------
        ValueError
            If a number belongs to nobody.
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
            self._write_journal()

    def report_for(self, person: int) -> PersonalRemainingBudget:
        """Return the report for `person` only; IndexError for an unknown person."""
        index = check_person(person, self.people)
        with self._lock:
            sums = self._sums.part_of_people(slice(index, index + 1))
            left = float(self._budget.left((sums.high, sums.low))[0])
        return PersonalRemainingBudget(
            index, str(self.promise), left / self.norm_budget * self.kappa * (1 - 2.0**-51)
        )

    # -- keeping ------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the journal, if there is one, after the present query. No further query is answered."""
        if self._journal is None:
            return
        if os.getpid() != self._process:  # a fork may have copied the lock in its locked state
            self._journal.close()
            return
        with self._lock:
            self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def to_dict(self, *, key: bytes | None = None) -> dict[str, object]:
        """Return everything that `from_dict` needs, as JSON values: personal data of all people.

        Parameters
        ----------
        key : bytes, optional
            The key that signs the data. The default is the key of `from_dict`. Without any key the data are unsigned.
        """
        with self._lock:  # an answer may be charging people in place
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
        """Restore the queries that `to_dict` saved.

        Parameters
        ----------
        data : mapping
            What `to_dict` returned.
        norm_budget, kappa : float
            The same numbers as before.
        key : bytes, optional
            The key that signed the data: see `Session.from_dict`.
        journal : path, optional
            A new file for the sums from now on.

        Raises
        ------
        ValueError
            If the data do not match the numbers, are inconsistent, or are not signed with the key.
        """
        key = checked_key(key)
        content = checked_content(data, "queries", _VERSION, _SAVED, key, "LinearQueries.to_dict")
        for name, value in (("norm_budget", norm_budget), ("kappa", kappa)):
            hexadecimal = one_positive(name, value).hex()
            check_same(
                f"{name} must be what",
                value,
                content[name],
                hexadecimal,
                "pass the values of the original queries",
            )
        number = saved_count(content, "people", least=1)
        queries = cls(1, norm_budget=norm_budget, kappa=kappa)
        budget = queries._budget
        # decoded first, so that a forged number of people allocates no memory
        fresh = (np.zeros(1), np.zeros(1), np.zeros(1, dtype=np.bool_))
        state = decode_state(
            content["state"], fresh, number, lambda state: budget.is_reachable_state(state[:2])
        )
        queries._sums = JournalSums(*state)
        queries._key = key
        if journal is not None:
            queries._journal = JournalFile.create(journal, queries._journal_content())
        return queries


def _as_array(name: str, values: object) -> NDArray[Any]:
    """Return `values` as an array. Raises TypeError for rows of different lengths and for masked arrays."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} must be no masked array, got one; fill it first, e.g. with zeros")
    try:
        return np.asarray(values)
    except ValueError:
        raise TypeError(
            f"{name} must be an array, got rows of different lengths; pass rows of equal length"
        ) from None


def _checked_rows(values: object) -> NDArray[Any]:
    """Return `values` as finite rows, one per person, shape (n, d)."""
    given = _as_array("values", values)
    if given.dtype.kind not in "fiub":
        raise ValueError(f"values must be real numbers, got dtype={given.dtype}; pass q(x_i) in doubles")
    rows = given[:, None] if given.ndim == 1 else given
    if rows.ndim != 2 or not rows.shape[1]:
        raise ValueError(
            f"values must have one row per person, shape (n,) or (n, d), got shape {given.shape}; "
            "pass q(x_i) for every person i"
        )
    if rows.size and not (np.isfinite(rows.min()) and np.isfinite(rows.max())):  # NaN counts as the least
        person, column = np.argwhere(~np.isfinite(rows))[0]
        raise ValueError(
            f"values must be finite, one row per person, got {rows[person, column]} for person {person}; "
            "pass q(x_i) for every person i, zero for people without a value"
        )
    return rows


def _squared_norms(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return |rows[i]|_2^2, too small by at most d + 2 half-ulps, and positive unless the row is zero."""
    with np.errstate(over="ignore"):
        squares = np.square(rows[:, 0]) if rows.shape[1] == 1 else squared_norms(rows)
    small = squares < _NORMAL
    if small.any():
        # rows of zeros lose nothing: twenty times as fast without them
        small &= rows[:, 0] != 0 if rows.shape[1] == 1 else rows.any(axis=1)
        # rounding a subnormal square loses up to 2^-1075: 2^-1074 per entry covers it, and is negligible otherwise
        squares[small] += np.count_nonzero(rows[small], axis=1) * 2.0**-1074
    return squares
