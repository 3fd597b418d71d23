"""KERNEL is said only while the record of the kernel's run is that of the sources as they are."""

import json
import math
import re
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files

import pytest

from tests.theory.kernel.rocq_text import statement_in, unfolded
from theory.claims.interaction import ROWS
from theory.claims.kernel_theorem import kernel_step
from theory.claims.theorem import RefusedError
from theory.evidence import Checked, Evidence
from theory.kernel import accepted, read_record, record
from theory.kernel.claimed import KERNEL
from theory.kernel.record import ALLOWED, Record, axioms_beyond, digests, sources
from theory.proofs.proof import CheckedStep

NAME = "renyi_filter_both_ways"


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The patcher of `record._known`, by which a test plants another record or other sources."""
    return monkeypatch


def _plant(
    known: pytest.MonkeyPatch, kept: Record | None, texts: dict[str, str], *, here: bool = False
) -> None:
    known.setattr(record, "_known", lambda: (kept, here, texts))


def _record() -> Record:
    found = read_record()
    assert found is not None
    return found


def test_the_record_is_that_of_the_sources_and_has_every_statement() -> None:
    kept = _record()
    assert dict(kept.sources) == digests(sources())
    assert set(kept.statements) == set(KERNEL)
    assert set(kept.axioms) == {theorem.module for theorem in KERNEL.values()}
    # each comment that claims stands right above a theorem, and no name is claimed twice
    assert len(KERNEL) == sum(text.count("(** Claim") for text in sources().values())


def test_every_statement_is_accepted_and_rests_on_the_standard_library_alone() -> None:
    for name in KERNEL:
        found = accepted(KERNEL[name])
        assert found.statement.startswith(name)
        assert not axioms_beyond(found.axioms), name
        assert KERNEL[name].says.endswith("."), name
        assert KERNEL[name].source, name


def test_a_step_in_the_kernel_is_labelled_so_and_its_certificate_holds_the_statement() -> None:
    step = CheckedStep.run(kernel_step(KERNEL[NAME], decides=True))
    assert step.holds
    assert (step.evidence, step.checked) == (Evidence.KERNEL, Checked.KERNEL)
    assert step.certificate is not None
    assert step.certificate["statement"] == _record().statements[NAME]
    assert _record().statements[NAME].startswith(f"{NAME} : forall (alpha B : R)")
    assert Evidence.KERNEL.strength == 0


def test_one_character_more_in_a_source_and_the_kernel_is_no_evidence(known: pytest.MonkeyPatch) -> None:
    texts = sources()
    _plant(known, _record(), texts | {"Sums.v": texts["Sums.v"] + " "})
    with pytest.raises(ValueError, match=r"got changes in Sums\.v"):
        accepted(KERNEL[NAME])
    with pytest.raises(RefusedError, match="make kernel"):
        kernel_step(KERNEL[NAME], decides=True).check()


def test_a_source_that_the_record_does_not_have_is_a_change(known: pytest.MonkeyPatch) -> None:
    _plant(known, _record(), sources() | {"New.v": ""})
    with pytest.raises(ValueError, match=r"New\.v"):
        accepted(KERNEL[NAME])
    fewer = sources()
    del fewer["Sums.v"]
    _plant(known, _record(), fewer)
    with pytest.raises(ValueError, match="their list"):
        accepted(KERNEL[NAME])


def test_a_source_that_states_something_else_is_no_evidence_by_one_digest_rewritten(
    known: pytest.MonkeyPatch,
) -> None:
    kept, texts = _record(), sources()
    for name, theorem in KERNEL.items():
        file = f"{theorem.module}.v"
        whole = re.search(rf"^\w+ {name}\b.*?\.\s*^Proof\b", texts[file], re.MULTILINE | re.DOTALL)
        assert whole is not None, name
        forged = texts | {file: texts[file].replace(whole[0], f"Theorem {name} : True.\nProof")}
        _plant(known, replace(kept, sources=digests(forged)), forged)
        with pytest.raises(ValueError, match=r"record must be the one that record\.sha256 is the digest of"):
            accepted(KERNEL[name])


@pytest.mark.parametrize(
    ("name", "said", "forged"),
    [
        ("gaussian_filter", "(mu : R)", "(mu : False)"),
        ("gaussian_filter", "forall epsilon : R", "forall epsilon : bool"),
        ("gaussian_filter", "forall epsilon : R", "exists epsilon : R"),
        ("gaussian_filter", "0 <= mu -> honest", "(0 <= mu -> honest"),
        ("one_round_counts", "= 3 / 4", "= 300 / 4"),
        ("erased_again_and_again", "1 - (1 - p) ^ N", "1 - 1 - p ^ N"),
    ],
)
def test_a_printed_statement_that_was_changed_is_no_evidence(
    name: str, said: str, forged: str, known: pytest.MonkeyPatch
) -> None:
    kept = _record()
    assert said in kept.statements[name]
    changed = kept.statements[name].replace(said, forged, 1)
    _plant(known, replace(kept, statements={**kept.statements, name: changed}), sources())
    with pytest.raises(ValueError, match=r"record\.sha256"):
        accepted(KERNEL[name])


def test_the_digest_is_that_of_the_file_and_without_it_the_record_is_no_evidence(
    known: pytest.MonkeyPatch,
) -> None:
    text = files("theory.kernel").joinpath("record.json").read_bytes()
    assert _record().seal.split()[0] == sha256(text).hexdigest()
    known.setattr(record, "SEAL", "nowhere")
    assert not _record().sealed
    with pytest.raises(ValueError, match="run make kernel"):
        accepted(KERNEL[NAME])


def test_no_record_and_a_record_without_the_statement_are_no_evidence(known: pytest.MonkeyPatch) -> None:
    _plant(known, None, sources())
    with pytest.raises(ValueError, match="got none"):
        accepted(KERNEL[NAME])
    _plant(known, replace(_record(), axioms={}), sources())
    with pytest.raises(ValueError, match="no theorem 'renyi_filter_both_ways'"):
        accepted(KERNEL[NAME])


@pytest.mark.parametrize("axiom", ["Filterproof.RenyiFilter.trust_me", "Coq.Logic.Eqdep.eq_rect_eq", "sorry"])
def test_a_statement_on_a_foreign_axiom_is_no_evidence(known: pytest.MonkeyPatch, axiom: str) -> None:
    kept = _record()
    _plant(known, replace(kept, axioms={**kept.axioms, "RenyiFilter": (*ALLOWED, axiom)}), sources())
    with pytest.raises(ValueError, match=re.escape(f"rests on {axiom},")):
        accepted(KERNEL[NAME])


def test_where_the_kernel_ran_is_said(known: pytest.MonkeyPatch) -> None:
    _plant(known, _record(), sources(), here=True)
    assert accepted(KERNEL[NAME]).how.endswith("on this machine")
    _plant(known, _record(), sources())
    assert accepted(KERNEL[NAME]).how.endswith("elsewhere, by the record, which matches the sources")


def test_a_record_is_the_text_that_it_writes() -> None:
    kept = _record()
    assert Record.from_json(kept.to_json()) == replace(
        kept, axioms={k: kept.axioms[k] for k in sorted(kept.axioms)}
    )


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"format": "other"}', "null", "no json", '{"format": 1, "axioms": 2}']
)
def test_what_is_no_record_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ValueError):
        Record.from_json(text)


def test_a_record_with_a_list_for_its_axioms_is_refused() -> None:
    data = json.loads(_record().to_json()) | {"axioms": []}
    with pytest.raises(ValueError, match="make kernel"):
        Record.from_json(json.dumps(data))


def test_a_statement_must_stand_once_in_its_source() -> None:
    once = "Theorem small x : x = x.\nProof. easy. Qed.\n"
    assert statement_in(once, "small") == "small x : x = x"
    for text in ("", once + once, "(* Theorem small *)"):
        with pytest.raises(ValueError, match="stated once"):
            statement_in(text, "small")


def test_a_statement_is_unfolded_into_the_definitions_that_it_speaks_of() -> None:
    told = unfolded(KERNEL[NAME])
    assert next(iter(told)) == NAME
    assert "exp ((alpha - 1) * rho)" in told["transcript_renyi_at_most"]
    assert {"additive", "honest", "renyi_honest", "strategy", "total", "filter", "law"} <= set(told)
    assert "kl" not in told


def test_a_statement_is_shown_without_rocqs_note_on_the_types_it_leaves_open() -> None:
    found = accepted(KERNEL["hockey_stick_bounds_events"])
    assert found.statement.endswith(" where ?C : [ |- Type]")
    assert found.shown.endswith("approximately_private F t epsilon delta")
    assert "?" not in found.shown
    assert "forall (F : filter C)" in found.shown


def test_words_have_the_conditions_without_which_their_statement_is_false() -> None:
    def beyond(x: float) -> float:
        return math.erfc(x / math.sqrt(2))  # 2 Phi(-x)

    assert beyond(1.0) <= math.exp(-0.5) < beyond(-1.0)
    assert "x >= 0" in KERNEL["two_sided_tail"].says
    # KOV at e = 0, d = 1/2: the rows (P, Q) of its outcomes, at x = 0 and y = -1
    kov = ((0.5, 0.0), (0.25, 0.25), (0.25, 0.25), (0.0, 0.5))
    assert sum(q for _, q in kov) == 1.0 != (1 - 0.5) * (1 + 1) / 2
    assert "For x, y >= 0" in KERNEL["kov_curve"].says
    # at delta = 0 what is reached, delta (1 + 1/(1 + e^e1)), is not above delta
    assert "delta > 0" in next(row for row in ROWS if row.name == "natural filter").hypotheses
