"""`prove`: whether the source code of a filter keeps its guarantee, by invariants whose proofs are checked.

>>> from filterproof.mc.prove.source_proof import prove
>>> print(prove(Mine()).sentence)  # doctest: +SKIP
sum of mu^2 <= 1 on every path, so 1-GDP (kept_gdp: KERNEL)
"""

from __future__ import annotations

import inspect
import itertools
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path as File
from typing import Any

from filterproof.filters.contract.library import defining_class, is_library_class
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.prove.alternatives import play_passes_both_budgets, prove_either
from filterproof.mc.prove.decision_comparison import COMPARED, correct_predictions_and_mismatch, unplayed_code
from filterproof.mc.prove.induction import Failure, Induction
from filterproof.mc.prove.invariant_templates import (
    charge_upper_bound,
    code_constants,
    numbers_read_of_requests,
)
from filterproof.mc.prove.logarithms import multiplied_places, with_logarithms
from filterproof.mc.prove.paths import MAX_DOUBLE, MIXES_RUNS, NotTraced, Raised
from filterproof.mc.prove.polynomials import number_text
from filterproof.mc.prove.questions import Questions
from filterproof.mc.prove.requests import MANY_ORDERS
from filterproof.mc.prove.sample_plays import Plays, play_for_comparison, play_with_random_requests
from filterproof.mc.prove.source import file_of, line_text, refuse_hidden_state
from filterproof.mc.prove.sum_bounds import SumBound, group_by_first_request
from filterproof.mc.prove.theorems import (
    SumTheorem,
    conversion_statements,
    theorems_for_guarantee,
    theorems_on_either_sum,
)
from filterproof.mc.prove.transitions import LARGEST, System, Tracer
from filterproof.theory.evidence import Evidence
from filterproof.theory.guarantees import ApproxDP, GaussianDP, Guarantee, PureDP
from filterproof.theory.kernel.kernel_theorems import FINITE_OUTCOMES_SCOPE, KERNEL_THEOREMS

_ORDERS = "divergences of more than two orders are declared as numbers that rise with the order"
_LIBRARIES = "functions of NumPy and math err by at most 8 units in the last place"


