"""Requests with labels, such as a site, an epoch, blocks or an analyst."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.display import one_line_repr
from filterproof.theory.pairs.base import DominatingPair, alias_property
from filterproof.theory.pairs.randomized_response import RandomizedResponse

#: A label, or a tuple of the labels of one request.
Label: TypeAlias = "str | int | tuple[str | int, ...]"
#: Labels of a request as tuples (dimension, label).
Where: TypeAlias = tuple[tuple[str, Label], ...]

#: The pair of a request about a record that it does not read.
_NO_RELEASE = RandomizedResponse.from_ratio(1)


def _delegated_property(name: str) -> Any:
    """Return a property that reads the same property of the underlying pair."""
    return property(lambda pair: getattr(pair.mechanism_or_no_release, name))


def _delegated_method(name: str) -> Any:
    """Return a method that calls the same method of the underlying pair."""
    return lambda pair, *given, **named: getattr(pair.mechanism_or_no_release, name)(*given, **named)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelledRequest(DominatingPair):
    """A request for a mechanism with labels, such as site or epoch, seen from one record.

    The distributions and charges are those of `mechanism` on two data sets that differ in the record. If the mechanism
    does not read the record, they are those of no release. A filter that keeps budgets by label reads `labels` and
    `unlabelled`, the mechanism to release.

    Parameters
    ----------
    mechanism : DominatingPair
        The mechanism to release, of any shape. It must be neither a PairPerRun nor labelled.
    where : Mapping of str to label
        A label for each dimension, such as "site", "epoch", "block" or "analyst". A label is a str, an int or a tuple
        of these.
    reveals : bool, optional
        Whether the mechanism reads the record.

    Raises
    ------
    TypeError
        If `mechanism` is not such a pair, if a label has another type, or if `reveals` is not a bool.
    ValueError
        If `where` names a dimension twice.

    Examples
    --------
    >>> import filterproof as fp
    >>> here = fp.LabelledRequest(fp.RandomizedResponse(0.5), {"site": "a"})
    >>> here.labels, here.pure_epsilon, here.unlabelled.pure_epsilon
    ({'site': 'a'}, 0.5, 0.5)
    >>> there = fp.LabelledRequest(fp.RandomizedResponse(0.5), {"site": "b"}, reveals=False)
    >>> there.labels, there.pure_epsilon, there.unlabelled.pure_epsilon
    ({'site': 'b'}, 0.0, 0.5)
    """

    mechanism: DominatingPair
    where: Mapping[str, Label] | Where
    reveals: bool = True

    __repr__ = one_line_repr

    def __post_init__(self) -> None:
        given: object = self.mechanism
        if not isinstance(given, DominatingPair) or given.member_index is not None or given.labels:
            raise TypeError(
                f"mechanism must be one pair without labels, got {given!r}; pass for example RandomizedResponse(0.5)"
            )
        if not isinstance(self.reveals, bool):
            raise TypeError(
                f"reveals must be a bool, got reveals={self.reveals!r}; pass True if the mechanism reads the record"
            )
        object.__setattr__(self, "where", checked_labels("where", self.where))

    unlabelled = alias_property("mechanism")

    @property
    def labels(self) -> dict[str, Label]:
        return dict(self.where)

    @property
    def mechanism_or_no_release(self) -> DominatingPair:
        """The pair whose distributions and charges these are: `mechanism`, or no release."""
        return self.mechanism if self.reveals else _NO_RELEASE

    # -- charges and distributions: those of the underlying pair ---------------------------------------------

    pure_epsilon = _delegated_property("pure_epsilon")
    zcdp_rho = _delegated_property("zcdp_rho")
    gdp_mu = _delegated_property("gdp_mu")
    sqrt_twice_zcdp_rho = _delegated_property("sqrt_twice_zcdp_rho")
    kov = _delegated_property("kov")
    outputs = _delegated_property("outputs")
    normal_mu = _delegated_property("normal_mu")
    subsampled_gaussian_parameters = _delegated_property("subsampled_gaussian_parameters")
    exact_masses = _delegated_property("exact_masses")
    masses_as_fractions = _delegated_property("masses_as_fractions")
    infinite_mass = _delegated_property("infinite_mass")
    reference_values = _delegated_property("reference_values")
    tight_charge = _delegated_method("tight_charge")
    hockey_stick_upper_bound = _delegated_method("hockey_stick_upper_bound")
    hockey_stick = _delegated_method("hockey_stick")
    renyi = _delegated_method("renyi")
    loss_cdf = _delegated_method("loss_cdf")
    loss_isf = _delegated_method("loss_isf")
    sample = _delegated_method("sample")
    sample_finite = _delegated_method("sample_finite")
    log_weight = _delegated_method("log_weight")
    _log_normaliser = _delegated_method("_log_normaliser")

    @property
    def rational(self) -> LabelledRequest | None:
        exact = self.mechanism.rational
        return None if exact is None else self._with_mechanism(exact)

    @property
    def swapped(self) -> LabelledRequest:
        return self._with_mechanism(self.mechanism.swapped) if self.reveals else self

    # -- shape: that of `mechanism` ------------------------------------------------------------------

    @property
    def more_private_variants(self) -> tuple[DominatingPair, ...]:
        return tuple(map(self._with_mechanism, self.mechanism.more_private_variants))

    def same_parameters(self, request: DominatingPair) -> bool:
        return self == request

    @property
    def shape(self) -> tuple[int, ...]:
        return self.mechanism.shape

    @property
    def family(self) -> Hashable:
        return self._key()  # labels are not numbers: each request is its own family

    def of_run(self, run: int) -> LabelledRequest:
        return self._with_mechanism(self.mechanism.of_run(run))

    def take(self, runs: NDArray[np.bool_] | NDArray[np.intp] | slice) -> LabelledRequest:
        return self._with_mechanism(self.mechanism.take(runs))

    def _with_mechanism(self, mechanism: DominatingPair) -> LabelledRequest:
        return LabelledRequest(mechanism, self.where, self.reveals)


def checked_labels(name: str, where: Mapping[str, Label] | Where) -> Where:
    """Return the labels by dimension; raise TypeError unless each is a str, an int or a tuple of these."""
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
            or not label_tuple(label)
            or any(type(label_part) not in (str, int) for label_part in label_tuple(label))
        ):
            raise TypeError(
                f"{name} must map text to text, whole numbers or tuples of these, got {dimension!r}: {label!r}; "
                "pass e.g. {'epoch': (1, 2)}"
            )
    if len(dict(labels)) < len(labels):
        raise ValueError(
            f"{name} must name each dimension once, got {where!r}; pass several labels of a dimension as a tuple"
        )
    return labels


def label_tuple(label: Label) -> tuple[str | int, ...]:
    """Return the labels of one dimension as a tuple."""
    return label if isinstance(label, tuple) else (label,)


def format_labels(where: Where) -> str:
    """Format labels for a reader.

    >>> format_labels((("site", "a"), ("epoch", (1, 2))))
    'site=a epoch=1+2'
    """
    return " ".join(f"{name}={'+'.join(map(str, label_tuple(label)))}" for name, label in where)
