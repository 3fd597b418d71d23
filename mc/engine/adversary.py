"""An adversary computes the request of each round from the transcript so far and its own randomness."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.contract_checks import checked_step
from filterproof.filters.contract.state import State, state_leaves
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.theory.argument_checks import check_former_names, check_overrides
from filterproof.theory.pairs import DominatingPair

#: Attributes of adversaries by the names that they had.
_FORMER_NAMES = {
    "asks": "possible_requests",
    "gaussian": "requests_only_gaussians",
    "final_from_state": "final_depends_only_on_state",
}


@dataclass(slots=True)
class AdversaryView:
    """What an adversary sees before a round, for n live runs at once.

    Attributes
    ----------
    round : int
        Number of the round, from 0. The view contains none of this round's outputs.
    loss : ndarray, shape (n,)
        Privacy loss log P(transcript)/Q(transcript) so far, in nats. The loss is a sufficient statistic for P against
        Q. An adversary that sees it instead of the outputs is therefore no weaker.
    last : ndarray, shape (n,)
        Privacy loss of the last round; 0 after a denial.
    state : array, or tuple, dict or data class of arrays
        State of the filter, with the run on the first axis.
    memory : Any
        The return value of `Adversary.start`, with the run on the first axis.
    filter : PrivacyFilter
        The filter.
    rng : numpy.random.Generator
        The adversary's own generator.

    Notes
    -----
    The engine owns the arrays. Read them, and neither keep nor change them. Only `memory` may be updated, in place.
    """

    round: int
    loss: NDArray[np.float64]
    last: NDArray[np.float64]
    state: State
    memory: Any
    filter: PrivacyFilter
    rng: np.random.Generator

    @property
    def n(self) -> int:
        """The number of live runs."""
        return len(self.loss)

    def admits(self, request: DominatingPair) -> NDArray[np.bool_]:
        """Return whether the filter would grant `request` in each run: bool, shape (n,).

        The call charges nothing. A real adversary can compute the decision too, because the filter decides from what
        the adversary has seen.
        """
        return checked_step(self.filter, self.state, request, self.n)[0]


class Adversary(ABC):
    """Base class of adversaries: a frozen strategy that chooses each request from the transcript so far.

    Subclasses implement `request`. An adversary has no mutable attributes: it remembers a run in
    `AdversaryView.memory`.

    Notes
    -----
    Branch by arithmetic: `low + (high - low) * (view.loss > 0)` takes 1 ns a run, `np.where` and table look-ups take
    3 to 5 ns.

    Examples
    --------
    >>> import filterproof as fp
    >>> class Slowing(fp.Adversary):
    ...     def request(self, view):
    ...         return fp.Gaussian(1 / (1 + view.round))
    >>> fp.simulate(fp.ZCDPFilter(rho=0.65), Slowing(), epsilon=1.0, n=100, rounds=5, workers=1).n
    100
    """

    __slots__ = ()
    #: Whether `request` reads `AdversaryView.state` or calls `AdversaryView.admits`; False in this library only.
    reads_state: ClassVar[bool] = True

    def against(self, filt: PrivacyFilter) -> Self:
        """Return this strategy with the parameters that depend on the filter; the engine calls it once before play."""
        return self

    @property
    def horizon(self) -> int | None:
        """The number of rounds after which the adversary stops; None if it makes requests until a denial."""
        return None

    @property
    def requests_only_gaussians(self) -> bool:
        """Whether every request is certain to be a Gaussian."""
        return False

    @property
    def possible_requests(self) -> tuple[DominatingPair, ...] | None:
        """Every pair that `request` (not `final`) can return; None if they are unknown or too many to list.

        Optional. A list bounds the total charge of the game and narrows estimates. Define it in the class that defines
        `request`: the engine ignores an inherited list.
        """
        return None

    def start(self, filt: PrivacyFilter, n: int, rng: np.random.Generator) -> Any:
        """Return the memory of n new runs.

        Parameters
        ----------
        filt : PrivacyFilter
            The filter.
        n : int
            Number of runs.
        rng : numpy.random.Generator
            The adversary's own generator.

        Returns
        -------
        None, ndarray or tuple of ndarray
            Arrays have the run on the first axis. All runs of a batch share any other object. Store nothing in such an
            object that depends on a run: intervals assume independent runs.
        """
        return None

    @abstractmethod
    def request(self, view: AdversaryView) -> DominatingPair:
        """Return the pair that each live run requests next: one for all (shape ()) or one per run (shape (n,))."""

    def final(self, view: AdversaryView) -> DominatingPair:
        """Return the last request of the runs whose request the filter would deny, made in place of the denied one.

        Optional. This is no retry: an adversary can predict the denial and never makes the denied request. The engine
        calls it once for all these runs together, after the other runs have ended. `view.round` is then the game's
        `rounds`.
        """
        raise NotImplementedError

    @property
    def final_depends_only_on_state(self) -> bool:
        """Whether `final` depends only on the filter and its state."""
        return False

    @property
    def asks_finally(self) -> bool:
        """Whether a denied run makes one last request: True if the class overrides `final`."""
        return type(self).final is not Adversary.final


def checked_adversary(adversary: object) -> Adversary:
    """Return `adversary` if it is an adversary whose class has the names of `Adversary`, else raise TypeError."""
    if not isinstance(adversary, Adversary):
        raise TypeError(f"adversary must be an Adversary, got {adversary!r}; pass an instance")
    check_former_names(type(adversary), "Adversary", _FORMER_NAMES)
    check_overrides(adversary, Adversary)
    return adversary


def checked_request(
    adversary: Adversary, method: Literal["request", "final"], view: AdversaryView
) -> DominatingPair:
    """Return the adversary's request, one pair or one per run of the view; only its memory may have changed, in place.

    Raises TypeError if it writes into other parts of the view or replaces the memory, or returns no pair, and
    ValueError for a wrong shape.
    """
    name, memory, n = f"{type(adversary).__name__}.{method}", view.memory, view.n
    try:
        request = getattr(adversary, method)(view)
    except ValueError as error:
        if "read-only" not in str(error):
            raise
        raise TypeError(f"{name} wrote into read-only memory ({error}); write into a copy") from error
    if view.memory is not memory and [*map(id, state_leaves(view.memory))] != [
        *map(id, state_leaves(memory))
    ]:
        raise TypeError(
            f"{name} replaced view.memory by another object; update it in place, "
            "view.memory[:] = ..., in an array with one entry per run"
        )
    if not isinstance(request, DominatingPair):
        raise TypeError(f"{name} must return a DominatingPair, got {request!r}; return Gaussian(mu), say")
    if request.shape not in ((), (n,)):
        raise ValueError(
            f"{name} must return one pair or one per live run, shape () or ({n},), got shape "
            f"{request.shape}; size it by view.n"
        )
    return request
