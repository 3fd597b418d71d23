"""The process in which the user's code runs: it plays a filter and prints what it decides.

python -m filterproof.mc.prove.played FILE CLASS DIGEST
"""

from __future__ import annotations

import ast
import dataclasses
import importlib.util
import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

import filterproof.theory.pairs as pairs
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.prove.source import constructor
from filterproof.theory.pairs import DominatingPair

PLAYS, ROUNDS = 16, 28
#: In place of a state, where a method raised.
RAISED = object()


def main(file: str, name: str, digest: str, library: str) -> dict[str, Any]:
    """Plays of a class of a file, as data; with `library`, whether that filter inside it grants what it grants."""
    text = Path(file).read_text("utf-8")
    if sha256(text.encode()).hexdigest() != digest:
        return {"plays": [], "problem": "the file has changed since it was traced"}
    spec = importlib.util.spec_from_file_location("filter_under_test", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["filter_under_test"] = module
    spec.loader.exec_module(module)
    name, args, named = constructor(name)
    kind = getattr(module, name)
    problem = changed(kind, compile(ast.parse(text), file, "exec", dont_inherit=True), file)
    filt = kind(*args, **named)
    if shadowed := sorted(k for k in getattr(filt, "__dict__", {}) if callable(getattr(kind, k, None))):
        problem = f"an attribute of the instance shadows the method {shadowed[0]}"
    if problem:
        return {"plays": [], "problem": problem}
    inner = library_filter(filt, library) if library else None
    plays = [one(filt, number, inner) for number in range(PLAYS)]
    if any(d.pop("beyond") for play in plays for d in play):
        return {"plays": [], "problem": f"the filter granted what {library} denies"}
    return {"plays": plays, "problem": ""}


def library_filter(filt: Any, library: str) -> Any:
    """The filter of the library, by its repr, that a filter keeps or extends."""
    for value in vars(filt).values():
        if isinstance(value, PrivacyFilter) and repr(value) == library:
            return value
    base = next(kind for kind in type(filt).__mro__ if kind.__module__.startswith("filterproof.filters."))
    names = [part.name for part in dataclasses.fields(base) if part.init]
    return base(**{name: getattr(filt, name) for name in names})


def changed(kind: type, code: CodeType, file: str) -> str:
    """A method that is not what the file says; '' where all are."""
    for owner in kind.__mro__:
        if owner.__module__ != "filter_under_test":
            continue
        written = {(c.co_qualname, c.co_firstlineno): c for c in _codes(code)}
        for attribute, value in vars(owner).items():
            function = getattr(value, "fget", None) or getattr(value, "__func__", value)
            own = function.__code__ if isinstance(function, FunctionType) else None
            if own is None or own.co_filename != file:
                if attribute in ("start", "admits", "spend", "observe", "grant"):
                    return f"{owner.__name__}.{attribute} is not the function of the file"
                continue
            place = (own.co_qualname, own.co_firstlineno)
            if place not in written or not _same(written[place], own):
                return f"{owner.__name__}.{attribute} is not what the file says"
    return ""


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _same(one: CodeType, two: CodeType) -> bool:
    def plain(code: CodeType) -> list[Any]:
        return [repr(c) for c in code.co_consts if not isinstance(c, CodeType)]

    return (
        one.co_code == two.co_code
        and one.co_names == two.co_names
        and plain(one) == plain(two)
        and all(_same(a, b) for a, b in zip(_codes(one), _codes(two), strict=True))
    )


def one(filt: Any, number: int, inner: Any) -> list[dict[str, Any]]:
    """One play; in every second one, three runs side by side."""
    rng = np.random.default_rng(number)
    n = 1 if number % 2 == 0 else 3
    scale = 10 ** rng.uniform(-2.5, 0.0)
    state, found = filt.start(n), []
    own = inner.start(n) if inner is not None else None
    for _ in range(ROUNDS):
        vectorised = bool(rng.integers(2))
        family, parameters = drawn(rng, scale * 2 ** rng.uniform(-2, 1), n if vectorised else 0)
        request = getattr(pairs, family)(**parameters)
        loss = losses(rng, request, n)
        granted, after = answered(filt, state, request, loss, n)
        allowed, charged = granted, own
        if inner is not None:
            allowed, charged = answered(inner, own, request, loss, n)
        for run in range(n):
            mine = {k: float(v[run]) if isinstance(v, np.ndarray) else v for k, v in parameters.items()}
            found.append(
                {
                    "before": [] if inner is not None else list(leaves(state, run, n)),
                    "family": family,
                    "parameters": mine,
                    "vectorised": vectorised,
                    "granted": bool(granted[run]),
                    "after": list(leaves(after, run, n)) if granted[run] and inner is None else [],
                    "loss": float(loss[run]),
                    "runs": n,
                    "raised": after is RAISED,
                    "beyond": bool(granted[run] and not allowed[run]),
                }
            )
        if granted.any():
            state = merged(granted, after, state, n)
            own = (
                merged(granted, charged, own, n) if inner is not None and (allowed | ~granted).all() else own
            )
    return found


def answered(filt: Any, state: Any, request: DominatingPair, loss: Any, n: int) -> tuple[Any, Any]:
    """What the filter decides, and the state afterwards; a method that raises denies."""
    try:
        with np.errstate(all="ignore"):
            granted = np.broadcast_to(np.asarray(filt.admits(state, request)).astype(bool), (n,))
            if not granted.any():
                return granted, None
            after = filt.spend(state, request)
            return granted, filt.observe(after, loss)
    except Exception:  # noqa: BLE001 - whatever the user's code raises, nothing is released
        return np.zeros(n, dtype=bool), RAISED


def drawn(rng: np.random.Generator, size: float, n: int) -> tuple[str, dict[str, Any]]:
    """A family, and parameters of which the charge is about `size`."""

    def number(value: float) -> Any:
        return np.asarray(value * 2 ** rng.uniform(-1, 1, n)) if n else float(value * 2 ** rng.uniform(-1, 1))

    kind = int(rng.integers(9))
    if kind <= 2:
        return "Gaussian", {"mu": number(size)}
    if kind <= 4:
        return "RandomizedResponse", {"epsilon": number(size)}
    if kind == 5:
        return "Laplace", {"b": number(1 / size)}
    if kind == 6:
        return "Erasure", {"p": number(min(size, 1.0) * 1e-6)}
    if kind == 7:
        return "KOV", {"epsilon": number(size), "delta": number(1e-7)}
    return "BoundedRange", {"epsilon": number(size)}


def losses(rng: np.random.Generator, request: DominatingPair, n: int) -> Any:
    """A realised loss for each run, half of them of the swapped sign."""
    with np.errstate(all="ignore"):
        return request.sample(rng, n) * np.where(rng.random(n) < 0.5, 1.0, -1.0)


def leaves(state: Any, run: int, n: int) -> Iterator[Any]:
    """The numbers of one run, in the order in which the trace has them."""
    if dataclasses.is_dataclass(state):
        for part in dataclasses.fields(state):
            yield from leaves(getattr(state, part.name), run, n)
    elif isinstance(state, dict):
        for value in state.values():
            yield from leaves(value, run, n)
    elif isinstance(state, tuple | list):
        for value in state:
            yield from leaves(value, run, n)
    elif isinstance(state, np.ndarray):
        own = state[run] if state.ndim and state.shape[0] == n else state
        yield from (number(x) for x in np.ravel(own))
    elif isinstance(state, bool | int | float | np.generic):
        yield number(state)


def number(value: Any) -> Any:
    """A number as JSON keeps it exactly."""
    plain = value.item() if isinstance(value, np.generic) else value
    return float(plain) if isinstance(plain, bool) else plain


def merged(granted: Any, new: Any, old: Any, n: int) -> Any:
    """The state after, of the runs that were granted."""
    if granted.all():
        return new
    if dataclasses.is_dataclass(new):
        names = [part.name for part in dataclasses.fields(new)]
        own = {k: merged(granted, getattr(new, k), getattr(old, k), n) for k in names}
        return dataclasses.replace(new, **own)  # type: ignore[type-var]
    if isinstance(new, dict):
        return {k: merged(granted, new[k], old[k], n) for k in new}
    if isinstance(new, tuple | list):
        parts = [merged(granted, a, b, n) for a, b in zip(new, old, strict=True)]
        return type(new)(*parts) if hasattr(new, "_fields") else type(new)(parts)
    if isinstance(new, np.ndarray) and new.ndim:
        return np.where(granted.reshape(-1, *[1] * (new.ndim - 1)), new, old)
    return new


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(main(*sys.argv[1:5])) + "\n")