@dataclass(frozen=True)
class SourceProof:
    """The answer of `prove`.

    Attributes
    ----------
    proved : bool
        Whether every path keeps the sum of charges within the budget of a theorem, in doubles.
    promise : Guarantee or None
        The guarantee of the filter, None where it could not be read.
    sums : tuple of SumBound
        The sums that are bounded, with the theorem that turns them into the guarantee.
    conversions : tuple of str
        The kernel's statements that bound the charges by other numbers that the code reads of a request.
    paths, compared : int
        The numbers of paths that were traced, and of decisions of the real code that the trace predicted to the last
        bit.
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
    mixes_runs : bool
        Whether the code asks whether something holds for any run, or for all: one person's decision may then depend
        on the others.
    """

    proved: bool
    file: str = ""
    promise: Guarantee | None = None
    sums: tuple[SumBound, ...] = ()
    conversions: tuple[str, ...] = ()
    paths: int = 0
    compared: int = 0
    lines: tuple[int, int] = (0, 0)
    assumes: tuple[str, ...] = ()
    reason: str = ""
    line: int | None = None
    source_line: str = ""
    state: dict[str, float] = field(default_factory=dict)
    tried: tuple[str, ...] = ()
    lead: tuple[tuple[str, dict[str, Any]], ...] = ()
    mixes_runs: bool = False

    @property
    def evidence(self) -> Evidence:
        """EXACT, or CERTIFIED if balls show that the budget gives the guarantee."""
        return Evidence.weakest(Evidence.EXACT, *(bound.theorem.evidence for bound in self.sums))

    @property
    def kernel(self) -> tuple[str, ...]:
        """The statements of the kernel that the proof rests on."""
        first = ("kept_by_first",) * (len(group_by_first_request(self.sums)) > 1)
        return (*dict.fromkeys(bound.theorem.kernel for bound in self.sums), *first, *self.conversions)

    @property
    def scope(self) -> str:
        """The adversaries and mechanisms that all these statements cover."""
        kinds = {
            KERNEL_THEOREMS[name].covers for name in self.kernel
        }  # each names more than the next shorter one
        covered = FINITE_OUTCOMES_SCOPE if FINITE_OUTCOMES_SCOPE in kinds else max(kinds, key=len)
        return f"every adaptive adversary over {covered}, where requests declare true parameters"

    @property
    def sentence(self) -> str:
        """What was proved, or why nothing was."""
        if not self.proved:
            where = f" ({self.file}:{self.line}: {self.source_line})" if self.line else ""
            return f"not proved: {self.reason}{where}"
        joined = " or " if self.kernel[0] == "kept_either" else ", "
        parts = [
            joined.join(str(bound.theorem) for bound in sums) for sums in group_by_first_request(self.sums)
        ]
        sums, named = (
            " or ".join(parts) + ", by the first request," * (len(parts) > 1),
            ", ".join(self.kernel),
        )
        return f"{sums} on every path, so {self.promise} ({named}: KERNEL)"

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what the proof rests on, or what was tried, one line each."""
        if not self.proved:
            notes = [f"tried       {line}" for line in self.tried]
            if self.state:
                numbers = ", ".join(f"{name} = {value:.6g}" for name, value in self.state.items())
                notes.append(f"step        {numbers}")
            return tuple(notes)
        first, last = self.lines
        certificates = sum(bound.certificates for bound in self.sums)
        lines = dict.fromkeys(line for bound in self.sums for line in bound.invariants)
        notes = [
            f"invariant   {';  '.join(lines)}",
            f"from        {self.paths} paths ({self.file}:{first}-{last}), "
            f"closed by {certificates} certificates in rationals",
        ]
        notes += [
            f"rounding    in doubles the {bound.theorem.sum} may exceed {number_text(bound.theorem.budget)} by at most "
            f"{bound.excess(1000):.1e} after 1,000 grants ({bound.excess(10**6):.1e} after 1e6), "
            "and HOLDS is said of that larger budget"
            for bound in self.sums
        ]
        assumed = (
            "requests declare true parameters, as doubles",
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
        predicted at least 50 decisions of the real code to the last bit, among them one through each statement and
        each answer of a condition that the trace has.

    Raises
    ------
    ImportError
        If z3 is not installed.
    """
    questions, file = Questions(), file_of(type(filt)) or ""
    try:
        refuse_hidden_state(filt)
        return _prove_traced_filter(filt, file, questions)
    except NotTraced as error:
        reason, line, file = error.reason, error.line, error.file or file
    except Raised:
        reason, line = "the code raises an error before any request is made", None
    except (
        LookupError, ArithmeticError, TypeError, ValueError, AttributeError, AssertionError, RecursionError,
    ) as error:  # fmt: skip
        reason, line = f"the code does what has no rule ({type(error).__name__}: {error})", None
    return SourceProof(False, File(file).name, reason=reason, line=line, source_line=line_text(file, line))


def _prove_traced_filter(filt: PrivacyFilter, file: str, questions: Questions) -> SourceProof:
    """Trace a filter, compare it with plays, and prove its sums; return the result.

    A filter that multiplies numbers of its state has a second proof, by their logarithms; and so has one of which plays
    keep a sum of epsilons or one of divergences within its budget, whichever it is.
    """
    promise = _promise(filt)
    start = Tracer(filt, [], [], questions).start_state()
    plays, others = (
        play_with_random_requests(filt).exact(start),
        play_for_comparison(filt, start).exact(start),
    )
    system = _trace_system(filt, plays, questions)
    read, orders = numbers_read_of_requests(system), _renyi_orders_read(system)
    possible = theorems_for_guarantee(promise, orders, code_constants(system), read)
    either = theorems_on_either_sum(promise, read)
    proof = _prove_system(system, promise, possible, file, plays, others, questions)
    if proof.proved:
        return proof
    try:
        if multiplied_places(system):
            system = with_logarithms(_trace_system(filt, plays, questions, positive=True))
        elif either and not play_passes_both_budgets(
            [Induction(system, plays, t, questions) for t in either]
        ):
            system, possible = _trace_system(filt, plays, questions, largest=MAX_DOUBLE), [either]
        else:
            return proof
        second = _prove_system(system, promise, possible, file, plays, others, questions)
    except NotTraced:
        return proof
    return second if second.proved else proof


