"""What the second checker says of each kind of step, against a table of their own."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import sympy as sp

from tests.theory.proofs.write_table import table_of
from theory.claims.theorem import Step, Theorem
from theory.evidence import Checked
from theory.proofs.engines import certified, certified_each, exact
from theory.proofs.proof import CheckedStep, Proof
from theory.proofs.recheck import recheck, theorem_hash
from theory.proofs.recheck_algebra import UndecidedError
from theory.proofs.recheck_balls import RejectedError, check_box
from theory.proofs.symbolic import as_written, nonnegative, zero

x, y = sp.symbols("x y", positive=True)
r, z = sp.symbols("r z", real=True)


def _proof(*steps: Step) -> Proof:
    return Proof(Theorem("n", "t", "s", "x > 0", "c", steps), tuple(CheckedStep.run(step) for step in steps))


def _certificate(proof: Proof) -> Any:
    return json.loads(json.dumps(proof.certificate()))


def _stated_by_a_table(certificate: Any) -> dict[str, Any]:
    """A table that holds a certificate for genuine, whatever it says."""
    return {"theorems": {certificate["theorem"]: theorem_hash(certificate)}}


def _tail(factor: int) -> tuple[sp.Expr, sp.Expr]:
    density = sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)
    return factor * sp.Integral(density, (z, r, sp.oo)), sp.erfc(r / sp.sqrt(2)) / 2


#: A step, what the second checker finds of it, and the labels that it may carry.
IDENTITY, SIGN = {"identity", "point"}, sp.Rational(7, 10) - sp.log(2)
EACH: tuple[tuple[Step, str, set[str]], ...] = (
    (Step("zero", zero(lambda: sp.exp(x * (x + 1)) - sp.exp(x**2) * sp.exp(x))), "identity", IDENTITY),
    (Step("+", nonnegative(lambda: x**2 + 1, lambda: (x**2, 1), strict=True)), "identity", IDENTITY),
    (Step("box", certified("x*x - x + 26/100", x=(0, 1))), "balls", {"range", "point"}),
    (Step("rows", exact(lambda: [(1, "<", 2)])), "compared", {"point"}),
    (Step("list", certified_each(lambda: ["exp(1) - 2", "3 - exp(1)"])), "balls", {"point"}),
    (Step("number", nonnegative(lambda: SIGN, lambda: (SIGN,)), checked=Checked.POINT), "balls", {"point"}),
    (Step("integral", zero(lambda: _tail(1))), "identity", IDENTITY),
    (Step("empty", zero(lambda: x - x)), "empty when written", IDENTITY),
    (Step("sampled", zero(as_written(lambda: (sp.exp(sp.log(x + y)), x + y)))), "sampled only", IDENTITY),
    (Step("one side twice", zero(lambda: (y * x**2 / y, x * x))), "empty when written", IDENTITY),
    # one text on both sides says nothing, so the statement is kept as it was written
    (Step("sides", zero(as_written(lambda: (y * x**2 / y, x * x)))), "identity", IDENTITY),
    (Step("point", certified("x + 1", x=(1, 1))), "balls", {"point"}),
)


BOX: dict[str, Any] = {"kind": "positive on a box", "box": {}, "precision": 64, "tree": "."}


@pytest.fixture
def certificate() -> Any:
    """The certificate of all these steps."""
    return _certificate(_proof(*(step for step, _, _ in EACH)))


def test_each_kind_of_step_is_reported_for_what_was_done(certificate: Any) -> None:
    assert [line.status for line in recheck(certificate, _stated_by_a_table(certificate))] == [
        status for _, status, _ in EACH
    ]
    assert "Integral(" in certificate["steps"][6]["certificate"]["formula"]
    assert certificate["steps"][10]["certificate"]["formula"] == "((x**2*y)/y) - (x*x)"


@pytest.mark.parametrize("checked", [checked.word for checked in Checked])
def test_no_step_may_say_that_more_was_checked_than_was(checked: str, certificate: Any) -> None:
    for step, (_, _, allowed) in zip(certificate["steps"], EACH, strict=True):
        before, step["checked"] = step["checked"], checked
        if checked in allowed:
            assert recheck(certificate, _stated_by_a_table(certificate))
        else:
            with pytest.raises(RejectedError, match="is not what was checked"):
                recheck(certificate, _stated_by_a_table(certificate))
        step["checked"] = before


@pytest.mark.parametrize("sides", [lambda: (x, 2 * x), lambda: (x, x, x), lambda: (), lambda: _tail(2)])
def test_an_identity_that_is_false_or_has_not_two_sides_is_refused(sides: Callable[[], Any]) -> None:
    assert not _proof(Step("false", zero(sides))).holds


def test_a_lemma_that_stands_twice_says_the_same_both_times() -> None:
    lemma = _proof(EACH[3][0])
    using = Theorem("m", "t", "s", "x > 0", "c", lemma.theorem.steps, ("n",))
    twice = Proof(using, lemma.steps, (lemma, lemma))
    certificate = _certificate(twice)
    assert recheck(certificate, table_of([twice]))
    certificate["uses"][1]["steps"][0]["seconds"] = 77
    with pytest.raises(RejectedError, match="it stands in the certificate twice, and not the same"):
        recheck(certificate, table_of([twice]))


@pytest.mark.parametrize(
    "tree", ["", "..", "0.", "0...", "1..", "²..", "0" * 3000, None], ids=lambda x: str(x)[:9]
)
def test_a_tree_that_does_not_fit_its_box_is_refused(tree: Any) -> None:
    data = BOX | {"formula": "x", "box": {"x": ["1", "2"]}}
    assert check_box(data, ".") == check_box(data, "0..") == check_box(data, "00...") == "balls"
    with pytest.raises(RejectedError, match="tree"):
        check_box(data, tree)


def test_a_box_is_not_certified_by_an_integral_that_is_cut_off() -> None:
    with pytest.raises(UndecidedError):
        check_box(BOX | {"formula": "Integral(exp(-x*x), (x, 0, oo)) - 1/2"}, ".")


@pytest.mark.parametrize(
    ("number", "false"),
    [
        (0, {"formula": "exp(x) - x"}),
        (0, {"formula": "x*(x - 2)*0 + x - x + 1/10**90"}),
        (0, {"formula": "Integral(exp(-y*x), (y, 0, oo)) - x", "points": []}),
        (1, {"formula": "x - 5", "terms": ["x", "-5"]}),
        (2, {"formula": "x*x - x + 24/100"}),
        (2, {"formula": "1 + exp(1/x)**0"}),
        (2, {"box": {"x": ["1", "0"]}}),
        (3, {"comparisons": [["1", "<", "2"], ["2", "<", "1"]]}),
        (3, {"comparisons": []}),
        (4, {"parts": [BOX | {"formula": "3 - exp(1)"}, BOX | {"formula": "2 - exp(1)"}]}),
    ],
    ids=str,
)
def test_a_table_that_states_what_is_false_is_not_believed(
    number: int, false: dict[str, Any], certificate: Any
) -> None:
    certificate["steps"][number]["certificate"].update(false)
    with pytest.raises(RejectedError, match=f"step {number}"):
        recheck(certificate, _stated_by_a_table(certificate))


@pytest.mark.parametrize(("number", "evidence"), [(None, "EXACT"), (0, "EXACT"), (7, "CERTIFIED")])
def test_a_table_whose_evidence_is_wrong_is_not_believed(
    number: int | None, evidence: str, certificate: Any
) -> None:
    (certificate if number is None else certificate["steps"][number])["evidence"] = evidence
    with pytest.raises(RejectedError, match=r"is (more than|not that of)"):
        recheck(certificate, _stated_by_a_table(certificate))
