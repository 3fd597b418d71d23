"""A table of a TOML file whose keys are taken out one by one, and refused with the file and the key."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["TomlTable"]


@dataclass(frozen=True, slots=True)
class TomlTable:
    """Used in a `with`: at its end ValueError is raised for a key that was not taken, and on the way for a wrong value.

    A text is one line, however it is broken in the file.
    """

    where: str
    data: dict[str, Any]

    @classmethod
    def of(cls, file: Path) -> TomlTable:
        """The table of a whole file."""
        try:
            return cls(str(file), tomllib.loads(file.read_text("utf-8")))
        except ValueError as malformed:  # what is no UTF-8, too
            raise ValueError(f"{file} must be TOML, got {malformed}; mend it") from malformed

    def __enter__(self) -> TomlTable:
        return self

    def __exit__(self, raised: type[BaseException] | None, *more: object) -> None:
        if raised is None and self.data:
            raise ValueError(f"{min(self.data)} is no key of {self.where}; see its spelling")

    def text(self, name: str, default: str | None = None, of: Sequence[str] = ()) -> str:
        """A text that is not empty, one of `of` where that is given."""
        value = self.data.pop(name, default)
        if value is not default or value is None:
            value = self._line(name, value)
        if of and value not in of:
            raise ValueError(
                f"{name} must be of {', '.join(of)}, got {value!r} in {self.where}; see its spelling"
            )
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        return tuple(self._line(name, value) for value in self._list(name))

    def pairs(self, name: str) -> tuple[tuple[str, str], ...]:
        """A list of pairs of texts, empty where there is none."""
        pairs = self._list(name, [])
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise ValueError(f"{name} must be pairs, got {pairs!r} in {self.where}; write [[entry, law]]")
        return tuple((self._line(name, first), self._line(name, second)) for first, second in pairs)

    def calls(self, name: str, least: int) -> list[list[Any]]:
        """A list, no shorter than `least`, of lists: a text in words, the name of a function, and what it is given."""
        calls = self._list(name, [])
        for call in calls:
            words, function, *_ = [*call, "", ""] if isinstance(call, list) else ("", "")
            if not (self._line(name, words) and all(map(str.isidentifier, str(function).split(".")))):
                raise ValueError(
                    f"{name} must be functions with words, got {call!r} in {self.where}; write "
                    '["by hand", "noises.told_together", 1.0]'
                )
        if len(calls) < least:
            raise ValueError(
                f"{name} must have two ways to the true value, got {len(calls)} in {self.where}; add another"
            )
        return calls

    def tolerance(self, name: str, default: float) -> float:
        """A number between 0 and 1."""
        value = self.data.pop(name, default)
        if not (isinstance(value, float) and 0 < value < 1):
            raise ValueError(
                f"{name} must be between 0 and 1, got {value!r} in {self.where}; write 1e-6, say"
            )
        return value

    def tables(self, name: str, key: str) -> Iterator[TomlTable]:
        """The tables [[name]], no two of the same `key`."""
        seen: set[str] = set()
        for value in self._list(name):
            if not (isinstance(value, dict) and isinstance(value.get(key), str)):
                raise ValueError(f"{name} must be tables with a {key}, got {value!r} in {self.where}; add it")
            if value[key] in seen:
                raise ValueError(f"{key} must differ, got {value[key]!r} twice in {self.where}; rename one")
            seen.add(value[key])
            yield TomlTable(f"{self.where}, {name} {value[key]}", value)

    def _list(self, name: str, default: Any = None) -> list[Any]:
        value = self.data.pop(name, default)
        if not isinstance(value, list):
            raise ValueError(f"{name} must be a list, got {value!r} in {self.where}; add it")
        return value

    def _line(self, name: str, value: Any) -> str:
        line = " ".join(value.split()) if isinstance(value, str) else ""
        if not line:
            raise ValueError(f"{name} must be a text, got {value!r} in {self.where}; add it")
        return line
