"""A session applies one filter to one data set. The application calls it before each release."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from reprlib import repr as short
from typing import NamedTuple

import numpy as np

from filterproof.filters.accountants.saved_state import (
    check_filter,
    check_same,
    checked_content,
    checked_key,
    decode_state,
    encode_state,
    identity_as_json,
    saved_count,
    saved_flag,
    saved_nonnegative_double,
)
from filterproof.filters.accountants.stateful_accountant import StatefulAccountant
from filterproof.filters.accounting.declared_charges import nonneg_or_inf
from filterproof.filters.contract.contract_checks import (
    checked_affordable,
    checked_filter,
    checked_is_reachable_state,
    checked_observe,
    checked_remaining,
    checked_spend,
    checked_spent,
    checked_start,
    checked_step,
    defines_remaining,
)
from filterproof.filters.contract.filter_base import FilterBase, MechanismFamily, OnDenial
from filterproof.filters.contract.identity import FilterIdentity
from filterproof.filters.contract.library import adds_no_code
from filterproof.filters.contract.state import State, frozen_copy, make_read_only
from filterproof.filters.contract.terms import FilterTerms
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs import DominatingPair

_VERSION = 2
_SAVED = (*("parameters", "filter", "on_denial", "halted", "awaits_loss", "loss_within", "granted", "state"),)
#: The relative and absolute rounding error allowed for a loss.
_ROUNDED = 2.0**-40


class FilterHaltedError(RuntimeError):
    """A request reached a session after its first denial, with on_denial="halt"."""


class _SessionState(NamedTuple):
    """The mutable part of a session, replaced as a whole, so that readers and interrupts never see half a decision."""

    state: State
    halted: bool = False
    awaits_loss: bool = False
    granted: int = 0
    #: The largest absolute loss that is expected, inf if unknown or none is expected.
    most: float = math.inf


class Session(StatefulAccountant):
    """The state of one filter over one data set; the application requests each release.

    Parameters
    ----------
    filt : PrivacyFilter
        The filter that decides.
    on_denial : {"halt", "retry"}
        "halt": the first denial ends the session, and later requests raise FilterHaltedError (Feldman & Zrnic (2021),
        Algorithms 2 and 4). "retry": a denied request costs nothing and another may follow (the remark after their
        Lemma 4.2). The promise is the same.
    record : callable, optional
        A function that receives `to_dict()` after each change of state, before the method returns. It makes a process
        that stops between decision and release lose budget and gain none.
    key : bytes, optional
        A key of at least 16 bytes that signs everything the session saves: see `from_dict`.

    Raises
    ------
    TypeError
        If `filt` is no filter with a promise, or `record` is not callable; also if the session is copied or pickled.
    ValueError
        If `on_denial` is neither "halt" nor "retry".

    Notes
    -----
    If `record` raises, so does the request, and nothing may be released. The charge (or the halt) remains, because
    `record` may have written it. A filter that uses realised losses then still waits for a loss: call `observe(0.0)`.
    Threads may share a session, which decides one request after the other. `record` must not wait for a thread that
    makes a request. A request from within a decision, and any use after a fork, raise RuntimeError.

    Examples
    --------
    >>> import filterproof as fp
    >>> session = fp.GaussianFilter(mu=1.0).open(on_denial="retry")
    >>> if session.request(fp.Gaussian(mu=0.8)):  # the charge is recorded before True is returned
    ...     pass  # release the output
    >>> session.request(fp.Gaussian(mu=0.8)), round(session.remaining(), 4)
    (False, 0.6)
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
                f"record must be callable, got {short(record)}; pass a function that saves its argument"
            )
        self._filter = checked_filter(filt)
        self._terms = FilterTerms.of(filt)
        # a filter of the library does not change: its identity is computed when it is saved
        self._identity = FilterIdentity.of(filt) if self._terms.terms else None
        self._library_decides = not self._terms.terms or adds_no_code(filt)
        self._looks_at_losses = filt.looks_at_losses
        self._on_denial: OnDenial = on_denial
        self._record = record
        self._close: Callable[[], object] | None = None
        self._key = checked_key(key)
        self._restored = False
        self._now = _SessionState(frozen_copy(checked_start(filt, 1)))

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
        """The number of requests that were granted and charged, including those whose `record` raised."""
        return self._now.granted

    def request(self, pair: DominatingPair) -> bool:
        """Return whether the application may release the mechanism now; True means that the charge is recorded.

        Parameters
        ----------
        pair : DominatingPair
            The dominating pair of the mechanism, of shape () or (1,).

        Returns
        -------
        bool

        Raises
        ------
        FilterHaltedError
            After a halt. The first request of a session that was restored after a halt returns False.
        RuntimeError
            While the filter waits for the loss of the last release, from within another decision, and in a forked
            process.
        TypeError
            If `pair` is no pair of a single run.
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
                if (
                    self._restored
                ):  # a loop `while session.request(...)` ends after a restart as it did before
                    self._restored = False
                    return False
                raise FilterHaltedError(
                    f"the session has halted{self._remaining_text()}; open a new session on fresh data"
                )
            if now.awaits_loss:
                raise RuntimeError(
                    f"{type(self._filter).__name__} decides on realised losses and the last release has "
                    "none; call observe(loss) first"
                )
            ours = self._library_decides
            admitted, spent = checked_step(self._filter, now.state, pair, 1, ours=ours)
            granted = bool(admitted[0])  # read once, because the filter may go on writing into its result
            if granted and spent is None:
                spent = checked_spend(self._filter, now.state, pair, 1)
            # a decision under changed terms does not count; nothing of it is stored yet
            if self._terms.terms:
                self._terms.check(self._filter)
            if not granted or spent is None:
                if self._on_denial == "halt":
                    self._set_state(now._replace(halted=True))
                return False
            awaits_loss = self._looks_at_losses
            most = float(nonneg_or_inf(pair.of_run(0).pure_epsilon)) if awaits_loss else math.inf
            state = make_read_only(spent) if ours else frozen_copy(spent)
            # `_SessionState(...)` in a third of its time
            after = tuple.__new__(_SessionState, (state, False, awaits_loss, now.granted + 1, most))
            self._set_state(after)
            return True

    def observe(self, loss: float) -> None:
        """Pass the realised privacy loss of the last release to a filter that uses losses.

        Parameters
        ----------
        loss : float
            log p(output)/q(output) in nats. It may be infinite.

        Raises
        ------
        ValueError
            For NaN, and for a loss of absolute value above the pure epsilon of the granted pair.
        RuntimeError
            If no release waits for its loss.
        """
        try:
            realised = math.ldexp(loss, 0)  # read once, because it may change; unlike float, it reads no text
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
                    f"loss must be at most {now.most:.6g} in size, the epsilon of the granted request, got "
                    f"loss={loss!r}; "
                    "pass log p(output)/q(output) of the released output"
                )
            after = checked_observe(self._filter, now.state, np.array([realised]), 1)
            self._set_state(now._replace(state=frozen_copy(after), awaits_loss=False, most=math.inf))

    def close(self) -> None:
        """Close the journal, if there is one; no further request is granted then."""
        if self._close is not None:
            self._close()

    def record_changes_with(
        self, record: Callable[[Mapping[str, object]], object], close: Callable[[], object]
    ) -> None:
        """Call `record` with the saved data at each later change; `close` releases its file."""
        self._record, self._close = record, close

    def _set_state(self, after: _SessionState) -> None:
        self._now = after
        if self._record is not None:
            self._record(self.to_dict())

    def remaining(self) -> float:
        """Return the largest further charge that is admitted, in the filter's own unit; 0.0 after a halt."""
        now = self._now
        return 0.0 if now.halted else float(checked_remaining(self._filter, now.state, 1)[0])

    def spent(self) -> Guarantee:
        """Return the guarantee of what was granted, if the requests and their number were fixed in advance.

        If requests or the end depended on answers, `filter.promise` holds and this may not. Raises TypeError for a
        filter that does not define it: filters with one sum of charges and `BasicFilter` do.
        """
        return checked_spent(self._filter, self._now.state)

    def affordable(self, family: MechanismFamily) -> float:
        """Return the largest t, up to bisection, for which request(family(t)) is granted now; else 0.0."""
        now = self._now
        return 0.0 if now.halted else float(checked_affordable(self._filter, now.state, family, 1)[0])

    def to_dict(self, *, key: bytes | None = None) -> dict[str, object]:
        """Return everything that `from_dict` needs, as JSON values; numbers keep every bit.

        Parameters
        ----------
        key : bytes, optional
            The key that signs the data by HMAC-SHA256. The default is the session's own key. Without any key the data
            are unsigned.
        """
        now = self._now
        if self._identity is None:
            self._identity = FilterIdentity.of(self._filter)
        content = {
            **identity_as_json(self._identity),
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
        """Restore the session that `to_dict` saved, bit for bit.

        Parameters
        ----------
        data : mapping
            What `to_dict` returned.
        filt, on_denial
            The same filter and `on_denial` as before. The caller passes them, so that a saved file cannot raise its
            own budget. The filter is the same if its class has the same name and its parameters have the same bits.
        record : callable, optional
            As in `Session`.
        key : bytes, optional
            The key of at least 16 bytes that signed the data. Store it separately from the file.

        Returns
        -------
        Session

        Raises
        ------
        ValueError
            If the data do not match `filt` and `on_denial`, are inconsistent, or have a state that
            `filt.is_reachable_state` refuses; with a key also if the data are unsigned, changed, or signed with
            another key.

        Notes
        -----
        Without a key, a file that someone edited to a smaller charge, or to remove a halt, is restored. For the
        library's filters that add up charges, no file restores more than the full budget. For filters that use
        realised losses (RealisationFilter, KappaFilter, HockeyStickFilter, ExPostFilter and the unsound ones) an
        edited loss may restore more than that, so pass a key for them. An older genuine file is always accepted: save
        the latest `granted` elsewhere and compare, and restore each file only once.
        """
        checked_filter(filt)
        key = checked_key(key)
        content = checked_content(data, "session", _VERSION, _SAVED, key, "Session.to_dict")
        identity = check_filter(content, filt)
        remedy = "pass the values of the original session"
        check_same("on_denial must be what", on_denial, content["on_denial"], on_denial, remedy)
        session = cls(filt, on_denial, record=record, key=key)
        halted, awaits = saved_flag(content, "halted"), saved_flag(content, "awaits_loss")
        granted, most = saved_count(content, "granted"), saved_nonnegative_double(content, "loss_within")
        if halted and (on_denial != "halt" or awaits):
            raise ValueError(
                f"halted must be false if on_denial is 'retry' or a loss is awaited, got on_denial={on_denial!r} "
                f"awaits_loss={awaits}; pass the data as it was saved"
            )
        if awaits and not (filt.looks_at_losses and granted):
            raise ValueError(
                f"awaits_loss must be false before a grant and for a filter that asks for no losses, got "
                f"granted={granted} for {filt!r}; pass the data as it was saved"
            )
        if most < math.inf and not awaits:
            raise ValueError(
                f"loss_within must be 'inf' if no loss is awaited, got {short(content['loss_within'])}; pass the "
                "data as it was saved"
            )
        start, is_reachable_state = (
            session._now.state,
            lambda state: checked_is_reachable_state(filt, state, 1),
        )
        state = decode_state(content["state"], start, 1, is_reachable_state, fresh=granted == 0)
        session._now = _SessionState(frozen_copy(state), halted, awaits, granted, most)
        session._identity, session._restored = identity, True
        return session

    def __repr__(self) -> str:
        now = self._now
        status = "halted" if now.halted else f"{now.granted} granted"
        return f"Session({self._filter!r}, {self._on_denial!r}; {status})"

    def _remaining_text(self) -> str:
        granted = self._now.granted
        after = f" after {granted:,} grant{'s' * (granted != 1)}"
        if not defines_remaining(self._filter):
            return after
        return f"{after} with {float(checked_remaining(self._filter, self._now.state, 1)[0]):.6g} left"
