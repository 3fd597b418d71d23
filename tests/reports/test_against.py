"""`filterproof verify TARGET --against OTHER`, as a person types it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mc.examine.processor import processor_seconds
from tests.reports.typed import filterproof

BRIDGE = Path(__file__).parents[2] / "reports" / "docs" / "bridges" / "bridge.py"
FILTERS = """
import filterproof as fp


class Good(fp.AdditiveFilter):
    promise = fp.ZCDP(0.5)
    charge = fp.zcdp_charge


class Late(Good):
    def admits(self, state, request):
        return self.remaining(state) > 0


class Raises(Good):
    def admits(self, state, request):
        raise RuntimeError("no budget file")
"""


@pytest.mark.parametrize(
    ("other", "status", "said"),
    [
        (
            "mine.py::Late",
            1,
            "is granted by the second alone; so it breaks 0.5-zCDP: D of order 2, PQ is at least",
        ),
        ("ZCDPFilter(0.5)", 0, "which does not prove that there is none"),
        ("mine.py::Raises", 3, "Raises.admits raised RuntimeError: no budget file at mine.py"),
        ("no such filter", 2, "expression must read like"),
    ],
)
def test_a_difference_is_status_1_none_is_0_and_a_fault_is_3(
    other: str, status: int, said: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(FILTERS)
    told = filterproof(
        *("verify", "mine.py::Good", "--against", other, "--seconds", "2"),
        cwd=tmp_path,
        before=processor_seconds().__enter__,
    )
    assert told.returncode == status, told.stderr
    assert said in (told.stdout + told.stderr).replace("\n", " ")


def test_nothing_compared_before_the_time_was_up_is_no_success(tmp_path: Path) -> None:
    told = filterproof("verify", "ZCDPFilter", "--against", "ZCDPFilter", "--seconds", "1e-6", cwd=tmp_path)
    assert (told.returncode, told.stdout) == (5, "")
    assert "nothing was asked in 1e-06 s, and nothing was compared; raise --seconds" in told.stderr


def test_two_programs_are_asked_the_same(tmp_path: Path) -> None:
    right = BRIDGE.read_text("utf-8")
    assert '+= request["epsilon"]' in right
    (tmp_path / "wrong.py").write_text(right.replace('+= request["epsilon"]', '+= request["epsilon"] / 2'))
    commands = [f"{sys.executable} {path}" for path in (BRIDGE, tmp_path / "wrong.py")]
    told = filterproof(
        *("verify", "--exec", commands[0], "--promise", "pure(1)", "--against", commands[1]),
        *("--seconds", "20"),
        cwd=tmp_path,
    )
    assert told.returncode == 1, told.stdout + told.stderr
    assert "is granted by the second alone; so it breaks" in told.stdout


@pytest.mark.parametrize("more", [(), ("mine.py::Good", "--json"), ("mine.py::Good", "--mechanisms", "rr")])
def test_against_nothing_or_with_what_it_does_not_know_is_refused(
    more: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(FILTERS)
    told = filterproof("verify", *more, "--against", "mine.py::Late", cwd=tmp_path)
    assert told.returncode == 2
    assert "against must stand beside TARGET or --exec" in told.stderr.replace("\n", " ")
