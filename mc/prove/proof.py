"""`prove`: whether the source code of a filter keeps its guarantee, by invariants whose proofs are checked.

>>> from filterproof.mc.prove.proof import prove
>>> print(prove(Mine()).sentence)  # doctest: +SKIP
sum of mu^2 <= 1 on every path, so 1-GDP (theorem gaussian_filter)
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path as File
from typing import Any

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.prove.comparison import COMPARED, compare
from filterproof.mc.prove.invariants import Failed, Proved, Prover
from filterproof.mc.prove.loaded import promise_of
from filterproof.mc.prove.paths import NotTraced, Raised
from filterproof.mc.prove.plays import Plays, play
from filterproof.mc.prove.polynomials import number_text
from filterproof.mc.prove.solver import z3_module
from filterproof.mc.prove.source import file_of, line_text, refuse_hidden_state
from filterproof.mc.prove.theorems import Theorem, theorems
from filterproof.mc.prove.transitions import System, Tracer
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.kernel.kernel_theorems import KERNEL


@dataclass(frozen=True)
class Bound:
    """A sum of charges that no path takes beyond `budget` and `drift` times the number of grants.

    The theorem needs its own budget, which rounding and a budget like ten times .1 may pass by `excess`.
    """

    theorem: Theorem
    budget: Fraction
    drift: Fraction

    def excess(self, grants: int) -> float:
        """How much the sum may pass the theorem's budget after so many grants, at most."""
        return float(self.budget - self.theorem.budget + self.drift * grants)

    @property
    def text(self) -> str:
        """The bound on the sum."""
        return f"{self.theorem.sum} <= {number_text(self.theorem.budget)}"


