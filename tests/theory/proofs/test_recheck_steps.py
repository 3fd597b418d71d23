"""What the second checker says of each kind of step, against a table of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import sympy as sp

from tests.theory.proofs.certificates import Certificate, set_at
from tests.theory.proofs.write_table import table_of
from theory.claims.theorem import Step, Theorem
from theory.evidence import Checked
from theory.proofs.engines import certified, certified_each, exact
from theory.proofs.expressions import as_written
from theory.proofs.proof import CheckedStep, Proof
from theory.proofs.recheck import (
    recheck,
    theorem_hash,
)
from theory.proofs.recheck_algebra import UndecidedError
from theory.proofs.recheck_balls import RejectedError, check_box
from theory.proofs.symbolic import nonnegative, zero

# -- steps of its own, against a table of its own -------------------------------------------------------------

x, y = sp.symbols("x y", positive=True)
r = sp.Symbol("r", real=True)
v = sp.Symbol("v", nonnegative=True)


def _proof(*steps: Step) -> Proof:
    return Proof(Theorem("n", "t", "s", "x > 0", "c", steps), tuple(CheckedStep.run(step) for step in steps))


def _stated_by_a_table(certificate: Certificate) -> dict[str, Any]:
    """A table that holds a certificate for genuine, whatever it says."""
    return {"theorems": {certificate["theorem"]: theorem_hash(certificate)}}


ONE_OF_EACH = (
    Step("zero", zero(lambda: sp.exp(x * (x + 1)) - sp.exp(x**2) * sp.exp(x))),
    Step("sign", nonnegative(lambda: x**2 + 1, lambda: (x**2, sp.Integer(1)), strict=True)),
    Step("box", certified("x*x - x + 26/100", x=(0, 1))),
    Step("rows", exact(lambda: [(1, "<", 2)])),
    Step("list", certified_each(lambda: ["exp(1) - 2", "3 - exp(1)"])),
    Step("empty", zero(lambda: x - x)),
    Step("sampled", zero(as_written(lambda: (sp.exp(sp.log(x + y)), x + y)))),
    Step("many", exact(lambda: [(1, "<", n) for n in range(2, 300)])),
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
        "empty when written",
        "sampled only",
        "compared",
        "empty when written",
        "balls",
    ]


#: Of ONE_OF_EACH, what each step may say was checked.
LABELS = (
    {"identity", "point"}, {"identity", "point"}, {"range", "point"}, {"point"}, {"point"},
    {"identity", "point"}, {"identity", "point"}, {"point"}, {"identity", "point"}, {"point"},
)  # fmt: skip


def test_a_lemma_that_stands_twice_says_the_same_both_times() -> None:
    lemma = _proof(ONE_OF_EACH[3])
    using = Theorem("m", "t", "s", "x > 0", "c", lemma.theorem.steps, ("n",))
    twice = Proof(using, lemma.steps, (lemma, lemma))
    certificate = json.loads(json.dumps(twice.certificate()))
    assert recheck(certificate, table_of([twice]))
    certificate["uses"][1]["steps"][0]["seconds"] = 77
    with pytest.raises(RejectedError, match="it stands in the certificate twice, and not the same"):
        recheck(certificate, table_of([twice]))


@pytest.mark.parametrize("checked", [checked.word for checked in Checked])
def test_no_step_may_say_that_more_was_checked_than_was(checked: str) -> None:
    proof = _proof(*ONE_OF_EACH)
    for number, allowed in enumerate(LABELS):
        certificate = json.loads(json.dumps(proof.certificate()))
        certificate["steps"][number]["checked"] = checked
        if checked in allowed:
            assert recheck(certificate, _stated_by_a_table(certificate))
        else:
            with pytest.raises(RejectedError, match="is not what was checked"):
                recheck(certificate, _stated_by_a_table(certificate))


def test_a_box_is_not_certified_by_an_integral_that_is_cut_off() -> None:
    data = {"formula": "Integral(exp(-x*x), (x, 0, oo)) - 1/2", "box": {}, "precision": 64}
    with pytest.raises(UndecidedError):
        check_box(data, ".")


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


FALSE_ENTRIES: dict[str, tuple[int, Callable[[Any], None]]] = {
    "an identity that is false": (0, lambda d: d.update(formula="exp(x) - x")),
    "an identity false at one of many points": (
        0,
        lambda d: d.update(formula="x*(x - 2)*0 + x - x + 1/10**90"),
    ),
    "an expression below 0": (1, lambda d: d.update(formula="x - 5", terms=["x", "-5"])),
    "a box with a leaf that is not positive": (2, lambda d: d.update(formula="x*x - x + 24/100")),
    "a box that is reversed": (2, lambda d: d.update(box={"x": ["1", "0"]})),
    "a formula that is not defined": (2, lambda d: d.update(formula="1 + exp(1/x)**0")),
    "a row that is false": (3, lambda d: d.update(comparisons=[["2", "<", "1"]])),
    "no rows": (3, lambda d: d.update(comparisons=[])),
    "an integral that is false": (
        0,
        lambda d: d.update(formula="Integral(exp(-y*x), (y, 0, oo)) - x", points=[]),
    ),
    "a false formula in a list": (4, lambda d: d["parts"][1].update(formula="2 - exp(1)")),
}


@pytest.mark.parametrize("name", FALSE_ENTRIES)
def test_a_table_that_states_what_is_false_is_not_believed(name: str) -> None:
    proof = _proof(*ONE_OF_EACH)
    certificate = json.loads(json.dumps(proof.certificate()))
    number, spoil = FALSE_ENTRIES[name]
    spoil(certificate["steps"][number]["certificate"])
    with pytest.raises(RejectedError, match=f"step {number}"):
        recheck(certificate, _stated_by_a_table(certificate))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("evidence", "EXACT"),
        ("steps/0/evidence", "EXACT"),
        ("steps/8/evidence", "CERTIFIED"),
    ],
)
def test_a_table_whose_evidence_is_wrong_is_not_believed(path: str, value: object) -> None:
    certificate = json.loads(json.dumps(_proof(*ONE_OF_EACH).certificate()))
    set_at(path, value)(certificate)
    with pytest.raises(RejectedError, match=r"is (more than|not that of)"):
        recheck(certificate, _stated_by_a_table(certificate))
