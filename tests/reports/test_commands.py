"""What a person types and what comes back: a status for each way of ending, a sentence, and no half-written report."""

import errno
import importlib
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

import filterproof as fp
from filterproof import mc
from filterproof.filters.adapters.bridge import LateBridgeError
from filterproof.filters.catalogue import CATALOGUE
from filterproof.mc import LocalPool
from filterproof.mc.runs.output import OutputFolder
from filterproof.mc.worst_case.plan import AdaptivePlan
from filterproof.reports import report
from filterproof.reports.cli import COMMANDS, app
from filterproof.reports.commands.console import clear_errors, doing, print_error, print_text
from filterproof.reports.commands.exit_status import CommandEnd, ExitStatus
from filterproof.reports.commands.prove import RECORD_CHECKED
from filterproof.reports.figures.paper_figure import FIGURES
from filterproof.reports.finding import Finding
from filterproof.reports.study import Study
from filterproof.reports.target_expression import read_value
from filterproof.theory.kernel.kernel_theorems import FINITE_OUTCOMES_SCOPE
from filterproof.theory.proofs.proof import JOINED_BY_KERNEL, PROSE_JOIN_NOTE
from tests.interpreter import python
from tests.mc.examine.counterexamples import written
from tests.reports import typed
from tests.reports.typed import CAST, filterproof

