"""A run of the proof assistant's kernel over the Rocq sources, and the record that it leaves.

What the kernel accepts is a function of the sources alone, so the record of a run is worth as much as the run while
the sources are the same; anyone who doubts it runs it again.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from filterproof.theory.kernel.kernel_theorems import KERNEL_THEOREMS, KernelTheorem, rocq_sources
from filterproof.theory.kernel.record import (
    Record,
    axioms_beyond,
    digests,
    duplicate_definition,
    first_forbidden_word,
)
from filterproof.theory.theorems.theorem import kernel_rows

#: The name under which the sources know each other.
_LIBRARY = "Filterproof"
#: The names of the sources that a source requires.
_REQUIRED = re.compile(r"From Filterproof Require (?:Import |Export )?([\w\s]+)\.")
_PACKAGES = ("libcoq-interval", "libcoq-coquelicot", "libcoq-flocq")
#: The libraries whose axioms coqchk may list.
_INSTALLED = ("Coq.", "Coquelicot.", "Flocq.", "Interval.", "mathcomp.")
#: What coqchk must find nowhere.
_FORBIDDEN_FLAGS = (
    "relying on type-in-type",
    "relying on unsafe (co)fixpoints",
    "Inductives whose positivity is assumed",
)


class KernelError(Exception):
    """The kernel refused a source, a statement rests on a foreign axiom, or there is no Rocq to run."""


class NoRocqError(KernelError):
    """There is no Rocq to run, so that nothing was refused."""


def run_kernel(*, on_step: Callable[[str], object]) -> Record:
    """Compile every source, check the compiled files again with coqchk, and ask what each statement rests on.

    The installed libraries are taken as their packages have them.
    Needs `coqc` and `coqchk` on the path, with Interval, Coquelicot and Flocq. Raises KernelError.
    """
    compiler, checker = _installed()
    texts = rocq_sources()
    for name, text in texts.items():
        if hole := first_forbidden_word(text):
            raise KernelError(f"{name} must have no hole, got {hole!r}; prove it")
    if again := duplicate_definition(texts):
        raise KernelError(
            f"each definition must have a name of its own in the Rocq sources, got {again} twice; rename one of them"
        )
    with tempfile.TemporaryDirectory() as folder:
        _compile(compiler, folder, texts, on_step)
        on_step("what the statements rest on")
        statements, axioms = _statements_and_axioms(compiler, folder)
        on_step("coqchk")
        modules = [f"{_LIBRARY}.{name.removesuffix('.v').replace('/', '.')}" for name in texts]
        # the libraries as they are installed are taken as checked: with them it would take many minutes
        ours = [word for module in modules for word in ("-norec", module)]
        checker_output = _run_command([checker, "-silent", "-o", "-Q", ".", _LIBRARY, *ours], folder)
        if own := [axiom for axiom in _checker_axioms(checker_output) if not axiom.startswith(_INSTALLED)]:
            raise KernelError(f"coqchk must find no axiom but those of the libraries, got {', '.join(own)}")
        for trick in _FORBIDDEN_FLAGS:
            if f"{trick}: <none>" not in " ".join(checker_output.split()):
                raise KernelError(f"coqchk must find no {trick}, got {checker_output[-600:]!r}")
    version = _run_command([compiler, "-print-version"], ".").split()[0]
    return Record(version, _library_versions(), digests(texts), statements, axioms)


def check_file(module: str, text: str, theorem: str, *, on_step: Callable[[str], object]) -> str:
    """Compile a file beside the sources that it requires; return the version of Rocq that accepts its theorem.

    Raises KernelError, also if the file has a hole or the theorem rests on an axiom that no source may use.
    """
    compiler, _ = _installed()
    if hole := first_forbidden_word(text):
        raise KernelError(f"{module}.v must have no hole, got {hole!r}")
    ours = rocq_sources()
    required, waiting = set[str](), [text]
    while waiting:
        imported = {
            f"{name}.v" for import_list in _REQUIRED.findall(waiting.pop()) for name in import_list.split()
        }
        waiting += [ours[name] for name in imported - required]
        required |= imported
    texts = {name: ours[name] for name in ours if name in required} | {f"{module}.v": text}
    texts["Asked.v"] = f"From {_LIBRARY} Require {module}.\nPrint Assumptions {module}.{theorem}.\n"
    with tempfile.TemporaryDirectory() as folder:
        output = _compile(compiler, folder, texts, on_step)
    if foreign := axioms_beyond(_parse_axioms(output)):
        raise KernelError(f"{module} must rest on the standard library's axioms, got {', '.join(foreign)}")
    return _run_command([compiler, "-print-version"], ".").split()[0]


def _installed() -> tuple[str, str]:
    """The compiler and the checker. Raises NoRocqError."""
    compiler, checker = shutil.which("coqc"), shutil.which("coqchk")
    if compiler is None or checker is None:
        raise NoRocqError(
            "coqc and coqchk must be on the path, got none; install Rocq, in Debian the packages coq, "
            + ", ".join(_PACKAGES)
        )
    return compiler, checker


def _compile(compiler: str, folder: str, texts: Mapping[str, str], on_step: Callable[[str], object]) -> str:
    """Compile texts in order; return the output for the last."""
    output = ""
    for name, text in texts.items():
        on_step(f"coqc {name}")
        place = Path(folder, name)
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
        output = _run_command([compiler, "-q", "-Q", ".", _LIBRARY, name], folder)
    return output


def _listed_theorems() -> list[KernelTheorem]:
    """Every statement, those of rows first: of a name that two files have, that of the file named last prints short."""
    rows = (name for row in kernel_rows().values() for name in row.kernel)
    return [KERNEL_THEOREMS[name] for name in dict.fromkeys([*rows, *reversed(tuple(KERNEL_THEOREMS))])]


def _statements_and_axioms(compiler: str, folder: str) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """Ask Rocq for each theorem's statement and each module's axioms."""
    modules: dict[str, list[str]] = {}
    for theorem in _listed_theorems():
        modules.setdefault(theorem.rocq_module, []).append(f"@{theorem.rocq_module}.{theorem.name}")
    commands = ["From Coq Require Import Reals List.", f"From {_LIBRARY} Require Import {' '.join(modules)}."]
    commands += ["Import ListNotations.", "Open Scope R_scope.", "Set Printing Width 1000000."]
    for theorem in KERNEL_THEOREMS.values():
        commands += [
            _marker_command(f"STATES {theorem.name}"),
            f"Check {theorem.rocq_module}.{theorem.name}.",
        ]
    for module, names in modules.items():  # once for a file: what lies below is walked through each time
        commands += [
            _marker_command(f"RESTS {module}"),
            f"Definition of_{module} := ({', '.join(names)}).",
            f"Print Assumptions of_{module}.",
        ]
    Path(folder, "Asked.v").write_text("\n".join(commands) + "\n", encoding="utf-8")
    output = _run_command([compiler, "-q", "-Q", ".", _LIBRARY, "Asked.v"], folder)
    sections = {head: rest for head, _, rest in (part.partition("\n") for part in output.split("BEGIN ")[1:])}
    statements = {name: " ".join(sections.get(f"STATES {name}", "").split()) for name in KERNEL_THEOREMS}
    axioms = {module: _parse_axioms(sections.get(f"RESTS {module}", "")) for module in modules}
    for name, stated in statements.items():
        if not stated.startswith(f"{name}"):
            raise KernelError(f"the kernel must state the theorem {name}, got {stated[:80]!r}")
    for module, module_axioms in axioms.items():
        if foreign := axioms_beyond(module_axioms):
            raise KernelError(
                f"{module} must rest on the standard library's axioms, got {', '.join(foreign)}"
            )
    return statements, axioms


def _marker_command(words: str) -> str:
    """Return the Rocq command that prints a marker between two answers."""
    return f'Goal True. idtac "BEGIN {words}". Abort.'


def _parse_axioms(output: str) -> tuple[str, ...]:
    """Return the sorted names of the axioms that Print Assumptions lists."""
    # a name stands at the start of a line; its type follows after a colon, on the same line or indented
    return tuple(
        sorted(
            re.findall(r"^([A-Za-z_][\w.']*)(?=\s*:|\s*$)", _text_after_axioms_heading(output), re.MULTILINE)
        )
    )


def _checker_axioms(output: str) -> tuple[str, ...]:
    """The axioms of everything that coqchk has loaded, the libraries included."""
    listed = re.search(r"^\* Axioms:(.*?)^\* ", output, re.MULTILINE | re.DOTALL)
    if listed is None:
        raise KernelError(f"coqchk must list axioms, got {output[-300:]!r}")
    return tuple(line for line in listed[1].split() if line != "<none>")


def _text_after_axioms_heading(output: str) -> str:
    """Return the list below "Axioms:"; '' for a closed statement."""
    if output.startswith("Closed under the global context"):
        return ""
    head, _, rest = output.partition("\n")
    if not head.startswith("Axioms:"):
        raise KernelError(f"the assumptions must be a list, got {output[:80]!r}")
    return rest


def _library_versions() -> dict[str, str]:
    """Return the installed versions of the Coq libraries from dpkg; {} without dpkg."""
    ask = shutil.which("dpkg-query")
    if ask is None:
        return {}
    completed = subprocess.run(
        [ask, "-W", "-f", "${Package} ${Version}\n", *_PACKAGES], capture_output=True, text=True, check=False
    )
    return dict(line.split() for line in completed.stdout.splitlines() if len(line.split()) == 2)


def _run_command(command: list[str], folder: str) -> str:
    """Run a command without COQ variables and return its output; raise KernelError if it fails."""
    # no path of the user's: a library there could bring an axiom under an allowed name
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("COQ", "ROCQ"))}
    completed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=clean)
    if completed.returncode:
        raise KernelError(
            f"{' '.join(command[:1])} refused {command[-1]}: {(completed.stdout + completed.stderr)[-1500:]}"
        )
    return completed.stdout + completed.stderr
