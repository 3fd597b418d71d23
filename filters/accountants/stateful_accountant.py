"""The base class of objects that own a budget: it refuses copies, forked processes and nested requests."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import ClassVar, NoReturn, SupportsIndex

from filterproof.filters.accountants.saved_state import checked_key, content_signed_if_key


class StatefulAccountant:
    """An object that owns a budget and stays its only user.

    Changes from several threads wait for each other. A nested change (a callback of a request makes another request)
    and a change in a forked process raise RuntimeError; copies and pickles raise TypeError.
    """

    #: The attributes in its repr: terms that the analyst gave, and no personal data.
    _terms_shown: ClassVar[tuple[str, ...]] = ()
    #: What to do instead of a copy.
    _remedy: ClassVar[str] = "save it with to_dict and restore it with from_dict, into one object at a time"

    def __init__(self) -> None:
        self._key: bytes | None = None  # signs all saved data
        self._lock = threading.RLock()  # reentrant, for reads during a change
        self._process = os.getpid()

    def __repr__(self) -> str:
        terms = (f"{name}={getattr(self, name)!r}" for name in self._terms_shown)
        return f"{type(self).__name__}({', '.join(terms)}; hidden)"

    def _in_turn(self, method: str) -> threading.RLock:
        """Return the lock for which threads wait, locked during a change: `with self._in_turn("request"):`.

        Raises RuntimeError within another change and in a forked process. The lock is in C: with a context manager in
        Python, an interrupt between its lines could leave it locked.
        """
        if os.getpid() != self._process:  # before the lock: a fork may have copied its locked state
            raise RuntimeError(
                f"{type(self).__name__}.{method} must be called in the process that made it, got process "
                f"{os.getpid()} for {self._process}; {self._remedy}"
            )
        if self._lock._is_owned():  # type: ignore[attr-defined]
            raise RuntimeError(
                f"{type(self).__name__}.{method} must not be called within another call that decides, got one from a "
                "callback (record, the filter or the pair); ask again once that call has returned"
            )
        return self._lock

    def _sealed(
        self, kind: str, version: int, content: Mapping[str, object], key: bytes | None
    ) -> dict[str, object]:
        """Return the saved data, signed with `key`, or else with the object's own key; unsigned without both."""
        return content_signed_if_key(kind, version, content, self._key if key is None else checked_key(key))

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} must not be copied or pickled, because two copies would spend one budget "
            f"twice; {self._remedy}"
        )
