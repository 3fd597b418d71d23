"""Check a potential table with nothing of ours: python check_potential_table.py FILE [EVERY].

Of the standard library and Arb. What is checked, in whole numbers but for the true hockey-sticks of the members:

1. Each f_j is convex and falling in z, from `top` at z = 0, no lower than the one before; f_0 >= (1 - e^eps z)_+.
2. f_budget(1) + slack budget <= delta, in both directions.
3. For each member, E_P f_b(z e^-L) <= f_{b+c}(z) + slack c at every EVERY-th knot z, for all levels b >= floor that the
   charge c of that floor leaves, both ways. L is the loss of the pair itself: no lattice, no law of the table's maker.

Between knots and levels all of it is linear or convex, so that the points decide (see `potential_family`). With
f(z) = f(z_0) + sum_k m_k (1 - z/z_k)_+ and z_k = r^k,

    E_P f(z_i e^-L) = f(z_i) + sum_k m_k D(k - i),    D(d) = H(r^-d) - (1 - r^-d)_+ >= 0,

H(t) = E_P (1 - t e^-L)_+ the hockey-stick of the pair. All of it is exact: D is the upper end of a ball. With EVERY = 1
a table takes minutes, with 64 some seconds.
"""

import json
import lzma
import sys
from bisect import bisect_right
from fractions import Fraction
from functools import cache
from itertools import accumulate, pairwise
from operator import add, ge, le, mul, sub
from pathlib import Path
from struct import unpack
from typing import Any

from flint import arb, ctx

ONE = 1 << 62
#: Binary digits of D.
DIGITS = 100


def need(true: bool, what: str) -> None:
    """ValueError, unless it is true."""
    if not true:
        raise ValueError(f"not shown: {what}")


def read(file: Path) -> tuple[dict[str, Any], list[list[list[int]]]]:
    """What the table says, and the heights of both families in units of 1/ONE."""
    head, _, numbers = lzma.decompress(file.read_bytes()).partition(b"\n")
    told = json.loads(head)
    along, across = told["differences"]
    found, place = [], 0
    for part in told["families"]:
        levels, knots = len(part["at"]), part["knots"]
        size = levels * knots
        words = bytearray(8 * size)
        for k in range(8):  # the first bytes of all numbers, then the second ones
            words[k::8] = numbers[place + k * size : place + (k + 1) * size]
        place += 8 * size
        flat = [(one >> 1) ^ -(one & 1) for one in unpack(f"<{size}Q", words)]
        rows = [flat[j * knots : (j + 1) * knots] for j in range(levels)]
        for _ in range(across):
            rows = list(accumulate(rows, lambda above, row: list(map(add, above, row))))
        for _ in range(along):
            rows = [list(accumulate(row)) for row in rows]
        found.append([list(map((1 << told["shift"]).__mul__, row)) for row in rows])
    need(place == len(numbers), "the file ends with its heights")
    return told, found


def check_family(told: dict[str, Any], part: dict[str, Any], rows: list[list[int]]) -> None:
    """Steps 1 and 2 for one direction."""
    parts, top, at, first = part["parts"], part["top"], part["at"], part["first"]
    for row in rows:
        rise = list(map(sub, row[1:], row))
        need(row[0] >= 0 and min(rise) >= 0 and row[-1] <= top, "heights rise as z falls, up to top")
        need(all(map(ge, map(parts.__mul__, rise[1:]), map((parts - 1).__mul__, rise))), "f is convex")
        need(top - row[-1] >= (parts - 1) * rise[-1], "f is convex up to z = 0")
    for row, above in pairwise(rows):
        need(all(map(le, row, above)), "f rises with the level")
    need(top >= ONE and part["slack"] >= 0 and at[0] == 0, "top is at least 1")
    need(
        all(a < b for a, b in pairwise(at)) and first <= 0 < first + len(rows[0]),
        "levels rise",
    )
    ratio, lost = 1 - arb(1) / parts, arb(float.fromhex(told["epsilon"])).exp()
    for i, height in enumerate(rows[0]):
        need(arb(height) >= ONE * (1 - lost * ratio ** (first + i)), "f_0 is the payoff")
    budget, scale = told["budget"], told["scale"]
    j = min(bisect_right(at, budget) - 1, len(at) - 2)
    low, high, gap = rows[j][-first], rows[j + 1][-first], at[j + 1] - at[j]
    value = low + Fraction((high - low) * (budget - at[j]), gap) + Fraction(part["slack"] * budget, scale)
    need(0 < budget <= at[-1], "the budget is a level")
    need(value / ONE <= Fraction(float.fromhex(told["delta"])), "f_budget(1) keeps delta")


