"""Base class of dataclasses whose parameters are numbers, or arrays with one value per run."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields
from fractions import Fraction
from functools import cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.display import digest_repr


class PerRunParameters:
    """A frozen dataclass whose fields are parameters: numbers, or arrays of shape (n,), one per run.

    A field whose name begins with an underscore is derived from the parameters; the constructor computes it for new
    parameters. Equality, hash and the one-line repr depend on the parameters only.
    """

    __slots__ = ()

    __repr__ = digest_repr

    @property
    def shape(self) -> tuple[int, ...]:
        """Return () if all runs share the parameters, (n,) if a parameter differs from run to run."""
        sizes = []
        for name in _parameter_names(
            type(self)
        ):  # no comprehension, because each request of a session calls this
            if isinstance(value := getattr(self, name), np.ndarray):
                sizes.append(value.shape)  # noqa: PERF401
        return (sizes[0] if len(sizes) == 1 else np.broadcast_shapes(*sizes)) if sizes else ()

    def take(self, runs: NDArray[np.bool_] | NDArray[np.intp] | slice) -> Self:
        """Select runs.

        Parameters
        ----------
        runs : ndarray of bool or int, or slice
            Mask, indices or slice of the runs.

        Returns
        -------
        Self
            The pair of these runs; the same object if all runs share the parameters.
        """
        if self.shape == ():
            return self
        picked = {k: v[runs] for k, v in self.parameters().items() if isinstance(v, np.ndarray)}
        return self.with_parameters(picked)

    def _set_parameter(self, name: str, value: object) -> None:
        """Set a checked parameter; an array must belong to this pair alone and becomes read-only."""
        if isinstance(value, np.ndarray):
            if value.ndim > 1:
                raise ValueError(
                    f"{name} must be a number or one per run, shape (n,), got an array of shape {value.shape}; "
                    f"pass for example {name}.ravel()"
                )
            value.flags.writeable = False
        object.__setattr__(self, name, value)

    def parameters(self) -> dict[str, object]:
        """Return the parameters by name."""

        return {name: getattr(self, name) for name in _parameter_names(type(self))}

    def with_parameters(self, changed: Mapping[str, object]) -> Self:
        """Return this pair with some parameters replaced.

        Parameters
        ----------
        changed : Mapping of str to object
            New values by name. Arrays must belong to the new pair alone.

        Returns
        -------
        Self
            A pair with unchecked parameters. The constructor checks them if a field follows from the parameters and
            `changed` does not contain it.
        """
        kind = type(self)
        if not changed.keys() >= (derived := _derived_names(kind)):
            given = {name: value for name, value in self.parameters().items() if name not in derived}
            return kind(**{name: changed.get(name, value) for name, value in given.items()})
        new: Self = object.__new__(kind)
        for name in _names(kind):
            new._set_parameter(name, changed[name] if name in changed else getattr(self, name))
        return new

    @property
    def _has_derived_fields(self) -> bool:
        """Return whether the class has derived fields."""
        return bool(_derived_names(type(self)))

    @property
    def family(self) -> Hashable:
        """Return a key; pairs with equal keys differ only in numbers, so that one vectorised pair can replace them all.

        With derived fields, only equal pairs have equal keys.
        """
        if self._has_derived_fields:
            return (type(self), self)
        fixed = (v for v in self.parameters().values() if not isinstance(v, (float, np.ndarray, Fraction)))
        return (type(self), *(v for v in fixed if v is not None))

    def _key(self) -> tuple[object, ...]:
        def freeze(value: object) -> object:
            return (value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value

        return (type(self), *map(freeze, self.parameters().values()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PerRunParameters) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


#: The fields of a class: all, the parameters, and the derived ones.
_names: Callable[[type], tuple[str, ...]] = cache(lambda kind: tuple(f.name for f in fields(kind)))
_parameter_names: Callable[[type], tuple[str, ...]] = cache(
    lambda kind: tuple(name for name in _names(kind) if name[0] != "_")
)
_derived_names: Callable[[type], frozenset[str]] = cache(
    lambda kind: frozenset(f.name for f in fields(kind) if f.name[0] == "_" or not f.init)
)