def _prove_system(
    system: System,
    promise: Guarantee,
    possible: list[tuple[SumTheorem, ...]],
    file: str,
    plays: Plays,
    others: Plays,
    questions: Questions,
) -> SourceProof:
    """Compare a traced filter with plays and prove its sums; return the result."""
    read = numbers_read_of_requests(system)
    known: dict[str, Any] = {"file": File(file).name, "promise": promise, "paths": system.paths}
    agreed, other = correct_predictions_and_mismatch(system, Plays(plays.plays + others.plays))
    known["compared"] = agreed
    if other is not None:
        reason = f"the real code decides otherwise than its trace, on {other.family} {other.parameters}"
        return SourceProof(False, reason=reason, **known)
    if agreed < COMPARED:
        return SourceProof(False, reason=f"only {agreed} decisions of the real code were compared", **known)
    parts, failures = [system], list[Failure]()
    bounds = _bounds(system, plays, possible, questions, failures)
    of_events = isinstance(promise, PureDP | ApproxDP | GaussianDP)  # of which kept_by_first speaks
    if bounds is None and of_events and len(parts := list(system.split_by_first_grant())) > 1:
        own = [_bounds(part, plays, possible, questions, failures) for part in parts]
        if None not in own:
            bounds = [replace(bound, part=number) for number, sums in enumerate(own) for bound in sums or ()]
    if bounds is not None:
        if missing := unplayed_code(system, Plays(plays.plays + others.plays)):
            source, (unplayed, *_), answer = missing[0]
            what = "ran" if answer is None else f"had a condition that is {answer} in"
            reason = f"no decision of the real code that was compared {what} line {unplayed}"
            return SourceProof(
                False, reason=reason, line=unplayed, source_line=line_text(source, unplayed), **known
            )
        undefined = (
            [step for step in system.steps if step.request_declares_nan]
            if any(bound.defined for bound in bounds)
            else []
        )
        lines = {step.lines[-1] if step.lines else None for step in undefined[:1]}
        return SourceProof(
            True, sums=tuple(bounds), lines=_traced_line_range(system),
            mixes_runs=any(MIXES_RUNS in step.path.choices for step in system.steps),
            conversions=tuple(sorted(
                {s for bound in bounds for s in conversion_statements(bound.theorem, read)}
            )),
            assumes=(
                *(f"no request declares NaN, which line {line} may grant" for line in lines),
                *((_LIBRARIES,) if _calls_library_functions(system) else ()),
                *((_ORDERS,) if any(MANY_ORDERS in step.path.choices for step in system.steps) else ()),
            ), **known,
        )  # fmt: skip
    reason = ""
    for failure in failures:
        again = Induction(system, plays, failure.theorem, questions, defined=True, exact=True)
        if failure.values and isinstance(again.prove(), SumBound):
            reason = (
                f"rounding may take the sum past the budget, which holds in real arithmetic: {failure.reason}"
            )
            break
    orders = {name.split()[-1] for name in numbers_read_of_requests(system) if "renyi" in name}
    of_order_in_code = [bound for bound in failures if str(bound.theorem.alpha) in orders]
    failure = next((bound for bound in failures if bound.values), (of_order_in_code or failures)[0])
    line = failure.step.lines[-1] if failure.step is not None and failure.step.lines else None
    return SourceProof(
        False, reason=reason or failure.reason, tried=tuple(dict.fromkeys(map(str, failures))), line=line,
        source_line=line_text(file, line), state=failure.values,
        lead=_shortest_play_over_budget(failure.theorem, plays), **known,
    )  # fmt: skip


