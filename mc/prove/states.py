"""States of filters in a trace: the numbers in their arrays, and the same state with other numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from filterproof.filters.contract.state import map_arrays, part_names, parts
from filterproof.mc.prove.paths import NotTraced
from filterproof.mc.prove.values import Array, lift


def iter_names_kinds_entries(value: Any, name: str = "") -> Iterator[tuple[str, str, Any]]:
    """Yield (name, kind, entry) of each number in a state, without the low parts of double-doubles."""
    if (inner := parts(value)) is not None:
        names = part_names(value) or [f"{name}[{i}]" for i in range(len(inner))]
        for own, part in zip(names, inner, strict=True):
            yield from iter_names_kinds_entries(part, own)
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
        return f"{type(value).__name__}{part_names(value) or ''}({', '.join(map(structure, inner))})"
    array = lift(value)
    return repr(value) if array is None else f"{array.kind}{'n' * array.runs}{array.tail}"


def map_traced_arrays(value: Any, rule: Callable[[Array, list[Any]], Any]) -> Any:
    """Return the state with `rule(array, sums)` for each array; `sums` has the open double-doubles."""
    sums: list[Any] = []

    def replace_leaf(leaf: Any) -> Any:
        array = lift(leaf)
        return leaf if array is None else rule(array, sums)

    mapped = map_arrays(replace_leaf, value)
    if sums:
        raise NotTraced("the two doubles of a budget's sum are not next to each other in the state")
    return mapped


def rebuild_with_entries(value: Any, entries: Iterator[Any]) -> Any:
    """Return a state of the same structure whose numbers are `entries`."""

    def array_with_next_entries(array: Array, sums: list[Any]) -> Array:
        """Return an array of the same kind and shape with the next entries."""
        is_rest = array.kind.startswith("rest")
        items = sums.pop(0) if is_rest else [next(entries) for _ in array.items]
        if array.kind.startswith("sum"):
            sums.append(items)
        return Array(array.kind, array.runs, array.tail, items, writable=False)

    return map_traced_arrays(value, array_with_next_entries)


def check_double_double_parts(value: Any) -> None:
    """Raise NotTraced unless each double-double's low part directly follows its high part."""

    def check_array(array: Array, sums: list[Any]) -> None:
        if array.kind.startswith("sum"):
            sums.append((array.kind[4:], array.items))
        elif array.kind.startswith("rest") and (not sums or sums.pop(0) != (array.kind[5:], array.items)):
            raise NotTraced("the two doubles of a budget's sum are not next to each other in the state")

    map_traced_arrays(value, check_array)


def exact_state_numbers(tree: Any, leaves: tuple[float, ...]) -> tuple[Any, ...]:
    """Return the numbers of a real state, each budget sum of two doubles as one exact number."""
    if "sum " not in structure(tree):
        return leaves
    numbers, exact = iter(leaves), list[Any]()

    def read_array(array: Array, sums: list[Any]) -> None:
        for _ in array.items:
            number = next(numbers)
            if not array.kind.startswith("rest"):
                if array.kind.startswith("sum"):
                    sums.append(len(exact))
                exact.append(number)
            elif math.isfinite(exact[place := sums.pop(0)] + number):
                unit = Fraction(4) ** int(array.kind.split()[1])
                exact[place] = (Fraction(exact[place]) + Fraction(number)) * unit

    map_traced_arrays(tree, read_array)
    return tuple(exact)
