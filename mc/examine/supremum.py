"""The largest delta over all mechanisms that a filter covers: what it keeps bounds it, what it grants reaches it.

>>> import filterproof as fp
>>> found = supremum(fp.ApproximateDPFilter(1.0, 1e-5), 1.0)
>>> round(found.low / 1e-5, 5), round(found.high / 1e-5, 5), found.promised
(0.99989, 0.99989, 1e-05)
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from filters.contract.checks import checked_filter
from filters.contract.determinism import check_requests
from filters.privacy_filter import PrivacyFilter
from mc.engine.adversaries import Scripted
from mc.examine.filter_fault import FilterFault, examining
from mc.examine.sequence import Sequence
from mc.worst_case.solve import solved_case
from theory.arguments import check_at_least_zero
from theory.numerics.decimals import above, below
from theory.pairs import DominatingPair


@dataclass(frozen=True, slots=True)
class Supremum:
    """Over all mechanisms that a filter covers and all adaptive adversaries, delta at epsilon is in [low, high].

    low is certified, for the filter's own code granted every request of `steps`: pairs, each so many times in a row;
    0 and () where it did not. high is the largest delta of what the filter keeps, or the promise if that is less: it
    holds where the filter's theorem does.
    """

    epsilon: float
    low: float
    high: float
    promised: float
    steps: tuple[tuple[DominatingPair, int], ...] = ()

    @property
    def adversary(self) -> Scripted | None:
        """Who asks for `steps`, to be simulated; None where there are none."""
        return Scripted(*zip(*self.steps, strict=True)) if self.steps else None

    def __str__(self) -> str:
        return f"[{below(self.low)}, {above(self.high)}] at epsilon = {self.epsilon:g}, promised {self.promised:.6g}"


def supremum(filt: PrivacyFilter, epsilon: float) -> Supremum:
    """sup of H_{e^epsilon} of the transcript over every adversary and every mechanism that the filter covers.

    By `filt.extremal(epsilon)`: its requests are put to the filter's own code, and bounds on what they reveal are in
    balls. epsilon >= 0 is one number, in nats. Raises ValueError for one below zero or infinite, TypeError for what is
    no filter, and for one that keeps outside its state what changes as it is asked.
    """
    return found_supremum(filt, epsilon, check=True)


def found_supremum(filt: PrivacyFilter, epsilon: float, *, check: bool = False) -> Supremum:
    """`supremum`; `check` asks first whether the filter keeps all in its state."""
    checked_filter(filt)
    checked = check_at_least_zero("epsilon", epsilon)
    if not isinstance(checked, float):
        raise TypeError(f"epsilon must be one number, got {checked!r}; ask for each by itself")
    found, promised = filt.extremal(checked), float(filt.promise.delta(checked))
    if check:
        check_requests(filt, [pair for pair, _ in found.steps])
    low = found.low if _granted(filt, found.steps, checked, found.low) else 0.0
    # the promise is a double, to 1e-12 of it
    return Supremum(
        checked, low, min(found.high, promised * (1 + 2.0**-38)), promised, found.steps if low else ()
    )


def _granted(
    filt: PrivacyFilter, steps: Iterable[tuple[DominatingPair, int]], epsilon: float, low: float
) -> bool:
    """Whether the filter's own code grants every request, whatever was released before, where it looks at that."""
    played = Sequence(tuple(steps))
    if not played.steps:
        return False
    with suppress(FilterFault, ValueError), examining(filt):  # it may not be for such pairs
        if not filt.looks_at_losses:
            return played.admitted(filt)
        game = solved_case(filt, tuple(played.counts), epsilon=epsilon, rounds=played.rounds)
        return game.low >= low * (1 - 2.0**-40)
    return False
