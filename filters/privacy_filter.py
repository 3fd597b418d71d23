"""A privacy filter: a rule that admits or denies each request before anything is released, and keeps a promise.

>>> import filterproof as fp
>>> import numpy as np
>>> filt = fp.GaussianFilter(mu=1.0)
>>> filt.admits(filt.start(2), fp.Gaussian(np.array([0.9, 1.1])))
array([ True, False])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from filterproof.filters.accountants.session import Session
from filterproof.filters.contract.filter_base import FilterBase, OnDenial, StateT


class PrivacyFilter(FilterBase[StateT]):
    """A stopping rule over n runs at once: n simulated worlds, n individuals, or one application (n=1).

    Methods are pure: they return a new state, and the old one cannot be written to. A subclass needs `promise`,
    `start`, `admits` and `spend`; a realisation-level filter also overrides `observe`.
    The decision sees the declared pair of the next mechanism, never its output. Where runs ask for several families
    at once, rules of one's own are asked about one family after the other: `isinstance(request, Gaussian)` is right.
    While a session or people hold a filter, its promise and its budget stay what they were.
    A request that the filter does not cover (an infinite or undefined charge) is denied, not an error.
    A subclass may name the type of its states: `PrivacyFilter[NDArray[np.float64]]`; see `State`.
    The filters of the catalogue raise ValueError for parameters out of range when they are made.
    "CONT while X" in a subclass's docstring means, as in the papers, that a request is admitted if X holds.
    """

    def open(
        self,
        on_denial: OnDenial = "halt",
        *,
        record: Callable[[Mapping[str, object]], object] | None = None,
        key: bytes | None = None,
    ) -> Session:
        """A session of this filter over one data set; see `Session`."""
        return Session(self, on_denial, record=record, key=key)
