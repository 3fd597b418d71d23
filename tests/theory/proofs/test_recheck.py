"""The second checker holds certificates against its own table, and every forgery of one is refused."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

from tests.theory.proofs.write_table import TABLE, table_of
from theory.evidence import Checked, Evidence
from theory.proofs import THEOREMS, prove_all
from theory.proofs.engines import certified, certified_each, cited, exact, nonnegative, zero
from theory.proofs.expressions import as_written
from theory.proofs.recheck import (
    UNCHECKED,
    VERIFIED,
    check_label,
    entry_hash,
    main,
    read,
    recheck,
)
from theory.proofs.recheck_algebra import UndecidedError
from theory.proofs.recheck_balls import RejectedError, check_box
from theory.proofs.recheck_games import FORMULAS, GAMES
from theory.proofs.theorem import CheckedStep, Proof, Step, Theorem, prose

RECHECK = Path(__file__).parents[3] / "theory" / "proofs" / "recheck.py"
Certificate = dict[str, Any]


@pytest.fixture(scope="module")
def proofs() -> dict[str, Proof]:
    return {proof.name: proof for proof in prove_all()}


@pytest.fixture(scope="module")
def genuine(proofs: dict[str, Proof]) -> dict[str, Certificate]:
    return {name: json.loads(json.dumps(proof.certificate())) for name, proof in proofs.items()}


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    found: dict[str, Any] = read(TABLE)
    return found


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


#: Limits and a derivative, whose two sides sympy makes one before they are written.
EMPTY = {
    ("CKS", "It starts from log delta = 0 at order 1 ..."),
    (
        "CKS",
        "... and falls at the rate epsilon/2 per order without end, so every delta in (0, 1) is met once.",
    ),
    ("conversions", "The fourth: R' = x R - 1."),
}


@pytest.mark.parametrize("name", list(THEOREMS))
def test_a_genuine_certificate_is_refused_in_no_step(
    name: str, genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    lines = recheck(genuine[name], table)
    assert {line.status for line in lines} <= {*VERIFIED, *UNCHECKED}
    # nothing is left to spot checks, and of what an engine ran all is decided here but EMPTY
    left = {line for line in lines if line.status not in VERIFIED}
    assert {line.status for line in left} <= {"cited", "prose", "empty when written"}
    assert {line[:2] for line in left if line.status == "empty when written"} <= EMPTY


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
    assert {name for name, _ in enumerated} == {*GAMES, "GDP filter"}
    rows = [len(list(game())) for games in GAMES.values() for game in games]
    assert sum(rows) == 8676 + 1446 + 4448 + 7206 + 21870


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
    assert len(called) == 7


def test_every_formula_of_the_game_at_order_one_is_written_anew(genuine: dict[str, Certificate]) -> None:
    parts = _step(genuine["RDP filter"], "all")["certificate"]["parts"]
    assert len(parts) == 74
    assert {part["formula"] for part in parts} == FORMULAS["RDP filter"]()


def test_a_theorem_without_citations_is_verified_whole(
    genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    assert {line.status for line in recheck(genuine["natural filter"], table)} <= set(VERIFIED)


# -- forgeries ----------------------------------------------------------------------------------------------


def _step(certificate: Certificate, kind: str) -> Any:
    return next(step for step in certificate["steps"] if step["certificate"]["kind"] == kind)


def _drop(certificate: Certificate, kind: str) -> None:
    certificate["steps"] = [s for s in certificate["steps"] if s["certificate"]["kind"] != kind]


ONE_IS_POSITIVE = {"kind": "positive on a box", "formula": "1", "box": {}, "precision": 64, "tree": "."}


def _only_trivial(certificate: Certificate) -> None:
    for step in certificate["steps"]:
        step["certificate"] = dict(ONE_IS_POSITIVE)


def _one_trivial(certificate: Certificate, kind: str) -> None:
    _step(certificate, kind)["certificate"] = dict(ONE_IS_POSITIVE)


def _to_a_point(certificate: Certificate) -> None:
    for step in certificate["steps"]:
        box = step["certificate"].get("box")
        if box and step["certificate"]["tree"] == ".":
            step["certificate"]["box"] = {name: [high, high] for name, (_, high) in box.items()}


def _to_a_leaf(certificate: Certificate) -> None:
    for step in certificate["steps"]:
        data = step["certificate"]
        if len(data.get("tree", "")) > 1:
            data["box"] = {name: [low, low] for name, (low, _) in data["box"].items()}
            data["tree"] = "."


def _points_at_the_roots(certificate: Certificate) -> None:
    data = _step(certificate, "zero")["certificate"]
    data["formula"], data["points"] = "mu*(mu - 1)", [{"mu": "1"}]
    if "domain" in data:
        data["domain"] = {"mu": "positive"}


def _set(path: str, value: Any) -> Callable[[Certificate], None]:
    def forge(certificate: Certificate) -> None:
        *before, last = path.split("/")
        place: Any = certificate
        for key in before:
            place = place[int(key)] if isinstance(place, list) else place[key]
        place[last] = value

    return forge


def _formula(kind: str, formula: str) -> Callable[[Certificate], None]:
    def forge(certificate: Certificate) -> None:
        _step(certificate, kind)["certificate"]["formula"] = formula

    return forge


def _rows(certificate: Certificate) -> None:
    step = next(s for s in certificate["steps"] if s["certificate"].get("count", 0) > 200)
    step["certificate"] |= {"comparisons": [["0", "<=", "1"]]}


def _parts(certificate: Certificate) -> None:
    _step(certificate, "all")["certificate"]["parts"] = [dict(ONE_IS_POSITIVE)]


def _as_cited(certificate: Certificate) -> None:
    for step in certificate["steps"]:
        step["certificate"] = {"kind": "cited", "source": "well known"}


#: Theorem, and what is done to its genuine certificate. A checker that trusted what it read let 54 of these 66
#: pass, and ended in a raw error, or never, in six more.
FORGERIES: dict[str, tuple[str, Callable[[Certificate], None]]] = {
    "the claim of a stronger theorem": ("B*", _set("claim", "Every mechanism is (0, 0)-DP")),
    "the claim of another theorem": ("GDP filter", _set("claim", THEOREMS["CKS"].claim)),
    "hypotheses that exclude nothing": ("CKS", _set("hypotheses", "any mechanism, any filter")),
    "the name of another theorem": ("RR zCDP", _set("theorem", "RDP filter")),
    "a statement that says more": ("RDP filter", _set("steps/0/statement", "The filter is sound.")),
    "half of the steps left out": ("B*", lambda c: c.update(steps=c["steps"][:5])),
    "all steps left out but one": ("realisation filter", lambda c: c.update(steps=c["steps"][-1:])),
    "the cited step dropped": ("RDP filter", lambda c: _drop(c, "cited")),
    "the cited step of another theorem dropped": ("GDP filter", lambda c: _drop(c, "cited")),
    "every step replaced by 1 > 0": ("CKS", _only_trivial),
    "an identity replaced by 1 > 0": ("Gaussian hockey-stick", lambda c: _one_trivial(c, "zero")),
    "a game replaced by 1 > 0": ("trackers", lambda c: _one_trivial(c, "comparisons")),
    "the rows of a game replaced by 0 <= 1": ("RDP filter", _rows),
    "a list of formulas replaced by 1 > 0": ("GDP filter", _parts),
    "a residual replaced by 0": ("CKS", _formula("zero", "0")),
    "the lemmas left out": ("approximate-DP filter", lambda c: c.update(uses=[])),
    "the lemmas swapped for an easier one": (
        "approximate-DP filter",
        lambda c: c.update(uses=[c["uses"][0]] * 3),
    ),
    "a box shrunk to a point": ("linear queries", _to_a_point),
    "split boxes shrunk to a corner": ("papers' steps", _to_a_leaf),
    "holds: false at the top": ("B*", _set("holds", False)),
    "holds: false at the top of a lemma": ("tilted weights", _set("uses/0/holds", False)),
    "an unknown function": ("some order", _formula("positive on a box", "sure(1)")),
    "identities of which the points are the roots": ("Gaussian hockey-stick", _points_at_the_roots),
    "every step called a citation": ("B*", _as_cited),
    "evidence raised at the top": ("GDP filter", _set("evidence", "EXACT")),
    # more of the same kinds
    "evidence raised in a step": ("RDP filter", _set("steps/2/evidence", "EXACT")),
    "another engine": ("B*", _set("steps/0/engine", "a proof assistant's kernel")),
    "a nonnegative expression replaced by 1": ("CKS", _formula("nonnegative", "1")),
    "a positive formula with a false one": ("kappa", _formula("positive on a box", "0 - 1")),
    "a step twice": ("B*", lambda c: c["steps"].insert(1, c["steps"][0])),
    "steps in another order": ("B*", lambda c: c["steps"].reverse()),
    "a lemma twice": ("tilted weights", lambda c: c["uses"].append(c["uses"][0])),
    "lemmas in another order": ("approximate-DP filter", lambda c: c["uses"].reverse()),
    "a lemma of another claim": ("tilted weights", _set("uses/0/claim", "anything")),
    "holds: false in a step": ("B*", _set("steps/3/holds", False)),
    "holds: 1 in a step": ("B*", _set("steps/3/holds", 1)),
    "holds: 1 at the top": ("B*", _set("holds", 1)),
    "an unknown key at the top": ("B*", _set("kernel", "accepted")),
    "an unknown key in a step": ("B*", _set("steps/0/note", "checked by hand")),
    "an unknown key in the data of a step": ("B*", _set("steps/0/certificate/tree", ".")),
    "an unknown kind": ("B*", _set("steps/0/certificate/kind", "obvious")),
    "an unknown format": ("B*", _set("format", "filterproof-certificate-1")),
    "a source of more renown": ("some order", _set("source", "Euclid")),
    "another formula of the claim": ("B*", _set("claim_latex", "0 = 0")),
    "another formula of a step": ("B*", _set("steps/0/latex", "0 = 0")),
    "a count that is larger": ("RDP filter", _set("steps/8/certificate/count", 10**9)),
    "a digest of other rows": ("RDP filter", _set("steps/8/certificate/digest", "0" * 64)),
    "a domain that is smaller": ("B*", _set("steps/2/certificate/domain/t", "positive integer")),
    "terms that are other terms": ("B*", _set("steps/0/certificate/terms", ["s + w"])),
    "strict where it is not": ("RDP filter", _set("steps/1/certificate/strict", True)),
    "a precision that is lower": ("B*", _set("steps/9/certificate/precision", 2)),
    "a citation of another source": ("RDP filter", _set("steps/2/certificate/source", "folklore")),
    "words called an identity": ("RDP filter", _set("steps/5/checked", "identity")),
    "an instance called an identity": ("RDP filter", _set("steps/4/checked", "identity")),
    "instances called a game": ("GDP filter", _set("steps/10/checked", "game")),
    "words of more certainty": ("RDP filter", _set("steps/5/evidence", "EXACT")),
    "a game called words": ("RDP filter", _set("steps/8/certificate", {"kind": "prose"})),
    "what joins the steps left out": ("B*", lambda c: c.pop("joined")),
    "what joins the steps made a check": ("B*", _set("joined", "The steps were checked to suffice.")),
    "citations left out": ("RDP filter", _set("citations", [])),
    "citations of a lemma left out": ("trackers", _set("citations", [])),
    "a charge below what a request costs": ("RDP filter", _set("steps/6/certificate/parts/0/formula", "1")),
    "an identity of one side twice": ("B*", _formula("zero", "(t) - (t)")),
    "time that is no number": ("B*", _set("steps/0/seconds", "soon")),
    "time below zero": ("B*", _set("steps/0/seconds", -1)),
    "versions that are a page": ("B*", _set("versions/python", "3" * 10_000)),
    "steps that are no list": ("B*", _set("steps", {"0": "true"})),
    "a step that is null": ("B*", lambda c: c["steps"].__setitem__(0, None)),
    "a certificate of a step that is null": ("B*", _set("steps/0/certificate", None)),
    "a tree that is empty": ("B*", _set("steps/9/certificate/tree", "")),
    "a tree that goes on": ("B*", _set("steps/9/certificate/tree", "..")),
    "a tree that splits a side that is not there": ("B*", _set("steps/9/certificate/tree", "0..")),
    "a tree of other marks": ("B*", _set("steps/9/certificate/tree", "²")),
    "a tree that is a list": ("B*", _set("steps/9/certificate/tree", ["."])),
    "a tree that is missing": ("B*", lambda c: c["steps"][9]["certificate"].pop("tree")),
    "a tree that never ends": ("linear queries", _set("steps/3/certificate/tree", "0" * 300_000)),
    "a formula too deep to read": ("B*", _set("steps/9/certificate/formula", "-" * 100_000 + "1")),
}


@pytest.mark.parametrize(
    "forgery",
    [
        forgery if place < 30 else pytest.param(forgery, marks=pytest.mark.slow)
        for place, forgery in enumerate(FORGERIES)
    ],
)
def test_a_forged_certificate_is_refused(
    forgery: str, genuine: dict[str, Certificate], table: dict[str, Any]
) -> None:
    name, forge = FORGERIES[forgery]
    forged = copy.deepcopy(genuine[name])
    forge(forged)
    assert json.dumps(forged) != json.dumps(genuine[name])
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


# -- steps of its own, against a table of its own -------------------------------------------------------------

x, y = sp.symbols("x y", positive=True)
r = sp.Symbol("r", real=True)
v = sp.Symbol("v", nonnegative=True)


def _proof(*steps: Step) -> Proof:
    return Proof(Theorem("n", "t", "s", "x > 0", "c", steps), tuple(CheckedStep.run(step) for step in steps))


ONE_OF_EACH = (
    Step("zero", zero(lambda: sp.exp(x * (x + 1)) - sp.exp(x**2) * sp.exp(x))),
    Step("sign", nonnegative(lambda: (x - y) ** 2 + 1, lambda: ((x - y) ** 2, sp.Integer(1)), strict=True)),
    Step("box", certified("x*x - x + 26/100", x=(0, 1))),
    Step("rows", exact(lambda: [(1, "<", 2)])),
    Step("list", certified_each(lambda: ["exp(1) - 2", "3 - exp(1)"])),
    Step("cited", cited("a book of theorems"), checked=Checked.CITED),
    Step("empty", zero(lambda: x - x)),
    Step("sampled", zero(as_written(lambda: (sp.Abs(r) ** 3, r**2 * sp.Abs(r))))),
    Step("many", exact(lambda: [(1, "<", n) for n in range(2, 300)])),
    Step("words", prose, checked=Checked.PROSE),
    Step("one side twice", zero(lambda: (y * x**2 / y, x * x))),
    Step("range", certified("x + 1", x=(1, 1))),
)


def test_each_kind_of_step_is_reported_for_what_was_done() -> None:
    proof = _proof(*ONE_OF_EACH)
    whole = json.loads(json.dumps(proof.certificate()))
    assert [line.status for line in recheck(whole, table_of([proof]))] == [
        "identity",
        "identity",
        "balls",
        "compared",
        "balls",
        "cited",
        "empty when written",
        "sampled only",
        "not checkable here",
        "prose",
        "empty when written",
        "balls",
    ]


#: Of ONE_OF_EACH, what each step may say was checked.
LABELS = (
    {"identity", "point"}, {"identity", "point"}, {"range", "point"}, {"point"}, {"point"}, {"cited"},
    {"identity", "point"}, {"identity", "point"}, {"game", "point"}, {"prose"}, {"identity", "point"}, {"point"},
)  # fmt: skip


@pytest.mark.parametrize("checked", [checked.word for checked in Checked])
def test_no_step_may_say_that_more_was_checked_than_was(checked: str) -> None:
    proof = _proof(*ONE_OF_EACH)
    for number, allowed in enumerate(LABELS):
        certificate, table = json.loads(json.dumps(proof.certificate())), table_of([proof])
        for holder in (certificate, table["theorems"]["n"]):
            holder["steps"][number]["checked"] = checked
        table["theorems"]["n"]["hash"] = entry_hash(table["theorems"]["n"], [])
        if checked in allowed:
            assert recheck(certificate, table)
        else:
            with pytest.raises(RejectedError, match="is not what was checked"):
                recheck(certificate, table)


def test_a_box_is_not_certified_by_an_integral_that_is_cut_off() -> None:
    data = {"formula": "Integral(exp(-x*x), (x, 0, oo)) - 1/2", "box": {}, "precision": 64}
    with pytest.raises(UndecidedError):
        check_box(data, ".")


def test_a_game_is_called_one_only_where_it_was_enumerated_here() -> None:
    rows = {"kind": "comparisons", "count": 1}
    check_label("game", rows, "enumerated")
    check_label("game", rows, "not checkable here")  # named as such, and the exit status says so
    with pytest.raises(RejectedError):
        check_label("game", rows, "compared")


def test_words_are_never_verified_and_end_in_a_status_of_their_own(
    genuine: dict[str, Certificate], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "prose" in UNCHECKED
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(genuine["Rényi divergences"]))
    assert main([str(path)]) == 3
    printed = capsys.readouterr().out
    assert "prose: Rényi divergences: A hockey-stick" in printed
    assert "12 steps, 11 of them decided here: 10 identity, 1 compared, 1 prose" in printed
    # with another, a last line counts the steps of both once
    other = tmp_path / "other.json"
    other.write_text(json.dumps(genuine["natural filter"]))
    assert main([str(path), str(path), str(other)]) == 3
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == (
        "in all, each step once: 19 steps, 18 of them decided here: 15 identity, 2 compared, 1 enumerated, 1 prose"
    )


def test_an_identity_of_two_sides_keeps_both_for_the_second_checker() -> None:
    # one text on both sides says nothing, so the statement is kept as it was written
    sides = _proof(Step("sides", zero(as_written(lambda: (y * x**2 / y, x * x)))))
    certificate = json.loads(json.dumps(sides.certificate()))
    assert certificate["steps"][0]["certificate"]["formula"] == "((x**2*y)/y) - (x*x)"
    assert recheck(certificate, table_of([sides]))[0].status == "identity"
    assert not _proof(Step("false", zero(lambda: (x, 2 * x)))).holds
    assert not _proof(Step("three", zero(lambda: (x, x, x)))).holds  # type: ignore[arg-type,return-value]
    assert not _proof(Step("none", zero(lambda: ()))).holds  # type: ignore[arg-type,return-value]


def test_an_integral_is_kept_for_the_second_checker_and_a_false_one_is_refused() -> None:
    def tail(factor: int) -> Proof:
        z = sp.Symbol("z", real=True)
        density = sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)
        return _proof(
            Step(
                "tail",
                zero(lambda: (factor * sp.Integral(density, (z, r, sp.oo)), sp.erfc(r / sp.sqrt(2)) / 2)),
            )
        )

    proof = tail(1)
    certificate = json.loads(json.dumps(proof.certificate()))
    assert "Integral(" in certificate["steps"][0]["certificate"]["formula"]
    assert recheck(certificate, table_of([proof]))[0].status == "identity"
    assert not tail(2).holds


def test_an_integral_in_an_identity_stays_within_the_range_of_its_variable() -> None:
    below = _proof(Step("s", zero(lambda: (sp.Integral(sp.Abs(v), (v, -1, 0)), sp.Rational(-1, 2)))))
    assert not below.holds
    assert "not in order within the range" in below.steps[0].detail
    # what sympy leaves unsolved, or solves under conditions, is refused
    for unsolved in (sp.Integral(sp.exp(sp.exp(-v)), (v, 0, 1)), sp.Integral(v**r, (v, 0, 1))):
        assert not _proof(Step("s", zero(lambda unsolved=unsolved: (unsolved, unsolved)))).holds  # type: ignore[misc]


FALSE_ENTRIES: dict[str, tuple[int, Callable[[Any], None]]] = {
    "an identity that is false": (0, lambda d: d.update(formula="exp(x) - x")),
    "an identity false at one of many points": (
        0,
        lambda d: d.update(formula="x*(x - 2)*0 + x - x + 1/10**90"),
    ),
    "an expression below 0": (1, lambda d: d.update(formula="x - y", terms=["x", "-y"])),
    "a box with a leaf that is not positive": (2, lambda d: d.update(formula="x*x - x + 24/100")),
    "a box that is reversed": (2, lambda d: d.update(box={"x": ["1", "0"]})),
    "a formula that is not defined": (2, lambda d: d.update(formula="1 + tanh(1/x)**0")),
    "a row that is false": (3, lambda d: d.update(comparisons=[["2", "<", "1"]])),
    "no rows": (3, lambda d: d.update(comparisons=[], count=0)),
    "rows of another digest": (3, lambda d: d.update(comparisons=[["1", "<", "3"]])),
    "an integral that is false": (
        0,
        lambda d: d.update(formula="Integral(exp(-y*x), (y, 0, oo)) - x", points=[]),
    ),
    "a false formula in a list": (4, lambda d: d["parts"][1].update(formula="2 - exp(1)")),
}


@pytest.mark.parametrize("name", FALSE_ENTRIES)
def test_a_table_that_states_what_is_false_is_not_believed(name: str) -> None:
    proof = _proof(*ONE_OF_EACH)
    certificate, table = json.loads(json.dumps(proof.certificate())), table_of([proof])
    number, spoil = FALSE_ENTRIES[name]
    for holder in (certificate, table["theorems"]["n"]):
        spoil(holder["steps"][number]["certificate"])
    table["theorems"]["n"]["hash"] = entry_hash(table["theorems"]["n"], [])
    with pytest.raises(RejectedError):
        recheck(certificate, table)


def test_a_table_whose_hash_or_evidence_is_wrong_is_not_believed() -> None:
    proof = _proof(*ONE_OF_EACH)
    for path, value in (
        ("hash", "0" * 64),
        ("evidence", "EXACT"),
        ("steps/0/evidence", "EXACT"),
        ("steps/9/evidence", "CERTIFIED"),
        ("citations", []),
        ("citations", ["a book of theorems", "folklore"]),
        ("citations", ["folklore"]),
    ):
        certificate, table = json.loads(json.dumps(proof.certificate())), table_of([proof])
        _set(path, value)(table["theorems"]["n"])
        if path != "hash":
            _set(path, value)(certificate)
            table["theorems"]["n"]["hash"] = entry_hash(table["theorems"]["n"], [])
        with pytest.raises(RejectedError):
            recheck(certificate, table)


# -- the files themselves -------------------------------------------------------------------------------------


def test_the_second_checker_is_short_and_imports_nothing_of_ours() -> None:
    files = sorted(RECHECK.parent.glob("recheck*.py"))
    assert [file.name for file in files] == [
        *("recheck.py", "recheck_algebra.py", "recheck_balls.py", "recheck_games.py", "recheck_signs.py")
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
        _set(path, value)(certificate)
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
