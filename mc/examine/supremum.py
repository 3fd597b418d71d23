"""The largest delta over all mechanisms that a filter covers: its theorem bounds it, what it grants reaches it.

>>> import filterproof as fp
>>> found = supremum(fp.ApproximateDPFilter(1.0, 1e-5), 1.0)
>>> round(found.low / 1e-5, 5), round(found.high / 1e-5, 5), found.promised
(0.99989, 0.99989, 1e-05)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from filterproof.filters.contract.contract_checks import checked_filter
from filterproof.filters.contract.determinism import check_requests
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversaries import Scripted
from filterproof.mc.examine.extremal_steps import reached
from filterproof.mc.examine.stages.certificate import parts
from filterproof.theory.argument_checks import check_at_least_zero
from filterproof.theory.evidence import Outcome
from filterproof.theory.extremal import Extremal, Steps
from filterproof.theory.numerics.decimals import above, below


@dataclass(frozen=True, slots=True)
class Supremum:
    """Over all mechanisms that a filter covers and all adaptive adversaries, delta at epsilon is in [low, high].

    low is certified, for the filter's own code granted every request of `steps`: pairs, each so many times in a row;
    0 and () where it did not. high is 1 unless a theorem covers the filter as it runs: then it is the largest delta of
    what the filter keeps, or the promise if that is less. rests_on names the theorem, or says why none covers it.
    Raises ValueError where low is above high.
    """

    epsilon: float
    low: float
    high: float
    promised: float
    steps: Steps = ()
    rests_on: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(
                f"low must be at most high, got low={self.low!r} high={self.high!r} at epsilon={self.epsilon!r}, where "
                f"high rests on: {self.rests_on or 'no theorem'}; report this, for one of the two is false"
            )

    @property
    def adversary(self) -> Scripted | None:
        """Who asks for `steps`, to be simulated; None where there are none."""
        return Scripted(*zip(*self.steps, strict=True)) if self.steps else None

    def __str__(self) -> str:
        found = f"[{below(self.low)}, {above(self.high)}] at epsilon = {self.epsilon:g}, promised {self.promised:.6g}"
        return (
            f"{found}; nothing bounds it from above: {self.rests_on}"
            if self.high == 1 and self.rests_on
            else found
        )


def supremum(filt: PrivacyFilter, epsilon: float) -> Supremum:
    """sup of H_{e^epsilon} of the transcript over every adversary and every mechanism that the filter covers.

    `filt.extremal(epsilon)` proposes requests, which are put to the filter's own code; bounds on what they reveal are
    in balls. The upper end takes nothing from the promise unless a theorem on the filter's parts, whose proof is run,
    covers the code and the doubles that decide; the first proof takes seconds. epsilon >= 0 is one number, in nats.
    Raises ValueError for one below zero or infinite, TypeError for what is no filter, and for one that keeps outside
    its state what changes as it is asked.
    """
    checked_filter(filt)
    checked = check_at_least_zero("epsilon", epsilon)
    if not isinstance(checked, float):
        raise TypeError(f"epsilon must be one number, got {checked!r}; ask for each by itself")
    covered = parts(filt)
    sound = covered is not None and covered.outcome is Outcome.HOLDS
    found, promised = filt.extremal(checked), float(filt.promise.delta(checked))
    check_requests(filt, [pair for pair, _ in found.steps])
    low, steps = reached(filt, found, checked, believed=sound)
    if covered is None:
        detail = f"{type(filt).__name__} is not made of library parts, so no theorem covers it"
    else:
        detail = covered.detail
    return Supremum(checked, low, most_kept(found, promised) if sound else 1.0, promised, steps, detail)


def most_kept(found: Extremal, promised: float) -> float:
    """The largest delta of a filter that a theorem covers: of what it keeps, or the promise if that is less."""
    # the promise is a double, to 1e-12 of it, and what is shown as 0 may be less than a double
    return min(found.high, max(promised * (1 + 2.0**-38), math.ulp(0.0)))
