"""A proof about a filter's source code as one file for the kernel of a proof assistant.

The file defines the traced steps as a relation between states, with the doubles of Flocq, and proves that every filter
whose steps are among them keeps the sum, by the same lines that `certificate` checks. That the code takes no other
step is its hypothesis: the trace is all that it leaves outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from importlib.resources import files

from filterproof.mc.prove.derivations import DerivedGoal, DerivedStep, DerivedSystem
from filterproof.mc.prove.invariant_templates import GRANTS, SUM, Invariant, factors_of
from filterproof.mc.prove.paths import NotTraced
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.sum_bounds import SumBound
from filterproof.mc.prove.theorems import declared_within
from filterproof.theory.kernel.kernel_theorems import KERNEL_THEOREMS

_MODULES = ("Integrals", "Conversions", "AnyOutcomes", "AnyOutcomesFilters", "BasicAnyOutcomes", "KeptSums")
_BESIDE = {"kept_gdp": ("GaussianDP", "GaussianAnyOutcomes")}
#: The end of the proof for each statement of the kernel, of the sums within their budgets: what is assumed of a
#: request with its conditions, and what the filter that stops after K grants then keeps.
_ENDS = {
    "kept_pure": (
        "dp_priced_any price (fun _ => 0) m",
        "promises_delta_any (stopped K F) ok budget 0",
        "apply (kept_pure _ ok price); auto using priced, symmetric, keeps, nonneg.",
    ),
    "kept_zcdp": (
        "zcdp_priced_any price m",
        "forall t, honest ok t -> transcript_zcdp_any (stopped K F) t budget",
        "intros t. apply (kept_zcdp _ ok price); auto using priced, keeps, nonneg.",
    ),
    "kept_approximate_dp": (
        "zcdp_priced_any price m",
        "forall epsilon delta, 0 < budget -> 0 < delta < 1 -> fits_budget budget epsilon delta ->\n"
        "  promises_delta_any (stopped K F) ok epsilon delta",
        "intros. apply (kept_approximate_dp _ ok price budget); auto using priced, symmetric, keeps.",
    ),
    "kept_renyi": (
        "renyi_priced_any alpha price m",
        "forall t, honest ok t -> transcript_renyi_any (stopped K F) t alpha budget",
        "intros t. apply (kept_renyi _ ok price); auto using priced, keeps, nonneg. unfold alpha. lra.",
    ),
    "kept_renyi_delta": (
        "renyi_priced_any alpha price m",
        "forall epsilon delta, cks_bound alpha budget epsilon <= delta ->\n"
        "  promises_delta_any (stopped K F) ok epsilon delta",
        "intros. apply (kept_renyi_delta _ ok price alpha budget); auto using priced, symmetric, keeps, nonneg.\n"
        "  unfold alpha. lra.",
    ),
    "kept_gdp": (
        "exists mu, 0 <= mu /\\ price (charge m) = mu ^ 2 /\\ gdp_at_most_any (sqrt (price (charge m))) m",
        "forall mu epsilon, 0 <= mu -> mu ^ 2 = budget ->\n"
        "  promises_delta_any (stopped K F) ok epsilon (gdp_delta mu epsilon)",
        "intros mu epsilon positive is_mu. apply (kept_gdp _ ok (fun c => sqrt (price c))); auto using symmetric.\n"
        "  - intros m okm. now destruct (priced m okm) as (? & ? & ? & ?).\n"
        "  - rewrite is_mu. destruct keeps as (i & begins & continues). exists i. split; [easy|].\n"
        "    intros s a m okm inv admitted. destruct (priced m okm) as (own & above & is_own & _).\n"
        "    rewrite is_own, sqrt_pow2, <- is_own by easy. now apply continues.",
    ),
    "kept_epsilon_delta": (
        "dp_priced_any price price' m",
        "promises_delta_any (stopped K F) ok budget budget'",
        "apply (kept_epsilon_delta _ ok price price'); auto using priced, symmetric, two_sums, keeps,\n"
        "    nonneg, nonneg', keeps'.",
    ),
    "kept_lossy": (
        "lossy_priced_any alpha price price' m",
        "forall epsilon delta, cks_bound alpha budget epsilon <= delta ->\n"
        "  promises_delta_any (stopped K F) ok epsilon (budget' + delta)",
        "intros. apply (kept_lossy _ ok price price' alpha budget); auto using priced, symmetric, nonneg, nonneg',\n"
        "    two_sums, keeps, keeps'. unfold alpha. lra.",
    ),
}  # fmt: skip


def rocq_file(name: str, sums: Sequence[SumBound]) -> tuple[str, tuple[str, ...]]:
    """Return the text of the Rocq file on a filter, and the assumptions that it leaves outside, beside the trace.

    Raises NotTraced where the kernel's statement has no end here.
    """
    theorem = sums[0].theorem
    if theorem.kernel not in _ENDS or any(bound.part for bound in sums):
        what = "the first request decides" if any(bound.part for bound in sums) else theorem.kernel
        raise NotTraced(f"a proof by {what} has no file for the kernel")
    if any(r.units > 2 for bound in sums for step in _system(bound).steps for r in step.roundings.values()):
        raise NotTraced("the double of a function of a library has no statement for the kernel")
    if any("log" in step.kinds for bound in sums for step in _system(bound).steps):
        raise NotTraced("a proof by logarithms has no file for the kernel")
    outside = [
        f"what the libraries' {', '.join(functions)} are, by balls"
        for bound in sums
        if (functions := sorted({f for step in _system(bound).steps for f in step.functions}))
    ]
    if theorem.kernel in ("kept_approximate_dp", "kept_renyi_delta", "kept_lossy"):
        outside.append(f"that the budget fits the guarantee ({theorem.evidence.name})")
    if theorem.then:
        outside.append(f"the step by {theorem.then}, a statement of the kernel")
    modules = dict.fromkeys(
        [*_MODULES, *_BESIDE.get(theorem.kernel, ()), KERNEL_THEOREMS[theorem.kernel].rocq_module]
    )
    required = "".join(f"From Filterproof Require Import {module}.\n" for module in modules)
    header = files("filterproof.mc.prove").joinpath("proof_header.v").read_text("utf-8")
    parts = [header.replace("(* the sources of Filterproof *)\n", required)]
    parts += [
        f"(** * {name}: {bound.theorem} *)\n" + "\n".join(_sum_text(bound, "'" * i))
        for i, bound in enumerate(sums)
    ]
    parts.append("\n".join(_guarantee(sums)))
    return "\n".join(parts), tuple(dict.fromkeys(outside))


def _system(bound: SumBound) -> DerivedSystem:
    assert bound.proof is not None
    return bound.proof


# -- numbers and inequalities ----------------------------------------------------------------------------------


def _number(value: Fraction) -> str:
    text = str(abs(value.numerator)) + (f" / {value.denominator}" if value.denominator > 1 else "")
    return f"(- ({text}))" if value < 0 else f"({text})" if value.denominator > 1 else text


def _text(polynomial: Polynomial, step: DerivedStep) -> str:
    parts = [
        " * ".join([_number(c)] * (c != 1 or not key) + [step.variable_name(n) for n in key])
        for key, c in sorted(polynomial.terms.items())
    ]
    return f"({' + '.join(parts) or '0'})"


def _fact(polynomial: Polynomial, strict: bool, step: DerivedStep) -> str:
    return f"0 {'<' if strict else '<='} {_text(polynomial, step)}"


def _invariant(invariant: Invariant, values: Mapping[int, str]) -> str:
    """An invariant, in the text that the definition of all invariants has when these values stand in it."""
    terms = [
        f" - {_number(c)} * {' * '.join(values[place] for place in factors_of(v))}"
        for v, c in invariant.terms
    ]
    return f"0 <= {_number(invariant.bound)} + {_number(invariant.drift)} * {values[GRANTS]}{''.join(terms)}"


def _conjunction(parts: Iterable[str]) -> str:
    return " /\\ ".join(f"({part})" for part in parts) or "True"


def _state(shape: int, mark: str, values: Iterable[str]) -> str:
    return " ".join([f"At{shape}{mark}", *values])


# -- one sum ---------------------------------------------------------------------------------------------------


def _sum_text(bound: SumBound, mark: str) -> list[str]:
    """The steps, the invariants, and that each step keeps them."""
    system = _system(bound)
    lines = [f"Inductive state{mark} : Type :="]
    for shape, places in enumerate(system.places):
        names = f" ({' '.join(f'p{i}' for i in places)} : R)" if places else ""
        lines.append(f"  | At{shape}{mark}{names}")
    lines[-1] += "."
    lines += [f"Inductive step{mark} : state{mark} -> R -> state{mark} -> Prop :="]
    for number, step in enumerate(system.steps):
        facts = "".join(f"\n      ({fact}) ->" for fact in _facts(step))
        ends = [
            f"({_state(shape, mark, (_text(values[i], step) for i in system.places[shape]))})"
            for shape, values in ((step.before, step.old), (step.after, step.new))
        ]
        lines.append(
            f"  | Step{number}{mark} ({' '.join(step.names)} : R) :{facts}\n      step{mark} {ends[0]} charge {ends[1]}"
        )
    lines[-1] += "."
    for name, is_range in ((f"in_range{mark}", True), (f"invariant{mark}", False)):
        lines.append(f"Definition {name} (s : state{mark}) (k sum : R) : Prop := match s with")
        for shape, places in enumerate(system.places):
            values = {i: f"p{i}" for i in places} | {SUM: "sum", GRANTS: "k"}
            own = [c for c in system.invariants_of_shape(shape) if not is_range or _is_range(c)]
            arguments = [f"p{i}" for i in places]
            lines.append(
                f"  | {_state(shape, mark, arguments)} => {_conjunction(_invariant(c, values) for c in own)}"
            )
        lines.append("  end.")
    for number, step in enumerate(system.steps):
        for place, goal in enumerate(step.goals):
            lines += _lemma(f"step{number}_keeps{place}{mark}", step, goal, system)
    lines += _kept_sum(bound, mark)
    return lines


def _is_range(invariant: Invariant) -> bool:
    """Whether an invariant is the range that the trace takes for granted of a place."""
    return len(invariant.terms) == 1 and invariant.terms[0][0] not in (SUM, GRANTS) and not invariant.drift


def _facts(step: DerivedStep) -> list[str]:
    """What the trace says of the numbers of a step: decisions, roundings, and which are doubles."""
    facts = [_fact(*step.given[i], step) for i in _own(step)]
    for number, rounding in step.roundings.items():
        rule = "near" if rounding.units > 1 else "nearest_of_sum" if rounding.of_sum else "nearest"
        facts.append(f"{rule} {step.variable_name(number)} {_text(rounding.exact, step)}")
    return facts + [f"double {step.variable_name(number)}" for number in _compared(step)]


def _own(step: DerivedStep) -> list[int]:
    """The given inequalities that the invariants and the number of grants do not say."""
    owners = [*step.owners, *[""] * (len(step.given) - len(step.owners))]
    return [i for i, owner in enumerate(owners) if owner not in ("place", "grants")]


def _compared(step: DerivedStep) -> list[int]:
    """The doubles between which and a rounded number an order was used."""
    lines = [line for goal in step.goals for line in goal.lines if line.rule == "monotone"]
    return sorted({n for line in lines for n in line.data[1].atoms})


def _before(step: DerivedStep) -> dict[int, str]:
    return {v: _text(p, step) for v, p in step.old.items() if v >= 0} | {SUM: "sum", GRANTS: "k"}


def _after(step: DerivedStep) -> dict[int, str]:
    charge = step.new[SUM] - step.old[SUM]
    (number,) = charge.atoms
    values = {v: _text(p, step) for v, p in step.new.items() if v >= 0}
    return values | {SUM: f"(sum + {step.variable_name(number)})", GRANTS: "(k + 1)"}


def _hypotheses(step: DerivedStep, system: DerivedSystem) -> list[str]:
    """The facts of a step, the bounds of the grants, and the invariants before it."""
    invariants = [_invariant(c, _before(step)) for c in system.invariants_of_shape(step.before)]
    return [*_facts(step), "0 <= k", "k + 1 <= 1000000000000", *invariants]


def _lemma(name: str, step: DerivedStep, goal: DerivedGoal, system: DerivedSystem) -> list[str]:
    """That a step keeps an invariant, line by line."""
    known, own = _hypotheses(step, system), system.invariants_of_shape(step.before)
    facts = {index: place for place, index in enumerate(_own(step))}
    start = len(known) - len(own)
    roundings = {number: len(facts) + place for place, number in enumerate(step.roundings)}
    doubles = {n: len(facts) + len(roundings) + place for place, n in enumerate(_compared(step))}
    ranges = [start - 2, start - 1, *(start + i for i, c in enumerate(own) if _is_range(c))]
    body = []
    for number, line in enumerate(goal.lines):
        used, p = [f"h{u}" for u in line.uses], _text(line.polynomial, step)
        proof = f"clear - {' '.join(used)}; lra" if used else "lra"
        if line.rule == "given":
            if line.data >= len(step.given):
                place = start + own.index(goal.choice[line.data - len(step.given)])
                proof = f"clear - f{place}; lra"
            elif line.data in facts:
                proof = f"clear - f{facts[line.data]}; lra"
            else:
                proof = f"clear - {' '.join(f'f{i}' for i in ranges)}; lra"
        elif line.rule == "product":
            first, second = (goal.lines[u] for u in line.uses)
            rule = "Rmult_lt_0_compat" if line.strict else "Rmult_le_pos"
            ends = [
                u if line.strict or not o.strict else f"(Rlt_le _ _ {u})"
                for u, o in zip(used, (first, second), strict=True)
            ]
            proof = f"pose proof ({rule} _ _ {' '.join(ends)}) as it; clear - it; lra"
        elif line.rule == "error":
            v, size, _ = line.data
            rounding = step.roundings[v]
            rule = "near_error" if rounding.units > 1 else "sum_error" if rounding.of_sum else "nearest_error"
            sides = " ".join(f"ltac:(clear - {u}; lra)" for u in used)
            proof = (
                f"pose proof ({rule} _ _ {_text(size, step)} f{roundings[v]} {sides}) as it; clear - it; lra"
            )
        elif line.rule == "monotone":
            v, y, sign = line.data
            rule = "above" if sign > 0 else "below"
            kind = "near" if step.roundings[v].units > 1 else "sum" if step.roundings[v].of_sum else "nearest"
            if y.value is not None:
                double = "eq_refl" if kind == "near" else _double(y.value)
            else:
                double = f"f{doubles[next(iter(y.atoms))]}"
            proof = (
                f"pose proof ({kind}_{rule} _ _ {_text(y, step)} f{roundings[v]} {double} "
                f"ltac:(clear - {used[0]}; lra)) as it; clear - it; lra"
            )
        strict = "<" if line.strict else "<="
        body.append(f"  assert (h{number} : 0 {strict} {p}) by ({proof}).")
    last = f"h{len(goal.lines) - 1}"
    return [
        f"Lemma {name} {' '.join(step.names)} k sum :",
        *(f"  ({fact}) ->" for fact in known),
        f"  {_invariant(goal.goal, _after(step))}.",
        f"Proof.\n  intros {' '.join(f'f{i}' for i in range(len(known)))}.",
        *body,
        f"  clear - {last}; lra.\nQed.",
    ]


def _double(value: Fraction) -> str:
    """A proof that a number is a double."""
    if not value:
        return "double_0"
    numerator, exponent = value.numerator, 1 - value.denominator.bit_length()
    while numerator % 2 == 0:
        numerator, exponent = numerator // 2, exponent + 1
    return f"(double_is _ ({numerator}) ({exponent}) ltac:(lia) ltac:(lia) ltac:(cbn; lra))"


def _kept_sum(bound: SumBound, mark: str) -> list[str]:
    """That every step keeps all invariants, and that they bound the sum."""
    system = _system(bound)
    declared = declared_within(bound.theorem.measure)
    budget, drift = bound.budget / declared, bound.drift / declared
    patterns, bullets = [], []
    for number, step in enumerate(system.steps):
        facts = [f"f{i}" for i in range(len(_facts(step)))]
        patterns.append(" ".join([*(f"{n}" for n in step.names), *facts]))
        own = system.invariants_of_shape(step.before)
        invariants = [f"i{i}" for i in range(len(own))]
        goals = {goal.goal: place for place, goal in enumerate(step.goals)}
        given = " ".join([*step.names, "k sum", *facts, "begun last", *invariants])
        applied = [
            f"exact (step{number}_keeps{goals[c]}{mark} {given})"
            for c in system.invariants_of_shape(step.after)
        ]
        bullets.append(f"  - intros k sum begun last {_pattern(invariants)}. {_split(applied)}.")
    largest = f"{_number(budget)} + {_number(drift)}"
    return [
        f"Lemma step_keeps{mark} s paid s' : step{mark} s paid s' -> forall k sum, 0 <= k -> "
        f"k + 1 <= 1000000000000 ->\n  invariant{mark} s k sum -> invariant{mark} s' (k + 1) (sum + paid).",
        f"Proof.\n  intros [{'|'.join(patterns)}]; cbn [invariant{mark}].",
        *bullets,
        "Qed.",
        f"Lemma invariant_bounds{mark} s k sum : 0 <= k -> invariant{mark} s k sum -> sum <= {largest} * k.",
        f"Proof. destruct s; cbn [invariant{mark}]; intros; decompose [and] H0; lra. Qed.",
        f"Lemma invariant_range{mark} s k sum : invariant{mark} s k sum -> in_range{mark} s k sum.",
        f"Proof. destruct s; cbn [invariant{mark} in_range{mark}]; tauto. Qed.",
    ]  # fmt: skip


def _split(parts: Sequence[str]) -> str:
    """Tactics for the parts of a conjunction."""
    if len(parts) < 2:
        return parts[0] if parts else "exact I"
    return f"split; [{parts[0]}|{_split(parts[1:])}]"


def _pattern(names: Sequence[str]) -> str:
    """Return the Rocq pattern that destructs a conjunction of these names."""
    if len(names) < 2:
        return names[0] if names else "_"
    return f"[{names[0]} {_pattern(names[1:])}]"


# -- the guarantee ---------------------------------------------------------------------------------------------


def _guarantee(sums: Sequence[SumBound]) -> list[str]:
    """That every filter with these steps keeps the guarantee."""
    theorem = sums[0].theorem
    priced, conclusion, proof = _ENDS[theorem.kernel]
    lines = [
        "(** * Every filter whose steps are those of the trace *)",
        "Section Guarantee.",
        "Context {C : Type} (F : filter C) (ok : request C -> Prop) (K : Z).",
        "Hypothesis grants : 0 <= IZR K <= 1000000000000.",
        "Hypothesis lawful : forall m, ok m -> laws m.",
        "Hypothesis symmetric : forall m, ok m -> ok (swap m).",
    ]
    if theorem.alpha is not None:
        lines.append(f"Definition alpha : R := {_number(theorem.alpha)}.")
    for i, bound in enumerate(sums):
        mark, system, scale = "'" * i, _system(bound), declared_within(bound.theorem.measure)
        first = _state(0, mark, (_text(system.first[p], system.steps[0]) for p in system.places[0]))
        numbers = " ".join(_number(x) for x in (bound.budget / scale, bound.drift / scale, scale))
        lines += [
            f"Context (price{mark} : C -> R) (view{mark} : AnyOutcomes.state F -> state{mark}).",
            f"Hypothesis starts{mark} : view{mark} (start F) = {first}.",
            "(** What the trace says of the code; the price may be larger than what is declared by the last factor. *)",
            f"Hypothesis traced{mark} :",
            f"  is_traced F ok price{mark} view{mark} in_range{mark} step{mark} {_number(scale)}.",
            f"Definition budget{mark} : R := budget_after K {numbers}.",
            f"Lemma nonneg{mark} : 0 <= budget{mark}.\nProof. unfold budget{mark}, budget_after. lra. Qed.",
            f"Lemma keeps{mark} : keeps_sum (stopped K F) ok price{mark} budget{mark}.\nProof.",
            f"  apply (traced_keeps F ok _ K view{mark} step{mark} in_range{mark} invariant{mark}); first",
            f"    [exact step_keeps{mark} | exact invariant_bounds{mark} | exact invariant_range{mark} | easy | lra",
            f"    | rewrite starts{mark}; cbn [invariant{mark}]; repeat split; lra].\nQed.",
        ]
    return [
        *lines,
        f"Hypothesis priced : forall m, ok m -> {priced}.",
        f"Theorem guarantee : {conclusion}.",
        f"Proof.\n  {proof}\nQed.",
        "End Guarantee.",
        "Print Assumptions guarantee.",
        "",
    ]
