"""A table of calibrated thresholds, whose rows anyone can solve again, and the filters of its rows.

>>> row = CalibratedThreshold.table()[0]
>>> row.recheck().high <= row.delta
True
>>> filt = tabulated_filter(epsilon=1.0, delta=1e-5)
>>> filt.promise, filt.certificate.high <= 1e-5
(ApproxDP(epsilon=1.0, delta=1e-05), True)
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from importlib import resources
from operator import attrgetter

from filterproof.filters import ZCDPFilter
from filterproof.mc.worst_case.calibrate import CalibratedFilter, calibrate
from filterproof.mc.worst_case.result import WorstCase
from filterproof.mc.worst_case.solve import worst_case
from filterproof.theory.argument_checks import check_delta, check_positive
from filterproof.theory.conversions import BUN_STEINKE, CKS, max_gaussian_mu
from filterproof.theory.display import Displayed, Row, row_of
from filterproof.theory.evidence import Evidence
from filterproof.theory.guarantees import ApproxDP
from filterproof.theory.numerics.decimals import interval
from filterproof.theory.pairs import RandomizedResponse


@dataclass(frozen=True, slots=True, repr=False)
class CalibratedThreshold(Displayed):
    """A row of the table: a threshold t for sums of squared epsilons of pure-DP mechanisms.

        sum_t epsilon_t^2 / 2 <= threshold  implies  (epsilon, delta)-DP

    The row covers every e-DP mechanism with e <= levels * step. Its charge is the next multiple of `step`.

    Parameters
    ----------
    epsilon, delta : float
        The guarantee; epsilon in nats.
    step : float
        Distance of the levels, in nats, > 0.
    levels : int
        Number of levels.
    threshold : float
        The largest threshold that calibration found.
    rounds : int
        Number of rounds of the longest play.
    low, high : float
        Bounds on the worst case, high <= delta.
    made_by : str
        The call and the command that computed the row.
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

    @classmethod
    def table(cls) -> tuple[CalibratedThreshold, ...]:
        """Return the rows that the package ships."""
        return _read_table()

    @classmethod
    def finest(cls, rows: Iterable[CalibratedThreshold]) -> list[CalibratedThreshold]:
        """Return for each (epsilon, delta) the row with the smallest step between levels."""
        finest: dict[tuple[float, float], CalibratedThreshold] = {}
        for row in rows:
            promise = row.epsilon, row.delta
            finest[promise] = min(row, finest.get(promise, row), key=attrgetter("step"))
        return list(finest.values())

    @classmethod
    def compute(cls, epsilon: float, delta: float, *, step: float, made_by: str = "") -> CalibratedThreshold:
        """Calibrate a row with the levels step, 2 step, ..., up to the largest that the threshold affords."""
        epsilon, delta = float(check_positive("epsilon", epsilon)), float(check_delta("delta", delta))
        step = float(check_positive("step", step))
        ceiling = float(max_gaussian_mu(epsilon, delta))
        count = math.ceil(ceiling / step) + 1
        while True:  # until the last level is denied, so that a further one would change nothing
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
        """Return the filter of this row, with the row as its certificate."""
        menu = tuple(RandomizedResponse(self.step * k) for k in range(1, self.levels + 1))
        promise = ApproxDP(self.epsilon, self.delta)
        return CalibratedFilter(ZCDPFilter(self.threshold), menu, None, self.threshold, self, promise)

    def recheck(self) -> WorstCase:
        """Solve the worst case of the row's filter again; see `CalibratedFilter.recheck`."""
        return self.filter().recheck()

    @property
    def evidence(self) -> Evidence:
        """CERTIFIED, which `recheck` confirms."""
        return Evidence.CERTIFIED

    @property
    def grants_any_request(self) -> bool:
        """True: the filter of a row grants its levels."""
        return True

    @property
    def published(self) -> float:
        """The published threshold B* for the same sum and guarantee (Feldman & Zrnic 2021, Theorem 4.9)."""
        return float(BUN_STEINKE.budget(self.epsilon, self.delta))

    @property
    def gain(self) -> float:
        """The ratio of this threshold to the published one."""
        return self.threshold / self.published

    @property
    def gain_over_cks(self) -> float:
        """The ratio of this threshold to the threshold by the CKS conversion, which `ApproximateDPFilter` uses."""
        return self.threshold / float(CKS.budget(self.epsilon, self.delta))

    def granted_count(self, each: float) -> int:
        """Return the number of `each`-DP mechanisms that a session of the filter grants."""
        level = math.ceil(Fraction(float(check_positive("each", each))) / Fraction(self.step))
        return math.floor(Fraction(self.threshold) / self._level_charge(level)) if level <= self.levels else 0

    def _level_charge(self, level: int) -> Fraction:
        """Return the zCDP charge of a level: half the square of its epsilon."""
        return (level * Fraction(self.step)) ** 2 / 2

    def rows(self) -> list[Row]:
        """Return one row, with the evidence and the published threshold."""
        shown: Row = {"evidence": self.evidence.name, "published": self.published, "made_by": self.made_by}
        return [row_of(self) | shown]

    def __str__(self) -> str:
        return (
            f"{interval(self.low, self.high, 9)} at epsilon={self.epsilon} ({self.evidence.name}; read from a table, "
            f"`recheck` solves it again; made by {self.made_by})"
        )


