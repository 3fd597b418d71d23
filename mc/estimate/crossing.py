"""The probability that the privacy loss ever exceeds an odometer's bound, against one adversary.

>>> import filterproof as fp
>>> odometer = fp.odometers.LineOdometer(delta=0.05, target=1.0)
>>> fp.odometers.crossing_probability(odometer, fp.Constant(0.25), rounds=50, n=4000, seed=1, workers=1).low > 0
True
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, Protocol, Unpack, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.filter_base import MechanismFamily
from filterproof.filters.contract.state import State, read_only
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary, AdversaryView
from filterproof.mc.engine.finished_runs import FinishedRuns
from filterproof.mc.intervals import clopper_pearson
from filterproof.mc.intervals.estimate import FAILURE, Estimate
from filterproof.mc.runs.play import PlayOptions, SimulationSettings
from filterproof.theory.argument_checks import check_delta, check_positive
from filterproof.theory.guarantees import ApproxDP, Guarantee
from filterproof.theory.pairs import DominatingPair, Gaussian, RandomizedResponse

#: The guarantee of every mechanism: the paths are watched, and no guarantee is tested.
_NO_GUARANTEE = ApproxDP(0.0, 1.0)


@runtime_checkable
class OdometerLike(Protocol):
    """A bound on the loss so far, like an `Odometer`: states of n runs, and the bound of each in nats."""

    def start(self, n: int) -> Any:
        """Return the state of n runs before any release."""

    def spend(self, state: Any, request: DominatingPair) -> Any:
        """Return the state after the release of the request."""

    def epsilon(self, state: Any) -> NDArray[np.float64]:
        """Return the odometer's bound on each run's privacy loss so far, in nats: shape (n,)."""


@dataclass(frozen=True, slots=True)
class _UntilLossExceedsBound(PrivacyFilter):
    """A filter that admits requests while the realised loss is at most the odometer's bound.

    Nothing is compared before the first release. `affordable` always raises: an odometer has no budget.
    """

    odometer: OdometerLike
    promise: Guarantee = field(default=_NO_GUARANTEE, init=False, repr=False, compare=False)

    def start(self, n: int) -> State:
        own = self.odometer.start(n)
        return own, np.zeros(n), self._bound(own, n), np.zeros(n, dtype=np.int64)

    def admits(self, state: Any, request: DominatingPair) -> NDArray[Any]:
        _, loss, bound, releases = state
        watched = releases > 0
        if np.isnan(bound[watched]).any():
            raise ValueError(
                f"odometer.epsilon must be a number or inf, got nan at t={releases[watched].max()} from "
                f"{self.odometer!r}; return inf for no bound"
            )
        below: NDArray[Any] = ~watched | (loss <= bound)
        return below

    def spend(self, state: Any, request: DominatingPair) -> State:
        own, loss, _, releases = state
        after = self.odometer.spend(read_only(own), request)
        return after, loss, self._bound(after, len(loss)), releases + 1

    def observe(self, state: Any, loss: NDArray[Any]) -> State:
        own, before, bound, releases = state
        return own, before + loss, bound, releases

    def _bound(self, own: Any, n: int) -> NDArray[np.float64]:
        """Return the odometer's bound of each run; raise TypeError unless it has shape (n,)."""
        bound = self.odometer.epsilon(read_only(own))
        if not isinstance(bound, np.ndarray) or bound.shape != (n,) or bound.dtype.kind not in "fiu":
            got = f"{bound.dtype} of shape {bound.shape}" if isinstance(bound, np.ndarray) else repr(bound)
            raise TypeError(
                f"odometer.epsilon must return an array of {n} real numbers, got {got}; return one number per run"
            )
        return bound

    def affordable(self, state: Any, family: MechanismFamily) -> NoReturn:
        raise ValueError(
            "adversary must name its family and levels, because an odometer has no budget to derive them from; "
            "pass e.g. HighWhileLossPositive(low=0.1, high=0.4, family=Gaussian)"
        )


@dataclass(frozen=True, slots=True)
class _WithTrivialLastRequest(Adversary):
    """Another adversary for `last` rounds, followed by one request that reveals nothing."""

    adversary: Adversary
    last: int

    def start(self, filt: PrivacyFilter, n: int, rng: np.random.Generator) -> Any:
        return self.adversary.start(filt, n, rng)

    def request(self, view: AdversaryView) -> DominatingPair:
        return self.adversary.request(view) if view.round < self.last else RandomizedResponse(0.0)