def _bounds(
    system: System,
    plays: Plays,
    possible: list[tuple[SumTheorem, ...]],
    questions: Questions,
    failures: list[Failure],
) -> list[SumBound] | None:
    """Return the proved bounds of the first theorem that applies; None, with `failures`, if none does."""
    undefined = any(step.request_declares_nan for step in system.steps)
    for sums, defined in itertools.product(possible, (False, True) if undefined else (False,)):
        proved: list[SumBound] = []
        if sums[0].kernel == "kept_either":
            either = prove_either([Induction(system, plays, theorem, questions, defined) for theorem in sums])
            if not isinstance(either, Failure):
                return [replace(bound, defined=defined) for bound in either]
            failures.append(either)
            continue
        for theorem in sums:
            answer = Induction(system, plays, theorem, questions, defined).prove()
            if isinstance(answer, Failure):
                failures.append(answer)
                break
            proved.append(replace(answer, defined=defined))
        else:
            return proved
    return None


def _promise(filt: PrivacyFilter) -> Guarantee:
    """Return the filter's guarantee; raise NotTraced unless it is a value of the library."""
    declared = inspect.getattr_static(filt, "promise", None)
    if isinstance(declared, property) and not is_library_class(defining_class(type(filt), "promise")):
        raise NotTraced("the promise is computed; make it an attribute")
    promise = filt.promise
    if not (isinstance(promise, Guarantee) and is_library_class(type(promise))):
        raise NotTraced("the promise is no guarantee of the library")
    return promise


def _trace_system(
    filt: PrivacyFilter,
    plays: Plays,
    questions: Questions,
    positive: bool = False,
    largest: Fraction = LARGEST,
) -> System:
    """Return the traced steps of a filter, with places that are no modes as numbers."""
    modes, floors = plays.takes_few_integers(), plays.floors(positive)
    try:
        return Tracer(filt, floors, modes, questions, largest).system()
    except NotTraced as error:
        if not any(modes) or "shapes" not in error.reason:
            raise
    return Tracer(filt, floors, [], questions, largest).system()


def _renyi_orders_read(system: System) -> set[Fraction]:
    """Return the orders at which the code reads Rényi divergences."""
    names = {name for step in system.steps for name in step.path.choices if "renyi" in name}
    return {Fraction(name.split()[-1].removeprefix("renyi_charge.at(").rstrip(")")) for name in names}


def _shortest_play_over_budget(theorem: SumTheorem, plays: Plays) -> tuple[tuple[str, dict[str, Any]], ...]:
    """Return the requests of the shortest play after which the sum exceeds the budget."""
    budget = float(theorem.budget) * (1 + 1e-9)
    above_budget = []
    for granted in plays.grants_by_run():
        sums = itertools.accumulate(charge_upper_bound(decision, theorem) for decision in granted)
        above = next((place for place, total in enumerate(sums, 1) if abs(total) > budget), None)
        if above is not None:
            above_budget.append(tuple((decision.family, decision.parameters) for decision in granted[:above]))
    return min(above_budget, key=len, default=())


def _calls_library_functions(system: System) -> bool:
    """Whether the code calls a function whose doubles differ between math libraries."""
    return any(atom.is_of_library for step in system.steps for atom in step.path.atoms)


def _traced_line_range(system: System) -> tuple[int, int]:
    """Return the first and the last line of the user's code that a path visits."""
    visited = [
        line
        for step in system.steps
        for file, (line, *_), answer in step.path.visited
        if file == step.path.home and answer is None
    ]
    return min(visited, default=0), max(visited, default=0)