ROOT = Path(__file__).parent.parent.parent
BRIDGE = ROOT / "reports" / "docs" / "bridges" / "bridge.py"
RESPONSE = fp.RandomizedResponse.from_ratio(2)
#: A plan against a sound filter, which replays and refutes nothing; and the same of a filter in a file.
KEPT = {
    **written(fp.BasicFilter(1.0, 0.125), 1.0, Fraction(3), AdaptivePlan(RESPONSE, (None, None))).data,
    "promised": 0.125,
}
OUTSIDE = KEPT | {"filter": {"outside": "X"}}
FILES = {
    "mine.py": CAST,
    "leaves.py": "import os\nos._exit(0)\n",
    "verdicts.json": json.dumps({"verdicts": [{"key": "x", "counterexample": OUTSIDE}]}),
    "kept.json": json.dumps(
        {"schema": 1, "findings": [], "witness": KEPT}
    ),  # the layout of an earlier version
    "nothing.json": '{"schema": 1, "findings": [], "counterexample": null}',
    "full/003-4.csv/a": "",
    "full/003-4.svg": "old",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def files(folder: Path) -> dict[Path, bytes]:
    """Whatever stands in the folder, but for what Python and `Slow` leave there."""
    there = (path for path in folder.rglob("*") if not {"__pycache__", "playing"} & {*path.parts})
    return {path: path.read_bytes() if path.is_file() else b"" for path in there}


def line_of(words: str) -> int:
    return CAST[: CAST.index(words)].count("\n") + 1


_PLAYS = "simulate GaussianFilter OneShot --epsilon 1 -n"
_ASKS = "'Constant(RandomizedResponse(0.05))' --epsilon 1 -n 1000"
_RAISED = (
    f"filterproof: Raises.admits raised ValueError: no money in mine.py, line {line_of('raise ValueError')}; "
    "correct it there, and return False for requests that the filter does not support"
)
_KINDS = "the file is not a counterexample.json, verdict.json or verdicts.json with a counterexample (file="
#: The status -> what is typed, and what is said; dots stand for words between.
ENDS: dict[int, dict[str, str]] = {
    0: {
        "list": "GaussianFilter ... NaiveRealisationFilter ... EraserForever ... "
        "The guarantee of GaussianFilter, 1-GDP │ its own code │ HOLDS",
        "prove 'ApproximateDPFilter(1.0, 1e-5)'": "CKS ... The check does not cover other objects",
        "prove 'B*, line by line'": f"DERIVED, identity ... CERTIFIED, point ... {PROSE_JOIN_NOTE}",
        "prove odometers": f"KERNEL, kernel ... 6 kernel ... "
        f"{JOINED_BY_KERNEL.format(covers=FINITE_OUTCOMES_SCOPE)} {RECORD_CHECKED}",
        "simulate GaussianFilter 'Constant(Gaussian(0.3))' --epsilon 2 -n 2e3": "; rests on ",
        # whose estimate lies above the promise, and whose interval does not
        "simulate GaussianFilter OneShot --epsilon 1 -n 2e3 --method plain --seed 3": "0.13 ... in [0.10",
    },
    1: {
        "prove mine.py::Above": "REFUSED, UNSOUND",
        "prove NonadaptiveCompositionFilter": "is a counterexample: none of its numbers is certified",
        "verify mine.py::Good --against mine.py::Late": (
            "this breaks 0.5-zCDP: Rényi divergence of order 2 (P||Q) is at least"
        ),
        "replay kept.json": "Replayed with the same result: 0 ... It does not refute the guarantee.",
        "simulate NaiveRealisationFilter EraserForever --epsilon 1 -n 2e3": "REFUTED: the whole interval lies",
    },
    2: {
        "prove Fermat": "name must be a known theorem, got name='Fermat'",
        "verify": "verify needs a filter (target=None); name file.py::MyFilter, 'ZCDPFilter(0.5)' or --exec, or run",
        "report --out mine.py": "out must be a folder",
        f"{_PLAYS} 1e99": (
            "n must be at most 1,000,000,000,000, got n=1e+99; simulate fewer runs, or several seeds"
        ),
        "calibrate 1 1e-5 --mechanism gauss": "the mechanism is unknown (mechanism='gauss'); choose from",
        "replay nofile x": f"{_KINDS}'nofile') (No such",
        "replay nothing.json": "because nothing was refuted",
        "replay verdicts.json y": "the file has no counterexample for this key (key='y'); choose from x",
        "figures 003-3 004-2 --set points=5": "points must be a parameter of figure 004-2, got points=5",
        "figures 003-4 --set points=3 --format svg --out full": "got 'full/003-4.csv' (it is a folder)",
        "audit --environments nowhere": "the folder does not exist (environments='nowhere')",
        "audit nonsense": "there are no findings about this library (library='nonsense')",
        "report --time-limit 0": "the time limit is not a number of seconds > 0 (time-limit=0.0)",
        "verify mine.py::Slow --mechanisms rr,lasers": "mechanisms must be",
        "report --seed -1": "the seed is negative (seed=-1)",
        "figures --json": "--json needs --list",
        "verify ZCDPFilter --exec node --promise 'pure(1)'": "describe a program and not a file (target='ZCDPFilter')",
        "verify mine.py::Rasies": "no filter of this name (target='mine.py::Rasies'); did you mean 'Raises'?",
        "verify mine.py::Purse": "the service has no guarantee (target='mine.py::Purse'); pass --promise",
        "verify mine.py::Good --promise 'pure(1)'": "a filter states its own (target='mine.py::Good')",
        "verify mine.py::Good --against mine.py::Late --json": "--against excludes --mechanisms and --json",
    },
    3: {  # each method is made to raise in `tests/mc/examine/test_misbehaving_filters.py`
        "verify mine.py::Raises --effort 0.05": _RAISED,
        f"simulate mine.py::Raises {_ASKS}": _RAISED,
        # only our own completion is a success
        "verify mine.py::Leaves --effort 0.01": "Leaves.promise raised Exit",
        "verify mine.py::Interrupts --effort 0.01": "Interrupts.admits raised KeyboardInterrupt",
        f"simulate mine.py::Says {_ASKS}": "raised SystemExit: 0",
        "replay verdicts.json x leaves.py::X": "leaves.py::X ended with status 0 before a verdict",
    },
    5: {
        "verify mine.py::Hangs --seconds 2": "the time limit ended the examination before any result",
        "verify mine.py::Hangs --time-limit 2": "the time limit ended the command before a verdict; pass larger",
    },
    6: {
        f"simulate mine.py::DeniesAll {_ASKS}": "the filter denies the first request in 256 of 256 runs",
    },
}
#: Where something was said before the sentence.
BEGUN = (
    "report --out mine.py",
    "figures 003-4 --set points=3 --format svg --out full",
    f"simulate mine.py::Says {_ASKS}",
)


COMMANDS_TYPED = [(status, words) for status, rows in ENDS.items() for words in rows]


@pytest.mark.parametrize(("status", "words"), COMMANDS_TYPED)
def test_a_command_ends_with_its_status_and_says_why(folder: Path, status: int, words: str) -> None:
    expected, before = ENDS[status][words].split(" ... "), files(folder)
    ended = filterproof(*shlex.split(words), cwd=folder)
    printed = " ".join((ended.stdout + ended.stderr).split())
    assert ended.returncode == status, printed
    assert [part for part in expected if " ".join(part.split()) not in printed] == []
    assert "Traceback" not in printed
    assert "Errno" not in printed
    assert status or "REFUSED" not in printed
    if status in (2, 3, 5):
        *earlier, last = filter(None, ended.stderr.splitlines())
        assert last.startswith("filterproof: ")
        assert words in BEGUN or (ended.stdout, earlier) == ("", [])
        assert files(folder) == before


@pytest.mark.parametrize("name", ["verify", "simulate"])
def test_the_help_of_a_command_says_all_of_its_words(name: str, folder: Path) -> None:
    """Brackets read as markup would be left out, and a word wider than its column cut."""
    group: Any = typer.main.get_command(app)
    command = group.commands[name.rstrip("_")]
    words = (command.help or "", *(param.help or "" for param in command.params))
    narrow = partial(os.environ.update, {"COLUMNS": "80"})
    ended = filterproof(name.rstrip("_"), "--help", cwd=folder, before=narrow)
    assert ended.returncode == 0
    printed = {word for line in ended.stdout.splitlines() for word in line.strip(" │").split()}
    missing = {word for text in words for word in text.split()} - printed
    assert not missing


_GAME = ("GaussianFilter(1.0)", "Constant(Gaussian(0.3))")
_COMPARED = fp.rank_filters_by_releases(1.0, 1e-5, fp.ZCDP(0.005))
#: What is typed with --json -> what a part of the data is by another route.
AS_DATA: dict[tuple[str, ...], Callable[[Any], tuple[object, object]]] = {
    ("simulate", *_GAME, "--epsilon", "2", "-n", "2000", "--seed", "3"): lambda data: (
        data["estimate"],
        fp.simulate(*map(read_value, _GAME), epsilon=2.0, n=2000, seed=3).rows()[0],
    ),
    ("calibrate", "1", "1e-5", "--mechanism", "zcdp"): lambda data: (data["filters"], _COMPARED.rows()),
    ("figures", "--list"): lambda data: ([row["name"] for row in data], [*FIGURES]),
    ("list",): lambda data: ([row["filter"] for row in data["filters"]], [*CATALOGUE]),
}


@pytest.mark.parametrize("words", AS_DATA, ids=" ".join)
def test_the_data_of_a_command_is_that_of_the_library(folder: Path, words: tuple[str, ...]) -> None:
    ended = filterproof(*words, "--json", cwd=folder)
    assert ended.returncode == 0, ended.stderr
    got, expected = AS_DATA[words](json.loads(ended.stdout))
    assert got == expected


def test_the_figures_are_listed_in_80_columns_and_the_version_is_that_of_the_package(folder: Path) -> None:
    narrow = partial(os.environ.update, {"COLUMNS": "80"})
    lines = filterproof("figures", "--list", cwd=folder, before=narrow).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.strip() for line in lines if not line.startswith(" ")] == [*FIGURES]
    assert filterproof("--version", cwd=folder).stdout == f"filterproof {metadata.version('filterproof')}\n"


