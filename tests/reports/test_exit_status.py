"""Each way of ending has a status of its own, and a file that ends its process never ends as success."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import reports.chapters
from mc import LocalPool
from mc.engine.encoding import encode, nameable
from reports.chapters.slips import SLIPS
from reports.cli import COMMANDS
from reports.commands import verify
from reports.commands.exit_status import ExitStatus
from reports.docs.generated import expand
from reports.finding import Claim, Told
from reports.study import Study
from tests.reports import typed
from tests.reports.typed import filterproof
from theory.pairs import RandomizedResponse

ROOT = Path(__file__).parent.parent.parent

FAULTY = f"""{typed.MINE}
class RaisesInSpend(MyFilter):
    def spend(self, spent, request):
        raise ValueError("no\\nmoney")

class Vanishes(MyFilter):
    def spend(self, spent, request):
        print('{{"verdicts": []}}', flush=True)
        os._exit(0)

class Hangs(MyFilter):
    def spend(self, spent, request):
        time.sleep(1000)

class Slow(MyFilter):
    def spend(self, spent, request):
        open("playing", "w").close()
        time.sleep(0.2)
        return spent

class DeniesAll(MyFilter):
    def admits(self, spent, request): return np.zeros(len(spent), bool)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "faulty.py").write_text(FAULTY)
    return tmp_path


def test_the_page_on_the_command_line_has_the_statuses_and_no_others() -> None:
    page = (ROOT / "reports/docs/pages/reference/commands.md").read_text("utf-8")
    table = re.findall(r"^\|\s*`?(\d+)`?\s*\|\s*(.*?)\s*\|$", expand(page), re.MULTILINE)
    assert [int(status) for status, _ in table] == [int(status) for status in ExitStatus]
    plain = [re.sub(r"[\\`]", "", meaning) for _, meaning in table]
    assert plain == [re.sub(r"[\\`]", "", status.meaning) for status in ExitStatus]


def test_a_filter_that_raises_ends_in_a_sentence_with_its_method_and_line(folder: Path) -> None:
    """Each method is made to raise in `tests/mc/examine/test_unhappy.py`."""
    status, out, err = filterproof("verify", "faulty.py::RaisesInSpend", "--seconds", "1", cwd=folder)
    line = FAULTY[: FAULTY.index("raise ValueError")].count("\n") + 1
    assert (status, out) == (3, "")
    assert err.strip() == (
        f"filterproof: RaisesInSpend.spend raised ValueError: no money at faulty.py, line {line}; "
        "mend it there: what a filter does not cover it denies"
    )


@pytest.mark.parametrize(
    "command",
    [
        ("simulate", "faulty.py::RaisesInSpend", "Constant(RandomizedResponse(0.05))", "--epsilon", "1"),
        ("attack", "faulty.py::RaisesInSpend"),
    ],
    ids=lambda command: command[0],
)
def test_every_command_that_plays_a_filter_names_its_fault(folder: Path, command: tuple[str, ...]) -> None:
    status, _, err = filterproof(*command, cwd=folder)
    assert status == 3
    assert "RaisesInSpend.spend raised ValueError: no money at faulty.py" in err
    assert "Traceback" not in err


def test_a_filter_that_ends_the_process_in_play_is_no_success(folder: Path) -> None:
    """Other ends are those of `tests/mc/examine/test_worker.py`; this one prints before what would be a verdict."""
    status, _, err = filterproof("verify", "faulty.py::Vanishes", "--seconds", "1", cwd=folder)
    assert status == 3
    assert "ended with status 0 before there was a verdict" in err
    assert not list(folder.glob("filterproof-report/*"))


@pytest.mark.parametrize(
    "command",
    [
        ("verify", "leaves.py::X", "--seconds", "2"),
        ("simulate", "leaves.py::X", "OneShot", "--epsilon", "1"),
        ("attack", "leaves.py::X"),
        ("replay", "verdicts.json", "x", "leaves.py::X"),
    ],
    ids=lambda command: command[0],
)
def test_a_file_that_ends_the_process_as_it_is_loaded_is_no_success(
    folder: Path, command: tuple[str, ...]
) -> None:
    (folder / "leaves.py").write_text("import os\nos._exit(0)\n")
    (folder / "verdicts.json").write_text(json.dumps({"verdicts": [{"key": "x", "witness": WITNESS}]}))
    status, out, err = filterproof(*command, cwd=folder)
    assert (status, out) == (3, "")
    assert "leaves.py::X ended with status 0 before there was a verdict" in err


