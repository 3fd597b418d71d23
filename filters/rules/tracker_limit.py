"""A filter that ends after a fixed number of a tracker's blocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.trackers import Tracker, checked_block_count
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs import DominatingPair


@dataclass(frozen=True, slots=True)
class TrackerLimitFilter(PrivacyFilter[Any]):
    """A filter that limits a tracker: it denies the request that would start more than `blocks` of its blocks.

    A tracker fills one block of budget after the other. The filter grants a request while the tracker opens at most
    `blocks` blocks.

    Parameters
    ----------
    tracker : Tracker
        The tracker that counts the blocks.
    blocks : int in [1, 2^48]
        The number of blocks.

    Attributes
    ----------
    promise : Guarantee
        `tracker.guarantee(blocks)`.

    Raises
    ------
    ValueError
        If `blocks` is out of range.
    TypeError
        If `tracker` is no tracker.

    Notes
    -----
    Feldman & Zrnic (2021), Proposition 4.10; Koskela, Tobaben & Honkela (2023), Appendix C.5. The number of blocks is
    fixed in advance, because a tracker's value at a time that depends on the value bounds nothing. The rest of a block
    is lost when the next one opens. That loss is less than the charge that opens the next block.

    Examples
    --------
    >>> import filterproof as fp
    >>> filt = fp.odometers.TrackerLimitFilter(fp.odometers.GaussianTracker(size=1.0), blocks=2)
    >>> session = filt.open("retry")
    >>> [session.request(fp.Gaussian(mu=0.8)) for _ in range(3)]
    [True, True, False]
    """

    tracker: Tracker
    blocks: int
    promise: Guarantee = field(init=False, repr=False, compare=False)
    theorem: ClassVar[str | None] = "trackers"
    proof: ClassVar[str] = (
        "Feldman & Zrnic (2021), Proposition 4.10; Koskela, Tobaben & Honkela (2023), Appendix C.5"
    )

    def __post_init__(self) -> None:
        if not isinstance(self.tracker, Tracker):
            raise TypeError(
                f"tracker must be a Tracker, got {self.tracker!r}; pass e.g. GaussianTracker(size=1.0)"
            )
        object.__setattr__(self, "blocks", checked_block_count(self.blocks))
        object.__setattr__(self, "promise", self.tracker.guarantee(self.blocks))

    def is_reachable_state(self, state: Any) -> NDArray[np.bool_]:
        closed: NDArray[np.float64] = state[0]
        counted: NDArray[np.bool_] = np.isfinite(self.tracker.value(state)) & (closed < self.blocks)
        return counted

    def start(self, n: int) -> Any:
        return self.tracker.start(n)

    def admits(self, state: Any, request: DominatingPair) -> NDArray[np.bool_]:
        return self.step(state, request)[0]

    def step(self, state: Any, request: DominatingPair) -> tuple[NDArray[np.bool_], Any]:
        after = self.tracker.spend(state, request)
        closed: NDArray[np.float64] = after[0]
        return closed < self.blocks, after

    def spend(self, state: Any, request: DominatingPair) -> Any:
        return self.tracker.spend(state, request)