@cache
def removals(q: float, sigma: float, parts: int, most: int) -> dict[int, arb]:
    """H(r^-d) for |d| <= most, with P = q N(1, s^2) + (1 - q) N(0, s^2) and Q = N(0, s^2)."""
    rate, noise, step = arb(q), arb(sigma), -(1 - arb(1) / parts).log()

    def beyond(x: arb) -> arb:  # of a standard normal
        return (x / arb(2).sqrt()).erfc() / 2

    def removal(t: arb) -> arb:
        if t <= 1 - rate:
            return 1 - t
        x = arb(1) / 2 + noise**2 * ((t - 1 + rate) / rate).log()
        return rate * beyond((x - 1) / noise) + (1 - rate - t) * beyond(x / noise)

    return {d: removal((d * step).exp()) for d in range(-most, most + 1)}


def excess(q: float, sigma: float, addition: bool, parts: int, most: int) -> dict[int, int]:
    """D(d) for |d| <= most, times 2^DIGITS, rounded up."""
    found, step = {}, -(1 - arb(1) / parts).log()
    removal = removals(q, sigma, parts, most)
    for d in removal:
        t = (d * step).exp()
        height = 1 - t + t * removal[-d] if addition else removal[d]
        above = (height - (1 - t).max(arb(0))) * 2**DIGITS
        found[d] = int(above.upper().ceil().unique_fmpz())
    return found


def kinks(part: dict[str, Any], rows: list[list[int]]) -> list[list[int]]:
    """What the slope of each level changes by at a knot z, times z."""
    parts, top, found = part["parts"], part["top"], []
    for row in rows:
        rise = list(map(sub, row[1:], row))
        changes = map(sub, map(parts.__mul__, rise), map((parts - 1).__mul__, [0, *rise]))
        found.append([*changes, top - row[-1] - (parts - 1) * rise[-1]])
    return found


def check_charges(
    told: dict[str, Any],
    part: dict[str, Any],
    rows: list[list[int]],
    masses: list[list[int]],
    member: dict[str, Any],
    addition: bool,
    every: int,
) -> int:
    """Step 3 for one member and direction; how many inequalities there were."""
    parts, at, knots = part["parts"], part["at"], part["knots"]
    budget, scale, slack = told["budget"], told["scale"], part["slack"]
    q, sigma = float.fromhex(member["q"]), float.fromhex(member["sigma"])
    d = excess(q, sigma, addition, parts, knots)
    near = [d[k] for k in range(-knots, knots)]
    at_knots = range(0, knots, every)
    # E f_j - f_j at the knots, times 2^DIGITS, rounded up by D
    risen = [[sum(map(mul, row, near[knots - i : 2 * knots - i])) for i in at_knots] for row in masses]
    asked = 0
    floors = told["floors"]
    for floor, end, charge in zip(floors, [*floors[1:], budget], member["charges"], strict=True):
        last = min(end, budget - charge)
        levels = {floor, last, *at, *(level - charge for level in at)}
        for level in sorted(b for b in levels if floor <= b <= last):
            j = min(bisect_right(at, level) - 1, len(at) - 2)
            k = min(bisect_right(at, level + charge) - 1, len(at) - 2)
            gap, more = at[j + 1] - at[j], at[k + 1] - at[k]
            s, t = level - at[j], level + charge - at[k]
            for n, i in enumerate(at_knots):
                now = ((gap - s) * rows[j][i] + s * rows[j + 1][i]) << DIGITS
                now += (gap - s) * risen[j][n] + s * risen[j + 1][n]
                after = (more - t) * rows[k][i] + t * rows[k + 1][i]
                # now / gap 2^-DIGITS <= after / more + slack charge / scale
                need(
                    now * more * scale <= ((after * scale + more * slack * charge) * gap) << DIGITS,
                    f"the charge {charge} of {member} at level {level} and knot {i}",
                )
                asked += 1
    return asked


def check(file: Path, every: int = 1) -> int:
    """How many inequalities of step 3 hold; ValueError where one, or anything else, does not."""
    told, families = read(file)
    asked = 0
    with ctx.workprec(200):
        for addition, part, rows in zip((False, True), told["families"], families, strict=True):
            check_family(told, part, rows)
            masses = kinks(part, rows)
            for member in told["members"]:
                asked += check_charges(told, part, rows, masses, member, addition, every)
    return asked


if __name__ == "__main__":
    print(check(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1), "inequalities hold")
