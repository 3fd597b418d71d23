"""The privacy filter: decide first, release after."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from filters.contract.filter_base import FilterBase, OnDenial, StateT
from filters.holders.session import Session

__all__ = ["PrivacyFilter"]


class PrivacyFilter(FilterBase[StateT]):
    """A stopping rule over n runs at once: n simulated worlds, n individuals, or one application (n=1).

    Methods are pure: they return a new state and leave the old one as it was. A subclass needs `promise`,
    `start`, `admits` and `spend`; a realisation-level filter also overrides `observe`.
    The decision sees the declared pair of the next mechanism, never its output.
    A request that the filter does not cover (an infinite or undefined charge) is denied, not an error.
    A subclass may say what its states are: `PrivacyFilter[NDArray[np.float64]]`; see `State`.
    """

    def open(
        self,
        on_denial: OnDenial = "halt",
        *,
        record: Callable[[Mapping[str, object]], object] | None = None,
        key: bytes | None = None,
    ) -> Session:
        """A session over one data set, the object that an application holds; see `Session`."""
        return Session(self, on_denial, record=record, key=key)
