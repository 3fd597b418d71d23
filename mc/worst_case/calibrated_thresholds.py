"""Calibrated thresholds: a table that is shipped, whose rows anyone can have solved again, and its filters.

>>> row = CalibratedThreshold.table()[0]
>>> row.recheck().high <= row.delta
True
>>> filt = calibrated(epsilon=1.0, delta=1e-5)
>>> filt.promise, filt.certificate.high <= 1e-5
(ApproxDP(epsilon=1.0, delta=1e-05), True)
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from fractions import Fraction
from functools import lru_cache
from importlib import resources
from operator import attrgetter
from typing import Any

from filterproof.filters import ZCDPFilter
from filterproof.mc.worst_case.calibrate import CalibratedFilter, calibrate
from filterproof.mc.worst_case.result import WorstCase
from filterproof.mc.worst_case.solve import worst_case
from filterproof.theory.argument_checks import check_count, check_delta, check_positive
from filterproof.theory.conversions import CKS, SIMPLE, gaussian_mu
from filterproof.theory.display import Displayed, Row, row_of
from filterproof.theory.evidence import Evidence
from filterproof.theory.guarantees import ApproxDP
from filterproof.theory.numerics.decimals import interval
from filterproof.theory.pairs import RandomizedResponse


@dataclass(frozen=True, slots=True, repr=False)
class CalibratedThreshold(Displayed):
    """The largest t found such that sum epsilon_t^2 / 2 <= t keeps (epsilon, delta)-DP over a class of pure mechanisms.

    The class: every epsilon-DP mechanism with epsilon <= levels x step, charged as the next multiple of `step`. The
    worst case over it lies in [low, high], and the longest play has `rounds` rounds. `filter()` is the filter that
    enforces class and threshold, and `recheck()` solves its game again: nothing here has to be believed.
    Raises ValueError for numbers that no such row has.
    """

    epsilon: float
    delta: float
    step: float
    levels: int
    threshold: float
    rounds: int
    low: float
    high: float
    made_by: str = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("epsilon", "step", "threshold"):
            object.__setattr__(self, name, float(check_positive(name, getattr(self, name))))
        object.__setattr__(self, "delta", float(check_delta("delta", self.delta)))
        object.__setattr__(self, "levels", check_count("levels", self.levels))
        object.__setattr__(self, "rounds", check_count("rounds", self.rounds))
        if not 0 <= self.low <= self.high <= self.delta:
            raise ValueError(
                f"low <= high <= delta must hold, got low={self.low!r}, high={self.high!r}, delta={self.delta!r}; "
                "pass a worst case that keeps the promise"
            )
        if not self.levels <= 4096 or self._charge(self.levels) > Fraction(self.threshold):
            raise ValueError(
                f"levels must be affordable at the threshold, and 4096 at most, got levels={self.levels!r}; "
                "leave out those that are refused"
            )

    @classmethod
    def table(cls) -> tuple[CalibratedThreshold, ...]:
        """The rows that are shipped, as `make thresholds` wrote them; reading them runs none of their contents."""
        return _table()

    @classmethod
    def finest(cls, rows: Iterable[CalibratedThreshold]) -> list[CalibratedThreshold]:
        """Of `rows` the one with the smallest step for each promise."""
        finest: dict[tuple[float, float], CalibratedThreshold] = {}
        for row in rows:
            promise = row.epsilon, row.delta
            finest[promise] = min(row, finest.get(promise, row), key=attrgetter("step"))
        return list(finest.values())

    @classmethod
    def found(cls, epsilon: float, delta: float, *, step: float, made_by: str = "") -> CalibratedThreshold:
        """The row of `calibrate` at levels step, 2 step, ..., as many as the threshold affords."""
        step = float(check_positive("step", step))
        ceiling = float(gaussian_mu(epsilon, delta))
        count = math.ceil(ceiling / step) + 1
        while True:  # until the last level is refused, so that a further one would change nothing
            menu = [RandomizedResponse(step * k) for k in range(1, count + 1)]
            threshold = calibrate(ZCDPFilter, epsilon, delta, menu=menu).threshold
            afforded = math.isqrt(math.floor(2 * Fraction(threshold) / Fraction(step) ** 2))
            if afforded < count:
                break
            count = 2 * afforded
        inner = ZCDPFilter(threshold)
        solved = worst_case(inner, menu[:afforded], epsilon=epsilon)
        return cls(epsilon, delta, step, afforded, threshold, solved.rounds, solved.low, solved.high, made_by)

    def filter(self) -> CalibratedFilter:
        """The filter of this row, with the row as its certificate."""
        menu = tuple(RandomizedResponse(self.step * k) for k in range(1, self.levels + 1))
        promise = ApproxDP(self.epsilon, self.delta)
        return CalibratedFilter(ZCDPFilter(self.threshold), menu, None, self.threshold, self, promise)

    def recheck(self) -> WorstCase:
        """The worst case of the row's filter, solved again by the filter's own code: see `CalibratedFilter.recheck`."""
        return self.filter().recheck()

    @property
    def evidence(self) -> Evidence:
        """CERTIFIED, as `recheck` confirms."""
        return Evidence.CERTIFIED

    @property
    def tried(self) -> bool:
        """True: the filter of a row admits its levels."""
        return True

    @property
    def published(self) -> float:
        """B* of paper 000, Theorem 4.9: the published threshold of the same sum under the same promise."""
        return float(SIMPLE.budget(self.epsilon, self.delta))

    @property
    def gain(self) -> float:
        """This threshold over the published one."""
        return self.threshold / self.published

    @property
    def gain_over_cks(self) -> float:
        """This threshold over that of the best published conversion, which `ApproximateDPFilter` uses."""
        return self.threshold / float(CKS.budget(self.epsilon, self.delta))

    def admitted(self, each: float) -> int:
        """How many `each`-DP mechanisms a session of the filter admits."""
        level = math.ceil(Fraction(float(check_positive("each", each))) / Fraction(self.step))
        return math.floor(Fraction(self.threshold) / self._charge(level)) if level <= self.levels else 0

    def _charge(self, level: int) -> Fraction:
        return (level * Fraction(self.step)) ** 2 / 2

    def rows(self) -> list[Row]:
        """One row, with the evidence and the published threshold beside this one."""
        shown: Row = {"evidence": self.evidence.name, "published": self.published, "made_by": self.made_by}
        return [row_of(self) | shown]

    def __str__(self) -> str:
        return (
            f"{interval(self.low, self.high, 9)} at epsilon={self.epsilon} ({self.evidence.name}; read from a table, "
            f"`recheck` solves it again; made by {self.made_by})"
        )

    def to_dict(self) -> dict[str, object]:
        """The row as data for JSON, whose numbers are its doubles to the last bit."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CalibratedThreshold:
        """The row that `to_dict` wrote; ValueError for any other data. That it is true is for `recheck` to say."""
        kinds = {part.name: _KINDS.get(part.name, float) for part in fields(cls)}
        if not isinstance(data, Mapping) or set(data) != set(kinds):
            raise ValueError(f"row must hold {sorted(kinds)}, got {str(data)[:80]}; pass what to_dict gave")
        for name, kind in kinds.items():
            if type(data[name]) is not kind:
                raise ValueError(
                    f"{name} must be what to_dict writes, got {name}={str(data[name])[:80]!r}; pass it unchanged"
                )
        return cls(**data)


