"""Write the table of calibrated thresholds: python -m tests.mc.worst_case.write_thresholds [--check].

It takes several minutes in one process and comes out the same each time; `--check` compares instead of writing.
"""

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from filterproof.mc.worst_case.calibrated_thresholds import CalibratedThreshold
from filterproof.theory.conversions import max_gaussian_mu

TABLE = Path(__file__).parents[3] / "mc" / "worst_case" / "calibrated_thresholds.json"
EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0)
DELTAS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
#: The rows for mechanisms that spend such a part of epsilon each: their levels round it up by a millionth.
PARTS = (10, 20, 50)
#: The charges of the least level that reach the Gaussian ceiling, in the rows for mechanisms of any size.
UNITS = 3200
MADE_BY = "fp.calibrate(fp.ZCDPFilter) in make thresholds"


def up(x: float, bits: int) -> float:
    """The next number of so many bits: of few bits, so that sums of charges coincide."""
    mantissa, exponent = math.frexp(x)
    return math.ldexp(math.ceil(math.ldexp(mantissa, bits)), exponent - bits)


def steps(epsilon: float, delta: float) -> tuple[float, ...]:
    """The least levels of the rows of a promise, the finest first."""
    finest = up(float(max_gaussian_mu(epsilon, delta)) / math.sqrt(UNITS), 6)
    return finest, *(up(epsilon / part, 20) for part in reversed(PARTS))


def rows() -> Iterator[CalibratedThreshold]:
    """The table, row by row."""
    for epsilon in EPSILONS:
        for delta in DELTAS:
            for step in steps(epsilon, delta):
                yield CalibratedThreshold.compute(epsilon, delta, step=step, made_by=MADE_BY)


def text() -> str:
    """The table as JSON, one row on a line."""
    lines = []
    for row in rows():
        lines.append(json.dumps(asdict(row)))
        sys.stderr.write(f"{row!r}\n")
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    written = text()
    if sys.argv[1:] == ["--check"]:
        sys.exit(int(written != TABLE.read_text("utf-8")))
    TABLE.write_text(written, "utf-8")
