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
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from theory.arguments import Real
from theory.pairs.base import ChargeName, DominatingPair, ExactMasses, KOVForm, Outputs
from theory.pairs.randomized_response import RandomizedResponse
from theory.pairs.truths import PairTruths
from theory.shown import one_line

__all__ = ["Label", "Labelled", "Where", "checked_where", "several", "where_words"]

#: A label, or several that one request is about.
Label: TypeAlias = "str | int | tuple[str | int, ...]"
#: Dimension by dimension, as a request keeps its labels.
Where: TypeAlias = tuple[tuple[str, Label], ...]

#: What a request reveals about a record that it does not read.
_NOTHING = RandomizedResponse.from_ratio(1)


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

    @property
    def asked(self) -> DominatingPair:
        return self.mechanism

    @property
    def labels(self) -> dict[str, Label]:
        return dict(self.where)

    @property
    def law(self) -> DominatingPair:
        """The pair whose laws these are."""
        return self.mechanism if self.reveals else _NOTHING

    # -- charges and laws: those of `law` ------------------------------------------------------------

    @property
    def pure_epsilon(self) -> Real:
        return self.law.pure_epsilon

    @property
    def zcdp_rho(self) -> Real:
        return self.law.zcdp_rho

    @property
    def gdp_mu(self) -> Real:
        return self.law.gdp_mu

    @property
    def zcdp_root(self) -> Real | None:
        return self.law.zcdp_root

    def least(self, charge: ChargeName) -> tuple[float, float]:
        return self.law.least(charge)

    @property
    def kov(self) -> KOVForm | None:
        return self.law.kov

    @property
    def levels(self) -> tuple[float, ...] | None:
        return self.law.levels

    @property
    def outputs(self) -> Outputs | None:
        return self.law.outputs

    @property
    def normal_mu(self) -> Real | None:
        return self.law.normal_mu

    @property
    def sampled_normal(self) -> tuple[Real, Real, str] | None:
        return self.law.sampled_normal

    @property
    def laplace_scale(self) -> Real | None:
        return self.law.laplace_scale

    @property
    def exact_masses(self) -> ExactMasses | None:
        return self.law.exact_masses

    @property
    def rational(self) -> Labelled | None:
        exact = self.mechanism.rational
        return None if exact is None else self._with(exact)

    @property
    def infinite_mass(self) -> Real:
        return self.law.infinite_mass

    @property
    def swapped(self) -> Labelled:
        return self._with(self.mechanism.swapped) if self.reveals else self

    @property
    def truths(self) -> PairTruths:
        return self.law.truths

    def hockey_stick(self, epsilon: Real) -> Real:
        return self.law.hockey_stick(epsilon)

    def renyi(self, alpha: Real) -> Real:
        return self.law.renyi(alpha)

    def loss_cdf(self, x: Real) -> Real:
        return self.law.loss_cdf(x)

    def loss_quantile(self, tail: Real) -> Real:
        return self.law.loss_quantile(tail)

    def sample(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        return self.law.sample(rng, n, order)

    def sample_finite(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        return self.law.sample_finite(rng, n, order)

    def log_weight(self, loss: NDArray[np.float64], order: float) -> NDArray[np.float64]:
        return self.law.log_weight(loss, order)

    def _log_normaliser(self, order: float) -> Real:
        return self.law._log_normaliser(order)

    # -- shape: that of `mechanism` ------------------------------------------------------------------

    @property
    def quieter(self) -> tuple[DominatingPair, ...]:
        return tuple(map(self._with, self.mechanism.quieter))

    def alike(self, request: DominatingPair) -> bool:
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
