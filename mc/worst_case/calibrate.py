"""Calibration: the largest threshold at which a filter's certified worst case keeps an (epsilon, delta) guarantee.

>>> import filterproof as fp
>>> menu = [fp.RandomizedResponse(1.0)]
>>> filt = fp.calibrate(fp.ZCDPFilter, 1.0, 0.25, menu=menu, relative=0.5)
>>> filt.certificate.rounds, filt.certificate.high <= 0.25
(1, True)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.contract_checks import (
    checked_admits,
    checked_is_reachable_state,
    checked_observe,
    checked_spend,
)
from filterproof.filters.contract.determinism import check_determinism_on_requests
from filterproof.filters.contract.guarantee_scope import GuaranteeScope
from filterproof.filters.contract.state import State, runs_of
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.menu import checked_menu, positions
from filterproof.mc.worst_case.menu_levels import DominatingLevels
from filterproof.mc.worst_case.result import NOTHING_ADMITTED, Certificate, WorstCase
from filterproof.mc.worst_case.solve import worst_case, worst_case_of_checked_filter
from filterproof.mc.worst_case.worst_case_game import SolvedCache
from filterproof.theory.argument_checks import check_count, check_delta, check_positive
from filterproof.theory.display import Displayed, Row, row_of
from filterproof.theory.guarantees import ApproxDP
from filterproof.theory.pairs import DominatingPair, PairPerRun

#: The smallest relative precision: a search between neighbouring doubles would not end.
_MIN_RELATIVE = 2.0**-48


@dataclass(frozen=True, slots=True, repr=False)
class CalibratedFilter(Displayed, PrivacyFilter):
    """A filter that charges each request as the cheapest level of a menu that dominates it.

    It denies a request that no level dominates. A mechanism that a level dominates is a post-processing of it. The
    worst case over the menu therefore bounds every adversary over every dominated mechanism.

    Attributes
    ----------
    inner : PrivacyFilter
        The filter that decides on the levels.
    menu : tuple of DominatingPair
        The levels, each of shape ().
    rounds : int or None
        Largest number of releases.
    threshold : float
        Parameter of the inner filter.
    certificate : WorstCase or CalibratedThreshold
        The worst case over the menu.
    promise : ApproxDP
        The guarantee.

    Notes
    -----
    If the inner filter observes losses, only the members of the menu are granted, because post-processing changes the
    losses. The state is the inner state, or (inner state, releases of shape (n,)) if `rounds` is a number.
    """

    inner: PrivacyFilter
    menu: tuple[DominatingPair, ...]
    rounds: int | None
    threshold: float
    certificate: Certificate = field(repr=False, compare=False)
    promise: ApproxDP
    _levels: DominatingLevels = field(init=False, repr=False, compare=False)
    proof: ClassVar[str] = (
        "the worst case over the class, solved on this filter's own code; see `certificate`"
    )

    __repr__ = (
        PrivacyFilter.__repr__
    )  # Displayed may omit parameters that identify the filter of a saved session

    def __post_init__(self) -> None:
        object.__setattr__(self, "_levels", DominatingLevels.of(self.inner, self.menu))

    @property
    def scope(self) -> str:  # type: ignore[override]
        """The mechanisms and adversaries that the guarantee covers, in words."""
        limit = "" if self.rounds is None else f", at most {self.rounds} round{'s' * (self.rounds != 1)}"
        if not self.certificate.grants_any_request:
            limit += f"; {NOTHING_ADMITTED}"
        if self.looks_at_losses:
            return f"every adaptive adversary over the {len(self.menu)} mechanisms of the menu{limit}"
        return f"every adaptive adversary over every mechanism that is {self._levels.covered_mechanisms_text}{limit}"

    def rows(self) -> list[Row]:
        """Return one row: the guarantee, the threshold, and the worst case with its evidence and scope."""
        certificate = self.certificate
        return [
            {
                "inner": str(self.inner),
                "epsilon": float(self.promise.epsilon),
                "delta": float(self.promise.delta_at_epsilon),
                "threshold": self.threshold,
                "mechanisms": len(self.menu),
                "rounds": self.rounds,
                "low": certificate.low,
                "high": certificate.high,
                "longest": certificate.rounds,
                **row_of(certificate, "evidence"),
                "scope": self.scope,
            }
        ]

    def recheck(self) -> WorstCase:
        """Solve the worst case over the menu again; raise ValueError if it contradicts the certificate.

        Returns
        -------
        WorstCase
            Bounds that agree with the certificate.

        Raises
        ------
        ValueError
            If the new bounds exceed the guaranteed delta or contradict the certificate.
        """
        solved = worst_case(self, self.menu, epsilon=self.promise.epsilon, rounds=self.rounds)
        row = self.certificate
        same = solved.low <= row.high and row.low <= solved.high and solved.rounds == row.rounds
        if not same or solved.high > self.promise.delta_at_epsilon:
            raise ValueError(
                f"certificate is not confirmed: it is [{row.low!r}, {row.high!r}] in {row.rounds} rounds, the new "
                f"solution is {solved} in {solved.rounds} rounds, and the guarantee is {self.promise}; calibrate the "
                "filter again"
            )
        return solved

    @property
    def looks_at_losses(self) -> bool:
        """Whether the inner filter observes losses."""
        return self.inner.looks_at_losses

    @property
    def holds(self) -> GuaranteeScope | None:
        """The inner filter's bounds on the charged levels, which dominate the released mechanisms."""
        return self.inner.holds

    def start(self, n: int) -> State:
        inner = self.inner.start(n)
        return inner if self.rounds is None else (inner, np.zeros(n, dtype=np.int64))

    def admits(self, state: State, request: DominatingPair) -> NDArray[Any]:
        inner, released = self._inner_state_and_count(state)
        level, covered = self._charged_level_and_coverage(request, runs_of(inner))
        if self.rounds is not None:
            covered &= released < self.rounds
        return checked_admits(self.inner, inner, level, runs_of(inner)) & covered

    def spend(self, state: State, request: DominatingPair) -> State:
        inner, released = self._inner_state_and_count(state)
        level, _ = self._charged_level_and_coverage(request, runs_of(inner))
        return self._state_with_count(checked_spend(self.inner, inner, level, runs_of(inner)), released + 1)

    def observe(self, state: State, loss: NDArray[Any]) -> State:
        inner, released = self._inner_state_and_count(state)
        return self._state_with_count(checked_observe(self.inner, inner, loss, len(loss)), released)

    def is_reachable_state(self, state: State) -> NDArray[Any]:
        inner, released = self._inner_state_and_count(state)
        limit = np.inf if self.rounds is None else self.rounds
        count_reachable = np.broadcast_to(
            np.greater_equal(released, 0) & np.less_equal(released, limit), runs_of(inner)
        )
        return np.asarray(checked_is_reachable_state(self.inner, inner, runs_of(inner)) & count_reachable)

    def _inner_state_and_count(self, state: Any) -> tuple[State, Any]:
        """Return the inner filter's state and the number of releases; 0 without a limit on rounds."""
        return (state, 0) if self.rounds is None else state

    def _state_with_count(self, inner: State, released: Any) -> State:
        """Return the state of the inner state and the number of releases."""
        return inner if self.rounds is None else (inner, released)

    def _charged_level_and_coverage(
        self, request: DominatingPair, n: int
    ) -> tuple[DominatingPair, NDArray[np.bool_]]:
        """Return the level that each run is charged, and which runs a level dominates: shape (n,)."""
        if self.looks_at_losses:
            place = positions(self.menu, request, n)
        else:
            place = self._levels.places(request, n)
        covered = place >= 0
        if n and (place == place[0]).all():  # one level instead of a selection is many times faster
            return self.menu[max(int(place[0]), 0)], covered
        return PairPerRun(self.menu, np.where(covered, place, 0)), covered