def test_help_and_version_load_no_arithmetic(tmp_path: Path) -> None:
    loaded = "import sys; from filterproof.reports.cli import app; print({'numpy', 'scipy'} & {*sys.modules})"
    assert python("-c", loaded, cwd=tmp_path, path=(ROOT,)).stdout == "set()\n"


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("MyFilter", (0, "UNDECIDED", "UNDECIDED")),
        ("DeniesAll", (6, "UNDECIDED", "NOT EXAMINED")),
    ],
)
def test_a_verdict_is_printed_as_json_and_written(
    folder: Path, name: str, ends: tuple[int, str, str]
) -> None:
    options = ("--effort", "0.01", "--mechanisms", "rr", "--seed", "7", "--json")
    ended = filterproof("verify", f"mine.py::{name}", *options, cwd=folder)
    assert ended.stderr.strip() == ""
    printed, out = json.loads(ended.stdout), folder / "filterproof-report"
    assert (ended.returncode, printed["verdict"], printed["status"]) == ends
    assert (printed["mechanisms"], printed["seed"], printed["effort"]) == (["rr"], 7, 0.01)
    assert printed == json.loads((out / "verdict.json").read_text("utf-8"))
    page = (out / "report.html").read_text("utf-8")
    for text in (printed["detail"], page):
        assert ("denies every request that was tried" in text) == (name == "DeniesAll")


