"""A saved session, what is done to it, and how it is refused."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

import filterproof.filters as fp
from filterproof.theory.pairs import DominatingPair, Gaussian

KEY, OTHER = b"sixteen bytes of" * 2, b"and not this key" * 2
FILTER = fp.GaussianFilter(mu=1.0)


def reread(data: Any) -> Any:
    """What comes back from a file."""
    return json.loads(json.dumps(data))


def places(data: Any, *way: Any) -> list[tuple[Any, tuple[Any, ...]]]:
    """(container, the way to it with the key in it) of everything inside."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [place for key, value in inside for place in ((data, (*way, key)), *places(value, *way, key))]


def spent(key: bytes | None = None) -> dict[str, Any]:
    """A saved session of FILTER that has spent most of its budget."""
    session = FILTER.open("retry", key=key)
    for mu in (0.7, 0.6, 0.1, 0.3):
        session.request(Gaussian(mu=mu))
    saved: dict[str, Any] = reread(session.to_dict())
    return saved


def sums(high: float, low: float) -> dict[str, Any]:
    """The saved session with other sums."""
    data = spent()
    for part, number in zip(data["state"], (high.hex(), low.hex()), strict=True):
        part["values"] = [number]
    return data


def refusal(
    data: object, filt: fp.PrivacyFilter = FILTER, key: bytes | None = None, policy: Any = "retry"
) -> str:
    """The one sentence with which the data are refused."""
    with pytest.raises(ValueError) as error:
        fp.Session.from_dict(data, filt, policy, key=key)  # type: ignore[arg-type]
    sentence = str(error.value)
    assert "\n" not in sentence
    assert len(sentence) < 500
    assert type(error.value) is ValueError
    return sentence


def forged(
    filt: fp.PrivacyFilter,
    part: int,
    values: list[object],
    pair: DominatingPair,
    losses: Sequence[float] = (0.25,),
) -> dict[str, Any]:
    """A saved session of `filt` in which `pair` lost those, with other values in one array of its state."""
    session = filt.open()
    for loss in losses:
        assert session.request(pair)
        if filt.looks_at_losses:
            session.observe(loss)
    data: dict[str, Any] = reread(session.to_dict())
    array = data["state"][part] if isinstance(data["state"], list) else data["state"]
    array["values"] = [x.hex() if isinstance(x, float) else x for x in values]
    array["shape"] = [1, len(values)] if len(array["shape"]) == 2 else [1]
    return data
