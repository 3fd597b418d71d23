"""Families of mechanisms for an examination, each with one increasing parameter.

>>> from filterproof.theory.guarantees import ApproxDP
>>> lines = lines_of(("gaussian", "erasure"), ApproxDP(1.0, 1e-5))
>>> [line.name for line in lines], lines[0].pair(0.5)
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

from filterproof.filters.adapters.labelled import LabelledFilter
from filterproof.theory.argument_checks import did_you_mean
from filterproof.theory.guarantees import ApproxDP, Guarantee
from filterproof.theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    Labelled,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
)
from filterproof.theory.pairs.labelled import Where, where_words

_FAMILY_OF: dict[type, str] = {
    Gaussian: "gaussian",
    RandomizedResponse: "rr",
    Laplace: "laplace",
    KOV: "kov",
    Erasure: "erasure",
    SubsampledGaussian: "subsampled",
    FinitePair: "twopoint",
}
#: Families that are asked for at every label, for budgets that are kept by labels.
_PLAINEST = ("gaussian", "rr", "erasure")


@dataclass(frozen=True, slots=True)
class Line:
    """Pairs of one family, less private as t grows from `least` to `most`; name says what is fixed.

    No size is above `end`, and none below 2^-1000, wherever the line is moved.
    """

    family: str
    name: str
    make: Callable[[float], DominatingPair] = field(repr=False)
    least: float = 2.0**-14
    most: float = 32.0
    extra: tuple[float, ...] = ()
    end: float = 2.0**1000

    def pair(self, t: float) -> DominatingPair:
        """The pair of size t."""
        return self.make(t)

    @property
    def kind(self) -> str:
        """The family without labels."""
        return self.family.partition(" at ")[0]

    @property
    def sizes(self) -> tuple[float, ...]:
        """Four sizes an octave, with few bits, so that states meet again; and those that people write, 0.1, 0.2."""
        lowest, highest = math.floor(math.log2(self.least)), math.ceil(math.log2(self.most))
        grid = {m / 4 * 2.0**e for e in range(lowest, highest + 1) for m in (4, 5, 6, 7)}
        grid |= {float(f"{digit}e{power}") for power in range(-4, 2) for digit in (1, 2, 3, 5)}
        return tuple(sorted(t for t in (*grid, *self.extra) if self.least <= t <= self.most))

    @property
    def below(self) -> tuple[float, ...]:
        """Sizes from far below the least one up to it."""
        return tuple(t for k in reversed(_AFAR) if (t := self.least * 2.0**-k) >= _LEAST)

    @property
    def above(self) -> tuple[float, ...]:
        """Sizes from the largest one to far above it."""
        return tuple(t for k in _AFAR if (t := self.most * 2.0**k) <= self.end)

    def moved(self, to: float) -> Line:
        """The line about a size that is far from all of its own."""
        least, most = max(to * 2.0**-14, _LEAST), min(to * 2.0**5, self.end)
        tens = range(math.floor(math.log10(least)), math.ceil(math.log10(most)))
        written = tuple(float(f"{digit}e{power}") for power in tens for digit in (1, 2, 3, 5))
        return replace(self, least=least, most=most, extra=(*self.extra, *written))


#: How many octaves beyond the ends of a line are looked at, and the least size of all.
_AFAR, _LEAST = (0, 1, 2, 3, 4, 5, 8, 16, 32, 64, 128, 256, 512, 960), 2.0**-1000


def coarse_first(sizes: tuple[float, ...]) -> list[float]:
    """All sizes, octaves first, from end to end however few are asked, then what lies between them."""
    octaves = sizes[::4]
    spread = sorted(range(len(octaves)), key=lambda place: f"{place:08b}"[::-1])
    return [*(octaves[place] for place in spread), *sizes[2::4], *sizes[1::2]]


def family_of(pair: DominatingPair) -> str:
    """The name of the family that a pair is of; '' for one of no family that is asked for."""
    return _FAMILY_OF.get(type(pair.asked), "")


def names_of(given: object) -> tuple[str, ...]:
    """The names of families, of one name or several; ValueError for an unknown one."""
    if not isinstance(given, Iterable):
        raise TypeError(f"mechanisms must be among {', '.join(FAMILIES)}, got {given!r}; name some of these")
    names = (given,) if isinstance(given, str) else tuple(given)
    for name in names:
        if not isinstance(name, str) or name not in FAMILIES:
            raise ValueError(
                f"mechanisms must be among {', '.join(FAMILIES)}, got {name!r}"
                f"{did_you_mean(name, FAMILIES) or '; name some of these'}"
            )
    return names


def lines_of(names: Sequence[str], promise: Guarantee, extra: Sequence[float] = ()) -> tuple[Line, ...]:
    """The lines of these families, with the constants that the promise suggests.

    extra holds further sizes: numbers that the filter itself names.
    """
    more = tuple(sorted(set(extra)))
    kov = tuple(map(_kov, _deltas(promise)))
    return tuple(replace(line, extra=more) for name in names for line in FAMILIES[name] or kov)


def at_labels(lines: Sequence[Line], filt: object) -> tuple[Line, ...]:
    """The lines; for budgets kept by labels those lines where the record is, and the plainest at every other label."""
    if not isinstance(filt, LabelledFilter):
        return tuple(lines)
    here, first = filt.choices[0], {line.family: line for line in reversed(lines) if line.family in _PLAINEST}
    made = [replace(line, make=partial(_labelled, line.make, here, filt.reads(here))) for line in lines]
    return (
        *made,
        *(_at(filt, line, where) for where in filt.choices[1:] for line in reversed(first.values())),
    )


def _at(filt: LabelledFilter, line: Line, where: Where) -> Line:
    told = where_words(where)
    make = partial(_labelled, line.make, where, filt.reads(where))
    return replace(line, family=f"{line.family} at {told}", name=f"{line.name} at {told}", make=make)


def _labelled(make: Callable[[float], DominatingPair], where: Where, reveals: bool, t: float) -> Labelled:
    return Labelled(make(t), where, reveals)


def _laplace_of(t: float) -> Laplace:
    return Laplace(1 / t)


def _subsampled_of(q: float, way: Literal["removal", "addition"], t: float) -> SubsampledGaussian:
    return SubsampledGaussian(q, 1 / t, adjacency=way)


def _kov(delta: float) -> Line:
    return Line("kov", f"kov, delta={delta:.3g}", partial(KOV, delta=delta), 2.0**-10, 16.0)


def _subsampled(q: float, way: Literal["removal", "addition"]) -> Line:
    return Line(
        "subsampled",
        f"subsampled, q={q:g}, {way}",
        partial(_subsampled_of, q, way),
        2.0**-8,
        16.0,
        end=2.0**30,
    )


def _two_points() -> Iterator[Line]:
    for b, swap in product((Fraction(1, 8), Fraction(1, 1024)), (False, True)):
        name = f"two points, rare {'under P' if swap else 'under Q'}, {b}"
        yield Line("twopoint", name, partial(_two, b=b, swap=swap), 2.0**-8, 16.0, end=16.0)
    for swap in (False, True):
        name = f"revealed under {'Q' if swap else 'P'} alone"
        yield Line("twopoint", name, partial(_revealed, swap=swap), 2.0**-30, 0.5, end=0.5)


def _two(t: float, b: Fraction, *, swap: bool) -> FinitePair:
    """The outcome of Q-mass b has a loss of about t, no more than leaves the other outcome a mass."""
    ratio = Fraction(math.exp(min(t, 600.0))).limit_denominator(64)
    a = min(b * ratio, 1 - b / 2)
    pair = FinitePair((a, 1 - a), (b, 1 - b))
    return pair.swapped if swap else pair


def _revealed(t: float, *, swap: bool) -> FinitePair:
    """Only P can produce the first outcome, of mass t."""
    d = Fraction(t)
    pair = FinitePair((d, 1 - d), (Fraction(0), Fraction(1)))
    return pair.swapped if swap else pair


def _deltas(promise: Guarantee) -> tuple[float, ...]:
    if isinstance(promise, ApproxDP) and promise.delta_at_epsilon > 0:
        delta = promise.delta_at_epsilon
        return tuple(dict.fromkeys(min(delta * share, 0.5) for share in (1.0, 0.5, 0.125, 2.0**-7, 8.0)))
    return (2.0**-10, 2.0**-20, 0.125)


#: Name, as on the command line -> the family's lines; those of KOV pairs depend on the promise.
FAMILIES: dict[str, tuple[Line, ...]] = {
    "gaussian": (Line("gaussian", "gaussian", Gaussian),),
    "rr": (Line("rr", "rr", RandomizedResponse),),
    "laplace": (Line("laplace", "laplace", _laplace_of, end=2.0**30),),
    "kov": (),
    "erasure": (Line("erasure", "erasure", Erasure, 2.0**-40, 1.0, end=1.0),),
    "subsampled": (
        *(_subsampled(q, way) for q in (0.5, 0.125, 1 / 64) for way in ("removal", "addition")),
        _subsampled(2.0**-14, "removal"),
    ),
    "twopoint": tuple(_two_points()),
}
