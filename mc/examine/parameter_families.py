"""Families of mechanisms for an examination, each with one increasing parameter.

>>> from filterproof.theory.guarantees import ApproxDP
>>> families = families_for_guarantee(("gaussian", "erasure"), ApproxDP(1.0, 1e-5))
>>> [family.name for family in families], families[0].pair(0.5)
(['gaussian', 'erasure'], Gaussian(mu=0.5))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Literal

from filterproof.filters.adapters.labelled_filter import LabelledFilter
from filterproof.theory.argument_checks import did_you_mean
from filterproof.theory.guarantees import ApproxDP, Guarantee
from filterproof.theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    LabelledRequest,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
)
from filterproof.theory.pairs.labelled import Where, format_labels

_FAMILY_OF: dict[type, str] = {
    Gaussian: "gaussian",
    RandomizedResponse: "rr",
    Laplace: "laplace",
    KOV: "kov",
    Erasure: "erasure",
    SubsampledGaussian: "subsampled",
    FinitePair: "twopoint",
}
#: Families that are requested at every label, for filters with a budget for each label.
_SIMPLEST_FAMILIES = ("gaussian", "rr", "erasure")


@dataclass(frozen=True, slots=True)
class OneParameterFamily:
    """Pairs of one family, less private as t grows from `least` to `most`. `name` includes the fixed parameters.

    No size is above `end` or below 2^-1000, wherever the range is moved.
    """

    mechanism: str
    name: str
    make: Callable[[float], DominatingPair] = field(repr=False)
    least: float = 2.0**-14
    most: float = 32.0
    extra: tuple[float, ...] = ()
    end: float = 2.0**1000

    def pair(self, t: float) -> DominatingPair:
        """Return the pair of size t."""
        return self.make(t)

    @property
    def kind(self) -> str:
        """Return the family without labels."""
        return self.mechanism.partition(" at ")[0]

    @property
    def sizes(self) -> tuple[float, ...]:
        """Return four sizes per octave, with few bits so that states coincide, and decimal sizes such as 0.1."""
        lowest, highest = math.floor(math.log2(self.least)), math.ceil(math.log2(self.most))
        grid = {m / 4 * 2.0**e for e in range(lowest, highest + 1) for m in (4, 5, 6, 7)}
        grid |= {float(f"{digit}e{power}") for power in range(-4, 2) for digit in (1, 2, 3, 5)}
        return tuple(sorted(t for t in (*grid, *self.extra) if self.least <= t <= self.most))

    @property
    def sizes_below(self) -> tuple[float, ...]:
        """Return sizes from far below the least one up to it."""
        return tuple(t for k in reversed(_OCTAVES_BELOW) if (t := self.least * 2.0**-k) >= _MIN_SIZE)

    @property
    def sizes_above(self) -> tuple[float, ...]:
        """Return sizes from the largest one to far above it: octaves, and decimal sizes such as 100."""
        ladder = {self.most * 2.0**k for k in _OCTAVES_ABOVE}
        first = math.floor(math.log10(self.most))
        ladder |= {float(f"{digit}e{power}") for power in range(first, first + 10) for digit in (1, 2, 5)}
        return tuple(sorted(t for t in ladder if self.most <= t <= self.end))

    def around_size(self, to: float) -> OneParameterFamily:
        """Return the family with a grid around a size that is far from its own grid."""
        least, most = max(to * 2.0**-14, _MIN_SIZE), min(to * 2.0**5, self.end)
        tens = range(math.floor(math.log10(least)), math.ceil(math.log10(most)))
        written = tuple(float(f"{digit}e{power}") for power in tens for digit in (1, 2, 3, 5))
        return replace(self, least=least, most=most, extra=(*self.extra, *written))


#: Octaves beyond the ends of a family that are probed, and the least size of any family. A counter of 64 bits overflows
#: within the first octaves above, a double in the last ones.
_OCTAVES_BELOW, _MIN_SIZE = (0, 1, 2, 3, 4, 5, 8, 16, 32, 64, 128, 256, 512, 960), 2.0**-1000
_OCTAVES_ABOVE = (*range(72), *range(72, 1024, 24))


def coarse_first(sizes: tuple[float, ...]) -> list[float]:
    """Return all sizes: octaves first, then the sizes between them."""
    octaves = sizes[::4]
    spread = sorted(range(len(octaves)), key=lambda place: f"{place:08b}"[::-1])
    return [*(octaves[place] for place in spread), *sizes[2::4], *sizes[1::2]]


def mechanism_name(pair: DominatingPair) -> str:
    """Return the name of the family of a pair, or ''."""
    return _FAMILY_OF.get(type(pair.unlabelled), "")


def checked_family_names(given: object) -> tuple[str, ...]:
    """Return the names of families as a tuple; raise ValueError for an unknown name."""
    if not isinstance(given, Iterable):
        raise TypeError(
            f"mechanisms must be among {', '.join(FAMILY_TABLE)}, got {given!r}; name some of these"
        )
    names = (given,) if isinstance(given, str) else tuple(given)
    for name in names:
        if not isinstance(name, str) or name not in FAMILY_TABLE:
            raise ValueError(
                f"mechanisms must be among {', '.join(FAMILY_TABLE)}, got {name!r}"
                f"{did_you_mean(name, FAMILY_TABLE) or '; name some of these'}"
            )
    return names


def families_for_guarantee(
    names: Sequence[str], promise: Guarantee, extra: Sequence[float] = ()
) -> tuple[OneParameterFamily, ...]:
    """Return the families of these names, with deltas that the guarantee suggests.

    `extra` has further sizes, which the filter's own attributes suggest.
    """
    more = tuple(sorted(set(extra)))
    by_delta = {
        "kov": tuple(map(_kov_family, _kov_deltas(promise))),
        "twopoint": tuple(_rare_outcome_families(promise)),
    }
    families = (family for name in names for family in (*FAMILY_TABLE[name], *by_delta.get(name, ())))
    return tuple(replace(family, extra=more) for family in families)


def at_labels(families: Sequence[OneParameterFamily], filt: object) -> tuple[OneParameterFamily, ...]:
    """Return the families with the filter's labels on their requests; unchanged without labels.

    For a filter with labelled budgets, the record's label gets all of them and each other label some.
    """
    if not isinstance(filt, LabelledFilter):
        return tuple(families)
    here, *elsewhere = filt.label_combinations
    first = {family.mechanism: family for family in reversed(families)}
    simplest = [family for name, family in reversed(first.items()) if name in _SIMPLEST_FAMILIES]

    def at(where: Where, family: OneParameterFamily, text: str = "") -> OneParameterFamily:
        make = partial(_labelled_request, family.make, where, filt.reads_record(where))
        return replace(family, mechanism=f"{family.mechanism}{text}", name=f"{family.name}{text}", make=make)

    record_families = [at(here, family) for family in families]
    others = [
        at(where, simple, f" at {format_labels(where)}") for where, simple in product(elsewhere, simplest)
    ]
    return (*record_families, *others)


def _labelled_request(
    make: Callable[[float], DominatingPair], where: Where, reveals: bool, t: float
) -> LabelledRequest:
    return LabelledRequest(make(t), where, reveals)


def _laplace_of(t: float) -> Laplace:
    return Laplace(1 / t)


def _subsampled_of(q: float, way: Literal["removal", "addition"], t: float) -> SubsampledGaussian:
    return SubsampledGaussian(q, 1 / t, adjacency=way)


def _kov_family(delta: float) -> OneParameterFamily:
    return OneParameterFamily("kov", f"kov, delta={delta:.3g}", partial(KOV, delta=delta), 2.0**-10, 16.0)


def _subsampled_family(q: float, way: Literal["removal", "addition"]) -> OneParameterFamily:
    # what the rate bounds grows no more with the size
    make = partial(_subsampled_of, q, way)
    return OneParameterFamily("subsampled", f"subsampled, q={q:g}, {way}", make, 2.0**-8, 16.0, end=16.0)


def _two_outcome_families() -> Iterator[OneParameterFamily]:
    """Yield the families of pairs with two outcomes, one of them rare or revealing."""
    for b, swap in product((Fraction(1, 8), Fraction(1, 1024)), (False, True)):
        name = f"two points, rare {'under P' if swap else 'under Q'}, {b}"
        yield _two_outcome_family(name, "Q", b, 2.0**-8, 16.0, swap=swap)
    for swap in (False, True):
        name = f"revealed under {'Q' if swap else 'P'} alone"
        yield _two_outcome_family(name, "Q", Fraction(0), 2.0**-30, 0.5, swap=swap)


def _rare_outcome_families(promise: Guarantee) -> Iterator[OneParameterFamily]:
    """Yield families whose pairs have an outcome of the promised delta; the size is its loss."""
    if not isinstance(promise, ApproxDP) or not 0 < promise.delta_at_epsilon < 1:
        return
    for swap in (False, True):
        name = f"two points, one of mass {promise.delta_at_epsilon:.3g} under {'Q' if swap else 'P'}"
        yield _two_outcome_family(name, "P", Fraction(promise.delta_at_epsilon), 0.5, 32.0, swap=swap)


def _two_outcome_family(
    name: str, world: Literal["P", "Q"], mass: Fraction, least: float, most: float, *, swap: bool
) -> OneParameterFamily:
    make = partial(_two_outcome_pair, world, mass, swap)
    return OneParameterFamily("twopoint", name, make, least, most, end=most)


def _two_outcome_pair(world: Literal["P", "Q"], mass: Fraction, swap: bool, t: float) -> FinitePair:
    """Return the pair whose first outcome has this mass in one world and a loss of about t.

    An outcome of mass 0 under Q has mass t under P.
    """
    if world == "P":
        a, b = mass, mass / Fraction(math.exp(t)).limit_denominator(64)
    elif mass == 0:
        a, b = Fraction(t), mass
    else:  # P must not lose the other outcome
        a, b = min(mass * Fraction(math.exp(min(t, 600.0))).limit_denominator(64), 1 - mass / 2), mass
    pair = FinitePair((a, 1 - a), (b, 1 - b))
    return pair.swapped if swap else pair


def _kov_deltas(promise: Guarantee) -> tuple[float, ...]:
    """Return the deltas of KOV families: multiples of the promised delta, or three defaults."""
    if isinstance(promise, ApproxDP) and promise.delta_at_epsilon > 0:
        delta = promise.delta_at_epsilon
        return tuple(dict.fromkeys(min(delta * share, 0.5) for share in (1.0, 0.5, 0.125, 2.0**-7, 8.0)))
    return (2.0**-10, 2.0**-20, 0.125)


#: Name on the command line -> its one-parameter families. Further ones depend on the guarantee, as all of KOV pairs do.
FAMILY_TABLE: dict[str, tuple[OneParameterFamily, ...]] = {
    "gaussian": (OneParameterFamily("gaussian", "gaussian", Gaussian),),
    "rr": (OneParameterFamily("rr", "rr", RandomizedResponse),),
    "laplace": (OneParameterFamily("laplace", "laplace", _laplace_of, end=2.0**30),),
    "kov": (),
    "erasure": (OneParameterFamily("erasure", "erasure", Erasure, 2.0**-40, 1.0, end=1.0),),
    "subsampled": (
        *(_subsampled_family(q, way) for q in (0.5, 0.125, 1 / 64) for way in ("removal", "addition")),
        _subsampled_family(2.0**-14, "removal"),
    ),
    "twopoint": tuple(_two_outcome_families()),
}
