"""KERNEL is said only while the record of the kernel's run is that of the sources as they are."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files

import pytest

from filterproof.theory.evidence import CheckCoverage, Evidence
from filterproof.theory.kernel import accepted_statement, record, stored_record
from filterproof.theory.kernel.kernel_theorems import KERNEL_THEOREMS
from filterproof.theory.kernel.record import ALLOWED_AXIOMS, Record, axioms_beyond, digests, rocq_sources
from filterproof.theory.proofs.proof import CheckedStep
from filterproof.theory.theorems.theorem import THEOREMS, RefusedError, kernel_step

NAME = "renyi_filter_both_ways"


Plant = Callable[[Record | None, dict[str, str]], None]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Plants another record, and other sources."""
    return lambda *known: monkeypatch.setattr(record, "_record_and_sources", lambda: known)


def _record() -> Record:
    stored = stored_record()
    assert stored is not None
    return stored


def test_the_record_is_that_of_the_sources_and_has_every_statement() -> None:
    stored = _record()
    assert dict(stored.sources) == digests(rocq_sources())
    assert set(stored.statements) == set(KERNEL_THEOREMS)
    assert set(stored.axioms) == {theorem.rocq_module for theorem in KERNEL_THEOREMS.values()}
    # each comment that claims stands right above a theorem, and no name is claimed twice
    assert len(KERNEL_THEOREMS) == sum(text.count("(** Claim") for text in rocq_sources().values())


def test_every_statement_is_accepted_and_rests_on_the_standard_library_alone() -> None:
    for name in KERNEL_THEOREMS:
        accepted = accepted_statement(KERNEL_THEOREMS[name])
        assert accepted.statement.startswith(name)
        assert not axioms_beyond(accepted.axioms), name
        assert KERNEL_THEOREMS[name].says.endswith("."), name
        assert KERNEL_THEOREMS[name].source, name


def test_a_step_in_the_kernel_is_labelled_so() -> None:
    step = CheckedStep.run(kernel_step(KERNEL_THEOREMS[NAME], decides=True))
    assert step.holds
    assert (step.evidence, step.checked) == (Evidence.KERNEL, CheckCoverage.KERNEL)
    assert _record().statements[NAME].startswith(f"{NAME} : forall (alpha B : R)")


#: A source with one character more.
BLANK = {"Sums.v": rocq_sources()["Sums.v"] + " "}


def _with(stored: Record, **changed: object) -> Record:
    """The record with some of what it tells about NAME changed: its statement, or the axioms of its file."""
    at = {"statements": NAME, "axioms": KERNEL_THEOREMS[NAME].rocq_module}
    return replace(
        stored, **{part: {**getattr(stored, part), at[part]: new} for part, new in changed.items()}
    )


@pytest.mark.parametrize(
    ("recorded", "changed", "why"),
    [
        (lambda stored: stored, BLANK, r"got changes in Sums\.v; run make kernel"),
        (lambda stored: replace(stored, sources=digests(rocq_sources() | BLANK)), BLANK, r"record\.sha256"),
        (lambda stored: stored, {"Sums.v": None}, "their list.*make kernel"),
        (lambda stored: None, {}, "got none; run make kernel"),
        (lambda stored: replace(stored, axioms={}), {}, f"no theorem '{NAME}'"),
        (lambda stored: _with(stored, axioms=(*ALLOWED_AXIOMS, "sorry")), {}, "rests on sorry,"),
        (lambda stored: _with(stored, statements=f"{NAME} : exists alpha : R"), {}, r"record\.sha256"),
    ],
)
def test_a_record_that_is_not_that_of_the_sources_is_no_evidence(
    recorded: Callable[[Record], Record | None],
    changed: dict[str, str | None],
    why: str,
    plant: Plant,
) -> None:
    texts = {file: text for file, text in (rocq_sources() | changed).items() if text is not None}
    plant(recorded(_record()), texts)
    with pytest.raises(ValueError, match=why):
        accepted_statement(KERNEL_THEOREMS[NAME])
    with pytest.raises(RefusedError, match=why):
        kernel_step(KERNEL_THEOREMS[NAME], decides=True).check()


def test_the_digest_is_that_of_the_file_and_without_it_the_record_is_no_evidence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = files("filterproof.theory.kernel").joinpath("record.json").read_bytes()
    assert _record().record_digest.split()[0] == sha256(text).hexdigest()
    monkeypatch.setattr(record, "SEAL", "nowhere")
    assert not _record().matches_committed_digest
    with pytest.raises(ValueError, match="run make kernel"):
        accepted_statement(KERNEL_THEOREMS[NAME])


def test_a_record_is_the_text_that_it_writes() -> None:
    stored = _record()
    assert Record.from_json(stored.to_json()) == replace(
        stored, axioms={k: stored.axioms[k] for k in sorted(stored.axioms)}
    )


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"format": "other"}', "null", "no json", '{"format": 1, "axioms": 2}']
)
def test_what_is_no_record_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ValueError):
        Record.from_json(text)
    data = json.loads(_record().to_json()) | {"axioms": []}
    with pytest.raises(ValueError, match="make kernel"):
        Record.from_json(json.dumps(data))


def test_words_have_the_conditions_without_which_their_statement_is_false() -> None:
    def beyond(x: float) -> float:
        return math.erfc(x / math.sqrt(2))  # 2 Phi(-x)

    assert beyond(1.0) <= math.exp(-0.5) < beyond(-1.0)
    assert "x >= 0" in KERNEL_THEOREMS["two_sided_tail"].says
    # KOV at e = 0, d = 1/2: the rows (P, Q) of its outcomes, at x = 0 and y = -1
    kov = ((0.5, 0.0), (0.25, 0.25), (0.25, 0.25), (0.0, 0.5))
    assert sum(q for _, q in kov) == 1.0 != (1 - 0.5) * (1 + 1) / 2
    assert "For x, y >= 0" in KERNEL_THEOREMS["kov_curve"].says
    # at delta = 0 what is reached, delta (1 + 1/(1 + e^e1)), is not above delta
    assert "delta > 0" in THEOREMS["natural filter"].hypotheses
