"""Selections: one pair per run, from a menu."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.argument_checks import Real
from filterproof.theory.display import one_line_repr
from filterproof.theory.pairs.base import DominatingPair, alias_property
from filterproof.theory.pairs.finite import FiniteOutcomesPair, sample_members

#: Runs that request one family (None: all runs), and the vectorised pair of their requests.
Group = tuple[NDArray[np.intp] | None, DominatingPair]
#: Runs that request one family (None: all runs), its members, and the member that each run requests.
_Family = tuple[NDArray[np.intp] | None, tuple[DominatingPair, ...], NDArray[np.intp]]


def _property_of_chosen_pair(name: str) -> Any:
    """Return a property that reads the same property of the member that each run picked."""
    return property(
        lambda pair: look_up_values_per_run([getattr(selected, name) for selected in pair.pairs], pair.index)
    )


@dataclass(frozen=True, slots=True, eq=False)
class PairPerRun(DominatingPair):
    """One pair per run, from a menu: run i requests `pairs[index[i]]`.

    The shape of a selection is (n,), with n = len(index).

    Parameters
    ----------
    pairs : tuple of DominatingPair
        The menu. Members may be of different families, and have shape () or (n,). No member is a PairPerRun.
    index : ndarray of int or bool of shape (n,)
        Position in the menu for each run, from 0.

    Raises
    ------
    TypeError
        If a member is not a pair or is a PairPerRun, or if `index` is not an integer array of shape (n,).
    ValueError
        If the menu is empty or an index is outside it.

    Notes
    -----
    One call draws the losses of all members of a family. A menu of Gaussians costs one standard normal and one table
    look-up per run.

    Examples
    --------
    >>> import filterproof as fp
    >>> import numpy as np
    >>> menu = (fp.Gaussian(1.0), fp.Laplace(2.0))
    >>> fp.PairPerRun(menu, index=np.array([0, 1, 0])).zcdp_rho
    array([0.5  , 0.125, 0.5  ])
    """

    pairs: tuple[DominatingPair, ...]
    index: NDArray[np.intp]
    _families: list[_Family] = field(init=False, repr=False)

    __repr__ = one_line_repr

    def __post_init__(self) -> None:
        pairs = tuple(self.pairs)
        if not pairs:
            raise ValueError(
                "pairs must have at least one member, got an empty menu; pass the pairs to choose from"
            )
        for pair in pairs:
            if not isinstance(pair, DominatingPair) or isinstance(pair, PairPerRun):
                raise TypeError(
                    f"pairs must hold dominating pairs and no PairPerRun, got {pair!r}; "
                    "pass for example fp.Gaussian(mu=1.0)"
                )
        index = self.index
        if not isinstance(index, np.ndarray) or index.ndim != 1 or index.dtype.kind not in "iub":
            raise TypeError(
                "index must be an integer array of shape (n,), "
                f"got {type(index).__name__} of shape {np.shape(index)}; pass the choice of each run"
            )
        index = index.astype(np.intp)  # a copy, so that the caller cannot change the checked index
        if index.size and (index.min() < 0 or index.max() >= len(pairs)):
            raise ValueError(
                f"index must lie in 0..{len(pairs) - 1}, got {index.min()}..{index.max()}; pick from the menu"
            )
        object.__setattr__(self, "pairs", pairs)
        self._set_parameter("index", index)
        object.__setattr__(self, "_families", [])

    # -- charges of filters: table look-ups -----------------------------------------------------

    members = alias_property("pairs")
    member_index = alias_property("index")

    def of_run(self, run: int) -> DominatingPair:
        pair: DominatingPair = self.pairs[self.index[run]]
        return pair.of_run(run)

    def _look_up(self, values: list[Real]) -> Real:
        return look_up_values_per_run(values, self.index)

    pure_epsilon = _property_of_chosen_pair("pure_epsilon")
    zcdp_rho = _property_of_chosen_pair("zcdp_rho")
    gdp_mu = _property_of_chosen_pair("gdp_mu")
    infinite_mass = _property_of_chosen_pair("infinite_mass")

    def hockey_stick_upper_bound(self, epsilon: float) -> Real:
        return self._look_up([pair.hockey_stick_upper_bound(epsilon) for pair in self.pairs])

    # -- divergences and the privacy-loss distribution: look-ups for one argument, family by family for one per run ---

    def _member_values(self, method: str, argument: Real) -> Real:
        if not isinstance(argument, np.ndarray) or argument.ndim == 0:
            return self._look_up([getattr(pair, method)(argument) for pair in self.pairs])
        return self._evaluate_by_family(
            lambda pair, runs: getattr(pair, method)(argument if runs is None else argument[runs])
        )

    def hockey_stick(self, epsilon: Real) -> Real:
        return self._member_values("hockey_stick", epsilon)

    def renyi(self, alpha: Real) -> Real:
        return self._member_values("renyi", alpha)

    def loss_cdf(self, x: Real) -> Real:
        return self._member_values("loss_cdf", x)

    def loss_isf(self, tail: Real) -> Real:
        return self._member_values("loss_isf", tail)

    @property
    def swapped(self) -> PairPerRun:
        return PairPerRun(tuple(pair.swapped for pair in self.pairs), self.index)

    # -- sampling: one call per family -----------------------------------------------------------

    def sample(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        return self._draw_from_members("sample", rng, n, order)

    def sample_finite(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        return self._draw_from_members("sample_finite", rng, n, order)

    def _draw_from_members(
        self, way: str, rng: np.random.Generator, n: int, order: float
    ) -> NDArray[np.float64]:
        if n != len(self.index):
            raise ValueError(
                f"n must be the number of runs {len(self.index)}, got n={n}; "
                "take the live runs with pair.take(runs) first"
            )
        parts = []
        for runs, members, index in self._members_by_family():
            finite = [pair for pair in members if isinstance(pair, FiniteOutcomesPair) and not pair.shape]
            if len(members) == len(finite) > 1:
                drawn = sample_members(finite, index, rng, order, finite=way == "sample_finite")
            else:
                drawn = getattr(_family_as_one_pair(members, index), way)(rng, len(index), order)
            parts.append((runs, drawn))
        return self._join_family_values(parts)

    def log_weight(self, loss: NDArray[np.float64], order: float) -> NDArray[np.float64]:
        if all(type(pair).log_weight is DominatingPair.log_weight for pair in self.pairs):
            return DominatingPair.log_weight(self, loss, order)
        return self._evaluate_by_family(
            lambda pair, runs: pair.log_weight(loss if runs is None else loss[runs], order)
        )

    def _log_normaliser(self, order: float) -> Real:
        return self._look_up([pair._log_normaliser(order) for pair in self.pairs])

    def _evaluate_by_family(
        self, part: Callable[[DominatingPair, NDArray[np.intp] | None], Real]
    ) -> NDArray[np.float64]:
        """Return one number per run: `part` of each family's pair and run indices."""
        return self._join_family_values((runs, part(pair, runs)) for runs, pair in self.runs_by_family())

    def _join_family_values(
        self, parts: Iterable[tuple[NDArray[np.intp] | None, Real]]
    ) -> NDArray[np.float64]:
        """Return one number per run, given (run indices, numbers) of each family."""
        out: NDArray[np.float64] | None = None
        for runs, values in parts:
            if runs is None:
                return np.asarray(values)
            out = np.empty(len(self.index)) if out is None else out
            out[runs] = values
        return np.empty(0) if out is None else out

    def runs_by_family(self) -> list[Group]:
        return [
            (runs, _family_as_one_pair(members, index)) for runs, members, index in self._members_by_family()
        ]

    def _members_by_family(self) -> list[_Family]:
        """Return (run indices, members, member index of each run) for each family."""
        if self._families or not self.pairs:
            return self._families
        members: dict[Hashable, list[int]] = {}
        for position, pair in enumerate(self.pairs):
            members.setdefault(pair.family, []).append(position)
        if len(members) == 1:
            self._families.append((None, self.pairs, self.index))
            return self._families
        # each menu entry: which family it belongs to, and which of that family's members it is
        family = np.empty(len(self.pairs), dtype=np.intp)
        place = np.empty(len(self.pairs), dtype=np.intp)
        for number, positions in enumerate(members.values()):
            family[positions] = number
            place[positions] = range(len(positions))
        selected = family[self.index]
        for number, positions in enumerate(members.values()):
            runs = np.flatnonzero(selected == number)
            if runs.size:
                some = tuple(self.pairs[position].take(runs) for position in positions)
                self._families.append((runs, some, place[self.index[runs]]))
        return self._families

    # -- shape -------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        return self.index.shape

    def take(self, runs: NDArray[np.bool_] | NDArray[np.intp] | slice) -> PairPerRun:
        pairs = tuple(pair.take(runs) for pair in self.pairs)
        return self.with_parameters({"pairs": pairs, "index": self.index[runs], "_families": []})

    def _key(self) -> tuple[object, ...]:
        return (PairPerRun, self.pairs, self.index.astype(np.intp, copy=False).tobytes())


