"""A request with labels: a mechanism that is asked for at a site, about an epoch or some blocks, for an analyst.

>>> import filterproof as fp
>>> here = fp.Labelled(fp.RandomizedResponse(0.5), {"site": "a"})
>>> here.labels, here.pure_epsilon, here.asked.pure_epsilon
({'site': 'a'}, 0.5, 0.5)
>>> there = fp.Labelled(fp.RandomizedResponse(0.5), {"site": "b"}, reveals=False)
>>> there.labels, there.pure_epsilon, there.asked.pure_epsilon
({'site': 'b'}, 0.0, 0.5)
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.display import one_line
from filterproof.theory.pairs.base import DominatingPair, same_as
from filterproof.theory.pairs.randomized_response import RandomizedResponse

#: A label, or several that one request is about.
Label: TypeAlias = "str | int | tuple[str | int, ...]"
#: Dimension by dimension, as a request keeps its labels.
Where: TypeAlias = tuple[tuple[str, Label], ...]

#: What a request reveals about a record that it does not read.
_NOTHING = RandomizedResponse.from_ratio(1)


def _of_law(name: str) -> Any:
    """What `law` has under this name."""
    return property(lambda pair: getattr(pair.law, name))


def _by_law(name: str) -> Any:
    """What `law` computes under this name."""
    return lambda pair, *given, **named: getattr(pair.law, name)(*given, **named)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Labelled(DominatingPair):
    """The laws of `mechanism` on two data sets that differ in one record; those of no release if it reads it not.

    where maps each dimension ("site", "epoch", "block", "analyst") to a label, or to a tuple of several. All laws and
    charges are those about the record: of `mechanism` where it `reveals`, else none. Who keeps budgets by labels reads
    `asked`, what is to be released, and `labels`. mechanism is of any shape, and no Selection.
    Raises TypeError for labels that are not text or whole numbers, and for what is no pair.
    """

    mechanism: DominatingPair
    where: Mapping[str, Label] | Where
    reveals: bool = True

    __repr__ = one_line

    def __post_init__(self) -> None:
        given: object = self.mechanism
        if not isinstance(given, DominatingPair) or given.choice is not None or given.labels:
            raise TypeError(
                f"mechanism must be one pair without labels, got {given!r}; pass e.g. RandomizedResponse(0.5)"
            )
        if not isinstance(self.reveals, bool):
            raise TypeError(f"reveals must be a bool, got {self.reveals!r}; say whether the record is read")
        object.__setattr__(self, "where", checked_where("where", self.where))

    asked = same_as("mechanism")

    @property
    def labels(self) -> dict[str, Label]:
        return dict(self.where)

    @property
    def law(self) -> DominatingPair:
        """The pair whose laws these are."""
        return self.mechanism if self.reveals else _NOTHING

    # -- charges and laws: those of `law` ------------------------------------------------------------

    pure_epsilon = _of_law("pure_epsilon")
    zcdp_rho = _of_law("zcdp_rho")
    gdp_mu = _of_law("gdp_mu")
    zcdp_root = _of_law("zcdp_root")
    kov = _of_law("kov")
    outputs = _of_law("outputs")
    normal_mu = _of_law("normal_mu")
    sampled_normal = _of_law("sampled_normal")
    exact_masses = _of_law("exact_masses")
    held_masses = _of_law("held_masses")
    infinite_mass = _of_law("infinite_mass")
    reference_values = _of_law("reference_values")
    least = _by_law("least")
    hockey_stick_upper_bound = _by_law("hockey_stick_upper_bound")
    hockey_stick = _by_law("hockey_stick")
    renyi = _by_law("renyi")
    loss_cdf = _by_law("loss_cdf")
    loss_isf = _by_law("loss_isf")
    sample = _by_law("sample")
    sample_finite = _by_law("sample_finite")
    log_weight = _by_law("log_weight")
    _log_normaliser = _by_law("_log_normaliser")

    @property
    def rational(self) -> Labelled | None:
        exact = self.mechanism.rational
        return None if exact is None else self._with(exact)

    @property
    def swapped(self) -> Labelled:
        return self._with(self.mechanism.swapped) if self.reveals else self

    # -- shape: that of `mechanism` ------------------------------------------------------------------

    @property
    def more_private_variants(self) -> tuple[DominatingPair, ...]:
        return tuple(map(self._with, self.mechanism.more_private_variants))

    def same_parameters(self, request: DominatingPair) -> bool:
        return self == request

    @property
    def shape(self) -> tuple[int, ...]:
        return self.mechanism.shape

    @property
    def family(self) -> Hashable:
        return self._key()  # what is asked for is no number: each request is looked up by itself

    def of_run(self, run: int) -> Labelled:
        return self._with(self.mechanism.of_run(run))

    def take(self, runs: NDArray[np.bool_] | NDArray[np.intp] | slice) -> Labelled:
        return self._with(self.mechanism.take(runs))

    def _with(self, mechanism: DominatingPair) -> Labelled:
        return Labelled(mechanism, self.where, self.reveals)


def checked_where(name: str, where: Mapping[str, Label] | Where) -> Where:
    """The labels, dimension by dimension; TypeError unless each is text, a whole number, or a tuple of some."""
    given = where.items() if isinstance(where, Mapping) else where
    try:
        labels = tuple((dimension, label) for dimension, label in given)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{name} must map dimensions to labels, got {where!r}; pass e.g. {{'site': 'a'}}"
        ) from error
    for dimension, label in labels:
        if (
            type(dimension) is not str
            or not several(label)
            or any(type(one) not in (str, int) for one in several(label))
        ):
            raise TypeError(
                f"{name} must map text to text, whole numbers or tuples of these, got {dimension!r}: {label!r}; "
                "pass e.g. {'epoch': (1, 2)}"
            )
    if len(dict(labels)) < len(labels):
        raise ValueError(f"{name} must name each dimension once, got {where!r}; pass a tuple of its labels")
    return labels


def several(label: Label) -> tuple[str | int, ...]:
    """The labels that a request names of one dimension."""
    return label if isinstance(label, tuple) else (label,)


def where_words(where: Where) -> str:
    """Labels as a person reads them.

    >>> where_words((("site", "a"), ("epoch", (1, 2))))
    'site=a epoch=1+2'
    """
    return " ".join(f"{name}={'+'.join(map(str, several(label)))}" for name, label in where)