def test_a_filter_that_checks_too_late_is_refuted_and_replayed_by_the_command_that_is_printed(
    folder: Path,
) -> None:
    (folder / "my filter.py").write_text(CAST)  # which a shell would take for two words
    ended = filterproof("verify", "my filter.py::Lax", "--effort", "0.05", "--out", "out", cwd=folder)
    assert ended.returncode == 1, ended.stderr
    written = json.loads((folder / "out" / "verdict.json").read_text("utf-8"))
    assert written["verdict"] == "REFUTED"
    (folder / "out" / "counterexample.json").write_text(json.dumps(written["counterexample"]))
    page = (folder / "out" / "report.html").read_text("utf-8")
    (command,) = re.findall(r'<pre class="wrap">(filterproof replay [^<]*)</pre>', page)
    words = shlex.split(command.replace("&#39;", "'"))
    assert words == ["filterproof", "replay", "out/verdict.json", "my filter.py::Lax"]
    assert f"Again: {shlex.join(words)}" in ended.stdout
    for saved in ("out/verdict.json", "out/counterexample.json"):
        again = filterproof("replay", saved, *words[3:], cwd=folder)
        assert again.returncode == 0, again.stderr
        assert "Replayed with the same result" in again.stdout
    assert filterproof("replay", saved, "mine.py::MyFilter", cwd=folder).returncode == 1
    assert filterproof("replay", saved, cwd=folder).returncode == 2


def test_a_service_is_examined_as_a_service_and_replayed_with_its_guarantee(folder: Path) -> None:
    arguments = ("verify", "mine.py::Purse", "--promise", "pure(1)", "--effort", "0.05", "--out", "out")
    ended = filterproof(*arguments, cwd=folder)
    assert ended.returncode == 1, ended.stderr
    assert "Purse, promised 1-DP: REFUTED (CERTIFIED; clients with concurrent requests" in ended.stdout
    (again,) = re.findall(r"^Again: filterproof (.*)$", ended.stdout, re.MULTILINE)
    assert filterproof(*shlex.split(again), cwd=folder).returncode == 0


@pytest.mark.slow
def test_two_programs_are_asked_the_same(folder: Path) -> None:
    right = BRIDGE.read_text("utf-8")
    assert '+= request["epsilon"]' in right
    (folder / "wrong.py").write_text(right.replace('+= request["epsilon"]', '+= request["epsilon"] / 2'))
    commands = [f"{sys.executable} {path}" for path in (BRIDGE, folder / "wrong.py")]
    both = ("--exec", commands[0], "--promise", "pure(1)", "--against", commands[1])
    ended = filterproof("verify", *both, cwd=folder)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "this breaks" in ended.stdout


def test_a_program_that_answers_late_is_named_and_is_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    late = "program.py did not answer in time"
    with pytest.raises(CommandEnd) as ended, clear_errors():
        raise LateBridgeError(late)
    assert ended.value.status is ExitStatus.TIME_LIMIT
    assert late in capsys.readouterr().err


def test_an_error_of_our_own_is_none_of_the_users_statuses(folder: Path) -> None:
    def broken() -> None:
        COMMANDS["list_"].__globals__["Console"] = None

    ended = filterproof("list", cwd=folder, before=broken)
    assert ended.returncode == 4
    assert "internal error in Filterproof (TypeError)" in ended.stderr


def test_a_terminal_that_has_no_letters_of_other_languages_is_shown_them_as_escapes(folder: Path) -> None:
    def in_ascii() -> None:
        for stream in (sys.stdout, sys.stderr):
            assert isinstance(stream, io.TextIOWrapper)
            stream.reconfigure(encoding="ascii", errors="strict")

    ended = filterproof("list", cwd=folder, before=in_ascii)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.isascii()
    ended = filterproof("prove", "Rényi", cwd=folder, before=in_ascii)
    assert ended.returncode == 2
    assert r"name must be a known theorem, got name='R\xe9nyi'" in ended.stderr


#: What is typed, the status, and what of the verdict is printed though the disk is full.
WRITTEN_AFTER = [
    pytest.param(
        *("verify mine.py::Lax --effort 0.02 --mechanisms rr", 1, "REFUTED"), marks=pytest.mark.slow
    ),
    ("figures 003-3 --quick --format svg", 2, "Number in the paper"),
]