@lru_cache(maxsize=1)
def _read_table() -> tuple[CalibratedThreshold, ...]:
    """Read the shipped table of calibrated thresholds."""
    file = resources.files("filterproof.mc.worst_case").joinpath("calibrated_thresholds.json")
    return tuple(CalibratedThreshold(**row) for row in json.loads(file.read_text("utf-8")))


def tabulated_filter(epsilon: float, delta: float, *, each: float | None = None) -> CalibratedFilter:
    """Return a filter from the table that keeps (epsilon, delta)-DP for pure-DP mechanisms.

    The filter grants every mechanism that is e-DP for an e up to its largest level, and charges it as the next level.

    Parameters
    ----------
    epsilon : float
        In nats, > 0.
    delta : float
        In (0, 1).
    each : float, optional
        The epsilon of the mechanisms to come, in nats, > 0. It selects the row that grants most of them. By default the
        row has the finest levels and the largest threshold.

    Returns
    -------
    CalibratedFilter
        Its `promise` is that of the row and implies (epsilon, delta)-DP. Its `certificate` is the row, and `recheck()`
        solves the worst case again in a second or two.

    Raises
    ------
    ValueError
        If no row keeps the guarantee, or none grants an `each`-DP mechanism. Then use `calibrate`.

    Notes
    -----
    For mu-GDP mechanisms use `GaussianFilter(max_gaussian_mu(epsilon, delta))`, which no calibrated threshold improves.

    Examples
    --------
    >>> import filterproof as fp
    >>> session = fp.tabulated_filter(1.0, 1e-5, each=0.1).open()
    >>> sum(session.request(fp.Laplace(b=10.0)) for _ in range(10))  # 4 under the published threshold
    10
    """
    epsilon, delta = float(check_positive("epsilon", epsilon)), float(check_delta("delta", delta))
    table = CalibratedThreshold.table()
    rows = [row for row in table if row.epsilon <= epsilon and row.delta <= delta]
    if not rows:
        raise ValueError(
            f"epsilon and delta must be at least {min(row.epsilon for row in table):g} and "
            f"{min(row.delta for row in table):g}, the smallest in the table, got epsilon={epsilon!r}, "
            f"delta={delta!r}; "
            "use fp.calibrate"
        )
    if each is None:
        return max(CalibratedThreshold.finest(rows), key=lambda row: row.threshold).filter()
    each = float(check_positive("each", each))
    best = max(rows, key=lambda row: (row.granted_count(each), row.epsilon, row.delta, row.threshold))
    if not best.granted_count(each):
        raise ValueError(
            f"each must be at most {max(row.step * row.levels for row in rows):g} under this guarantee, "
            f"got each={each!r}; pass a smaller one, or use fp.calibrate"
        )
    return best.filter()
