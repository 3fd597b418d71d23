"""Data in which one place was changed: what is read from outside ends in the truth or in one sentence."""

import math
from collections.abc import Callable, Iterator
from typing import Any

#: What may stand in any place: of another kind, out of range, beyond the doubles, or the name of something else.
JUNK: tuple[Any, ...] = (
    *(None, True, -1, 0, 1.5, 10**400, math.nan, math.inf, "", "1/2", [], {}),
    *(
        {"type": "os.system"},
        {"type": "max_gaussian_mu"},
        {"type": ["Gaussian"]},
        {"type": "Gaussian", "mu": 10**400},
        {"outside": "Mine"},
    ),
    *({"fraction": "1/0"}, {"fraction": "1e999999999"}, {"fraction": "9" * 400}, {"float": "1e5"}),
    *({"array": [1.0], "shape": [10**9], "dtype": "f"}, {"array": [1.0], "shape": [1], "dtype": "O"}),
)


def changed(data: Any) -> Iterator[tuple[str, Any]]:
    """Each copy of data with one place changed, left out or doubled, and which place."""
    for junk in JUNK:
        if repr(junk) != repr(data):
            yield f" is {str(junk)[:40]}", junk
    if isinstance(data, dict):
        yield " has more", data | {"more": 1}
        for key, value in data.items():
            yield f".{key} is left out", {name: kept for name, kept in data.items() if name != key}
            yield from ((f".{key}{where}", data | {key: other}) for where, other in changed(value))
    if isinstance(data, list):
        for i, value in enumerate(data):
            yield f"[{i}] is left out", data[:i] + data[i + 1 :]
            yield f"[{i}] is there twice", [*data[:i], value, *data[i:]]
            yield from (
                (f"[{i}]{where}", [*data[:i], other, *data[i + 1 :]]) for where, other in changed(value)
            )


def read_as_refused_or_true(data: Any, read: Callable[[Any], Any], true: Callable[[Any], bool]) -> list[str]:
    """Read each changed copy: an error in one sentence, or what is true. Which places were not refused."""
    taken = []
    for where, other in changed(data):
        said = None
        try:
            found = read(other)
        except (ValueError, TypeError) as error:
            said = str(error)
        if said is None:
            assert true(found), where
            taken.append(where)
        else:
            assert "\n" not in said, where
            assert len(said) < 1500, where
    return taken