@dataclass(frozen=True, slots=True)
class _LongPathCount:
    """A functional: the number of paths with at least `releases` releases."""

    releases: int

    def __call__(self, paths: FinishedRuns) -> NDArray[np.float64]:
        return np.array([np.count_nonzero(paths.releases >= self.releases)], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class BoundApproaching(Adversary):
    """An adversary against an odometer: it requests a fixed share of the distance from the loss to the bound.

    ::

        level = clip(share * (bound - loss), low, high)

    Parameters
    ----------
    share : float, default 0.25
        Share of the distance, > 0.
    low, high : float
        Smallest and largest level, > 0, low <= high.
    family : callable, default Gaussian
        Maps a level to a pair.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    Small steps near the bound overshoot it by little. Large steps far from it cover many scales of the loss in few
    rounds.
    """

    share: float = 0.25
    low: float = 0.01
    high: float = 1.0
    family: MechanismFamily = Gaussian

    def __post_init__(self) -> None:
        for name in ("share", "low", "high"):
            check_positive(name, getattr(self, name))
        if self.low > self.high:
            raise ValueError(f"low must be <= high, got low={self.low!r} high={self.high!r}; swap them")

    def request(self, view: AdversaryView) -> DominatingPair:
        if not isinstance(view.filter, _UntilLossExceedsBound):
            raise TypeError(
                f"BoundApproaching plays only against an odometer, got the filter {view.filter!r}; "
                "call fp.odometers.crossing_probability"
            )
        _, _, bound, _ = view.state
        far = np.fmax(bound - view.loss, 0.0)  # 0 for NaN, which the rule refuses later
        return self.family(np.clip(self.share * far, self.low, self.high))


def crossing_probability(
    odometer: OdometerLike,
    adversary: Adversary,
    *,
    n: int = 100_000,
    failure: float = FAILURE,
    **how: Unpack[PlayOptions],
) -> Estimate:
    """Estimate the probability that the privacy loss ever exceeds an odometer's bound.

        P(L_t > odometer.epsilon(state_t) for some t = 1..rounds)

    L_t is the privacy loss of the first t outputs, in nats. The odometer guarantees that this probability is at most
    delta + xi, for every adversary and every number of rounds.

    Parameters
    ----------
    odometer : Odometer
        An object with `start`, `spend` and `epsilon`.
    adversary : Adversary
        The strategy. It must name its levels, because an odometer has no budget to derive them from.
    n : int, default 100,000
        Number of simulated runs.
    failure : float, default 1e-6
        Probability that the interval misses, in (0, 1).
    **how
        Fields of `fp.runs.SimulationSettings`; `rounds` is required and `on_denial` is not allowed.

    Returns
    -------
    Estimate
        A Clopper-Pearson interval. A lower end above delta + xi refutes the guarantee. An upper end below it is no
        proof.

    Raises
    ------
    TypeError
        If `odometer` or `adversary` has the wrong type, `rounds` is missing, or `on_denial` is given.
    ValueError
        If the adversary names no levels, or a bound is NaN.

    Notes
    -----
    The engine does not compare the bound before the first release, and leaves out the adversary's final request.
    """
    if how.get("rounds") is None:
        raise TypeError("rounds is missing; pass the number of rounds")
    if "on_denial" in how:
        raise TypeError(
            "on_denial is not allowed, because a run ends when the loss exceeds the bound; leave it out"
        )
    if isinstance(odometer, type) or not isinstance(odometer, OdometerLike):
        raise TypeError(
            f"odometer must be an object with start, spend and epsilon, got {odometer!r}; "
            "pass e.g. LineOdometer(delta=0.05, target=1.0)"
        )
    play, failure = SimulationSettings(n=n, **how), float(check_delta("failure", failure))
    watched = play.game(_UntilLossExceedsBound(odometer), adversary)
    # one release more than is watched: the crossing in the last round is a denial of the trivial request
    last = watched.rounds
    game = replace(watched, adversary=_WithTrivialLastRequest(watched.adversary, last), rounds=last + 1)
    (below_throughout,) = play.sums(game, _LongPathCount(last + 1)).sums
    return clopper_pearson(play.n - int(below_throughout), play.n, failure=failure)
