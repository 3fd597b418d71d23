"""The base class of privacy filters. A filter grants or denies each request before the mechanism runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from filterproof.filters.accountants.session import Session
from filterproof.filters.accountants.session_journal import open_session
from filterproof.filters.contract.filter_base import FilterBase, OnDenial, StateT


class PrivacyFilter(FilterBase[StateT]):
    """A privacy filter: a stopping rule that keeps a differential-privacy guarantee under adaptive composition.

    A subclass sets `promise` and defines `start`, `admits` and `spend`. A filter that uses realised losses also
    overrides `observe`. Every method treats n runs at once: n simulated runs, n people, or one application (n=1).

    Attributes
    ----------
    promise : Guarantee
        The guarantee of the released transcript.
    proof : str
        The source of the proof, or the reason why the promise is false.
    theorem : str or None
        The key of the theorem in `fp.THEOREMS`.
    sound : bool or None
        True for filters with a proof, False for counterexamples, None where neither is known.
    order_free : bool
        Whether decisions depend on the granted requests and not on their order. If True, `fp.invariants` tests it.
    scope : str
        The mechanisms and adversaries that the promise covers.

    Notes
    -----
    The methods are pure: each returns a new state, and the state that it receives is read-only. A decision uses the
    declared dominating pair of the next mechanism and never its output. A request with an infinite or undefined charge
    is denied and raises no error. When the runs request several families of mechanisms at once, the filter receives
    one family at a time, so `isinstance(request, Gaussian)` is correct inside a filter. `promise` and `budget` must
    not change while a `Session` or an `IndividualFilter` uses the filter. A subclass may state the type of its states,
    for example `PrivacyFilter[NDArray[np.float64]]`.

    Examples
    --------
    >>> import filterproof as fp
    >>> filt = fp.GaussianFilter(mu=1.0)
    >>> state = filt.spend(filt.start(1), fp.Gaussian(0.9))
    >>> filt.admits(state, fp.Gaussian(0.4)), filt.admits(state, fp.Gaussian(0.5))
    (array([ True]), array([False]))
    """

    def open(
        self,
        on_denial: OnDenial = "halt",
        *,
        record: Callable[[Mapping[str, object]], object] | None = None,
        journal: str | os.PathLike[str] | None = None,
        key: bytes | None = None,
    ) -> Session:
        """Open a session of this filter over one data set, or continue the session that a journal contains.

        Parameters
        ----------
        on_denial : {"halt", "retry"}
            "halt": the first denial ends the session. "retry": another request may follow a denial.
        record : callable, optional
            A function that receives `Session.to_dict()` after each change of state.
        journal : path, optional
            A file of this session alone. A new file begins a session; an existing one continues the session in it,
            also after a crash. Every change is on the disk before `request` returns. One process at a time has the
            file open, until `Session.close`.
        key : bytes, optional
            A key of at least 16 bytes that signs everything the session saves.

        Returns
        -------
        Session

        Raises
        ------
        JournalError
            If the file is damaged, open elsewhere, or cannot be written. Then nothing may be released.
        ValueError
            If the journal belongs to another filter or `on_denial`, and if both `record` and `journal` are given.

        Examples
        --------
        >>> import filterproof as fp, tempfile
        >>> path = tempfile.mkdtemp() + "/session.journal"
        >>> session = fp.GaussianFilter(mu=1.0).open(journal=path)
        >>> session.request(fp.Gaussian(0.6)), session.close()
        (True, None)
        >>> fp.GaussianFilter(mu=1.0).open(journal=path).request(fp.Gaussian(0.9))  # a later process
        False
        """
        if journal is None:
            return Session(self, on_denial, record=record, key=key)
        if record is not None:
            raise ValueError("record must be None with a journal, got both; pass one of them")
        return open_session(self, journal, on_denial, key)