def calibrate(
    family: Callable[[float], PrivacyFilter],
    epsilon: float,
    delta: float,
    *,
    menu: Sequence[DominatingPair],
    rounds: int | None = None,
    relative: float = 1e-4,
    max_positions: int | None = None,
) -> CalibratedFilter:
    """Find the largest threshold of a filter family that keeps an (epsilon, delta) guarantee.

        largest t such that the certified worst case of family(t) over the menu is <= delta

    Parameters
    ----------
    family : callable
        Maps a threshold to a filter that grants more at larger thresholds, e.g. `fp.ZCDPFilter`.
    epsilon : float
        In nats, > 0.
    delta : float
        In (0, 1).
    menu : sequence of DominatingPair
        The levels that the adversary chooses from, each of shape ().
    rounds : int, optional
        Largest number of releases.
    relative : float, default 1e-4
        The threshold is within a factor 1 + relative of the largest.
    max_positions : int, optional
        As in `worst_case`.

    Returns
    -------
    CalibratedFilter
        The filter with its certificate. Its `scope` names the mechanisms that the guarantee covers.

    Raises
    ------
    ValueError
        If every threshold or no threshold keeps the guarantee.
    TypeError
        If `family` is not callable.

    Notes
    -----
    The worst case covers both directions and every adaptive adversary over the menu. It is solved again for the
    returned filter, so that the certificate does not depend on the search.
    """
    if not callable(family):
        raise TypeError(
            f"family must make a filter from a threshold, got {family!r}; pass a class such as ZCDPFilter"
        )
    epsilon = float(check_positive("epsilon", epsilon))
    delta = float(check_delta("delta", delta))
    relative = max(float(check_positive("relative", relative)), _MIN_RELATIVE)
    levels = checked_menu(menu)
    if rounds is not None:
        rounds = check_count("rounds", rounds)
    if max_positions is not None:
        max_positions = check_count("max_positions", max_positions)

    # many thresholds admit the same requests: their games are solved once
    solved_cache: SolvedCache = {}

    def solve(filt: PrivacyFilter) -> WorstCase:
        check_determinism_on_requests(filt, levels[:: max(len(levels) // 3, 1)], rounds)
        return worst_case_of_checked_filter(
            filt,
            levels,
            epsilon=epsilon,
            rounds=rounds,
            max_positions=max_positions,
            solved_cache=solved_cache,
        )

    threshold, case = _largest_threshold(lambda threshold: solve(family(threshold)), delta, relative)
    promise = ApproxDP(epsilon, delta)
    while True:
        calibrated = CalibratedFilter(family(threshold), levels, rounds, threshold, case, promise)
        # the certificate covers the returned filter, including its rounding of requests: these are bounds on another
        # game, which may be wider
        if (case := solve(calibrated)).high <= delta:
            return replace(calibrated, certificate=case)
        threshold, relative = threshold / (1 + relative), 2 * relative


def _largest_threshold(
    solve: Callable[[float], WorstCase], delta: float, relative: float
) -> tuple[float, WorstCase]:
    """Return the largest threshold with a worst case <= delta, within a factor 1 + relative, and that case.

    Doubling finds a bracket. Probes on either side of its linear interpolation in (log t, log delta) close it.
    """
    good = bad = 2.0**-40
    case = broken = solve(good)
    if case.high > delta:
        raise ValueError(
            f"no threshold keeps delta={delta!r}: the worst case is {case.high!r} at the smallest threshold; "
            "pass a larger delta or a menu of smaller levels"
        )
    while broken.high <= delta:
        good, case, bad = bad, broken, 2 * bad
        if bad > 2.0**40:
            if not case.grants_any_request:
                raise ValueError(
                    f"the filter denies every pair of the menu at any threshold up to {good!r}; pass a "
                    "menu that the filter supports"
                )
            raise ValueError(
                f"every threshold keeps delta={delta!r}: the worst case is at most {case.high!r}; "
                "release without a filter, or pass a smaller delta"
            )
        broken = solve(bad)
    while bad > good * (1 + relative):
        line = _log_line_crossing(good, case.high, bad, broken.high, delta)
        width = bad / good
        for probe in (line / (1 + relative / 3), line * (1 + relative / 3), math.sqrt(good * bad)):
            if good * (1 + relative / 4) < probe < bad / (1 + relative / 4):
                tried = solve(probe)
                if tried.high <= delta:
                    good, case = probe, tried
                else:
                    bad, broken = probe, tried
            if bad / good < math.sqrt(width):
                break
    return good, case


def _log_line_crossing(good: float, low: float, bad: float, high: float, delta: float) -> float:
    """Return the point where the line through (log good, log low) and (log bad, log high) reaches log delta."""
    if low <= 0:
        return math.sqrt(good * bad)
    share = math.log(delta / low) / math.log(high / low)
    return float(good * (bad / good) ** share)
