"""Certificates, taken apart and changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Certificate = dict[str, Any]


def set_at(path: str, value: Any) -> Callable[[Certificate], None]:
    """Set what is at a path; in a list a number is a place, and a word the first step of that kind or label."""

    def at(place: Any, key: str) -> Any:
        if not isinstance(place, list):
            return place[key]
        if key.isdigit():
            return place[int(key)]
        return next(step for step in place if key in (step["certificate"]["kind"], step["checked"]))

    def forge(certificate: Certificate) -> None:
        *before, last = path.split("/")
        place: Any = certificate
        for key in before:
            place = at(place, key)
        place[last] = value

    return forge


def mutants(data: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every single change of JSON data, with its place: a value replaced, a key or an entry more, less or twice."""
    yield path, {"another": "value"}
    if isinstance(data, dict):
        yield f"{path}/foreign", data | {"foreign": 1}
        for key, value in data.items():
            yield f"{path}/{key} left out", {k: v for k, v in data.items() if k != key}
            for where, changed in mutants(value, f"{path}/{key}"):
                yield where, data | {key: changed}
    elif isinstance(data, list):
        for place, value in enumerate(data):
            yield f"{path}/{place} left out", data[:place] + data[place + 1 :]
            yield f"{path}/{place} twice", [*data[:place], value, *data[place:]]
            for where, changed in mutants(value, f"{path}/{place}"):
                yield where, [*data[:place], changed, *data[place + 1 :]]
    elif isinstance(data, bool):
        yield path, not data
        yield path, int(data)
    elif isinstance(data, (int, float)):
        yield f"{path} as text", str(data)
        yield f"{path} below zero", -1 - data
        yield f"{path} as another number", data + 1
    elif isinstance(data, str):
        yield path, data + " "
