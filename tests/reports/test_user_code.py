"""Whatever a user's file does as it is loaded, read, played or printed, only our own completion is a success."""

from pathlib import Path

import pytest

from tests.reports.typed import MINE, filterproof
from tests.slow_cases import slow_but

BASE = f"""{MINE}
import typer

class F(MyFilter):
    promise = fp.ApproxDP(epsilon=1.0, delta=1e-3)

class Halt(BaseException):
    pass
"""
READ = "\nclass F(F):\n    @property\n    def promise(self): "
PRINTED = "\nclass Odd(fp.ApproxDP):\n    def __str__(self): {}\nclass F(F): promise = Odd(epsilon=1.0, delta=1e-3)\n"
PLAYED = "\nclass F(F):\n    def admits(self, spent, request): "


def one_sentence(err: str) -> bool:
    lines = err.strip().split("\n")
    return len(lines) == 1 and lines[0].startswith("filterproof: ")


FAULTS = {
    # the promise, as it is read
    "a promise that exits": (READ + "raise typer.Exit(0)", "F.promise raised Exit"),
    "a promise that lacks something": (READ + "return self.budget", "F.promise raised AttributeError"),
    # the promise, as it is printed
    "words that leave": (PRINTED.format("sys.exit(0)"), "raised SystemExit: 0"),
    # in play
    "an exit of typer": (PLAYED + "raise typer.Exit(0)", "F.admits raised Exit"),
    "an exception beside the usual ones": (PLAYED + "raise Halt('stop')", "F.admits raised Halt: stop"),
    "an interrupt of its own": (PLAYED + "raise KeyboardInterrupt", "F.admits raised KeyboardInterrupt"),
}


#: One of each way to fail; a process takes seconds, so the others are slow.
USUAL = {"a promise that exits", "an exit of typer"}


@pytest.mark.parametrize("name", slow_but(USUAL, FAULTS))
def test_a_fault_of_the_file_is_one_sentence_and_never_a_success(tmp_path: Path, name: str) -> None:
    code, words = FAULTS[name]
    (tmp_path / "rude.py").write_text(BASE + code)
    status, out, err = filterproof(
        "verify", "rude.py::F", "--effort", "0.01", "--mechanisms", "rr", cwd=tmp_path
    )
    assert (status, out) == (3, ""), err
    assert one_sentence(err), err
    assert words in err


@pytest.mark.slow
def test_what_simulate_prints_last_is_no_success_either(tmp_path: Path) -> None:
    code, words = FAULTS["words that leave"]
    (tmp_path / "rude.py").write_text(BASE + code)
    played = ("simulate", "rude.py::F", "Constant(RandomizedResponse(0.05))", "--epsilon", "1", "-n", "1000")
    status, _, err = filterproof(*played, cwd=tmp_path)
    assert status == 3, err
    assert one_sentence(err), err
    assert words in err
