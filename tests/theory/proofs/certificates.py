"""Certificates, taken apart and changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Certificate = dict[str, Any]


def step_of(certificate: Certificate, kind: str) -> Any:
    return next(step for step in certificate["steps"] if step["certificate"]["kind"] == kind)


def drop(certificate: Certificate, kind: str) -> None:
    certificate["steps"] = [s for s in certificate["steps"] if s["certificate"]["kind"] != kind]


def set_at(path: str, value: Any) -> Callable[[Certificate], None]:
    def forge(certificate: Certificate) -> None:
        *before, last = path.split("/")
        place: Any = certificate
        for key in before:
            place = place[int(key)] if isinstance(place, list) else place[key]
        place[last] = value

    return forge
