"""Filters from the table of calibrated thresholds, ready to use.

>>> import filterproof as fp
>>> filt = fp.calibrated(epsilon=1.0, delta=1e-5)
>>> filt.promise, filt.certificate.high <= 1e-5
(ApproxDP(epsilon=1.0, delta=1e-05), True)
"""

from __future__ import annotations

from mc.worst_case.calibrate import CalibratedFilter
from mc.worst_case.calibrated_threshold import CalibratedThreshold
from theory.arguments import check_delta, check_positive

__all__ = ["calibrated"]


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
