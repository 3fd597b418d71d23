"""The rows of the papers: what they name exists and holds, and their numbers are the printed ones or say why not."""

import re

import pytest

from filterproof.reports.docs.generated import expand
from filterproof.reports.docs.paper_rows import (
    NUMBERS,
    STATUS,
    PaperStatement,
    PrintedNumber,
    paper_statements,
    resolve_reference,
)
from filterproof.theory.proofs.proof import Proof

PAPERS = ("000", "003", "004")


@pytest.mark.parametrize("paper", PAPERS)
def test_every_row_names_what_exists_and_theorems_that_hold(paper: str, proofs: dict[str, Proof]) -> None:
    for row in paper_statements(paper):
        for where in row.where:
            kind, name = resolve_reference(where)
            assert kind != "theorem" or proofs[name].holds, row
        assert all(number.agrees(number.compute()) or number.remark for number in row.printed_numbers), row
    text = expand(f"```{{generated}} rows {paper}\n```\n")
    assert len(re.findall(r"^\| ", text, re.MULTILINE)) == len(paper_statements(paper)) + 2


def test_every_number_and_every_status_is_in_a_row_and_several_numbers_agree() -> None:
    every = [row for paper in PAPERS for row in paper_statements(paper)]
    assert {row.numbers for row in every if row.numbers} == set(NUMBERS)
    assert {row.status for row in every} <= set(STATUS)
    works = [n for row in every if row.status == "works" for n in row.printed_numbers]
    assert not any(n.agrees(n.compute()) is False for n in works)
    agreeing = [n.what for row in every for n in row.printed_numbers if n.agrees(n.compute())]
    assert len(agreeing) >= 8


def test_a_stale_row_is_refused_and_a_number_agrees_to_its_printed_digits() -> None:
    for where in ("fp.Gone", "theorem:gone", "figure:gone", "page:gone", "place:gone"):
        with pytest.raises(ValueError, match="where must"):
            resolve_reference(where)
    row = {"paper": "000", "place": "p", "says": "s"}
    for wrong in ({"where": ()}, {"where": ("fp.Gaussian",), "stand_in": True}):
        with pytest.raises(ValueError, match="why must be given"):
            PaperStatement(**row, **wrong)
    here = {**row, "where": ("fp.Gaussian",)}
    for status, given in (
        ("works", here),
        ("partly", {**here, "why": "w"}),
        ("partly", {**here, "numbers": "split"}),  # 4.797e-6 is printed, 5.389e-6 is computed
        ("works", {**here, "numbers": "reports"}),  # words are printed
        ("stand-in", {**here, "why": "w", "stand_in": True}),
        ("missing", {**row, "where": (), "why": "w"}),
    ):
        assert PaperStatement(**given).status == status
    for printed, got, agrees in (
        ("0.3", 0.349, True),
        ("0.3", 0.351, False),
        ("495", 495.4, True),
        ("495", 496, False),
        ("4.797e-6", 4.7974e-6, True),
        ("4.797e-6", 4.7976e-6, False),
        ("a few dozen", 24, None),
    ):
        assert PrintedNumber("x", printed, lambda: 0.0).agrees(got) is agrees, printed
