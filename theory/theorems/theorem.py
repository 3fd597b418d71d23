"""Theorems: claims with steps that engines check. `THEOREMS` contains all of them by name."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from filterproof.theory.argument_checks import did_you_mean
from filterproof.theory.display import one_line_repr
from filterproof.theory.evidence import CheckCoverage, Evidence
from filterproof.theory.kernel.kernel_theorems import KERNEL_THEOREMS, KernelTheorem
from filterproof.theory.kernel.record import accepted_statement
from filterproof.theory.theorems.formula import Formula


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Result of an engine that accepts a claim: its evidence, the coverage of the check, and a line of detail."""

    engine: str
    evidence: Evidence
    checked: CheckCoverage
    detail: str


class RefusedError(Exception):
    """An engine refused a claim; `counterexample` is plain data that shows the reason, or None."""

    def __init__(
        self,
        reason: str,
        *,
        engine: str,
        evidence: Evidence,
        counterexample: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(reason)
        self.engine = engine
        self.evidence = evidence
        self.counterexample = counterexample


#: A check runs an engine on one claim. It returns a `CheckResult` or raises `RefusedError`.
Check = Callable[[], CheckResult]


@dataclass(frozen=True, slots=True)
class ProofStep:
    """One claim of a proof, the check that decides it, and wrong claims that the check must refuse.

    Parameters
    ----------
    statement : str
        The claim in words.
    check : callable
        It returns `CheckResult` or raises `RefusedError`.
    negative_controls : Mapping of str to callable, optional
        Checks of slightly wrong claims, by the change ("1 % more budget"). They show that the check can fail. Kernel
        steps have none.
    latex : str, optional
        The claim as a formula.
    decides : bool, optional
        Whether the step and the others with this mark together state the claim. The theorem then has the evidence of
        the kernel, and its other steps must hold too.
    kernel : KernelTheorem, optional
        The statement in the proof assistant.

    Raises
    ------
    ValueError
        If a step with `decides` has no kernel statement.
    """

    statement: str
    check: Check
    negative_controls: Mapping[str, Check] = field(default_factory=dict)
    latex: str = ""
    decides: bool = False
    kernel: KernelTheorem | None = None

    def __post_init__(self) -> None:
        if self.decides and self.kernel is None:
            raise ValueError(
                f"kernel must be given for a step with decides=True, got None in {self.statement!r}; pass its theorem"
            )


def kernel_step(theorem: KernelTheorem, *, decides: bool) -> ProofStep:
    """Return the step that a kernel theorem proves, with the record of the current sources."""

    def check() -> CheckResult:
        try:
            statement = accepted_statement(theorem)
        except ValueError as reason:
            raise RefusedError(str(reason), engine="rocq", evidence=Evidence.KERNEL) from reason
        axioms = f"axioms: {', '.join(statement.axioms)}" if statement.axioms else "no axioms"
        return CheckResult(
            "rocq", Evidence.KERNEL, CheckCoverage.KERNEL, f"{statement.acceptance_phrase}; {axioms}"
        )

    says = f"{theorem.says} ({theorem.name} in {theorem.rocq_module}.v)"
    return ProofStep(says, check, decides=decides, kernel=theorem)


def kernel_steps(*names: str) -> tuple[ProofStep, ...]:
    """Return the steps of kernel theorems that together state the claim."""
    return tuple(kernel_step(KERNEL_THEOREMS[name], decides=True) for name in names)


def supporting_steps(*names: str) -> tuple[ProofStep, ...]:
    """Return the steps with these kernel theorems, which prove a part of the claim or a number of the code."""
    return tuple(kernel_step(KERNEL_THEOREMS[name], decides=False) for name in names)


@dataclass(frozen=True, slots=True)
class Theorem:
    """A claim under hypotheses, from steps and from other theorems.

    Parameters
    ----------
    name, title : str
        Key in `THEOREMS`, and title for readers.
    source : str
        Publication and number of the theorem.
    hypotheses : str
        Assumptions with the domain of the parameters. They become the scope of the verdict.
    claim : str
        The claim in words.
    steps : tuple of Step
        Its steps. Prose connects them.
    uses : tuple of str, optional
        Names of the theorems that it uses.
    statement : tuple of str or Formula, optional
        The claim in LaTeX, in parts. Each formula is written once for every notation.
    """

    name: str
    title: str
    source: str
    hypotheses: str
    claim: str
    steps: tuple[ProofStep, ...]
    uses: tuple[str, ...] = ()
    statement: tuple[str | Formula, ...] = ()

    __repr__ = one_line_repr

    @property
    def claim_latex(self) -> str:
        """Return the claim in LaTeX; empty if words state all of it."""
        return "".join(part.latex if isinstance(part, Formula) else part for part in self.statement)

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """Return the formulas of the claim."""
        return tuple(part for part in self.statement if isinstance(part, Formula))

    @property
    def decided(self) -> tuple[ProofStep, ...]:
        """Return the kernel steps that together state the claim; empty if prose connects the steps."""
        return tuple(step for step in self.steps if step.decides)

    @property
    def kernel(self) -> tuple[str, ...]:
        """Return the names of the kernel statements among the steps; they are keys of `kernel_theorems.KERNEL`."""
        return tuple(step.kernel.name for step in self.steps if step.kernel)

    def __reduce__(self) -> tuple[Callable[[str], Theorem], tuple[str]]:
        # checks are closures, so another process looks up the theorem by name
        if THEOREMS.get(self.name) is not self:
            raise TypeError(
                f"theorem must be one of THEOREMS to be pickled, got {self.name!r}; "
                "prove it in the process that made it"
            )
        return _theorem_named, (self.name,)


def _theorem_named(name: str) -> Theorem:
    return THEOREMS[name]


#: The place of a phrase or a formula in the texts of `theorems.toml`.
_PLACE = re.compile(r"<(\w+)>")
#: The modules in `filterproof.theory.proofs` of the theorems that steps prove. They load sympy.
PROOF_MODULES = {
    "Gaussian hockey-stick": "gaussian_hockey_stick",
    "B*, line by line": "b_star_steps",
    "kappa": "kappa",
    "individual filter": "individual_filter",
    "papers' steps": "printed_epsilon_steps",
}


@cache
def kernel_rows() -> Mapping[str, Theorem]:
    """Return the claims that the kernel proves by name, in the order of `theorems.toml`."""
    text = files("filterproof.theory.theorems").joinpath("theorems.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    phrases, shared = tables.pop("phrases"), tables.pop("formulas")
    return {name: _row(name, phrases, shared, **parts) for name, parts in tables.items()}


def _row(
    name: str,
    phrases: Mapping[str, str],
    shared: Mapping[str, Any],
    *,
    statement: str,
    hypotheses: str,
    claim: str,
    formulas: Mapping[str, Any] = MappingProxyType({}),
    decides: Iterable[str] = (),
    supports: Iterable[str] = (),
    uses: Iterable[str] = (),
    **words: str,
) -> Theorem:
    """Return the theorem of a table of `theorems.toml`, with its phrases and formulas in place of their names."""
    hypotheses, claim = (
        _PLACE.sub(lambda place: phrases[place[1]], sentence) for sentence in (hypotheses, claim)
    )
    # every other part is the name of a formula
    parts: list[str | Formula] = [*_PLACE.split(statement)]
    parts[1::2] = [Formula(**{**shared, **formulas}[str(part)]) for part in parts[1::2]]
    return Theorem(
        name=name,
        hypotheses=hypotheses,
        claim=claim,
        statement=tuple(filter(None, parts)),
        steps=kernel_steps(*decides) + supporting_steps(*supports),
        uses=tuple(uses),
        **words,
    )


def unknown_theorem_message(name: object) -> str:
    """Return the error sentence about an unknown theorem."""
    near = did_you_mean(name, THEOREMS) or f"; known: {'; '.join(THEOREMS)}"
    return f"name must be a known theorem, got name={name!r}{near}"


class _Registry(Mapping[str, Theorem]):
    """All theorems by name, a read-only mapping: first those that steps prove, then those that the kernel proves.

    Access imports the module of a theorem, and sympy, when it is needed. An unknown name raises KeyError with the
    nearest known name.

    Examples
    --------
    >>> import filterproof as fp
    >>> list(fp.THEOREMS)[4:7]
    ["papers' steps", 'RDP filter', 'adaptive composition']
    """

    def __getitem__(self, name: str) -> Theorem:
        if name in PROOF_MODULES:
            theorem: Theorem = import_module(f"filterproof.theory.proofs.{PROOF_MODULES[name]}").THEOREM
            return theorem
        if name not in kernel_rows():
            raise KeyError(unknown_theorem_message(name))
        return kernel_rows()[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*PROOF_MODULES, *kernel_rows()))

    def __len__(self) -> int:
        return len(PROOF_MODULES) + len(kernel_rows())

    def __repr__(self) -> str:
        return f"<{len(self)} theorems by name, such as {next(iter(self))!r}>"


#: All theorems by name.
THEOREMS: Mapping[str, Theorem] = _Registry()
