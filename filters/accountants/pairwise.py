"""One filter for each pair of neighbouring data sets, and one decision for all of them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.personal_reports import MAX_PEOPLE
from filterproof.filters.accountants.session import FilterHaltedError
from filterproof.filters.accountants.stateful_accountant import StatefulAccountant
from filterproof.filters.contract.contract_checks import (
    checked_admits,
    checked_filter,
    checked_observe,
    checked_spend,
    checked_start,
)
from filterproof.filters.contract.filter_base import FilterBase, OnDenial
from filterproof.filters.contract.state import State, copy_state
from filterproof.filters.contract.terms import FilterTerms
from filterproof.theory.argument_checks import check_count
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs import DominatingPair


class PairwiseFilter(StatefulAccountant):
    """One filter for each pair of neighbouring data sets; a request is granted if every filter grants its part.

    For additive charges this is the maximum over pairs (x, x') before the sum::

        max over (x, x') of sum_t rho_t(x, x') <= budget

    Parameters
    ----------
    filt : PrivacyFilter
        The filter of each pair.
    pairs : int, >= 1
        The number of pairs (x, x') of neighbours, each in one order.
    on_denial : {"halt", "retry"}
        After a denial no request is allowed, or cheaper ones are.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    The pairs are all those of the data domain, whatever the present data set: a decision that depended on it would
    leak. With `RenyiFilter` these are the budgets of Feldman & Zrnic (2021), Remark 3.2, theorem "pair by pair". With
    `RealisationFilter` it is Algorithm 1 of Taylor, Vippathalla & Coon (2025), which tracks the realised loss of every
    pair. A copy or a pickle raises TypeError, a use after a fork RuntimeError.

    Examples
    --------
    >>> import filterproof as fp
    >>> pairs = fp.people.PairwiseFilter(fp.ZCDPFilter(rho=0.5), pairs=2)
    >>> [pairs.request(fp.Gaussian(np.array(mu))) for mu in ([0.9, 0.1], [0.1, 0.9], [0.9, 0.1])]
    [True, True, False]
    """

    _terms_shown = ("filter", "pairs")
    _remedy: ClassVar[str] = "make another one, for another data set"

    def __init__(self, filt: FilterBase, pairs: int, *, on_denial: OnDenial = "halt") -> None:
        super().__init__()
        self._filter, self._terms = checked_filter(filt), FilterTerms.of(filt)
        self._pairs = check_count("pairs", pairs, most=MAX_PEOPLE)
        if on_denial not in ("halt", "retry"):
            raise ValueError(
                f"on_denial must be 'halt' or 'retry', got on_denial={on_denial!r}; pass one of them"
            )
        self._halts, self._halted, self._waits = on_denial == "halt", False, False
        self._state: State = copy_state(checked_start(filt, self._pairs))

    @property
    def filter(self) -> FilterBase:
        """The filter of each pair."""
        return self._filter

    @property
    def pairs(self) -> int:
        """The number of pairs of neighbouring data sets."""
        return self._pairs

    @property
    def promise(self) -> Guarantee:
        """The guarantee of all releases on every pair, that of the filter."""
        return self._filter.promise

    def request(self, request: DominatingPair) -> bool:
        """Decide on a release, and charge every pair of neighbours if it is granted.

        Parameters
        ----------
        request : DominatingPair
            What the mechanism may lose on each pair of neighbours: parameters of shape (pairs,), a `PairPerRun`, or one
            pair for all.

        Returns
        -------
        bool
            Whether the mechanism may release its output.

        Raises
        ------
        FilterHaltedError
            After a denial with on_denial="halt".
        RuntimeError
            If the losses of the last release are missing.
        ValueError
            For another number of pairs.
        """
        if not isinstance(request, DominatingPair) or request.shape not in ((), (self._pairs,)):
            raise ValueError(
                f"request must have one pair or {self._pairs}, got {request!r}; declare every pair of neighbours"
            )
        with self._in_turn("request"):
            if self._halted:
                raise FilterHaltedError(
                    "request must come before the first denial, got one after it; stop here"
                )
            if self._waits:
                raise RuntimeError(
                    "request must wait for the losses of the last release; call observe(losses)"
                )
            self._terms.check(self._filter)
            granted = bool(checked_admits(self._filter, self._state, request, self._pairs).all())
            if granted:
                self._state = copy_state(checked_spend(self._filter, self._state, request, self._pairs))
                self._waits = self._filter.looks_at_losses
            self._halted = self._halts and not granted
            return granted

    def observe(self, losses: NDArray[np.float64]) -> None:
        """Tell the losses of the last output, for a filter that uses them.

        Parameters
        ----------
        losses : ndarray of float, shape (pairs,)
            log p_x(output) / p_x'(output) for each pair, in nats; it may be infinite.

        Raises
        ------
        RuntimeError
            If no release waits for its losses.
        ValueError
            For NaN or another shape.
        """
        realised = np.asarray(losses, dtype=np.float64)
        if realised.shape != (self._pairs,) or np.isnan(realised).any():
            raise ValueError(
                f"losses must be {self._pairs} numbers, got shape {realised.shape} with {np.isnan(realised).sum()} "
                "NaN; pass log p(output)/q(output) of each pair"
            )
        with self._in_turn("observe"):
            if not self._waits:
                raise RuntimeError(
                    "no release waits for its losses; call observe(losses) once after each grant"
                )
            self._state = copy_state(checked_observe(self._filter, self._state, realised, self._pairs))
            self._waits = False
