"""The second checker holds certificates against its own table, and every forgery of one is refused."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.theory.proofs.certificates import Certificate, set_at, step_of
from tests.theory.proofs.write_table import table_of
from theory.evidence import Checked, Evidence
from theory.proofs import THEOREMS
from theory.proofs.engines import certified
from theory.proofs.recheck import (
    UNCHECKED,
    VERIFIED,
    entry_hash,
    main,
    recheck,
)
from theory.proofs.recheck_games import FORMULAS, GAMES
from theory.proofs.recheck_rules import MORE_GAMES
from theory.proofs.theorem import CheckedStep, Proof, Step, Theorem

RECHECK = Path(__file__).parents[3] / "theory" / "proofs" / "recheck.py"


# -- the table ----------------------------------------------------------------------------------------


def test_the_table_is_what_the_theorems_say_now(proofs: dict[str, Proof], table: dict[str, Any]) -> None:
    assert table == table_of(proofs.values()), (
        "run python -m tests.theory.proofs.write_table and read the difference"
    )


def test_the_table_has_every_theorem_and_no_other(table: dict[str, Any]) -> None:
    assert set(table["theorems"]) == set(THEOREMS)


def test_a_hash_covers_the_steps_and_the_lemmas_below(table: dict[str, Any]) -> None:
    changed = copy.deepcopy(table["theorems"])
    changed["B*"]["steps"][0]["statement"] += " "
    assert entry_hash(changed["B*"], []) != table["theorems"]["B*"]["hash"]
    entry = table["theorems"]["approximate-DP filter"]
    hashes = [table["theorems"][used]["hash"] for used in entry["uses"]]
    assert entry_hash(entry, hashes) == entry["hash"]
    assert entry_hash(entry, ["0" * 64, *hashes[1:]]) != entry["hash"]


def test_a_proof_that_does_not_hold_has_no_place_in_the_table() -> None:
    step = Step("false", certified("0 - 1"))
    with pytest.raises(ValueError, match="every theorem of the table must hold"):
        table_of([Proof(Theorem("n", "t", "s", "h", "c", (step,)), (CheckedStep.run(step),))])


# -- what a genuine certificate comes to ------------------------------------------------------------------


@pytest.mark.parametrize("name", list(THEOREMS))
def test_a_genuine_certificate_is_refused_in_no_step(
    name: str, genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    lines = recheck(genuine[name], table)
    assert {line.status for line in lines} <= {*VERIFIED, *UNCHECKED}
    # nothing is left to spot checks or empty: of what an engine here ran, all is decided
    left = {line for line in lines if line.status not in VERIFIED}
    assert {line.status for line in left} <= {"cited", "by a kernel"}


@pytest.mark.slow
def test_every_large_game_is_enumerated_anew(genuine: dict[str, Certificate], table: dict[str, Any]) -> None:
    large = {
        (name, step["statement"])
        for name, certificate in genuine.items()
        for step in certificate["steps"]
        if step["certificate"]["kind"] == "comparisons" and "comparisons" not in step["certificate"]
    }
    lines = {line for certificate in genuine.values() for line in recheck(certificate, table)}
    enumerated = {(line.theorem, line.step) for line in lines if line.status == "enumerated"}
    assert large <= enumerated
    assert {name for name, _ in enumerated} == {*GAMES, *MORE_GAMES, "GDP filter"}
    rows = [len(list(game())) for games in GAMES.values() for game in games]
    people = 15360 + 26112 + 2100 + 2784
    assert sum(rows) == 8676 + 1446 + 4448 + 7206 + 21870 + people
    more = {name: sum(len(list(game())) for game in games) for name, games in MORE_GAMES.items()}
    assert more == {
        "basic composition": 2 * 723,
        "approximate zCDP filter": 3 * 2 * 723,
        "infinite losses": 3347,
        "loss supermartingale": 5455,
        "all orders": 4 * 2 * 723,
        "Blackwell filter": 2 * 2 * 723,
    }


@pytest.mark.slow
def test_every_step_that_is_called_a_game_is_enumerated_anew(
    genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    called = {
        (name, step["statement"])
        for name, entry in table["theorems"].items()
        for step in entry["steps"]
        if step["checked"] == Checked.GAME.word
    }
    lines = {line for certificate in genuine.values() for line in recheck(certificate, table)}
    assert called == {line[:2] for line in lines if line.status == "enumerated"}
    assert len(called) == 18


def test_every_formula_of_the_game_at_order_one_is_written_anew(genuine: dict[str, Certificate]) -> None:
    parts = step_of(genuine["RDP filter"], "all")["certificate"]["parts"]
    assert len(parts) == 74
    assert {part["formula"] for part in parts} == FORMULAS["RDP filter"]()


def test_a_theorem_without_citations_is_verified_whole(
    genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    assert {line.status for line in recheck(genuine["natural filter"], table)} <= {*VERIFIED, "by a kernel"}


# -- the files themselves -------------------------------------------------------------------------------------


def test_the_second_checker_is_short_and_imports_nothing_of_ours() -> None:
    files = sorted(RECHECK.parent.glob("recheck*.py"))
    assert [file.name for file in files] == [
        *("recheck.py", "recheck_algebra.py", "recheck_balls.py", "recheck_games.py"),
        *("recheck_rules.py", "recheck_signs.py"),
    ]
    for file in files:
        text = file.read_text()
        assert len(text.splitlines()) < 400
        for word in ("eval(", "exec(", "pickle", "importlib", "__import__", "sympy", "numpy", "mpmath"):
            assert word not in text
        for room in ("theory", "filters", "mc", "reports", "filterproof"):
            assert f"import {room}" not in text
            assert f"from {room}" not in text


@pytest.mark.parametrize(
    ("name", "path", "value", "status"),
    [
        ("natural filter", "", "", 0),
        ("RDP filter", "", "", 3),
        ("natural filter", "holds", False, 1),
        ("natural filter", "steps/3/certificate/formula", "delta", 1),
    ],
)
def test_the_second_checker_runs_as_a_script_with_an_exit_status(
    name: str, path: str, value: object, status: int, genuine: dict[str, Certificate], tmp_path: Path
) -> None:
    certificate = copy.deepcopy(genuine[name])
    if path:
        set_at(path, value)(certificate)
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(certificate))
    done = subprocess.run(
        [sys.executable, "-E", "-s", RECHECK, file], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stderr
    assert ("REFUSED" in done.stdout) == (status == 1)
    cited_steps = [s["statement"] for s in certificate["steps"] if s["certificate"]["kind"] == "cited"]
    assert all(f"cited: {name}: {statement}" in done.stdout for statement in cited_steps)


def test_of_several_certificates_the_worst_decides(genuine: dict[str, Certificate], tmp_path: Path) -> None:
    paths = []
    for number, name in enumerate(["natural filter", "RDP filter", "B*"]):
        certificate = copy.deepcopy(genuine[name])
        certificate["holds"] = name != "B*"
        paths.append(str(tmp_path / f"{number}.json"))
        Path(paths[-1]).write_text(json.dumps(certificate))
    assert main(paths[:1]) == 0
    assert main(paths[:2]) == 3
    assert main(paths[::-1]) == 1


def test_the_evidence_of_every_step_is_what_its_kind_can_give(table: dict[str, Any]) -> None:
    ranks = [evidence.name for evidence in Evidence]
    for entry in table["theorems"].values():
        rest = [step["evidence"] for step in entry["steps"]]
        rest += [table["theorems"][used]["evidence"] for used in entry["uses"]]
        assert entry["evidence"] == max(rest, key=ranks.index)
