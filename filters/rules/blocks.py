"""A filter made of a tracker: it goes on while the tracker's value stays within so many blocks.

>>> import filterproof as fp
>>> filt = fp.odometers.BlockFilter(fp.odometers.GaussianTracker(size=0.5), blocks=4)
>>> print(filt.promise)
1-GDP
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.trackers import Tracker, check_blocks
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs import DominatingPair


@dataclass(frozen=True, slots=True)
class BlockFilter(PrivacyFilter[Any]):
    """CONT while the tracker opens at most `blocks` blocks: everything released costs at most so many.

    The number of blocks is fixed in advance; a tracker's value at a time that it chose itself bounds nothing. Wastes
    what a block leaves over when the next is opened, less than the charge that opened it; a filter of the whole
    size wastes that once. Raises ValueError for blocks < 1 or > 2^48, TypeError for what is no tracker.
    Source: paper 000, Proposition 4.10; paper 003, Appendix C.5.
    """

    tracker: Tracker
    blocks: int
    promise: Guarantee = field(init=False, repr=False, compare=False)
    theorem: ClassVar[str | None] = "trackers"
    proof: ClassVar[str] = "000 Proposition 4.10, 003 Appendix C.5"

    def __post_init__(self) -> None:
        if not isinstance(self.tracker, Tracker):
            raise TypeError(
                f"tracker must be a Tracker, got {self.tracker!r}; pass e.g. GaussianTracker(size=1.0)"
            )
        object.__setattr__(self, "blocks", check_blocks(self.blocks))
        object.__setattr__(self, "promise", self.tracker.guarantee(self.blocks))

    def is_reachable_state(self, state: Any) -> NDArray[np.bool_]:
        closed: NDArray[np.float64] = state[0]
        counted: NDArray[np.bool_] = np.isfinite(self.tracker.value(state)) & (closed < self.blocks)
        return counted

    def start(self, n: int) -> Any:
        return self.tracker.start(n)

    def admits(self, state: Any, request: DominatingPair) -> NDArray[np.bool_]:
        return self.grant(state, request)[0]

    def grant(self, state: Any, request: DominatingPair) -> tuple[NDArray[np.bool_], Any]:
        after = self.tracker.spend(state, request)
        closed: NDArray[np.float64] = after[0]
        return closed < self.blocks, after

    def spend(self, state: Any, request: DominatingPair) -> Any:
        return self.tracker.spend(state, request)
