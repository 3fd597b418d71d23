"""A session: one filter and its state over one data set, which an application asks before each release.

>>> import filterproof as fp
>>> session = fp.GaussianFilter(mu=1.0).open(on_denial="retry")
>>> [session.request(fp.Gaussian(mu)) for mu in (0.8, 0.8, 0.5)]
[True, False, True]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from reprlib import repr as short
from typing import NamedTuple

import numpy as np

from filterproof.filters.accountants.saved_state import (
    check_filter,
    check_same,
    checked_key,
    decode_state,
    encode_state,
    named,
    saved_count,
    saved_flag,
    saved_size,
    unsealed,
)
from filterproof.filters.accountants.stateful_accountant import StatefulAccountant
from filterproof.filters.accounting.declared_charges import nonneg_or_inf
from filterproof.filters.contract.contract_checks import (
    checked_affordable,
    checked_filter,
    checked_grant,
    checked_observe,
    checked_reaches,
    checked_remaining,
    checked_spend,
    checked_start,
    says_what_remains,
)
from filterproof.filters.contract.filter_base import FilterBase, MechanismFamily, OnDenial
from filterproof.filters.contract.identity import FilterIdentity
from filterproof.filters.contract.state import State, frozen, locked
from filterproof.filters.contract.terms import FilterTerms
from filterproof.theory.pairs import DominatingPair

_VERSION = 2
_SAVED = (*("parameters", "filter", "on_denial", "halted", "awaits_loss", "loss_within", "granted", "state"),)
#: What rounding may add to a loss, of it and by itself.
_ROUNDED = 2.0**-40


class FilterHaltedError(RuntimeError):
    """A request reached a session that had halted; open a new session on fresh data."""


class _Standing(NamedTuple):
    """All that changes in a session, replaced as a whole: no reader and no interrupt sees half a decision."""

    state: State
    halted: bool = False
    awaits_loss: bool = False
    granted: int = 0
    #: The largest size of the loss that is waited for, inf where none is known or waited for.
    most: float = math.inf


class Session(StatefulAccountant):
    """One filter over one data set: ask, and release only on True.

        session = GaussianFilter(mu=1.0).open()
        if session.request(Gaussian(mu=0.3)):   # the charge is recorded before True is returned
            ...                                 # release

    on_denial="halt": the first denial ends the session, later requests raise FilterHaltedError (000
    Algorithms 2 and 4). on_denial="retry": a denied request costs nothing and a cheaper one may follow
    (000, remark after Lemma 4.2). The promise is the same.
    `record`, if given, is called with `to_dict()` after each change of state and before the method returns: a
    process that dies between decision and release loses budget and gains none. If it raises, so does the
    request, and nothing may be released; yet the charge (or the halt) stands and the grant is counted, because
    the record may have been written. A realisation-level filter then still awaits a loss: call observe(0.0).
    `key` signs all that is saved, see `from_dict`.
    Threads may share a session and decide one after the other, so `record` must not wait for a thread that makes
    a request. A request or loss from within a decision, as from `record`, and use after a fork raise RuntimeError;
    copying and pickling raise TypeError.
    """

    def __init__(
        self,
        filt: FilterBase,
        on_denial: OnDenial = "halt",
        *,
        record: Callable[[Mapping[str, object]], object] | None = None,
        key: bytes | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(on_denial, str) or on_denial not in ("halt", "retry"):
            raise ValueError(f"on_denial must be 'halt' or 'retry', got {on_denial!r}; choose one of them")
        if record is not None and not callable(record):
            raise TypeError(
                f"record must be callable, got {short(record)}; pass a function of what is to be saved"
            )
        self._filter = checked_filter(filt)
        self._terms = FilterTerms.of(filt)
        # a filter of the library stays as it is: its identity is found when it is saved
        self._identity = None if self._terms.fixed else FilterIdentity.of(filt)
        self._looks = filt.looks_at_losses
        self._on_denial: OnDenial = on_denial
        self._record = record
        self._key = checked_key(key)
        self._now = _Standing(frozen(checked_start(filt, 1)))

    @property
    def filter(self) -> FilterBase:
        """The filter that decides."""
        return self._filter

    @property
    def halted(self) -> bool:
        """Whether a denial has ended the session."""
        return self._now.halted

    @property
    def granted(self) -> int:
        """How many requests were granted and charged, including any whose `record` raised."""
        return self._now.granted

    def request(self, pair: DominatingPair) -> bool:
        """Whether the mechanism that `pair` dominates may be released now; True means the spend is recorded.

        The filter decides once, by `grant` as in a simulation; the spend is the one that came with the decision.
        Raises FilterHaltedError after a halt, RuntimeError while a realisation-level filter waits for the
        loss of the last release, within another decision and in a forked process, TypeError when `pair` is no
        pair of a single run.
        """
        if (
            DominatingPair not in type(pair).__mro__
        ):  # `isinstance` of an abstract class takes three times as long
            raise TypeError(f"pair must be a DominatingPair, got {pair!r}; pass e.g. Gaussian(mu=0.3)")
        if (shape := pair.shape) and shape != (1,):
            raise TypeError(f"pair must be a single pair, got parameters of shape {shape}; ask one by one")
        with self._in_turn("request"):
            now = self._now
            if now.halted:
                raise FilterHaltedError(
                    f"the session has halted{self._left()}; open a new session on fresh data"
                )
            if now.awaits_loss:
                raise RuntimeError(
                    f"{type(self._filter).__name__} decides on realised losses and the last release has "
                    "none; call observe(loss) first"
                )
            ours = self._terms.fixed
            admitted, spent = checked_grant(self._filter, now.state, pair, 1, ours=ours)
            granted = bool(admitted[0])  # read once: the filter may go on writing into what it returned
            if granted and spent is None:
                spent = checked_spend(self._filter, now.state, pair, 1)
            if not ours:  # what was decided under other terms is no decision: nothing has been kept of it yet
                self._terms.check(self._filter)
            if not granted or spent is None:
                if self._on_denial == "halt":
                    self._settle(now._replace(halted=True))
                return False
            looks = self._looks
            most = float(nonneg_or_inf(pair.of_run(0).pure_epsilon)) if looks else math.inf
            state = locked(spent) if ours else frozen(spent)
            # what `_Standing(...)` does, in a third of its time
            after = tuple.__new__(_Standing, (state, False, looks, now.granted + 1, most))
            self._settle(after)
            return True

    def observe(self, loss: float) -> None:
        """Tell a realisation-level filter the loss log p(output)/q(output) of the last release, in nats.

        Raises ValueError for NaN and for a loss that no mechanism has which was granted, beyond the pair's epsilon,
        RuntimeError when no release waits for its loss.
        """
        try:
            realised = math.ldexp(loss, 0)  # read once, for it may change; unlike float it reads no text
        except (TypeError, ValueError, OverflowError):
            realised = math.nan
        if math.isnan(realised):
            raise ValueError(f"loss must be a number, got loss={short(loss)}; pass log p(output)/q(output)")
        with self._in_turn("observe"):
            now = self._now
            if not now.awaits_loss:
                raise RuntimeError("no release waits for its loss; call observe(loss) once after each grant")
            if (
                math.fabs(realised) > now.most * (1 + _ROUNDED) + _ROUNDED
            ):  # losses of either sign would cancel
                raise ValueError(
                    f"loss must lie within the epsilon {now.most:.6g} of what was granted, got loss={loss!r}; "
                    "pass log p(output)/q(output) of the output that was released"
                )
            after = checked_observe(self._filter, now.state, np.array([realised]), 1)
            self._settle(now._replace(state=frozen(after), awaits_loss=False, most=math.inf))

    def _settle(self, after: _Standing) -> None:
        self._now = after
        if self._record is not None:
            self._record(self.to_dict())

    def remaining(self) -> float:
        """The largest further cost still admitted, in the filter's own unit; 0.0 after a halt."""
        now = self._now
        return 0.0 if now.halted else float(checked_remaining(self._filter, now.state, 1)[0])

    def affordable(self, family: MechanismFamily) -> float:
        """A parameter t such that request(family(t)) is granted now, next to the largest; 0.0 if none is."""
        now = self._now
        return 0.0 if now.halted else float(checked_affordable(self._filter, now.state, family, 1)[0])

    def to_dict(self, *, key: bytes | None = None) -> dict[str, object]:
        """Everything that `from_dict` needs, as JSON values; numbers are kept to the last bit.

        Signed by HMAC-SHA256 with `key`, or else with the session's own; unsigned if there is neither.
        """
        now = self._now
        if self._identity is None:
            self._identity = FilterIdentity.of(self._filter)
        content = {
            **named(self._identity),
            "on_denial": self._on_denial,
            "halted": now.halted,
            "awaits_loss": now.awaits_loss,
            "loss_within": now.most.hex(),
            "granted": now.granted,
            "state": encode_state(now.state),
        }
        return self._sealed("session", _VERSION, content, key)

    @classmethod
    def from_dict(
        cls,
        data: Mapping[str, object],
        filt: FilterBase,
        on_denial: OnDenial = "halt",
        *,
        record: Callable[[Mapping[str, object]], object] | None = None,
        key: bytes | None = None,
    ) -> Session:
        """The session that `to_dict` described, under the same filter and on_denial, bit for bit.

        `filt` and `on_denial` are passed, not read from the data: a saved file must not raise its own budget.
        The same filter is one of a class of that name with the same parameters, bit for bit: see `FilterIdentity`.
        Raises ValueError unless the data fit both, hold exactly what `to_dict` writes, are consistent, and hold a
        state that granted requests can have led to, as far as `filt.is_reachable_state` tells. Of filters in this
        package that add up charges, no data restore more than the whole budget. That is not so for filters that look
        at realised losses (RealisationFilter, KappaFilter, HockeyStickFilter, ExPostFilter and the unsound ones): a
        possible loss written by hand looks like a real one and may restore more than a fresh session has. Pass key=
        for them. Without a key nothing more is checked: a file rewritten to say that less was spent, or that no denial
        came, is restored. With a key (at least 16 bytes, stored apart from the file) a file is refused that was saved
        without it, signed with another key, or changed since. An older genuine file is still accepted: keep the latest
        `granted` elsewhere and compare; and restore each file once, into one holder.
        """
        checked_filter(filt)
        key = checked_key(key)
        content = unsealed(data, "session", _VERSION, _SAVED, key, "Session.to_dict")
        identity = check_filter(content, filt)
        remedy = "pass what the session was opened with"
        check_same("on_denial must be what", on_denial, content["on_denial"], on_denial, remedy)
        session = cls(filt, on_denial, record=record, key=key)
        halted, awaits = saved_flag(content, "halted"), saved_flag(content, "awaits_loss")
        granted, most = saved_count(content, "granted"), saved_size(content, "loss_within")
        if halted and (on_denial != "halt" or awaits):
            raise ValueError(
                f"halted must be false where on_denial is 'retry' or a loss is awaited, got on_denial={on_denial!r} "
                f"awaits_loss={awaits}; pass the data as it was saved"
            )
        if awaits and not (filt.looks_at_losses and granted):
            raise ValueError(
                f"awaits_loss must be false before a grant and for a filter that asks for no losses, got "
                f"granted={granted} for {filt!r}; pass the data as it was saved"
            )
        if most < math.inf and not awaits:
            raise ValueError(
                f"loss_within must be 'inf' where no loss is awaited, got {short(content['loss_within'])}; pass the "
                "data as it was saved"
            )
        start, is_reachable_state = session._now.state, lambda state: checked_reaches(filt, state, 1)
        state = decode_state(content["state"], start, 1, is_reachable_state, fresh=granted == 0)
        session._now = _Standing(frozen(state), halted, awaits, granted, most)
        session._identity = identity
        return session

    def __repr__(self) -> str:
        now = self._now
        status = "halted" if now.halted else f"{now.granted} granted"
        return f"Session({self._filter!r}, {self._on_denial!r}; {status})"

    def _left(self) -> str:
        granted = self._now.granted
        after = f" after {granted:,} grant{'s' * (granted != 1)}"
        if not says_what_remains(self._filter):
            return after
        return f"{after} with {float(checked_remaining(self._filter, self._now.state, 1)[0]):.6g} left"
