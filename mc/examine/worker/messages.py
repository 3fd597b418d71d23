"""Messages: what travels between a worker and the process that waits for it, pickled.

>>> loaded(dumped(("item", 42), None), None)
('item', 42)
"""

from __future__ import annotations

import io
import pickle
import sys
from collections.abc import Iterator
from typing import Any

from filters.privacy_filter import PrivacyFilter

__all__ = ["dumped", "loaded"]


def dumped(held: object, filt: PrivacyFilter | None) -> bytes:
    """The bytes of a message; the filter itself, and classes that no import finds, go by reference."""
    file = io.BytesIO()
    _Pickler(file, filt).dump(held)
    return file.getvalue()


def loaded(body: bytes, filt: PrivacyFilter | None) -> Any:
    """The message of these bytes, of one's own worker: unpickling runs code."""
    return _Unpickler(body, filt).load()


class _Pickler(pickle.Pickler):
    """Sends what the parent had before as its address, and the name of a class."""

    def __init__(self, file: io.BytesIO, filt: PrivacyFilter | None) -> None:
        super().__init__(file)
        self.filter = filt

    def persistent_id(self, held: Any) -> tuple[int, str] | None:
        if held is self.filter and held is not None:
            return id(held), ""
        if isinstance(held, type) and not _importable(held):
            return id(held), held.__qualname__
        return None


class _Unpickler(pickle.Unpickler):
    def __init__(self, body: bytes, filt: PrivacyFilter | None) -> None:
        super().__init__(io.BytesIO(body))
        self.filter = filt

    def persistent_load(self, told: Any) -> Any:
        if told == (id(self.filter), ""):
            return self.filter
        for kind in _classes():
            if told == (id(kind), kind.__qualname__):
                return kind
        raise pickle.UnpicklingError(f"{told[1]} was made after the examination began")


def _classes() -> Iterator[type]:
    classes, ahead = {object}, [object]
    while ahead:
        kind = ahead.pop()
        yield kind
        new = set(type.__subclasses__(kind)) - classes
        classes |= new
        ahead.extend(new)


def _importable(kind: type) -> bool:
    place: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        place = getattr(place, name, None)
    return place is kind
