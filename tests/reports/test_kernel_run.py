"""A run of the kernel refuses what it should, here with programs in the place of coqc and coqchk that say what is told.

What Rocq itself accepts is checked by `make kernel-check`, where it is installed.
"""

import stat
from hashlib import sha256
from pathlib import Path

import pytest

import filterproof.theory.kernel
from filterproof.reports import kernel_run
from filterproof.reports.commands.exit_status import CommandEnd, ExitStatus
from filterproof.reports.commands.kernel import kernel
from filterproof.reports.kernel_run import KernelError, run_kernel
from filterproof.theory.kernel import record, stored_record
from filterproof.theory.kernel.kernel_theorems import KERNEL_THEOREMS, rocq_sources
from filterproof.theory.kernel.record import without_comments
from tests.slow_cases import slow_but

_AXIOM = "Coq.Logic.Classical_Prop.classic"
_CLEAN = """* Constants/Inductives relying on type-in-type: <none>
* Constants/Inductives relying on unsafe (co)fixpoints: <none>
* Inductives whose positivity is assumed: <none>"""


def _kernel_output(axioms: str = "Closed under the global context", left_out: str = "") -> str:
    bodies = stored_record()
    assert bodies is not None
    output = [
        f"BEGIN STATES {name}\n{bodies.statements[name]}" for name in KERNEL_THEOREMS if name != left_out
    ]
    modules = dict.fromkeys(theorem.rocq_module for theorem in KERNEL_THEOREMS.values())
    return "\n".join([*output, *(f"BEGIN RESTS {module}\n{axioms}" for module in modules)]) + "\n"


def _checked(axioms: str = _AXIOM, rest: str = _CLEAN) -> str:
    return f"CONTEXT SUMMARY\n* Theory: Set is predicative\n* Axioms:\n    {axioms}\n{rest}\n"


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path for programs of one's own, and nothing else of Rocq on it."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


def _program(folder: Path, name: str, output: str, status: int = 0) -> None:
    (folder / f"{name}.txt").write_text(output)
    script = folder / name
    script.write_text(
        '#!/bin/sh\ncase "$1" in -print-version) echo 9.9.9 4.13;; '
        f'*) case "$*" in *Asked.v|*-silent*) cat {folder / name}.txt;; esac; exit {status};; esac\n'
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)


def _run(fake: Path, *, compiled: str = "", checked: str = "", refuses: str = "") -> list[str]:
    _program(fake, "coqc", compiled or _kernel_output(), int(refuses == "coqc"))
    _program(fake, "coqchk", checked or _checked(), int(refuses == "coqchk"))
    steps: list[str] = []
    record = run_kernel(on_step=steps.append)
    assert record.rocq == "9.9.9"
    assert list(record.sources) == list(rocq_sources())
    assert set(record.statements) == set(KERNEL_THEOREMS)
    return steps


def test_every_source_is_compiled_in_order_and_then_checked_again(fake: Path) -> None:
    assert _run(fake) == [
        *(f"coqc {name}" for name in rocq_sources()),
        "what the statements rest on",
        "coqchk",
    ]


def test_without_rocq_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KernelError, match="install Rocq, in Debian the packages coq, libcoq-interval"):
        run_kernel(on_step=str)
    with pytest.raises(CommandEnd) as ended:  # nothing was refused
        kernel(check=True)
    assert ended.value.status is ExitStatus.UNUSABLE


_CLASSIC = "Axioms:\nClassical_Prop.classic : forall P : Prop, P \\/ ~ P\n"
_FOREIGN = "must rest on the standard library's axioms, got .*trust_me"
#: What the programs say or do -> the sentence in which it is refused.
REFUSED: list[tuple[dict[str, str], str]] = [
    ({"refuses": "coqchk"}, "coqchk refused"),
    ({"compiled": _kernel_output(f"{_CLASSIC}trust_me : 0 = 1")}, _FOREIGN),
    ({"compiled": _kernel_output(left_out="kl_filter")}, "must state the theorem kl_filter"),
    ({"compiled": _kernel_output("Error")}, "must be a list"),
    (
        {"checked": _checked("Filterproof.RenyiFilter.trust_me")},
        "coqchk must find no axiom but those of the libraries",
    ),
    ({"checked": "nothing"}, "coqchk must list axioms"),
    *(  # a kernel that was told to look away
        ({"checked": _checked(rest=_CLEAN.replace(f"{line}: <none>", f"{line}: loop"))}, "must find no")
        for line in _CLEAN.split(": <none>")[:-1]
    ),
]


@pytest.mark.parametrize(("outputs", "sentence"), slow_but(REFUSED[1:5], REFUSED))
def test_a_refusal_a_foreign_axiom_and_a_missing_statement_are_refused(
    fake: Path, outputs: dict[str, str], sentence: str
) -> None:
    with pytest.raises(KernelError, match=sentence):
        _run(fake, **outputs)


@pytest.mark.parametrize(
    "hole",
    [
        'Notation "x <= y" := (never x y) : R_scope.',
        "Definition sum (x : nat) := x.",
        "Admitted.",
        "Axiom a : False.",
        "Unset Guard Checking.",
    ],
)
def test_a_source_with_a_hole_is_refused_before_anything_runs(
    fake: Path, hole: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = rocq_sources()
    monkeypatch.setattr(
        kernel_run, "rocq_sources", lambda: texts | {"Sums.v": f"{texts['Sums.v']}\n{hole}\n"}
    )
    with pytest.raises(
        KernelError, match=r"Sums\.v must have no hole|each definition must have a name of its own"
    ):
        _run(fake)


def test_a_run_writes_the_record_with_its_digest_and_a_check_refuses_a_record_of_another_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_run, "run_kernel", lambda on_step: stored_record())
    monkeypatch.setattr(filterproof.theory.kernel, "__file__", str(tmp_path / "__init__.py"))
    kernel(check=True)
    assert [*tmp_path.iterdir()] == []
    kernel(check=False)
    output = (tmp_path / record.SEAL).read_text().split()
    assert output == [sha256((tmp_path / record.RECORD).read_bytes()).hexdigest(), record.RECORD]
    monkeypatch.setattr(record, "SEAL", "nowhere")
    with pytest.raises(CommandEnd):
        kernel(check=True)


def test_a_comment_is_no_hole_and_may_be_nested() -> None:
    assert without_comments("a (* b (* Admitted *) c *) d").split() == ["a", "d"]
    assert "Admitted" in without_comments("(* a *) Admitted. (* b *)")