_KINDS: dict[str, type] = {"levels": int, "rounds": int, "made_by": str}


@lru_cache(maxsize=1)
def _table() -> tuple[CalibratedThreshold, ...]:
    file = resources.files("filterproof.mc.worst_case").joinpath("calibrated_thresholds.json")
    return tuple(CalibratedThreshold.from_dict(row) for row in json.loads(file.read_text("utf-8")))


def calibrated(epsilon: float, delta: float, *, each: float | None = None) -> CalibratedFilter:
    """The filter of the best row of the table that keeps (epsilon, delta)-DP, for pure-DP mechanisms.

        >>> import filterproof as fp
        >>> session = fp.calibrated(1.0, 1e-5, each=0.1).open()
        >>> sum(session.request(fp.Laplace(b=10.0)) for _ in range(10))  # 4 under the published threshold
        10

    It admits every mechanism that is e-DP for an e up to its largest level, and charges it as the next level. The rows
    promise no more than (epsilon, delta): the result's `promise` is that of its row, which implies what was asked
    for. `each`, the epsilon of the mechanisms to come (nats), picks the row that admits most of them; without it the
    levels are the finest, and then the threshold is the largest. The `certificate` is the row; `recheck()` of the
    filter solves its worst case again, in a second or two.
    Gaussian and other mu-GDP mechanisms need no table: GaussianFilter(gaussian_mu(epsilon, delta)) gives all that
    the promise allows, and no threshold for them is larger.
    Raises ValueError where no row promises as little, or none admits an `each`-DP mechanism: see `calibrate`.
    """
    epsilon, delta = float(check_positive("epsilon", epsilon)), float(check_delta("delta", delta))
    table = CalibratedThreshold.table()
    rows = [row for row in table if row.epsilon <= epsilon and row.delta <= delta]
    if not rows:
        raise ValueError(
            f"epsilon and delta must be at least {min(row.epsilon for row in table):g} and "
            f"{min(row.delta for row in table):g}, the least of the table, got epsilon={epsilon!r}, delta={delta!r}; "
            "use fp.calibrate"
        )
    if each is None:
        return max(CalibratedThreshold.finest(rows), key=lambda row: row.threshold).filter()
    each = float(check_positive("each", each))
    best = max(rows, key=lambda row: (row.admitted(each), row.epsilon, row.delta, row.threshold))
    if not best.admitted(each):
        raise ValueError(
            f"each must be at most {max(row.step * row.levels for row in rows):g} under this promise, "
            f"got each={each!r}; pass a smaller one, or use fp.calibrate"
        )
    return best.filter()