@dataclass(frozen=True)
class SourceProof:
    """The answer of `prove`.

    Attributes
    ----------
    proved : bool
        Whether every path keeps the sum of charges within the budget of a theorem, in doubles.
    promise : Guarantee or None
        The guarantee of the filter, None where it could not be read.
    sums : tuple of Bound
        The sums that are bounded, with the theorem that turns them into the guarantee.
    invariant : tuple of str
        Inequalities that hold of every reachable state; k is the number of grants so far.
    paths, certificates, compared : int
        The numbers of paths that were traced, of derivations that the checker accepted, and of decisions of the real
        code that the trace predicted to the last bit.
    lines : tuple of int
        The first and the last line of the file that a path went through.
    assumes : tuple of str
        What the proof takes for granted beyond what it always does.
    reason : str
        Where it is not proved: why.
    line : int or None
        The line of the file at which it fails.
    source_line : str
        The text of that line.
    state : mapping
        Where a step fails: the numbers of the state and of the request, by name.
    tried : tuple of str
        Where it is not proved: the theorems, and why each does not apply.
    lead : tuple
        Requests, as (family, parameters), whose sum passed the budget in a play: for a search to try first.
    library : str
        The filter of the library that admits whatever this one does; the proof is its own.
    """

    proved: bool
    file: str = ""
    promise: Guarantee | None = None
    sums: tuple[Bound, ...] = ()
    invariant: tuple[str, ...] = ()
    paths: int = 0
    certificates: int = 0
    compared: int = 0
    lines: tuple[int, int] = (0, 0)
    assumes: tuple[str, ...] = ()
    reason: str = ""
    line: int | None = None
    source_line: str = ""
    state: dict[str, float] = field(default_factory=dict)
    tried: tuple[str, ...] = ()
    lead: tuple[tuple[str, dict[str, Any]], ...] = ()
    library: str = ""

    @property
    def scope(self) -> str:
        """The adversaries and mechanisms that the theorem speaks of."""
        kinds = sorted({KERNEL[one.theorem.kernel].covers for one in self.sums})
        return f"every adaptive adversary over {'; '.join(kinds)}, where requests declare true parameters"

    @property
    def sentence(self) -> str:
        """What was proved, or why nothing was."""
        if not self.proved:
            where = f" ({self.file}:{self.line}: {self.source_line})" if self.line else ""
            return f"not proved: {self.reason}{where}"
        if self.library:
            return f"it grants no more than {self.library}, so {self.promise}"
        theorem = self.sums[0].theorem.kernel
        sums = ", ".join(one.text for one in self.sums)
        return f"{sums} on every path, so {self.promise} (theorem {theorem}, KERNEL)"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the proof rests on, or what was tried, one line each."""
        if not self.proved:
            notes = [f"tried       {line}" for line in self.tried]
            if self.state:
                numbers = ", ".join(f"{name} = {value:.6g}" for name, value in self.state.items())
                notes.append(f"step        {numbers}")
            return tuple(notes)
        first, last = self.lines
        checked = (
            ""
            if self.library
            else f", each closed by certificates in rationals ({self.certificates} of them)"
        )
        notes = [
            f"invariant   {';  '.join(self.invariant)}",
            f"from        {self.paths} paths ({self.file}:{first}-{last}){checked}",
        ]
        notes += [
            f"rounding    in doubles the {one.theorem.sum} may exceed {number_text(one.theorem.budget)} by at most "
            f"{one.excess(1000):.1e} after 1,000 grants ({one.excess(10**6):.1e} after 1e6)"
            for one in self.sums
        ]
        assumed = (
            "requests declare true parameters",
            "attributes and constants stay as they are",
            f"the code is what was traced ({self.compared} concrete decisions agree)",
            "at most 1e12 grants",
            *self.assumes,
        )
        return (*notes, f"assumes     {'; '.join(assumed)}")


def prove(filt: PrivacyFilter) -> SourceProof:
    """Try to prove that a filter keeps its guarantee on every path, by its source code.

    The code is interpreted and not run, but for plays that are compared with the trace. The work is bounded by counts,
    and the answer is the same on every machine.

    Parameters
    ----------
    filt : PrivacyFilter
        A filter whose class stands in a file.

    Returns
    -------
    SourceProof
        `proved` is True only if every step has a derivation, in doubles, that the checker accepted, and the trace
        predicted at least 50 decisions of the real code to the last bit.

    Raises
    ------
    ImportError
        If z3 is not installed.
    """
    z3_module()
    file = file_of(type(filt)) or ""
    try:
        refuse_hidden_state(filt)
        return _proof(filt, file)
    except NotTraced as error:
        reason, line, file = error.reason, error.line, error.file or file
    except Raised:
        reason, line = "the code raises an error before any request is made", None
    except (LookupError, TypeError, ValueError, AttributeError, AssertionError, RecursionError) as error:
        reason, line = f"the code does what has no rule ({type(error).__name__}: {error})", None
    return SourceProof(False, File(file).name, reason=reason, line=line, source_line=line_text(file, line))


def _proof(filt: PrivacyFilter, file: str) -> SourceProof:
    promise = promise_of(filt)
    plays = play(filt).exact(Tracer(filt, [], []).beginning())
    tracer, system = _traced(filt, plays)
    possible = theorems(promise, _orders(system))
    known: dict[str, Any] = {"file": File(file).name, "promise": promise, "paths": system.paths}
    agreed, other = compare(system, plays)
    known["compared"] = agreed
    if other is not None:
        reason = f"the real code decides otherwise than its trace, on {other.family} {other.parameters}"
        return SourceProof(False, reason=reason, **known)
    if agreed < COMPARED:
        return SourceProof(False, reason=f"only {agreed} decisions of the real code were compared", **known)
    failures = []
    undefined = [step for step in system.steps if step.is_undefined]
    for sums, defined in itertools.product(possible, (False, True) if undefined else (False,)):
        found: list[Proved] = []
        for theorem in sums:
            prover = Prover(tracer, system, plays, theorem, defined)
            answer = prover.prove()
            if isinstance(answer, Failed):
                failures.append((answer, _lead(prover, plays)))
                break
            found.append(answer)
        else:
            line = undefined[0].lines[-1] if defined and undefined[0].lines else None
            return SourceProof(
                True,
                sums=tuple(Bound(one.theorem, one.budget, one.drift) for one in found),
                invariant=tuple(dict.fromkeys(i.text(one.names) for one in found for i in one.invariants)),
                certificates=sum(one.certificates for one in found),
                lines=_lines(system),
                assumes=(f"no request declares NaN, which line {line} may grant",) if defined else (),
                **known,
            )
    real = _in_reals(tracer, system, plays, [f for f, _ in failures])
    failure, lead = next((pair for pair in failures if pair[0].values), failures[0])
    line = failure.step.lines[-1] if failure.step is not None and failure.step.lines else None
    return SourceProof(
        False, reason=real or failure.reason, tried=tuple(dict.fromkeys(f.text() for f, _ in failures)),
        line=line, source_line=line_text(file, line), state=failure.values, lead=lead, **known,
    )  # fmt: skip


def _in_reals(tracer: Tracer, system: System, plays: Plays, failures: list[Failed]) -> str:
    """What to say of a filter whose sum keeps within a budget in real arithmetic, if not in doubles; '' of others."""
    for failure in failures:
        if failure.values and isinstance(
            Prover(tracer, system, plays, failure.theorem, True, True).prove(), Proved
        ):
            return (
                f"rounding may take the sum past the budget, which holds in real arithmetic: {failure.reason}"
            )
    return ""


def _traced(filt: PrivacyFilter, plays: Plays) -> tuple[Tracer, System]:
    """The system; places that plays took for modes and are none become numbers."""
    modes = plays.modes()
    try:
        tracer = Tracer(filt, plays.nonneg(), modes)
        return tracer, tracer.system()
    except NotTraced as error:
        if not any(modes) or "shapes" not in error.reason:
            raise
    tracer = Tracer(filt, plays.nonneg(), [])
    return tracer, tracer.system()


def _orders(system: System) -> set[Fraction]:
    """The orders at which the code reads Rényi divergences."""
    names = {name for step in system.steps for name in step.path.choices if "renyi" in name}
    return {Fraction(name.split()[-1].removeprefix("renyi_charge.at(").rstrip(")")) for name in names}


def _lead(prover: Prover, plays: Plays) -> tuple[tuple[str, dict[str, Any]], ...]:
    """The shortest play after which the sum is over the budget."""
    budget = float(prover.theorem.budget) * (1 + 1e-9)
    best: tuple[tuple[str, dict[str, Any]], ...] = ()
    for one in plays.plays:
        for run in range(one[0].runs):
            total, made = 0.0, []
            for decision in one[run :: one[0].runs]:
                if decision.granted:
                    total += prover.charge(decision)
                    made.append((decision.family, decision.parameters))
                    if abs(total) > budget:
                        if not best or len(made) < len(best):
                            best = tuple(made)
                        break
    return best


def _lines(system: System) -> tuple[int, int]:
    visited = [line for step in system.steps for line in step.path.lines]
    return min(visited, default=0), max(visited, default=0)
