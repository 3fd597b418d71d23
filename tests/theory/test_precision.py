"""The precision of balls is one number for the process: threads that set it wait for each other, and it is set back."""

import ast
import re
import threading
from pathlib import Path

import pytest
from flint import arb, ctx

from filterproof import theory
from filterproof.theory.numerics import stable
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK

HOUSE = Path(theory.__file__).parents[1]


def test_while_one_thread_computes_in_balls_no_other_can_set_their_precision() -> None:
    acquired: list[bool] = []

    def value(bits: int) -> arb:
        other = threading.Thread(target=lambda: acquired.append(PRECISION_LOCK.acquire(blocking=False)))
        other.start()
        other.join()
        return arb(3).log()

    stable.nearest_double(value)
    assert acquired == [False]
    assert ctx.prec == 53


@pytest.mark.parametrize("room", ["theory", "filters", "mc"])
def test_a_precision_is_set_under_the_lock_alone(room: str) -> None:
    unlocked = []
    for file in sorted((HOUSE / room).rglob("*.py")):
        code = file.read_text()
        for step in ast.walk(ast.parse(code)) if "ctx." in code or "workdps" in code else ():
            items = (
                [ast.unparse(item.context_expr) for item in step.items] if isinstance(step, ast.With) else []
            )
            sets = [k for k, text in enumerate(items) if re.match(r"(flint\.)?ctx\.|mp\.workdps", text)]
            if sets and "PRECISION_LOCK" not in items[: sets[0]]:
                unlocked.append(f"{file.relative_to(HOUSE)}:{step.lineno}")
    assert unlocked == []
