"""`prove`: whether the source code of a filter keeps its promise, with a proof that can be checked.

>>> from filterproof.mc.prove.proof import prove
>>> print(prove("mine.py::MainAndPetty").text())  # doctest: +SKIP
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from pathlib import Path as File
from typing import Any

from filterproof.mc.prove.functions import LIBRARY, Opaque
from filterproof.mc.prove.interpreter import Function, Interpreter, Record, Unknown, UserClass, load_module
from filterproof.mc.prove.invariants import Failed, Proved, Prover
from filterproof.mc.prove.paths import Atom, NotTraced, Path, Raised
from filterproof.mc.prove.plays import COMPARED, Plays, compare, play
from filterproof.mc.prove.polynomials import number_text
from filterproof.mc.prove.solver import z3_module
from filterproof.mc.prove.source import Source, constructor, refuse_hidden_state
from filterproof.mc.prove.theorems import Theorem, theorems
from filterproof.mc.prove.transitions import System, Tracer, dominated
from filterproof.mc.prove.values import CURRENT
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
    def name(self) -> str:
        measure = self.theorem.measure
        return "size of the realised loss" if measure == "loss" else f"sum of {self.theorem.charge}"


@dataclass(frozen=True)
class Proof:
    """The answer of `prove`.

    Attributes
    ----------
    proved
        Whether every path keeps the sum of charges within the budget of a theorem, in doubles.
    promise
        The promise of the filter, None where it could not be read.
    sums
        The sums that are bounded, with the theorem that turns them into the promise; its `kernel` is the name in the
        kernel's record.
    invariant
        Inequalities that hold of every reachable state, as lines; k is the number of grants so far.
    paths
        The number of paths that were traced.
    certificates
        The number of derivations that the checker accepted.
    lines
        The first and the last line of the file that a path went through.
    compared
        Decisions of the real code that the trace predicted to the last bit.
    assumes
        What the proof takes for granted.
    reason, line
        Where it is not proved: why, and the line of the file.
    state
        Where a step fails: the numbers of the state and of the request, by name.
    library
        The filter of the library that admits whatever this one does; the proof is its own.
    tried
        Where it is not proved: the theorems, and why each does not apply.
    lead
        Requests, as (family, parameters), whose sum passed the budget in a play, or nearly: for a search to try first.
    """

    target: str
    proved: bool
    promise: Guarantee | None = None
    sums: tuple[Bound, ...] = ()
    invariant: tuple[str, ...] = ()
    paths: int = 0
    certificates: int = 0
    lines: tuple[int, int] = (0, 0)
    compared: int = 0
    assumes: tuple[str, ...] = ()
    reason: str = ""
    line: int | None = None
    source_line: str = ""
    state: dict[str, float] = field(default_factory=dict)
    lead: tuple[tuple[str, dict[str, Any]], ...] = ()
    library: str = ""
    tried: tuple[str, ...] = ()

    @property
    def covers(self) -> str:
        """The adversaries and mechanisms that the theorem speaks of."""
        kinds = {KERNEL[one.theorem.kernel].covers for one in self.sums}
        return "every adaptive adversary over " + "; ".join(sorted(kinds))

    def text(self) -> str:
        """The answer as a block of lines."""
        file = File(self.target.partition("::")[0]).name
        if not self.proved:
            where = f" ({file}:{self.line}: {self.source_line})" if self.line else ""
            found = [f"NOT PROVED  {self.reason}{where}"]
            if self.state:
                numbers = ", ".join(f"{name} = {value:.6g}" for name, value in self.state.items())
                found.append(f"  step        {numbers}")
            found += [f"  tried       {line}" for line in self.tried]
            if self.lead:
                shown = [f"{f}({', '.join(f'{v:.6g}' for v in p.values())})" for f, p in self.lead[:6]]
                more = f" and {len(self.lead) - 6} more" if len(self.lead) > 6 else ""
                found.append(f"  lead        {', '.join(shown)}{more}")
            return "\n".join(found)
        if self.library:
            return "\n".join(
                [
                    f"PROVED  admits no more than {self.library}, so {self.promise}",
                    f"  from        {self.paths} paths ({file}:{self.lines[0]}-{self.lines[1]})",
                    f"  assumes     {'; '.join(self.assumes)}",
                ]
            )
        bounds = ", ".join(f"{one.name} <= {number_text(one.theorem.budget)}" for one in self.sums)
        lines = [
            f"PROVED  {bounds} on every path, so {self.promise} (theorem {self.sums[0].theorem.kernel})",
            f"  invariant   {';  '.join(self.invariant)}",
            f"  from        {self.paths} paths ({file}:{self.lines[0]}-{self.lines[1]}), "
            f"{self.certificates} certificates in rationals",
        ]
        for one in self.sums:
            budget = number_text(one.theorem.budget)
            lines.append(
                f"  rounding    in doubles the {one.name} may exceed {budget} by at most {one.excess(1000):.1e} "
                f"after 1,000 grants ({one.excess(10**6):.1e} after 1e6)"
            )
        lines.append(f"  covers      {self.covers}")
        return "\n".join([*lines, f"  assumes     {'; '.join(self.assumes)}"])


def prove(target: str) -> Proof:
    """Try to prove that a filter keeps its promise on every path, by its source code.

    The code is traced and not run, but for plays in another process that are compared with the trace. The work is
    bounded by counts, and the answer is the same on every machine.

    Parameters
    ----------
    target
        "file.py::Class", or "file.py::Class(0.5)" with literals for its constructor.

    Returns
    -------
    Proof
        `proved` is True only if every step has a derivation, in doubles, that the checker accepted, and the trace
        predicted at least 50 decisions of the real code to the last bit.

    Raises
    ------
    ImportError
        If z3 is not installed.
    """
    z3_module()
    file, _, name = target.partition("::")
    lines: tuple[str, ...] = ()
    try:
        source = Source.read(File(file))
        lines = source.lines
        return _proof(target, source, name)
    except NotTraced as error:
        shown = lines[error.line - 1].strip() if error.line and error.line <= len(lines) else ""
        return Proof(target, False, reason=error.reason, line=error.line, source_line=shown)
    except Raised:
        return Proof(target, False, reason="the code raises an error before any request is made")
    except (LookupError, TypeError, ValueError, AttributeError, AssertionError, RecursionError) as error:
        return Proof(
            target, False, reason=f"the code does what has no rule ({type(error).__name__}: {error})"
        )


def _proof(target: str, source: Source, name: str) -> Proof:
    filt, classes = filter_of(source, name)
    refuse_hidden_state(source, classes)
    promise = _promise(filt)
    digest = sha256(source.file.read_bytes()).hexdigest()
    if any(isinstance(v, Opaque) for v in filt.values.values()):
        return _by_library(target, source, filt, promise, digest)
    plays = play(source.file, name, digest)
    if plays.problem:
        return Proof(target, False, promise, reason=plays.problem)
    tracer, system = _traced(filt, plays)
    orders = _orders(system)
    try:
        possible = theorems(promise, orders)
    except TypeError as error:
        return Proof(target, False, promise, reason=str(error), paths=system.paths)
    agreed, other = compare(system, plays)
    if other is not None or agreed < COMPARED:
        reason = f"only {agreed} decisions of the real code were compared"
        if other is not None:
            reason = f"the real code decides otherwise than its trace, on {other.family} {other.parameters}"
        return Proof(target, False, promise, reason=reason, paths=system.paths, compared=agreed)
    failures = []
    undefined = [step for step in system.steps if step.is_undefined]
    for sums, defined in itertools.product(possible, (False, True) if undefined else (False,)):
        provers = [Prover(tracer, system, plays, theorem, defined) for theorem in sums]
        found: list[Proved] = []
        for prover in provers:
            answer = prover.prove()
            if isinstance(answer, Failed):
                failures.append((answer, _lead(prover, plays)))
                break
            found.append(answer)
        else:
            line = undefined[0].lines[-1] if defined and undefined[0].lines else None
            more = (f"no request declares NaN, which line {line} may grant",) if defined else ()
            return _proved(target, promise, system, found, agreed, more)
    real = _in_reals(tracer, system, plays, [f for f, _ in failures])
    failure, lead = next((pair for pair in failures if pair[0].values), failures[0])
    line = failure.step.lines[-1] if failure.step is not None and failure.step.lines else None
    return Proof(
        target, False, promise, paths=system.paths, compared=agreed, reason=real or failure.reason,
        tried=tuple(dict.fromkeys(f.text() for f, _ in failures)),
        line=line, source_line=source.line(line), state=failure.values, lead=lead,
    )  # fmt: skip


def _by_library(target: str, source: Source, filt: Record, promise: Guarantee, digest: str) -> Proof:
    """Whether the filter admits no more than a proved filter of the library that it is built on."""
    system = Tracer(filt, [], []).system()
    known = {v.key: v.real for v in filt.values.values() if isinstance(v, Opaque)}
    found = dominated(system)
    if found is None:
        step = next((s for s in system.steps if s.after is not None), None)
        line = step.lines[-1] if step is not None and step.lines else None
        reason = "a request may be granted that the library's filter denies, or is not charged for"
        return Proof(target, False, promise, reason=reason, line=line, source_line=source.line(line))
    key = found.key.removesuffix(" new")
    inner = known[key]
    if inner.promise != promise:
        return Proof(target, False, promise, reason=f"{key} keeps {inner.promise}, and {promise} is promised")
    plays = play(source.file, target.partition("::")[2], digest, key)
    compared = sum(map(len, plays.plays))
    if plays.problem or compared < COMPARED:
        return Proof(target, False, promise, reason=plays.problem or "too few decisions were compared")
    return Proof(
        target, True, promise, (), (f"every grant is one of {key}, which is charged for it",), system.paths,
        lines=_lines(system), compared=compared, assumes=_assumes(compared), library=key,
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


def filter_of(source: Source, name: str) -> tuple[Record, list[str]]:
    """An instance of the class as the interpreter makes it, and the names of its classes in the file."""
    path = Path((), [Atom("runs", "n", (), True, Fraction(1))], lambda *_: True)
    CURRENT[0] = None
    interpreter = Interpreter(path)
    name, args, named = constructor(name)
    kind = load_module(source, interpreter).get(name)
    if isinstance(kind, Unknown):
        raise NotTraced(kind.reason, kind.line)
    if not isinstance(kind, UserClass):
        raise NotTraced(f"the file has no class {name}")
    filt = interpreter.make(kind, args, named)
    if path.trail:
        raise NotTraced("the constructor makes a decision that is not known", kind.node.lineno)
    return filt, [k.name for k in kind.order() if isinstance(k, UserClass)]


def _promise(filt: Record) -> Guarantee:
    promise = filt.values.get("promise", filt.kind.lookup("promise"))
    if promise is None and LIBRARY in filt.values:
        promise = filt.values[LIBRARY].real.promise
    if isinstance(promise, Function):
        raise NotTraced("the promise is computed", promise.node.lineno)
    if not isinstance(promise, Guarantee):
        raise NotTraced("the promise is no guarantee of the library")
    return promise


def _traced(filt: Record, plays: Plays) -> tuple[Tracer, System]:
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
    return {Fraction(name.split()[-1]) for name in names}


def _lead(prover: Prover, plays: Plays) -> tuple[tuple[str, dict[str, Any]], ...]:
    """The shortest play after which the sum is over the budget."""
    budget = float(prover.theorem.budget) * (1 + 1e-9)
    best: tuple[tuple[str, dict[str, Any]], ...] = ()
    for one in plays.plays:
        for run in range(one[0].runs if one else 0):
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


def _proved(
    target: str,
    promise: Guarantee,
    system: System,
    found: list[Proved],
    agreed: int,
    more: tuple[str, ...],
) -> Proof:
    text = tuple(dict.fromkeys(i.text(one.names) for one in found for i in one.invariants))
    sums = tuple(Bound(one.theorem, one.budget, one.drift) for one in found)
    return Proof(
        target, True, promise, sums, text, system.paths, sum(one.certificates for one in found),
        _lines(system), agreed, (*_assumes(agreed), *more),
    )  # fmt: skip


def _lines(system: System) -> tuple[int, int]:
    visited = [line for step in system.steps for line in step.lines]
    return min(visited, default=0), max(visited, default=0)


def _assumes(agreed: int) -> tuple[str, ...]:
    return (
        "requests declare true parameters",
        "constants of the class and the file stay as they are",
        f"the code is what was traced ({agreed} concrete decisions agree)",
        "at most 1e12 grants",
    )
