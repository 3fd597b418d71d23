"""The envelope of saved data: JSON values under known names, with format, version and, given a key, a signature."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import math
from collections.abc import Mapping
from reprlib import repr as short
from typing import Any

__all__ = ["checked_key", "saved_count", "saved_flag", "saved_size", "sealed", "unsealed"]

_LEAST_KEY = 16


def checked_key(key: object) -> bytes | None:
    """`key`, at least 16 bytes, or None."""
    if key is None or (type(key) is bytes and len(key) >= _LEAST_KEY):
        return key
    got = f"{len(key)} bytes" if isinstance(key, bytes) else f"a {type(key).__name__}"
    raise ValueError(
        f"key must be at least {_LEAST_KEY} bytes, got {got}; pass e.g. what secrets.token_bytes(32) gave"
    )


def sealed(kind: str, version: int, content: Mapping[str, object], key: bytes | None) -> dict[str, object]:
    """`content` with its format and version and, given a key, the HMAC-SHA256 of the whole."""
    data = {"format": f"filterproof.{kind}", "version": version, **content}
    return data if key is None else {**data, "hmac": _signature(data, key)}


def unsealed(
    data: object, kind: str, version: int, names: tuple[str, ...], key: bytes | None, source: str
) -> dict[str, Any]:
    """A copy of the content that `sealed` was given: JSON values under exactly `names`.

    Raises ValueError for anything else: without a key for signed data, with a key for data it did not sign.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"data must be a mapping, got a {type(data).__name__}; pass what {source} returned")
    try:
        # a copy that the caller cannot change, in JSON's own types
        copy = json.loads(json.dumps(dict(data), allow_nan=False))
    except Exception:  # noqa: BLE001 - a foreign mapping may raise anything
        raise ValueError(
            f"data must hold JSON values only, got something else; pass what {source} returned"
        ) from None
    form = f"filterproof.{kind}"
    if copy.get("format") != form or copy.get("version") != version or type(copy["version"]) is not int:
        raise ValueError(
            f"data must be a saved {kind} of version {version}, got format={short(copy.get('format'))} "
            f"version={short(copy.get('version'))}; pass what {source} returned"
        )
    if key is None and "hmac" in copy:
        raise ValueError(
            "key must be the one that data was signed with, got key=None; pass the key to read what was signed"
        )
    signature = copy.pop("hmac", None)
    expected = ("format", "version", *names)
    for name in expected:
        if name not in copy:
            raise ValueError(f"data must have the key {name!r}, got none; pass what {source} returned")
    for name in copy:
        if name not in expected:
            raise ValueError(f"data must have no other keys, got {short(name)}; pass what {source} returned")
    if key is not None and not (
        isinstance(signature, str)
        and hmac.compare_digest(_signature(copy, key).encode(), signature.encode("utf-8", "replace"))
    ):
        raise ValueError(
            f"hmac must be the signature of data under key, got hmac={short(signature)}; pass the data and the "
            "key of one saving, unchanged"
        )
    return {name: copy[name] for name in names}


def saved_flag(content: Mapping[str, Any], name: str) -> bool:
    """content[name], true or false."""
    value = content[name]
    if type(value) is not bool:
        raise ValueError(
            f"{name} must be true or false, got {name}={short(value)}; pass the data as it was saved"
        )
    return value


def saved_count(content: Mapping[str, Any], name: str, least: int = 0) -> int:
    """content[name], an integer >= `least`."""
    value = content[name]
    if type(value) is not int or value < least:
        raise ValueError(
            f"{name} must be an integer >= {least}, got {name}={short(value)}; pass the data as it was saved"
        )
    return value


def saved_size(content: Mapping[str, Any], name: str) -> float:
    """content[name], the hexadecimal digits of a double from 0 to inf."""
    value, size = content[name], math.nan
    with contextlib.suppress(ValueError, OverflowError):
        size = float.fromhex(value) if type(value) is str else math.nan
    if not (size >= 0 and size.hex() == value):
        raise ValueError(
            f"{name} must be the digits of a double >= 0, got {name}={short(value)}; pass the data as it was saved"
        )
    return size


def _signature(data: Mapping[str, object], key: bytes) -> str:
    """HMAC-SHA256 of the canonical JSON text of `data`: keys sorted, no spaces, ASCII."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hmac.new(key, text.encode("ascii"), hashlib.sha256).hexdigest()
