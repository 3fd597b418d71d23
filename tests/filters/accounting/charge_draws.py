"""What ledgers are asked in these tests: every kind of charge, and its exact value."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from filterproof.filters.accounting.charge_kinds import Charge, LinearCharge, PerRunCharge, SquaredCharge

Shape = Callable[[NDArray[np.float64], float], Charge]

#: Ways to charge scale x^2, x the levels that the runs ask for.
SHAPES: dict[str, Shape] = {
    "squares": lambda x, scale: SquaredCharge(x, scale),
    "strided squares": lambda x, scale: SquaredCharge(np.repeat(x, 2)[::2], scale),
    "one square": lambda x, scale: SquaredCharge(float(x[0]), scale),
    "shared entry": lambda x, scale: SquaredCharge(np.broadcast_to(x[0], len(x)), scale),
    "numbers": lambda x, scale: LinearCharge(x * x),
    "one number": lambda x, scale: LinearCharge(float(x[-1] * x[-1])),
    "a menu": lambda x, scale: PerRunCharge(
        (SquaredCharge(float(x[0]), scale), LinearCharge(0.0)), np.arange(len(x)) % 2
    ),
    "arrays in a menu": lambda x, scale: PerRunCharge(
        (LinearCharge(x), SquaredCharge(x, scale)), np.arange(len(x)) % 2
    ),
}

#: The number of runs: alone, too few for a kernel, enough.
SIZES = [1, 2, 31, 33, 40]

VALUES = st.one_of(
    st.sampled_from([1.0, 0.7, 1.984375, 1 / 3, 2.0**-400, 2.0**401, 1e-150, 1e100, 1e-300, 5e-324]),
    st.floats(0.1, 10),
)
SCALES = st.sampled_from([1.0, 0.5, 1.25, 3.0, 2.0])

_LEVELS = st.one_of(
    st.builds(lambda k, j: k * 2.0**-j, st.integers(1, 40), st.integers(3, 27)),
    st.floats(0, 1),
    st.builds(lambda k: (2.0**k - 1) * 2.0 ** (-k - 2), st.integers(25, 29)),  # squares of about 53 bits
    st.sampled_from([0.07, 0.1, 0.3, 2.0**-25, 2.0**-26, 3 * 2.0**-26, 2.0**-480, 2.0**-600, 0.0]),
)
#: Rounds: how they charge, and up to three levels that the runs take in turn, as shares of the budget's root.
ROUNDS = st.lists(
    st.tuples(st.sampled_from(sorted(SHAPES)), st.lists(_LEVELS, min_size=1, max_size=3)), max_size=12
)


def charges(asked: list[tuple[str, list[float]]], n: int, unit: float, scale: float) -> list[Charge]:
    """The charges of rounds drawn from ROUNDS, to n runs."""
    return [SHAPES[shape](np.resize(np.array(levels) * unit, n), scale) for shape, levels in asked]


def exact(charge: Charge, n: int) -> list[Fraction]:
    """The rational values of a charge in n runs."""
    if isinstance(charge, PerRunCharge):
        each = [exact(member, n) for member in charge.charges]
        return [each[int(pick)][run] for run, pick in enumerate(charge.index)]
    xs = [Fraction(float(x)) for x in np.broadcast_to(charge.x, n)]
    return [Fraction(charge.scale) * x * x for x in xs] if isinstance(charge, SquaredCharge) else xs
