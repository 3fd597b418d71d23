"""A proof about a filter's source code as a file that the kernel of Rocq accepts, and refuses where it is changed."""

import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("z3", reason="proofs need the extra [prove]")

from filterproof.mc.prove.paths import NotTraced
from filterproof.mc.prove.rocq import rocq_file
from filterproof.mc.prove.source_proof import prove
from filterproof.reports.kernel_run import KernelError, check_file, rocq_sources
from filterproof.reports.user_filter import load_filter
from filterproof.theory.kernel.record import first_forbidden_word

SOUND = Path(__file__).parent / "filters_that_hold.py"
needs_rocq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")


def file_of(name: str) -> str:
    """The file about a filter of the collection."""
    return rocq_file(name, prove(load_filter(f"{SOUND}::{name}")).sums)[0]


def accepted(text: str) -> str:
    """The version of Rocq that accepts the file's theorem."""
    return check_file("Mine_proof", text, "guarantee", on_step=lambda _: None)


def test_the_file_states_each_step_and_has_no_hole() -> None:
    proof = prove(load_filter(f"{SOUND}::RemainingBudget"))
    text, outside = rocq_file("RemainingBudget", proof.sums)
    (bound,) = proof.sums
    assert bound.proof is not None
    assert text.count("  | Step") == len(bound.proof.steps) > 0
    assert len(re.findall("^Lemma step\\d+_keeps", text, re.MULTILINE)) == bound.certificates - len(
        bound.proof.places
    )
    assert not first_forbidden_word(text)
    assert outside == ()


@pytest.mark.parametrize("name", ["EarlyReturn", "RootOfSum"])
def test_the_file_requires_the_sources_of_each_name(name: str) -> None:
    def defined(text: str) -> set[str]:
        return set(
            re.findall(
                r"^\s*(?:Definition|Lemma|Theorem|Fixpoint|Inductive|Record) (\w+)", text, re.MULTILINE
            )
        )

    text, sources = file_of(name), rocq_sources()
    required = [
        module for line in re.findall(r"Filterproof Require Import ([^.]*)", text) for module in line.split()
    ]
    missing = set.union(*map(defined, sources.values())) - defined(text)
    for module in required:
        missing -= defined(sources[f"{module}.v"])
    assert not missing & {word for word in re.findall(r"\w+", text) if "_" in word}


def test_a_proof_about_losses_has_no_file() -> None:
    with pytest.raises(NotTraced, match="kept_losses"):
        file_of("HoldAndReturn")


@needs_rocq
@pytest.mark.slow  # the sources that the file requires are compiled
@pytest.mark.parametrize("name", ["ElifChain", "TwoOrders", "EpsilonAndDelta", "RootOfSum"])
def test_rocq_accepts_the_file(name: str) -> None:
    assert accepted(file_of(name)).startswith(("8", "9"))


@needs_rocq
@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("nearest_of_sum x", "near x"),
        ("budget_after K (1 / 2)", "budget_after K (1 / 4)"),
    ],
)
def test_rocq_refuses_a_file_that_says_more_than_was_proved(old: str, new: str) -> None:
    text = file_of("RemainingBudget")
    assert old in text
    with pytest.raises(KernelError):
        accepted(text.replace(old, new))
