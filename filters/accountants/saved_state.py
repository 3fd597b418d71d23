"""Saved data: an accountant's numbers as JSON values, restored to the bit, with an optional signature."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.filter_base import FilterBase, StateT
from filterproof.filters.contract.identity import MAX_DESCRIPTION_CHARS, FilterIdentity
from filterproof.filters.contract.state import parts, rebuild_container, runs_equal

_MIN_KEY = 16
#: The most parameters that an error names.
_MAX_NAMED = 3
#: The JSON type of an array's numbers by the kind of its dtype: floats become hexadecimal text.
_TYPES = {"f": str, "i": int, "u": int, "b": bool}
_REMEDY = "pass the return value of to_dict"


def checked_key(key: object) -> bytes | None:
    """Return `key`, at least 16 bytes, or None."""
    if key is None or (type(key) is bytes and len(key) >= _MIN_KEY):
        return key
    got = f"{len(key)} bytes" if isinstance(key, bytes) else f"a {type(key).__name__}"
    raise ValueError(f"key must be at least {_MIN_KEY} bytes, got {got}; pass e.g. secrets.token_bytes(32)")


def content_signed_if_key(
    kind: str, version: int, content: Mapping[str, object], key: bytes | None
) -> dict[str, object]:
    """Return `content` with its format and version and, with a key, the HMAC-SHA256 of everything."""
    data = {"format": f"filterproof.{kind}", "version": version, **content}
    return data if key is None else {**data, "hmac": _signature(data, key)}


def checked_content(
    data: object, kind: str, version: int, names: tuple[str, ...], key: bytes | None, source: str
) -> dict[str, Any]:
    """Return a copy of the content that `content_signed_if_key` was given: JSON values under exactly these names.

    Raises ValueError for anything else, including signed data without a key and data with another signature.
    """
    if not isinstance(data, Mapping):
        raise ValueError(
            f"data must be a mapping, got a {type(data).__name__}; pass the return value of {source}"
        )
    try:
        # a copy in JSON's own types, which the caller cannot change
        copy = json.loads(json.dumps(dict(data), allow_nan=False))
    except Exception:  # noqa: BLE001 - a foreign mapping may raise anything
        raise ValueError(
            f"data must have JSON values only, got another type; pass the return value of {source}"
        ) from None
    form = f"filterproof.{kind}"
    if copy.get("format") != form or type(copy.get("version")) is not int or copy["version"] != version:
        raise ValueError(
            f"data must be a saved {kind} of version {version}, got format={short(copy.get('format'))} "
            f"version={short(copy.get('version'))}; pass the return value of {source}"
        )
    if key is None and "hmac" in copy:
        raise ValueError("key must be the key of the signed data, got key=None; pass the key")
    signature = copy.pop("hmac", None)
    for name in {"format", "version", *names} ^ copy.keys():
        expected_keys = "no other keys, got" if name in copy else "all keys, got none for"
        raise ValueError(f"data must have {expected_keys} {short(name)}; pass the return value of {source}")
    if key is not None and not (
        isinstance(signature, str)
        and hmac.compare_digest(_signature(copy, key).encode(), signature.encode("utf-8", "replace"))
    ):
        raise ValueError(
            f"hmac must be the signature of data under key, got hmac={short(signature)}; pass the data and the "
            "its key, unchanged"
        )
    return {name: copy[name] for name in names}


def check_same(says: str, given: object, saved: object, expected: object, remedy: str) -> None:
    """Raise ValueError unless the saved value is `kept`, the form in which `given` is saved."""
    if saved != expected:
        raise ValueError(f"{says} was saved, got {given!r} for {short(saved)}; {remedy}")


def identity_as_json(identity: FilterIdentity) -> dict[str, object]:
    """Return the repr and the parameter digests of a filter, for saved data."""
    return {"filter": identity.description, "parameters": dict(identity.parameters)}


def check_filter(content: Mapping[str, Any], filt: FilterBase) -> FilterIdentity:
    """Return the identity of `filt` with the saved description. Raises ValueError if another filter was saved."""
    own, saved = FilterIdentity.of(filt), content["filter"]
    if type(saved) is not str or not 0 < len(saved) <= MAX_DESCRIPTION_CHARS:
        raise ValueError(f"filter must be as to_dict wrote it, got {short(saved)}; pass the data unchanged")
    if content["parameters"] == dict(own.parameters):
        return replace(own, description=saved)
    names = own.changed_parameters(content["parameters"])
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    raise ValueError(
        f"filt must be the filter that was saved, got {own.description} for {short(saved)}, which differ in "
        f"{short(', '.join(names[:_MAX_NAMED]))[1:-1]}{more}; pass the same filter"
    )


def saved_flag(content: Mapping[str, Any], name: str) -> bool:
    """Return content[name], true or false."""
    value = content[name]
    if type(value) is not bool:
        raise ValueError(
            f"{name} must be true or false, got {name}={short(value)}; pass the data as it was saved"
        )
    return value


def saved_count(content: Mapping[str, Any], name: str, least: int = 0) -> int:
    """Return content[name], an integer >= `least`."""
    value = content[name]
    if type(value) is not int or value < least:
        raise ValueError(
            f"{name} must be an integer >= {least}, got {name}={short(value)}; pass the data as it was saved"
        )
    return value


def saved_nonnegative_double(content: Mapping[str, Any], name: str) -> float:
    """Return content[name], a double from 0 to inf saved as hexadecimal text."""
    value, size = content[name], math.nan
    with contextlib.suppress(ValueError, OverflowError):
        size = float.fromhex(value) if type(value) is str else math.nan
    if not (size >= 0 and size.hex() == value):
        raise ValueError(
            f"{name} must be the digits of a double >= 0, got {name}={short(value)}; pass the data as it was saved"
        )
    return size


def _signature(data: Mapping[str, object], key: bytes) -> str:
    """Return the HMAC-SHA256 of the canonical JSON text of `data`."""
    return hmac.new(key, _canonical_json(data).encode("ascii"), hashlib.sha256).hexdigest()


def _canonical_json(data: object) -> str:
    """Return the canonical JSON text: sorted keys, no spaces, ASCII."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _unchanged(number: Any) -> Any:
    """Return `number` itself."""
    return number


