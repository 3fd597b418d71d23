"""States of filters: tuples, dicts, named tuples and data classes of arrays, taken apart and put together."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from filterproof.mc.prove.paths import NotTraced
from filterproof.mc.prove.values import Array, lift


def parts(value: Any) -> list[tuple[str, Any]] | None:
    """(name, part) of a container; None for what is none."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value)]
    if isinstance(value, dict):
        return [(str(key), part) for key, part in value.items()]
    if isinstance(value, tuple | list):
        return list(zip(getattr(value, "_fields", map(str, range(len(value)))), value, strict=True))
    return None


def rebuilt_container(value: Any, made: list[Any]) -> Any:
    """A container like `value` with other parts."""
    if isinstance(value, dict):
        return dict(zip(value, made, strict=True))
    if hasattr(value, "_fields"):
        return type(value)(*made)
    if isinstance(value, tuple | list):
        return type(value)(made)
    new = object.__new__(type(value))
    for field, part in zip(dataclasses.fields(value), made, strict=True):
        object.__setattr__(new, field.name, part)
    return new


def flatten(value: Any, name: str = "") -> Iterator[tuple[str, str, Any]]:
    """(name, kind, entry) of each number in a state; the rest of a budget's sum is none of its own."""
    if (inner := parts(value)) is not None:
        for key, part in inner:
            yield from flatten(part, f"{name}[{key}]" if key.isdigit() else key)
    elif (array := lift(value)) is not None:
        if not array.runs:
            raise NotTraced("the state holds a number that is no array with an entry for each run")
        if not array.kind.startswith("rest"):
            for i, item in enumerate(array.items):
                yield (f"{name}[{i}]" if len(array.items) > 1 else name), array.kind, item
    elif value is not None and not isinstance(value, str):
        raise NotTraced(f"a state holds {type(value).__name__}, which has no rule")


def structure(value: Any) -> str:
    """The structure of a state, without its numbers."""
    if (inner := parts(value)) is not None:
        return f"{type(value).__name__}({','.join(f'{key}={structure(part)}' for key, part in inner)})"
    array = lift(value)
    return repr(value) if array is None else f"{array.kind}{'n' * array.runs}{array.tail}"


def rebuilt(value: Any, entries: Iterator[Any]) -> Any:
    """The state with other numbers."""
    sums: list[Any] = []

    def remade(array: Array) -> Array:
        if array.kind.startswith("rest"):
            items = sums.pop(0)
        else:
            items = [next(entries) for _ in array.items]
            if array.kind.startswith("sum"):
                sums.append(items)
        return Array(array.kind, array.runs, array.tail, items, writable=False)

    return mapped(value, remade)


def mapped(value: Any, rule: Callable[[Array], Any]) -> Any:
    """The state with each array replaced."""
    if (inner := parts(value)) is not None:
        return rebuilt_container(value, [mapped(part, rule) for _, part in inner])
    array = lift(value)
    return value if array is None else rule(array)


def check_rests(value: Any) -> None:
    """NotTraced where the rest of a budget's sum is not that of the sum before it."""
    sums: list[Array] = []

    def check(array: Array) -> None:
        if array.kind.startswith("sum"):
            sums.append(array)
        elif array.kind.startswith("rest"):
            whole = sums.pop(0) if sums else None
            if whole is None or whole.items != array.items or whole.kind[4:] != array.kind[5:]:
                raise NotTraced("the two parts of a budget's sum are not side by side")

    mapped(value, check)
    if sums:
        raise NotTraced("the two parts of a budget's sum are not side by side")


def exact_leaves(tree: Any, leaves: tuple[float, ...]) -> tuple[Any, ...]:
    """The numbers of a real state of the structure of `tree`, the two doubles of a budget's sum as one exact number."""
    if "sum " not in structure(tree):
        return leaves
    numbers, sums = iter(leaves), list[int]()
    found: list[Any] = []

    def read(array: Array) -> None:
        for _ in array.items:
            one = next(numbers)
            if array.kind.startswith("rest"):
                place, unit = sums.pop(0), Fraction(4) ** int(array.kind.split()[1])
                if math.isfinite(found[place] + one):
                    found[place] = (Fraction(found[place]) + Fraction(one)) * unit
            else:
                if array.kind.startswith("sum"):
                    sums.append(len(found))
                found.append(one)

    mapped(tree, read)
    return tuple(found)
