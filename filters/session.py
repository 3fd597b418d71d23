"""The session: what an application holds of a filter."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from filters.base import Family, PrivacyFilter, State
from filters.contract import (
    checked_admits,
    checked_filter,
    checked_observe,
    checked_spend,
    checked_start,
)
from filters.persistence import decode_state, encode_state, same_layout
from theory.pairs import DominatingPair

__all__ = ["FilterHaltedError", "Session"]

_VERSION = 1


class FilterHaltedError(RuntimeError):
    """A request reached a session that had halted."""


class Session:
    """One filter over one data set: ask, and release only on True.

        session = GaussianFilter(mu=1.0).open()
        if session.request(Gaussian(mu=0.3)):   # the spend is recorded before True comes back
            ...                                 # release

    on_denial="halt": the first denial ends the session, later requests raise FilterHaltedError (000
    Algorithms 2 and 4). on_denial="retry": a denied request costs nothing and something cheaper may be asked
    (000, remark after Lemma 4.2). The promise is the same.
    `record`, if given, is called with `to_dict()` once a decision was made and before it is returned, so
    that a process that dies between decision and release has spent, never gained; if it raises, the spend
    stands and nothing was granted. Threads may share a session: every method holds its lock.
    """

    def __init__(
        self,
        filt: PrivacyFilter,
        on_denial: Literal["halt", "retry"] = "halt",
        *,
        record: Callable[[Mapping[str, object]], object] | None = None,
    ) -> None:
        if on_denial not in ("halt", "retry"):
            raise ValueError(f"on_denial must be 'halt' or 'retry', got {on_denial!r}; choose one of them")
        self._filter = checked_filter(filt)
        self._on_denial: Literal["halt", "retry"] = on_denial
        self._record = record
        self._lock = threading.RLock()
        self._state: State = checked_start(filt, 1)
        self._halted = False
        self._awaits_loss = False
        self._granted = 0

    @property
    def filter(self) -> PrivacyFilter:
        """The filter that decides."""
        return self._filter

    @property
    def halted(self) -> bool:
        """Whether a denial has ended the session."""
        return self._halted

    @property
    def granted(self) -> int:
        """How many requests were granted."""
        return self._granted

    def request(self, pair: DominatingPair) -> bool:
        """Whether the mechanism that `pair` dominates may be released now; True means the spend is recorded.

        Raises FilterHaltedError after a halt, RuntimeError while a realisation-level filter waits for the
        loss of the last release, TypeError when `pair` is no pair of a single run.
        """
        if not isinstance(pair, DominatingPair):
            raise TypeError(f"pair must be a DominatingPair, got {pair!r}; pass e.g. Gaussian(mu=0.3)")
        if pair.shape not in ((), (1,)):
            raise TypeError(
                f"pair must be a single pair, got parameters of shape {pair.shape}; ask one by one"
            )
        with self._lock:
            if self._halted:
                raise FilterHaltedError(
                    f"the session has halted{self._left()}; open a new session on fresh data"
                )
            if self._awaits_loss:
                raise RuntimeError(
                    f"{type(self._filter).__name__} decides on realised losses and the last release has "
                    "none; call observe(loss) first"
                )
            if not checked_admits(self._filter, self._state, pair, 1)[0]:
                self._halted = self._on_denial == "halt"
                if self._halted and self._record is not None:
                    self._record(self.to_dict())
                return False
            self._state = checked_spend(self._filter, self._state, pair, 1)
            self._granted += 1
            self._awaits_loss = self._filter.looks_at_losses
            if self._record is not None:
                self._record(self.to_dict())
            return True

    def observe(self, loss: float) -> None:
        """Tell a realisation-level filter the loss log p(output)/q(output) of the last release, in nats.

        Raises ValueError for NaN, RuntimeError when no release waits for its loss.
        """
        if math.isnan(loss):
            raise ValueError("loss must be a number, got loss=nan; pass log p(output)/q(output)")
        with self._lock:
            if not self._awaits_loss:
                raise RuntimeError("no release waits for its loss; call observe(loss) once after each grant")
            self._state = checked_observe(self._filter, self._state, np.array([float(loss)]), 1)
            self._awaits_loss = False
            if self._record is not None:
                self._record(self.to_dict())

    def remaining(self) -> float:
        """The largest further cost still admitted, in the filter's own unit; 0.0 after a halt."""
        with self._lock:
            return 0.0 if self._halted else float(self._filter.remaining(self._state)[0])

    def affordable(self, family: Family) -> float:
        """The largest parameter t such that request(family(t)) is granted now; 0.0 if none is."""
        with self._lock:
            return 0.0 if self._halted else float(self._filter.affordable(self._state, family)[0])

    def to_dict(self) -> dict[str, object]:
        """Everything that `from_dict` needs, as JSON values; numbers are kept to the last bit."""
        with self._lock:
            return {
                "format": "filterproof.session",
                "version": _VERSION,
                "filter": repr(self._filter),
                "on_denial": self._on_denial,
                "halted": self._halted,
                "awaits_loss": self._awaits_loss,
                "granted": self._granted,
                "state": encode_state(self._state),
            }

    @classmethod
    def from_dict(
        cls,
        data: Mapping[str, Any],
        filt: PrivacyFilter,
        *,
        record: Callable[[Mapping[str, object]], object] | None = None,
    ) -> Session:
        """The session that `to_dict` described, under the same filter, with not an ulp lost or regained.

        The filter is passed, not read from the data: a saved file must not be able to raise its own budget.
        """
        if data.get("format") != "filterproof.session" or data.get("version") != _VERSION:
            raise ValueError(
                f"data must be a session of version {_VERSION}, got format={data.get('format')!r} "
                f"version={data.get('version')!r}; pass what Session.to_dict returned"
            )
        if data["filter"] != repr(filt):
            raise ValueError(
                f"filt must be the filter that was saved, got {filt!r} for {data['filter']}; "
                "pass the same filter"
            )
        session = cls(filt, data["on_denial"], record=record)
        session._state = same_layout(decode_state(data["state"]), session._state, filt)
        session._halted, session._awaits_loss = bool(data["halted"]), bool(data["awaits_loss"])
        session._granted = int(data["granted"])
        return session

    def __repr__(self) -> str:
        status = "halted" if self._halted else f"{self._granted} granted"
        return f"Session({self._filter!r}, {self._on_denial!r}; {status})"

    def _left(self) -> str:
        if type(self._filter).remaining is PrivacyFilter.remaining:
            return f" after {self._granted} grants"
        left = float(self._filter.remaining(self._state)[0])
        return f" after {self._granted} grants with {left:.6g} left"
