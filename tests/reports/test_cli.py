"""What a person types, and what comes back: exit status, one sentence, and no half-written report."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import typer

from reports.cli import COMMANDS, app
from reports.commands.verify import limit_of
from tests.reports.typed import MINE, filterproof

ROOT = Path(__file__).parent.parent.parent

SOUND = f"""{MINE}
class Overspends(MyFilter):
    def admits(self, spent, request): return spent <= 0.02
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(SOUND)
    return tmp_path


def test_a_sound_filter_of_the_users_is_undecided_with_status_zero(folder: Path) -> None:
    asked = ("--seconds", "0.3", "--mechanisms", "rr", "--json")
    result = filterproof("verify", "mine.py::MyFilter", *asked, cwd=folder)
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert (told["verdict"], told["status"], told["mechanisms"]) == ("UNDECIDED", "EXAMINED", ["rr"])
    assert told == json.loads((folder / "filterproof-report" / "verdict.json").read_text("utf-8"))
    assert (folder / "filterproof-report" / "report.html").stat().st_size > 1000


def test_a_filter_that_checks_too_late_is_refuted_and_replayed_by_the_command_that_is_printed(
    folder: Path,
) -> None:
    (folder / "my filter.py").write_text(SOUND)  # which a shell would take for two words
    asked = ("--seconds", "1", "--out", "out")
    result = filterproof("verify", "my filter.py::Overspends", *asked, cwd=folder)
    assert result.returncode == 1, result.stderr
    told = json.loads((folder / "out" / "verdict.json").read_text("utf-8"))
    assert told["verdict"] == "REFUTED"
    assert told["witness"] == json.loads((folder / "out" / "witness.json").read_text("utf-8"))
    page = (folder / "out" / "report.html").read_text("utf-8")
    (command,) = re.findall(r'<pre class="wrap">(filterproof replay [^<]*)</pre>', page)
    words = shlex.split(command.replace("&#39;", "'"))
    assert words == ["filterproof", "replay", "out/witness.json", "my filter.py::Overspends"]
    assert f"Again: {shlex.join(words)}" in result.stdout
    for saved in ("out/verdict.json", "out/witness.json"):
        again = filterproof("replay", saved, *words[3:], cwd=folder)
        assert again.returncode == 0, again.stderr
        assert "The same again" in again.stdout
    assert filterproof("replay", saved, "mine.py::MyFilter", cwd=folder).returncode == 1
    assert filterproof("replay", saved, cwd=folder).returncode == 2


def test_a_verdict_without_a_witness_has_nothing_to_replay(folder: Path) -> None:
    (folder / "verdict.json").write_text('{"schema": 1, "findings": [], "witness": null}')
    result = filterproof("replay", "verdict.json", cwd=folder)
    assert result.returncode == 2
    assert "which refuted nothing" in result.stderr


def test_the_process_that_examines_may_take_twice_the_time_and_a_minute() -> None:
    assert limit_of({"target": None}) is None
    assert limit_of({"target": "mine.py::X", "seconds": None}) == 180
    assert limit_of({"target": "ZCDPFilter(0.5)", "seconds": 5.0}) == 70


def test_prove_writes_a_certificate_that_the_second_checker_accepts_and_no_changed_one(folder: Path) -> None:
    result = filterproof("prove", "B*", "--certificate", "certificates", cwd=folder)
    assert result.returncode == 0, result.stderr
    assert "DERIVED" in result.stdout
    path = folder / "certificates" / "b-star.json"
    recheck = [sys.executable, str(ROOT / "theory" / "proofs" / "recheck.py"), str(path)]
    checked = subprocess.run(recheck, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
    assert "VERIFIED B*" in checked.stdout
    assert "10 steps, 10 of them decided here: 9 identity, 1 balls" in checked.stdout
    text = path.read_text()
    assert "208199383" in text
    path.write_text(text.replace("208199383", "208199384"))
    assert subprocess.run(recheck, capture_output=True, check=False).returncode == 1


def test_prove_prints_latex(folder: Path) -> None:
    result = filterproof("prove", "B*", "--latex", cwd=folder)
    assert result.stdout.startswith(r"\begin{theorem}")
    assert result.stdout.rstrip().endswith(r"\end{proof}")


def test_prove_certifies_the_numbers_of_one_thing(folder: Path) -> None:
    for text, theorem in (("ApproximateDPFilter(1.0, 1e-5)", "CKS"), ("Laplace(30.0)", "RR zCDP")):
        result = filterproof("prove", text, cwd=folder)
        assert result.returncode == 0, result.stderr
        assert theorem in result.stdout
        assert "Nothing is said of other points." in " ".join(result.stdout.split())
        assert "REFUSED" not in result.stdout


def test_prove_ends_with_status_one_where_a_number_is_refused_or_none_is_certified(folder: Path) -> None:
    (folder / "above.py").write_text(
        "import filterproof as fp\n"
        "class Above(fp.AdditiveFilter):\n"
        "    promise, charge = fp.ApproxDP(1.0, 1e-5), fp.zcdp_charge\n"
        "    budget = fp.Budget.of(0.0305565953)\n"
    )
    result = filterproof("prove", "above.py::Above", cwd=folder)
    assert result.returncode == 1, result.stderr
    assert "REFUSED, UNSOUND" in result.stdout
    unsound = filterproof("prove", "NaturalFilter", cwd=folder)
    assert unsound.returncode == 1
    assert "kept as a counterexample" in " ".join(unsound.stdout.split())


def test_a_simulation_names_the_interval_that_was_asked_for(folder: Path) -> None:
    run = filterproof(
        *("simulate", "GaussianFilter(mu=1.0)", "Constant(Gaussian(mu=0.3))", "--epsilon", "2", "-n", "2e3"),
        *("--interval", "KL-Chernoff"),
        cwd=folder,
    )
    assert run.returncode == 0, run.stderr
    assert ", KL-Chernoff; rests on " in run.stdout


def test_list_names_filters_adversaries_and_claims(folder: Path) -> None:
    result = filterproof("list", cwd=folder)
    assert result.returncode == 0, result.stderr
    for name in ("GaussianFilter", "NaiveRealisationFilter", "EraserForever", "003 Section 4.1"):
        assert name in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_says_all_of_its_words(name: str, folder: Path) -> None:
    """Brackets read as markup would be left out, and a word wider than its column cut."""
    group: Any = typer.main.get_command(app)
    command = group.commands[name.rstrip("_")]
    words = (command.help or "", *(one.help or "" for one in command.params))
    narrow = partial(os.environ.update, {"COLUMNS": "80"})
    ended = filterproof(name.rstrip("_"), "--help", cwd=folder, before=narrow)
    assert ended.returncode == 0
    said = {word for line in ended.stdout.splitlines() for word in line.strip(" │").split()}
    missing = {word for text in words for word in text.split()} - said
    assert not missing


def test_what_is_found_unusable_once_something_was_said_has_status_two(folder: Path) -> None:
    """What is refused before is in `test_exit_status`."""
    ended = filterproof("verify", "--out", "mine.py", cwd=folder)
    assert ended.returncode == 2
    assert "out must be a folder" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not list(folder.glob("filterproof-report/*"))
