"""Every forged certificate is refused by the second checker."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.theory.proofs.certificates import Certificate, drop, mutants, set_at, step_of
from theory.proofs import THEOREMS
from theory.proofs.recheck import (
    main,
    recheck,
    text_of,
)
from theory.proofs.recheck_balls import RejectedError

RECHECK = Path(__file__).parents[3] / "theory" / "proofs" / "recheck.py"


# -- forgeries ----------------------------------------------------------------------------------------------


ONE_IS_POSITIVE = {"kind": "positive on a box", "formula": "1", "box": {}, "precision": 64, "tree": "."}


def _only_trivial(certificate: Certificate) -> None:
    for step in certificate["steps"]:
        step["certificate"] = dict(ONE_IS_POSITIVE)


def _to_a_leaf(certificate: Certificate) -> None:
    for step in certificate["steps"]:
        data = step["certificate"]
        if len(data.get("tree", "")) > 1:
            data["box"] = {name: [low, low] for name, (low, _) in data["box"].items()}
            data["tree"] = "."


def _as_cited(certificate: Certificate) -> None:
    for step in certificate["steps"]:
        step["certificate"] = {"kind": "cited", "source": "well known"}


#: Theorem, and what is done to its genuine certificate. A checker that trusted what it read let 54 of the first 66
#: pass, and ended in a raw error, or never, in six more. Single changes of what is hashed are all tried below.
FORGERIES: dict[str, tuple[str, Callable[[Certificate], None]]] = {
    "the claim of another theorem": ("GDP filter", set_at("claim", THEOREMS["CKS"].claim)),
    "the name of another theorem": ("RR zCDP", set_at("theorem", "RDP filter")),
    "half of the steps left out": ("B*", lambda c: c.update(steps=c["steps"][:5])),
    "every step replaced by 1 > 0": ("CKS", _only_trivial),
    "the lemmas left out": ("conversions", lambda c: c.update(uses=[])),
    "a box shrunk to a point": ("Gaussian slack", _to_a_leaf),
    "holds: false at the top": ("B*", set_at("holds", False)),
    "holds: false at the top of a lemma": ("kappa", set_at("uses/0/holds", False)),
    "every step called a citation": ("B*", _as_cited),
    "evidence raised at the top": ("GDP filter", set_at("evidence", "EXACT")),
    "evidence raised in a step": ("B*", set_at("steps/2/evidence", "EXACT")),
    "a step twice": ("B*", lambda c: c["steps"].insert(1, c["steps"][0])),
    "a lemma twice": ("kappa", lambda c: c["uses"].append(c["uses"][0])),
    "holds: false in a step": ("B*", set_at("steps/3/holds", False)),
    "holds: 1 in a step": ("B*", set_at("steps/3/holds", 1)),
    "holds: 1 at the top": ("B*", set_at("holds", 1)),
    "an unknown format": ("B*", set_at("format", "filterproof-certificate-1")),
    "not strict where it is": ("CKS", set_at("steps/nonnegative/certificate/strict", False)),
    "an identity called a game": ("B*", set_at("steps/identity/checked", "game")),
    "what joins the steps left out": ("B*", lambda c: c.pop("joined")),
    "a citation for what nobody cites": ("RDP filter", set_at("citations", ["folklore"])),
    "time that is no number": ("B*", set_at("steps/0/seconds", "soon")),
    "time below zero": ("B*", set_at("steps/0/seconds", -1)),
    "versions that are a page": ("B*", set_at("versions/python", "3" * 10_000)),
    "a version in words": ("B*", set_at("versions/python", "3.12, true of every filter")),
    "a library that is a sentence": ("B*", set_at("versions/found true by a kernel", "3.12")),
    "a version that is left out": ("B*", lambda c: c["versions"].pop("sympy")),
    "steps that are no list": ("B*", set_at("steps", {"0": "true"})),
    "a step that is null": ("B*", lambda c: c["steps"].__setitem__(0, None)),
    "a certificate of a step that is null": ("B*", set_at("steps/0/certificate", None)),
    "a tree that is empty": ("B*", set_at("steps/9/certificate/tree", "")),
    "a tree that goes on": ("B*", set_at("steps/9/certificate/tree", "..")),
    "a tree that splits a side that is not there": ("B*", set_at("steps/9/certificate/tree", "0..")),
    "a tree of other marks": ("B*", set_at("steps/9/certificate/tree", "²")),
    "a tree that is a list": ("B*", set_at("steps/9/certificate/tree", ["."])),
    "a tree that is missing": ("B*", lambda c: c["steps"][9]["certificate"].pop("tree")),
    "a tree that never ends": ("Gaussian slack", set_at("steps/9/certificate/tree", "0" * 3_000)),
    "a tree where there is no box": ("B*", set_at("steps/zero/certificate/tree", ".")),
    "a hash of its own": ("B*", set_at("hash", "0" * 64)),
    "lemmas that are no list": ("B*", set_at("uses", {})),
    "a lemma with another time the second time": ("linear queries", set_at("uses/1/steps/0/seconds", 77)),
    "an endless time": ("B*", set_at("steps/0/seconds", float("inf"))),
    "a statement in letters that look the same": ("B*", set_at("steps/0/statement", "\u0430")),
    "a formula too deep to read": ("B*", set_at("steps/9/certificate/formula", "-" * 100_000 + "1")),
}


def _after_the_kernel(forge: Callable[[Certificate], object], forged: Certificate) -> None:
    """Forge the steps after those of the kernel with which a certificate begins: places count from there."""
    steps = forged["steps"]
    first = next((place for place, step in enumerate(steps) if step["checked"] != "kernel"), len(steps))
    forged["steps"] = steps[first:]
    forge(forged)
    if isinstance(forged["steps"], list):
        forged["steps"] = steps[:first] + forged["steps"]


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_certificate_is_refused(
    forgery: str, genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    name, forge = FORGERIES[forgery]
    forged = copy.deepcopy(genuine[name])
    _after_the_kernel(forge, forged)
    assert json.dumps(forged) != json.dumps(genuine[name])
    with pytest.raises(RejectedError):
        recheck(forged, table)


def test_every_single_change_of_a_certificate_is_refused_but_in_what_a_run_adds(
    genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    free = re.compile(r"/(steps/\d+/seconds|steps/9/certificate/tree)$")
    count = 0
    for where, mutant in mutants(genuine["B*"]):
        if free.search(where) or text_of(mutant) == text_of(genuine["B*"]):
            continue
        count += 1
        try:
            recheck(mutant, table)
        except RejectedError:
            continue
        pytest.fail(f"{where} may be changed")
    assert count > 900


@pytest.mark.parametrize("name", ["RDP filter", "natural filter"])
def test_a_kernel_theorem_left_out_or_said_to_be_another_is_refused(
    name: str, genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    left_out, other = copy.deepcopy(genuine[name]), copy.deepcopy(genuine[name])
    drop(left_out, "kernel")
    step_of(other, "kernel")["certificate"]["statement"] += " "
    for forged in (left_out, other):
        with pytest.raises(RejectedError):
            recheck(forged, table)


@pytest.mark.parametrize("name", list(THEOREMS))
def test_no_certificate_passes_for_another_theorem(
    name: str, genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    for other in THEOREMS:
        if other != name:
            with pytest.raises(RejectedError):
                recheck(genuine[name] | {"theorem": other}, table)


@pytest.mark.parametrize(
    "junk", [None, 1, "B*", [], {}, {"theorem": "B*"}, {"theorem": ["B*"]}, {"theorem": "C*"}]
)
def test_what_is_no_certificate_is_refused(junk: object, table: dict[str, Any]) -> None:
    with pytest.raises(RejectedError):
        recheck(junk, table)


@pytest.mark.parametrize(
    "text",
    [
        '{"theorem": "B*", "theorem": "CKS"}',
        '{"theorem": NaN}',
        '{"theorem": -Infinity}',
        "[" * 100_000 + "]" * 100_000,
        '{"theorem": ' + "9" * 10_000 + "}",
        "",
        "print(1)",
        "\ud800",
    ],
)
def test_a_file_that_is_not_plain_data_is_refused_without_a_traceback(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "forged.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert main([str(path)]) == 1
    assert "REFUSED" in capsys.readouterr().out


def test_a_file_that_is_not_there_or_too_large_is_refused(tmp_path: Path) -> None:
    assert main([str(tmp_path / "nothing.json")]) == 1
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(17_000_000)
    assert main([str(tmp_path / "large.json")]) == 1
    assert main([]) == 2