@pytest.mark.parametrize(("words", "status", "message"), WRITTEN_AFTER)
def test_a_full_disk_keeps_no_verdict_back(words: str, status: int, message: str, folder: Path) -> None:
    def full() -> None:
        def add(self: OutputFolder, name: str, content: bytes) -> None:
            raise OSError(errno.ENOSPC, "No space left on device", name)

        OutputFolder.add = add  # type: ignore[method-assign]

    ended = filterproof(*shlex.split(words), "--out", "full-disk", cwd=folder, before=full)
    assert message in ended.stdout, ended.stderr
    assert "No space left on device" in ended.stderr
    assert ended.returncode == status
    assert "report.html" not in ended.stdout
    assert not (folder / "full-disk").exists() or not list((folder / "full-disk").iterdir())


@pytest.mark.slow
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


def at_once(study: Study) -> tuple[Finding, ...]:
    """A chapter that decides nothing."""
    return ()


def waits(study: Study) -> tuple[Finding, ...]:
    """A chapter that says that it has begun, and goes on for long."""
    time.sleep(0.5)  # until the chapter before it is counted
    Path("playing").touch()
    time.sleep(1000)
    return ()


def two_chapters() -> None:
    """Leave the main job a chapter that is done at once and one that is not."""
    few = {"at-once": at_once, "waits": waits}
    report.make_report = partial(report.make_report, subjects=(), accountants=(), others=few)
    mc.LocalPool = partial(LocalPool, 1)


@pytest.mark.parametrize(
    ("command", "doing", "interrupt"),
    [
        *(
            (
                ("verify", "mine.py::Slow", "--effort", "0.1"),
                r"(loading the filter|admission|sequences|games); nothing was decided or written; run verify "
                "again from the start",
                interrupt,
            )
            for interrupt in (os.killpg, os.kill)
        ),
        (("report", "--quick"), r"page 2 of 2 \(", os.killpg),
    ],
    ids=["verify from a terminal", "verify, the first process alone", "the main job from a terminal"],
)
def test_ctrl_c_in_verify_says_what_was_done_and_lost(
    folder: Path, command: tuple[str, ...], doing: str, interrupt: Callable[[int, int], None]
) -> None:
    before = files(folder)
    process = typed.start(*command, cwd=folder, before=two_chapters)
    process.wait_for(folder / "playing")
    interrupt(process.pid, signal.SIGINT)
    ended = process.end()
    assert ended.returncode == 130
    assert ended.stdout.strip() == ""
    assert re.search(rf"interrupted in {doing}", ended.stderr)
    assert "Traceback" not in ended.stderr
    assert files(folder) == before


def test_ctrl_c_while_the_command_is_imported_ends_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "filterproof.reports.cli", SimpleNamespace(main=stop))
    with pytest.raises(SystemExit) as ended:
        importlib.import_module("filterproof.__main__").main()
    assert ended.value.code == ExitStatus.INTERRUPTED
    assert capsys.readouterr().err == "filterproof: interrupted; nothing was decided\n"


@pytest.mark.slow
def test_ctrl_c_in_a_simulation_says_how_to_resume_and_resuming_gives_the_same_bits(folder: Path) -> None:
    run = ("simulate", "GaussianFilter(mu=1.0)", "HighWhileLossPositive", "--epsilon", "4", "-n", "3e7")
    undisturbed = filterproof(*run, cwd=folder).stdout
    stopped = typed.start(*run, "--store", "run.sqlite", cwd=folder)
    stopped.wait_for(folder / "run.sqlite-wal")
    time.sleep(0.7)
    os.killpg(stopped.pid, signal.SIGINT)  # what a terminal sends to everything in the foreground
    status, _, err = stopped.end()
    assert status == 130
    assert "kept in run.sqlite; the same call resumes" in err
    assert "Traceback" not in err
    assert filterproof(*run, "--store", "run.sqlite", cwd=folder).stdout == undisturbed != ""


def test_what_is_said_is_neither_markup_nor_obeyed_by_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    name = "x[/b][red]\x1b[31m\x9b"
    with doing(name):
        print_text(name)
        print_error(name)
    shown = capsys.readouterr()
    assert shown.out == "x[/b][red]?[31m?\n"
    assert shown.err == "filterproof: x[/b][red]?[31m?\n"
