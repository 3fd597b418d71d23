"""Individual accounting: one filter per person; a round uses each person within that person's own budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.batched_grants import grant_in_blocks
from filterproof.filters.accountants.personal_reports import (
    MAX_PEOPLE,
    PerPersonValues,
    PersonalRemainingBudget,
    check_pair_per_person,
    check_person,
)
from filterproof.filters.accountants.saved_state import (
    check_filter,
    checked_content,
    checked_key,
    decode_state,
    encode_state,
    identity_as_json,
    saved_count,
)
from filterproof.filters.accountants.secret_noise import UsedNoise
from filterproof.filters.accountants.stateful_accountant import StatefulAccountant
from filterproof.filters.accountants.verifiable import QueryKind
from filterproof.filters.accounting import compiled
from filterproof.filters.contract.contract_checks import (
    checked_affordable,
    checked_filter,
    checked_is_reachable_state,
    checked_remaining,
    checked_start,
)
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.contract.identity import FilterIdentity
from filterproof.filters.contract.parameters import one_positive
from filterproof.filters.contract.state import State, copy_state, select_runs
from filterproof.filters.contract.terms import FilterTerms
from filterproof.theory.argument_checks import check_count, check_positive
from filterproof.theory.guarantees import ZCDP, GaussianDP, Guarantee, RenyiDP
from filterproof.theory.numerics.error_free import quotient_round_up
from filterproof.theory.pairs import DominatingPair, Gaussian, PairPerRun, RandomizedResponse
from filterproof.theory.rounding import next_above
from filterproof.theory.size_limits import too_large_on_memory_error

_VERSION = 2
_SAVED = ("filter", "parameters", "people", "state", "steps")
_KERNEL = (
    (RenyiDP, "individual_renyi_filter"),
    (ZCDP, "individual_zcdp_filter"),
    (GaussianDP, "individual_gaussian_filter"),
)
#: A cut below this share of a whole budget removes the person: it would only obscure who is left.
_MIN_SHARE = 2.0**-20
#: The relative distance of a cut norm from its limit, above all rounding errors, which are below 2^-51 each.
_ROUND_DOWN_FACTOR = 1 - 2.0**-48


def gaussian_request(norms: NDArray[np.float64], sigma: float) -> DominatingPair:
    """Return the dominating pairs of sum_i f(x_i) + N(0, sigma^2 I) for the removal of each person.

    The pair of person i is Gaussian(mu_i) with::

        mu_i = |f(x_i)|_2 / sigma

    Parameters
    ----------
    norms : ndarray of float, shape (n,), >= 0
        The norms `|f(x_i)|_2`. A norm of zero gives the trivial pair, which costs nothing.
    sigma : float, > 0
        The standard deviation of the noise.

    Returns
    -------
    Gaussian
        The pairs, with mu of shape (n,), rounded up.

    Raises
    ------
    ValueError
        For negative norms and for sigma <= 0.

    Notes
    -----
    Koskela, Tobaben & Honkela (2023), Appendix C.2; Feldman & Zrnic (2021), Example 2.7.

    Examples
    --------
    >>> import filterproof as fp
    >>> fp.gaussian_request(np.array([0.5, 2.0]), sigma=2.0).mu
    array([0.25, 1.  ])
    """
    noise, quotients = one_positive("sigma", sigma), None
    if isinstance(norms, np.ndarray) and norms.dtype == np.float64 and norms.ndim == 1:
        quotients = compiled.quotients_round_up(norms, noise)
    mu = (
        _doubles_of_norms_round_up(norms) if quotients is None else quotients[0]
    )  # a new array, which is overwritten
    absent = mu == 0
    if quotients is None:
        for first in range(0, mu.size, compiled.SUMS_PER_BLOCK):  # in blocks that fit into the cache
            some = mu[first : first + compiled.SUMS_PER_BLOCK]
            some[:] = quotient_round_up(some, noise)
    mu[absent] = 1.0
    if quotients is None:
        check_positive("mu", mu, "pass norms and sigma whose quotient is a double")
    pair = Gaussian(1.0).with_parameters({"mu": mu})  # checked, and not shared
    if not absent.any():
        return pair
    either = PairPerRun((Gaussian(1.0), RandomizedResponse(0.0)), np.zeros(1, dtype=np.intp))
    # one byte each: the index of a usual selection takes eight
    changed = {"pairs": (pair, either.pairs[1]), "index": absent.view(np.int8), "_families": []}
    return either.with_parameters(changed)


def _doubles_of_norms_round_up(norms: object) -> NDArray[np.float64]:
    """Return given norms as doubles, rounded up; error messages quote no personal data."""
    given = np.asarray(norms)
    if given.dtype.kind not in "fiu":
        raise TypeError(f"norms must hold real numbers, got dtype={given.dtype}; pass an array of them")
    if given.ndim != 1:
        raise ValueError(
            f"norms must be one per person, got shape {given.shape}; pass an array of shape (n,)"
        )
    sizes = given.astype(np.float64)
    if given.dtype.itemsize >= 8 and given.dtype != np.float64:
        exact_integers = (sizes < 2.0**53) & (given.dtype.kind in "iu")
        # it may have been rounded down
        sizes = np.where(exact_integers | (sizes == 0), sizes, next_above(sizes))
    wrong = ~(np.isfinite(sizes) & (sizes >= 0))
    if wrong.any():
        raise ValueError(
            f"norms must be finite and >= 0, got {np.count_nonzero(wrong)} that are not; pass norms of vectors"
        )
    return sizes


class IndividualFilter(StatefulAccountant):
    """One filter per person: each round uses the people whose own budget covers their own pair.

    Parameters
    ----------
    filt : PrivacyFilter
        The filter of each person.
    people : int, >= 1
        The number of people, n.

    Raises
    ------
    TypeError
        If the filter uses realised losses, whose promise is not about persons; also for copies and pickles.

    See Also
    --------
    fp.training.ClippedSums : noisy sums of clipped vectors.

    Notes
    -----
    `select` charges the people who take part in a round. The others skip this round only and pay nothing. `clip`
    scales the vector of each person to the rest of the person's budget. Every output computed this way satisfies the
    filter's promise for adding or removing one person. The masks and factors are personal data: use them to compute
    the release, and never release them. The pair of person i must dominate on every data set that contains the person
    (Feldman & Zrnic (2021), Definition 2.5); with their per-instance Definition 2.6 the absence of a person would
    leak.

    Under an `AdditiveFilter` a person takes 16 bytes. A round needs 9 to 10 bytes a person more. Rounds of more than
    131072 people are charged in place, so a user's filter that raises in the middle has charged the people before
    that. Threads may share the object. RuntimeError follows any use after a fork.

    Source: Feldman & Zrnic (2021), Algorithms 3 and 7 and Theorem 4.5; Koskela, Tobaben & Honkela (2023), Algorithm 1
    and Theorem 12; theorem "individual filter", which is about the rule. `fp.verify` connects the theorem with this
    code.

    Examples
    --------
    >>> import filterproof as fp
    >>> people = fp.IndividualFilter(fp.GaussianFilter(mu=1.0), people=3)
    >>> people.select(fp.gaussian_request(np.array([0.5, 2.0, 0.0]), sigma=1.0))
    array([ True, False,  True])
    >>> people.clip(np.array([0.5, 2.0, 0.0]), sigma=1.0).round(4)
    array([1. , 0.5, 1. ])
    """

    _terms_shown = ("filter", "people")
    theorem: ClassVar[str] = "individual filter"
    scope: ClassVar[str] = (
        "every adaptive analyst, for adding or removing one person whose declared pair dominates on each data set that "
        "holds the person"
    )
    query_kind: ClassVar[QueryKind] = "selects"

    def __init__(self, filt: FilterBase, people: int) -> None:
        super().__init__()
        self._filter = checked_filter(filt)
        self._terms, self._identity = FilterTerms.of(filt), FilterIdentity.of(filt)
        if filt.looks_at_losses:
            raise TypeError(
                f"filt must decide without realised losses, got {filt!r}; the realised loss of one person depends on "
                "the data of the others, so that who takes part would reveal them; pass e.g. GaussianFilter(mu=1.0)"
            )
        self._people = check_count("people", people, most=MAX_PEOPLE)
        self._noise = UsedNoise()
        # the filter may keep its start state, and rounds of many people write into their state
        with too_large_on_memory_error("people", self._people):
            self._state: State = copy_state(checked_start(filt, self._people))

    @property
    def filter(self) -> FilterBase:
        """The filter that each person has."""
        return self._filter

    @property
    def people(self) -> int:
        """The number of people."""
        return self._people

    @property
    def promise(self) -> Guarantee:
        """The guarantee of all rounds together for each person, that of the filter."""
        return self._filter.promise

    @property
    def kernel_theorems(self) -> tuple[str, ...]:
        """Names of the proof assistant's theorems about individual filters with this guarantee."""
        return ("individual_filter", *(name for kind, name in _KERNEL if isinstance(self.promise, kind)))

    @property
    def underlying_filters(self) -> tuple[FilterBase]:
        """The filter that each person has; the guarantee is its own."""
        return (self._filter,)

    def with_people(self, people: int) -> Self:
        """Return a new object with the same filter, for `people` people with full budgets."""
        return type(self)(self._filter, people)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._filter!r}, people={self._people})"

    def select(self, request: DominatingPair) -> NDArray[np.bool_]:
        """Return who takes part in a round, and charge these people at once.

        Parameters
        ----------
        request : DominatingPair
            The pair for the removal of each person: parameters of shape (n,), or one pair for all.

        Returns
        -------
        ndarray of bool, shape (n,)
        """
        check_pair_per_person(request, self._people)
        with self._in_turn("select"):
            return self._grant_and_charge(request)

    def clip(
        self, norms: NDArray[np.float64], *, sigma: float, most: float = math.inf
    ) -> NDArray[np.float64]:
        """Charge everyone for a noisy sum, and return the factor in [0, 1] of each person's vector.

        With noise N(0, sigma^2 I)::

            factor_i norm_i = min(norm_i, most, sigma mu_i)

        mu_i is the largest mu such that person i's filter still admits Gaussian(mu).

        Parameters
        ----------
        norms : ndarray of float, shape (n,), >= 0
            The norms `|v_i|_2`, never below the true norms.
        sigma : float, > 0
            The standard deviation of the noise.
        most : float, > 0
            The largest norm. Default: no limit.

        Returns
        -------
        ndarray of float, shape (n,)
            The factors, rounded down. The charge of factor_i norm_i is rounded up.

        Raises
        ------
        ValueError
            For norms that are negative or not finite, sigma <= 0 or most <= 0. Then nobody is charged.

        Notes
        -----
        Feldman & Zrnic (2021), Algorithm 7, whose budget is a sum of squared norms. A person skips the round whose
        factor would use less than 2^-20 of a full budget.
        """
        sizes = _doubles_of_norms_round_up(norms)
        if sizes.shape != (self._people,):
            raise ValueError(
                f"norms must be one per person, got shape {sizes.shape} for {self._people} people; pass the norm of "
                "everyone's vector, including people without budget"
            )
        noise = one_positive("sigma", sigma)
        limit = most if isinstance(most, float) and most == math.inf else one_positive("most", most)
        with self._in_turn("clip"):
            left = checked_affordable(self._filter, self._state, Gaussian, self._people)
            fresh = checked_start(self._filter, 1)
            full_budget_parameter = float(checked_affordable(self._filter, fresh, Gaussian, 1)[0])
            with np.errstate(over="ignore"):
                reach = np.minimum(left * (noise * _ROUND_DOWN_FACTOR), limit)
            cut = sizes > reach
            with np.errstate(under="ignore"):
                factors: NDArray[np.float64] = np.ones_like(sizes)
                np.divide(reach * _ROUND_DOWN_FACTOR, sizes, out=factors, where=cut)
                # the exact product is below the next double above the rounded one
                counted = np.where(cut, next_above(factors * sizes), sizes)
            out = cut & ((left < full_budget_parameter * _MIN_SHARE) | (factors == 0))
            factors[out], counted[out] = 0.0, 0.0
            factors[~self._grant_and_charge(gaussian_request(counted, noise))] = 0.0
        return factors

    def _grant_and_charge(self, request: DominatingPair) -> NDArray[np.bool_]:
        """Return the people for whom the filter grants `request`; they are charged."""
        self._terms.check(self._filter)
        active = grant_in_blocks(self._filter, self._state, request, self._people, self._set_state)
        self._terms.check(self._filter)
        return active

    def _set_state(self, state: State) -> None:
        self._state = state

    def remaining(self) -> PerPersonValues[PersonalRemainingBudget]:
        """Return the rest of each budget in the filter's own unit, rounded down; hidden, see `PerPersonValues`."""
        promise = str(self._filter.promise)
        with self._lock:  # a round may be charging people in place
            left = checked_remaining(self._filter, self._state, self._people)
        return PerPersonValues(left, lambda person, value: PersonalRemainingBudget(person, promise, value))

    def report_for(self, person: int) -> PersonalRemainingBudget:
        """Return the report for `person` only; IndexError for an unknown person."""
        index = check_person(person, self._people)
        with self._lock:
            state = select_runs(self._state, np.array([index]))
        left = float(checked_remaining(self._filter, state, 1)[0])
        return PersonalRemainingBudget(index, str(self._filter.promise), left)

    def to_dict(self, *, key: bytes | None = None) -> dict[str, object]:
        """Return everything that `from_dict` needs, as JSON values: personal data of all people.

        Parameters
        ----------
        key : bytes, optional
            The key that signs the data. The default is the key of `from_dict`. Without any key the data are unsigned.
        """
        with self._lock:  # a round may be charging people in place
            content = {
                **identity_as_json(self._identity),
                "people": self._people,
                "state": encode_state(self._state),
                "steps": self._noise.to_dict(),
            }
        return self._sealed("individual", _VERSION, content, key)

    @classmethod
    def from_dict(
        cls, data: Mapping[str, object], filt: FilterBase, *, key: bytes | None = None
    ) -> IndividualFilter:
        """Restore the people that `to_dict` saved, under the same filter.

        Each person is checked as in `Session.from_dict`, which also says what a key protects.

        Raises
        ------
        ValueError
            If the data do not match the filter, are inconsistent, or are not signed with the key.
        """
        checked_filter(filt)
        key = checked_key(key)
        content = checked_content(data, "individual", _VERSION, _SAVED, key, "IndividualFilter.to_dict")
        identity = check_filter(content, filt)
        number = saved_count(content, "people", least=1)
        # decoded first, so that a forged number of people allocates no memory
        start, is_reachable_state = (
            checked_start(filt, 1),
            lambda state: checked_is_reachable_state(filt, state, number),
        )
        state = decode_state(content["state"], start, number, is_reachable_state)
        people = cls(filt, number)
        people._state, people._key = state, key
        people._identity, people._noise = identity, UsedNoise.from_dict(content["steps"])
        return people