def look_up_values_per_run(values: Sequence[Real], index: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Return values[index[i]] for every run i; values are shared or per run, and the caller checked the index."""
    if any(isinstance(value, np.ndarray) and value.ndim for value in values):
        picked = np.broadcast_to(np.asarray(values[0], dtype=np.float64), index.shape)
        for place, value in enumerate(values[1:], start=1):
            picked = np.where(index == place, value, picked)
        return np.array(picked) if len(values) == 1 else picked
    # the index was checked when the selection was made: "wrap" only spares NumPy's second check
    return np.array(values, dtype=np.float64).take(index, mode="wrap")


def _family_as_one_pair(pairs: tuple[DominatingPair, ...], index: NDArray[np.intp]) -> DominatingPair:
    """Return one vectorised pair for members of one family."""
    first, *others = pairs
    if not others or (first._has_derived_fields and all(pair == first for pair in others)):
        return first
    merged: dict[str, object] = {}
    columns = [pair.parameters() for pair in pairs]
    for name, value in columns[0].items():
        if isinstance(value, (float, np.ndarray)):
            merged[name] = look_up_values_per_run([column[name] for column in columns], index)  # type: ignore[misc]
        elif any(column[name] != value for column in columns):
            merged[name] = None  # the exact rationals differ, and a vectorised pair has none
    return first.with_parameters(merged)