WITNESS = {
    "filter": {"outside": "X"},
    "epsilon": 1.0,
    "ratio": "3",
    "promised": 0.01,
    "value": "1/2",
    "direction": "PQ",
    "plan": {"request": {"name": "x"}, "then": []},
}


def test_a_filter_that_does_not_come_back_is_out_of_time_and_no_pass(folder: Path) -> None:
    status, out, err = filterproof("verify", "faulty.py::Hangs", "--seconds", "2", cwd=folder)
    assert (status, out) == (5, "")
    assert re.search(r"Hangs.spend \(faulty.py, line \d+\) was still at work when the time was up", err)
    assert not list(folder.glob("filterproof-report/*"))


def test_a_time_limit_has_a_status_and_takes_the_other_process_along(folder: Path) -> None:
    status, _, err = filterproof("verify", "faulty.py::Hangs", "--time-limit", "2", cwd=folder)
    assert status == 5
    assert "stopped after 2 s; nothing was decided: raise --time-limit" in err


def test_a_filter_that_denies_everything_does_not_look_like_a_pass(folder: Path) -> None:
    status, out, err = filterproof("verify", "faulty.py::DeniesAll", "--seconds", "1", "--json", cwd=folder)
    assert status == 6, err
    told = json.loads(out)
    assert (told["verdict"], told["status"]) == ("UNDECIDED", "DENIES")
    assert "admits nothing that was tried" in told["detail"]
    assert "admits nothing that was tried" in (folder / "filterproof-report" / "report.html").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ("attack", "faulty.py::DeniesAll"),
        ("simulate", "faulty.py::DeniesAll", "Constant(Gaussian(0.5))", "--epsilon", "1", "-n", "1000"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_no_command_passes_a_filter_that_denies_everything(folder: Path, arguments: tuple[str, ...]) -> None:
    status, out, err = filterproof(*arguments, cwd=folder)
    assert status == 6, err
    assert "nothing was" in out + err


@pytest.mark.slow
def test_a_witness_against_a_filter_without_arguments_replays_as_printed(folder: Path) -> None:
    (folder / "nat.py").write_text(
        "import math\nfrom fractions import Fraction as F\nimport filterproof as fp\n"
        "class Nat(fp.NaturalFilter):\n    def __init__(self):\n"
        "        menu = tuple(fp.RandomizedResponse.from_ratio(F(3, 2) ** k) for k in (1, 2, 3))\n"
        "        with fp.knowingly():\n            fp.NaturalFilter.__init__(self, math.log(2.25), float(F(45, 169)), "
        "menu, ratio=F(9, 4), exact_delta=F(45, 169))\n"
    )
    status, out, err = filterproof("attack", "nat.py::Nat", "--out", "found", cwd=folder)
    assert status == 1, err
    printed = out.splitlines()[-1].partition("filterproof ")[2]
    status, out, err = filterproof(*shlex.split(printed), cwd=folder)
    assert status == 0, err
    assert "1899/5915" in out


def test_an_error_of_our_own_is_none_of_the_users_statuses(folder: Path) -> None:
    def broken() -> None:
        COMMANDS["list_"].__globals__["Console"] = None

    ended = typed.filterproof("list", cwd=folder, before=broken)
    assert ended.returncode == 4
    assert "an error of Filterproof itself, TypeError" in ended.stderr


def test_a_reader_that_goes_away_is_no_error_of_anybodys(folder: Path) -> None:
    reader, writer = os.pipe()  # in an interpreter of its own, which flushes once more as it ends
    os.close(reader)
    result = subprocess.run(
        [sys.executable, "-m", "filterproof", "list"],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        timeout=300,
    )
    os.close(writer)
    assert (result.returncode, result.stderr) == (141, "")


@pytest.mark.parametrize("everyone", [True, False], ids=["from a terminal", "to the first process alone"])
def test_ctrl_c_in_verify_says_what_was_done_and_lost(folder: Path, everyone: bool) -> None:
    process = typed.start("verify", "faulty.py::Slow", "--quick", cwd=folder)
    process.wait_for(folder / "playing")
    (os.killpg if everyone else os.kill)(process.pid, signal.SIGINT)
    ended = process.end()
    assert ended.returncode == 130
    assert ended.stdout.strip() == ""
    assert re.search(
        r"interrupted after \d+ s, in (loading the filter|admission|sequences|games);", ended.stderr
    )
    assert "nothing was decided or written, what was done is lost, and verify starts anew" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not list(folder.glob("filterproof-report/*"))


@pytest.mark.slow
def test_ctrl_c_in_a_simulation_says_how_to_resume_and_resuming_gives_the_same_bits(folder: Path) -> None:
    run = ("simulate", "GaussianFilter(mu=1.0)", "LossChasing", "--epsilon", "4", "-n", "6e6")
    undisturbed = filterproof(*run, cwd=folder).stdout
    stopped = typed.start(*run, "--store", "run.sqlite", cwd=folder)
    stopped.wait_for(folder / "run.sqlite-wal")
    time.sleep(1.0)
    os.killpg(stopped.pid, signal.SIGINT)  # what a terminal sends to everything in the foreground
    status, _, err = stopped.end()
    assert status == 130
    assert "kept in run.sqlite; the same call resumes" in err
    assert "Traceback" not in err
    assert filterproof(*run, "--store", "run.sqlite", cwd=folder).stdout == undisturbed != ""


def at_once(study: Study, claims: Sequence[Claim]) -> Told:
    """A chapter that has nothing to tell."""
    return Told(())


def waits(study: Study, claims: Sequence[Claim]) -> Told:
    """A chapter that says that it is being told, and goes on for long."""
    Path("playing").touch()
    time.sleep(1000)
    return Told(())


AT_ONCE = replace(SLIPS, key="at-once", claims=(), theorems=(), tell=at_once)
WAITS = replace(AT_ONCE, key="waits", tell=waits, gathers=True)


def test_ctrl_c_in_the_main_job_says_what_was_done_and_lost(folder: Path) -> None:
    def two_chapters() -> None:
        reports.chapters.CHAPTERS = (AT_ONCE, WAITS)
        verify.LocalPool = partial(LocalPool, 1)

    process = typed.start("verify", "--quick", cwd=folder, before=two_chapters)
    process.wait_for(folder / "playing")
    os.killpg(process.pid, signal.SIGINT)
    ended = process.end()
    assert ended.returncode == 130
    assert not (folder / "filterproof-report").exists()
    assert re.search(r"interrupted after \d+ s, in chapter 2 of 2 \(", ended.stderr)
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("simulate", "GaussianFilter", "OneShot", "--epsilon", "1", "-n", "1e99"),
            "n must be at most 1,000,000,000,000, got n=1e+99; play fewer, or several runs of other seeds",
        ),
        (
            ("simulate", "GaussianFilter", "OneShot", "--epsilon", "1", "-n", "inf"),
            "n must be an integer >= 2",
        ),
        (("attack", "GaussianFilter", "--rounds", "1000000000"), "rounds must be at most 10,000"),
        (("calibrate", "1", "1e-5", "--levels", "1000000000"), "levels must be at most 4,096"),
        (("calibrate", "1", "1e-5", "--mechanisms", "gauss"), "mechanisms must be one of gaussian, pure"),
        (
            ("calibrate", "1", "1e-5", "--mechanisms", "subsampled:0.1"),
            "mechanisms must be subsampled:q,sigma, got 'subsampled:0.1'",
        ),
        (
            ("replay", "nofile", "x"),
            "file must be a witness.json, verdict.json or verdicts.json, got file='nofile' (No such",
        ),
        (
            ("replay", "faulty.py", "x"),
            "file must be a witness.json, verdict.json or verdicts.json, got file='faulty.py'",
        ),
        (("attack", "NaiveRealisationFilter", "--out", "faulty.py"), "out must be a folder"),
        (
            ("figures", "003-3", "004-2", "--set", "k=5"),
            "k must be a parameter of figure 004-2, got k=5; there are epsilon",
        ),
        (("figures", "003-3", "--set", "sigma=wide"), "sigma must be a real number"),
        (("figures", "003-3", "--set", "sigma"), "set must read like sigma=2, got 'sigma'"),
        (
            ("figures", "003-3", "--set", "sigma=50", "--set", "sigma=60"),
            "set must name each parameter once, got sigma=50 and sigma=60; leave one out",
        ),
        (("figures", "003-3", "--format", "gif"), "formats must be among svg, png, pdf, got ['gif']"),
        (("figures", "003-3", "--out", "/dev/null/x"), "out must be a folder that can be written to"),
        (("train", "003-3"), "name must be one of 000-table-1, 000-table-2, 000-table-3, 003-2, 003-6"),
        (("train", "003-7x"), "name must be one of 000-table-1, 000-table-2, 000-table-3, 003-2, 003-6"),
        (("prove", "Fermat"), "name must be a known theorem, got name='Fermat'"),
        (
            ("audit", "--environments", "nowhere"),
            "environments must be a folder of environments, got 'nowhere'",
        ),
        (("train", "--trials", "100000"), "trials must be at most 1,000, got trials=100000; pass fewer"),
        (("train", "--format", "gif"), "formats must be among svg, png, pdf, got ['gif']"),
        (("train", "--out", "/dev/null/x"), "out must be a folder that can be written to"),
        (("verify", "--time-limit", "0"), "time-limit must be a number of seconds > 0, got 0"),
        (("verify", "faulty.py::Slow", "--mechanisms", "rr,lasers"), "mechanisms must be"),
        (("verify", "faulty.py::Slow", "--seconds", "-1"), "seconds must be"),
        (("verify", "--seconds", "5"), "target must be given"),
        (("verify", "Nothing(1)"), "must name something known"),
        (("verify", "nowhere.py::X"), "no file at"),
        (("verify", "--seed", "-1"), "seed must be"),
        (
            ("verify", "init.py::X"),
            "target must be constructible, got target='init.py::X' which raised KeyError: 1",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_at_once_in_one_sentence(
    folder: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    (folder / "init.py").write_text(
        "import filterproof as fp\nclass X(fp.BasicFilter):\n    def __init__(self): {}[1]\n"
    )
    before = sorted(folder.rglob("*"))
    status, out, err = filterproof(*arguments, cwd=folder)
    assert (status, out) == (2, "")
    assert err.startswith("filterproof: ")
    assert sentence in err
    assert "Errno" not in err
    assert err.count("\n") == 1
    assert [file for file in sorted(folder.rglob("*")) if "__pycache__" not in file.parts] == before


@pytest.mark.slow
def test_the_witness_of_an_attack_is_replayed_by_the_command_that_it_prints(folder: Path) -> None:
    (folder / "mine.py").write_text(
        FAULTY + "\nclass Lax(MyFilter):\n    promise = fp.ApproxDP(epsilon=1.0, delta=1e-3)\n"
        "    def admits(self, spent, request): return spent + request.pure_epsilon <= 4.0\n"
    )
    for target in ("NaiveRealisationFilter", "mine.py::Lax"):
        status, out, err = filterproof("attack", target, "--out", "found", cwd=folder)
        assert status == 1, err
        (command,) = re.findall(r"^Again: (.*)$", out, re.MULTILINE)
        status, out, err = filterproof(*shlex.split(command)[1:], cwd=folder)
        assert status == 0, err
        assert "The same again" in out
        assert "does not refute" not in out
    witness = folder / "found" / "witness.json"
    witness.write_text(witness.read_text().replace('"value": "', '"value": "1'))
    status, _, err = filterproof("replay", "found/witness.json", "mine.py::Lax", cwd=folder)
    assert status == 1
    assert "must replay to the bit" in err


def test_a_witness_that_refutes_nothing_is_no_success(folder: Path) -> None:
    sound = {"type": "BasicFilter", "epsilon": 1.0, "delta": 0.125}
    told = {"filter": sound, "epsilon": 1.0, "ratio": "3", "promised": 0.125, "value": "0"}
    pair = encode(RandomizedResponse.from_ratio(2), nameable())
    plan = {"request": pair, "then": [None, None]}
    (folder / "witness.json").write_text(json.dumps(told | {"direction": "PQ", "plan": plan}))
    status, out, err = filterproof("replay", "witness.json", cwd=folder)
    assert (status, err) == (1, "")
    assert "The same again: 0" in out
    assert "It does not refute the promise." in out