def encode_state(state: Any) -> object:
    """Return `state` as JSON values. Floats become exact hexadecimal text and may be infinite or NaN."""
    inner = parts(state)
    return _encoded_array(state) if inner is None else list(map(encode_state, inner))


def decode_state(
    data: object,
    start: StateT,
    runs: int,
    is_reachable_state: Callable[[StateT], NDArray[np.bool_]],
    *,
    fresh: bool = False,
) -> StateT:
    """Return the state that `encode_state` wrote; each run must equal `start` (one run) or be reachable.

    With `fresh`, nothing was granted, and every run must equal `start`. Raises ValueError for anything else.
    """
    state: StateT = _decoded_state(data, start, runs)
    unspent = runs_equal(state, start)
    reachable = unspent if fresh else unspent | is_reachable_state(state)
    if not reachable.all():
        raise ValueError(
            f"state must be reachable by {'no grant' if fresh else 'granted requests'}, got an unreachable one in "
            f"{np.count_nonzero(~reachable)} of {runs} runs; {_REMEDY}"
        )
    return state


def _encoded_array(array: NDArray[Any]) -> dict[str, object]:
    kind, values = _json_type_of(array), array.ravel().tolist()
    values = [float(x).hex() for x in values] if kind is str else values
    return {"dtype": array.dtype.str, "shape": list(array.shape), "values": values}


def _decoded_array(data: Any, like: NDArray[Any], runs: int) -> NDArray[Any]:
    """Return the array that `encode_state` wrote, with the dtype and dimensions of `like` and `runs` runs."""
    number = float.fromhex if _json_type_of(like) is str else _unchanged
    try:
        array = np.array(list(map(number, data["values"])), dtype=like.dtype).reshape(data["shape"])
        # a number in another notation, with fewer digits, or of another type
        round_trips = _canonical_json(_encoded_array(array)) == _canonical_json(data)
    except (TypeError, ValueError, KeyError, OverflowError):
        round_trips = False
    if not round_trips or array.ndim != like.ndim or len(array) != runs:
        raise ValueError(
            f"state must hold arrays of {like.dtype} for {runs} runs as they were written, got {short(data)}; {_REMEDY}"
        )
    return array


def _json_type_of(array: NDArray[Any]) -> type:
    """Return the JSON type that stores a number of `array` to the last bit."""
    kind = _TYPES.get(array.dtype.kind)
    if kind is None or array.dtype.itemsize > 8:
        raise TypeError(f"state must hold numbers to be saved, got dtype={array.dtype}; keep it in float64")
    return kind


def _decoded_state(data: object, like: Any, runs: int) -> Any:
    inner = parts(like)
    if inner is None:
        return _decoded_array(data, like, runs)
    if not isinstance(data, list) or len(data) != len(inner):
        got = f"{len(data)} parts" if isinstance(data, list) else short(data)
        raise ValueError(f"state must have the layout of a fresh one, got {got} for {len(inner)}; {_REMEDY}")
    return rebuild_container(
        like, [_decoded_state(part, start, runs) for part, start in zip(data, inner, strict=True)]
    )
