"""The stage of components: proves a filter built from library charges, an exact budget and a library conversion.

It also proves an accountant by the theorem on its rule, the filter that it relies on, and the numbers at run time.

The certificate covers the filter as it is: the functions and the doubles that decide. A class with a deciding function
of its own, or with a budget above the theorem's, is UNDECIDED.

>>> import filterproof as fp
>>> class Mine(fp.AdditiveFilter):
...     promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
...     charge = fp.zcdp_charge
>>> shown = verdict_by_theorems(Mine())
>>> shown.outcome.name, shown.evidence.name
('HOLDS', 'CERTIFIED')

>>> shown = certificate_finding(fp.IndividualFilter(fp.ZCDPFilter(0.5), people=2))
>>> shown.verdict.outcome.name, shown.covers_all
('HOLDS', True)
>>> class Others(fp.IndividualFilter):
...     pass
>>> print(certificate_finding(Others(fp.ZCDPFilter(0.5), people=2)).result)
no theorem covers Others: it is not a class of the library, and its code may differ
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from inspect import getattr_static
from typing import Any

from filterproof.filters import PrivacyFilter
from filterproof.filters.accountants.individual import IndividualFilter
from filterproof.filters.accountants.linear_queries import LinearQueries
from filterproof.filters.accountants.verifiable import VerifiableAccountant, is_verifiable
from filterproof.filters.accounting.charge_rules import (
    ChargeRule,
    GDPCharge,
    PureCharge,
    RenyiCharge,
    ZCDPCharge,
    renyi_charge,
)
from filterproof.filters.accounting.ledger import Budget
from filterproof.filters.catalogue import (
    CATALOGUE,
    AllOrdersFilter,
    GaussianResidueFilter,
    PotentialFilter,
    RealisationFilter,
)
from filterproof.filters.certified.admission_conditions import verify_implication
from filterproof.filters.certified.certified_numbers import CertifiedNumbers
from filterproof.filters.certified.certify import certify
from filterproof.filters.certified.comparison import ComparisonStatus
from filterproof.filters.certified.double_double import exact_limit
from filterproof.filters.certified.theorem_coverage import TheoremCoverage, coverage_by_menu_pair
from filterproof.filters.contract.contract_checks import checked_is_reachable_state
from filterproof.filters.contract.library import defining_class, is_library_class
from filterproof.filters.rules.additive import AdditiveFilter
from filterproof.mc.examine.stage_finding import StageFinding
from filterproof.mc.worst_case.calibrate import CalibratedFilter
from filterproof.mc.worst_case.menu_levels import DOMINATION_THEOREMS
from filterproof.theory.conversions import CONVERSIONS
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.kernel.kernel_theorems import KERNEL_THEOREMS
from filterproof.theory.numerics.decimals import format_down, format_up
from filterproof.theory.pairs import is_ours
from filterproof.theory.proofs import THEOREMS, prove
from filterproof.theory.proofs.proof import Proof
from filterproof.theory.theorems.theorem import RefusedError

SCOPE = (
    "every adaptive adversary over mechanisms with finitely many outcomes, with charges that their dominating pairs "
    "declare, in finitely many rounds"
)
#: The certified content of a catalogue filter: its numbers, with exceptions for some classes.
_NUMBERS = "{count} of its run-time numbers, with the boundaries of its decisions, are certified at their exact doubles"
_CERTIFICATE_NOTES: dict[type[PrivacyFilter], str] = {
    PotentialFilter: (
        "its table: the guarantee from the first level on, and the inequality of every charge of every member of its "
        "design, at the heights and charges that run, with the members' hockey-sticks in balls; the same inequality "
        "gives the charges of other pairs, in doubles with an allowance for rounding, which is not certified here"
    ),
    GaussianResidueFilter: (
        "its first level and the charges of randomised responses and Gaussians of several sizes from each floor on, by "
        "the inequality at every epsilon in balls; a pair that declares an epsilon has the charge of the randomised "
        "response that dominates it, by the same function in balls at epsilon 0, which suffices by the argument in its "
        "docstring"
    ),
}
#: Proofs already run in this process.
PROVED_BY_NAME: dict[str, Proof] = {}
#: The library's charges and guarantees for which sums are proved.
CHARGE_CLASSES = (PureCharge, ZCDPCharge, GDPCharge, RenyiCharge)
_GUARANTEES = (PureDP, ApproxDP, RenyiDP, ZCDP, GaussianDP)
#: The methods that decide, or that are called instead of those.
_RULE_NAMES = ("start", "admits", "spend", "step", "observe", "looks_at_losses")
_SUM_NAMES = ("_sum_budgets", "_sum_charges", "_checked_charge", "_enough_fit", "_decide_and_charge")
_DECIDING_NAMES = (*_RULE_NAMES, *_SUM_NAMES, "is_reachable_state", "open", "__getattribute__")


class NoTheoremError(Exception):
    """The reason why no theorem covers a filter as it runs."""


#: The question of the stage for filters and for accountants, its subject, and what it does not cover.
_QUESTIONS = (
    (
        "Do theorems on its components cover it, with the doubles that it compares?",
        "every mechanism that it admits, by the declarations of its pair",
        "false declarations of pairs, and the Python interpreter",
    ),
    (
        "Do the theorem on its rule and its run-time numbers cover it?",
        "everything that its theorem covers",
        "false declarations of pairs, noise in double precision, and the Python interpreter",
    ),
)


def verdict_by_theorems(
    thing: Any, of_filter: Callable[[Any], Verdict | None] | None = None
) -> Verdict | None:
    """Return HOLDS if theorems prove the guarantee, UNDECIDED if not, None without library parts.

    `of_filter` gives the verdict on the filter that an accountant relies on; by default this function does.

    HOLDS covers four cases. An `AdditiveFilter` whose deciding functions are the library's own, with a library charge,
    a plain `Budget` and a library guarantee, if the exact value of the budget is certified to be at most what the
    guarantee allows. A sound filter of the catalogue, if the proof of its theorem runs. A `CalibratedFilter` over a
    filter of the catalogue, if the worst case over its menu, solved again, keeps the guarantee. An accountant of the
    library, from a fresh one with its parameters on, if its filter is proved, its numbers are certified and the proof
    of its theorem runs; its past charges are only checked to be a sum of charges.

    UNDECIDED, with the reason, if such an object is not covered.
    """
    kind, verifiable = type(thing), is_verifiable(thing)
    listed = _is_catalogued(kind) and "theorem" in vars(kind)
    by: Callable[..., Verdict]
    if verifiable:
        by = partial(_verdict_on_accountant, of_filter=of_filter or verdict_by_theorems)
    elif issubclass(kind, AdditiveFilter):
        by = partial(_verdict_on_additive_filter, own_theorem=kind.theorem if listed else None)
    elif kind is CalibratedFilter:
        by = _verdict_on_calibrated_filter
    elif listed and kind.sound is True and kind.theorem is not None:
        by = _verdict_on_catalogue_filter
    else:
        return None
    try:
        return by(thing)
    except (NoTheoremError, RefusedError) as reason:
        uncovered = f"{kind.__name__} is not covered by a theorem on its parts"
        if verifiable:
            uncovered = f"no theorem covers {kind.__name__}"
        return Verdict(Outcome.UNDECIDED, Evidence.CITED, SCOPE, f"{uncovered}: {reason}")


def certificate_finding(thing: Any) -> StageFinding:
    """Return the finding on the components. The proofs run once and take seconds; no user code runs."""
    verdict = verdict_by_theorems(thing)
    holds = verdict is not None and verdict.outcome is Outcome.HOLDS
    question, about, unseen = _QUESTIONS[is_verifiable(thing)]
    result = "it is not made of library parts" if verdict is None else verdict.detail
    words = ("certificate", question, result, about, unseen)
    notes = () if verdict is None or holds else (result,)
    return StageFinding(*words, verdict if holds else None, covers_all=holds, notes=notes)


def _is_catalogued(kind: type) -> bool:
    return any(kind is entry.filter_class for entry in CATALOGUE.values())


def _verdict_on_additive_filter(filt: AdditiveFilter, *, own_theorem: str | None) -> Verdict:
    """Return HOLDS if theorems on the charge, the budget and the guarantee cover an additive filter."""
    rule, budget, promise = _library_charge_budget_guarantee(filt)
    _certified_numbers(filt)
    certain, bits = verify_implication(rule, exact_limit(budget), promise)
    how = f"certified in {bits}-bit ball arithmetic for these doubles" if bits else "compared exactly"
    detail = (
        f"the deciding functions are the library's own; theorem "
        f"{rule.theorem!r} ({rule.source}) bounds a sum of {rule!r}; a sum within {budget!r}, about "
        f"{budget.limit:.10g}, gives "
        f"{promise!r} by {certain.says}, {how}"
    )
    keys = tuple(key for key in (rule.theorem, certain.theorem, own_theorem) if key is not None)
    return _proved_verdict(keys, (), (Evidence.CERTIFIED if bits else Evidence.EXACT,), SCOPE, detail)


def _library_charge_budget_guarantee(filt: AdditiveFilter) -> tuple[ChargeRule, Budget, Guarantee]:
    """Return charge, budget and guarantee. Raises NoTheoremError unless the library's code decides."""
    kind = type(filt)
    for name in _DECIDING_NAMES:
        if name in vars(filt) or getattr(kind, name) is not getattr(AdditiveFilter, name):
            raise NoTheoremError(f"{kind.__name__} has its own {name}")
    for name in ("charge", "promise", "budget"):
        if isinstance(getattr_static(kind, name, None), property):
            raise NoTheoremError(f"it computes its {name}, which may change")
    if not is_library_class(defining_class(kind, "extremal")):
        raise NoTheoremError(f"{kind.__name__} has its own extremal")
    if filt.sound is not True:
        raise NoTheoremError(
            f"it declares sound={filt.sound!r}, not True; set sound = True only on a class whose promise is proved"
        )
    charge: Any = filt.charge
    if type(charge) not in CHARGE_CLASSES:
        raise NoTheoremError("its charge is not a charge of the library, such as zcdp_charge")
    if type(getattr(filt, "promise", None)) not in _GUARANTEES:
        raise NoTheoremError("its promise is not a guarantee of the library")
    follows = getattr_static(filt, "budget") is vars(AdditiveFilter)["budget"]
    if follows and not any(filt.conversion is conversion for conversion in CONVERSIONS):
        raise NoTheoremError(f"its conversion is {filt.conversion!r}, not one of the library's")
    try:
        budget = filt.budget
    except ValueError as reason:
        raise NoTheoremError(str(reason)) from reason
    if type(budget) is not Budget:
        raise NoTheoremError(f"its budget is a {type(budget).__name__}, not a plain Budget")
    return charge, budget, filt.promise


def _verdict_on_catalogue_filter(filt: PrivacyFilter) -> Verdict:
    """Return the verdict on a catalogue filter that is no single sum."""
    joins = coverage_by_menu_pair(filt)
    theorem, numbers, scope, evidence = type(filt).theorem, _certified_numbers(filt), SCOPE, Evidence.EXACT
    assert theorem is not None
    if type(filt) is AllOrdersFilter:
        allowed = dict(zip(filt.alphas, filt.rhos, strict=True))
        if set(filt.usable) != set(allowed):
            raise NoTheoremError("it bounds other orders than its guarantee has")
        for alpha, budget in zip(filt.usable, filt._sum_budgets, strict=True):
            verify_implication(renyi_charge.at(alpha), exact_limit(budget), RenyiDP(alpha, allowed[alpha]))
        detail = f" at each of the orders {filt.alphas!r}, each budget at most {filt.rhos!r}, exactly"
    elif type(filt) is RealisationFilter:
        assert filt.dhat is not None
        assert filt.theta is not None
        dhat, theta = Fraction(filt.dhat), Fraction(filt.theta)
        if dhat + theta * (1 - dhat) * filt.rounds > Fraction(filt.delta):
            raise NoTheoremError("dhat + theta (1 - dhat) N is more than delta")
        detail = (
            f": dhat + theta (1 - dhat) N <= delta exactly, for dhat={filt.dhat!r} theta={filt.theta!r} "
            f"N={filt.rounds} delta={filt.delta!r}; quantiles are those that pairs declare"
        )
        scope = f"{SCOPE}; {THEOREMS[theorem].hypotheses}"
    elif numbers is None:
        raise NoTheoremError(f"no certificate joins {theorem!r} to its code")
    else:
        detail = f"; {_CERTIFICATE_NOTES.get(type(filt), _NUMBERS).format(count=len(numbers.numbers))}"
        evidence = numbers.evidence
    stated = (TheoremCoverage.OWN, TheoremCoverage.GAUSSIAN)
    detail += "".join(f"; {pair!r} is covered {by.value}" for pair, by in joins.items() if by in stated)
    return _proved_verdict((theorem,), (), (evidence,), scope, f"theorem {theorem!r}{detail}")


def _certified_numbers(filt: PrivacyFilter) -> CertifiedNumbers | None:
    """Return the certified numbers of the filter, or None. Raises RefusedError for a number that may be unsound.

    A filter that grants less than its theorem allows still keeps its guarantee.
    """
    certified = certify(filt)
    for comparison in certified.refused:
        status = comparison.status
        if status is not ComparisonStatus.LOOSE:
            why = f"{comparison.says} is {status.name}: {status.value}"
            raise RefusedError(why, engine="flint", evidence=comparison.evidence)
    return certified if certified.numbers else None


def _verdict_on_calibrated_filter(filt: Any) -> Verdict:
    """Return the verdict on a `CalibratedFilter`, from the worst-case game over its levels."""
    if not _is_catalogued(inner := type(filt.inner)):
        raise NoTheoremError(f"its inner filter is a {inner.__name__}, which is not in the catalogue")
    if filt.looks_at_losses:
        raise NoTheoremError("it uses realised losses, for which its levels dominate no other mechanism")
    if foreign := [pair for pair in filt.menu if not is_ours(pair)]:
        raise NoTheoremError(
            f"its level {foreign[0]!r} is of a class of its own; calibrate over the library's pairs"
        )
    try:
        solved = filt.recheck()
    except ValueError as reason:
        raise NoTheoremError(str(reason)) from reason
    detail = (
        f"the worst case over its {len(filt.menu)} levels, solved again by its own code, lies in "
        f"[{format_down(solved.low, 9)}, {format_up(solved.high, 9)}], within the promised "
        f"{filt.promise.delta_at_epsilon!r}; "
        "a mechanism that a level dominates is a post-processing of it"
    )
    return _proved_verdict((), DOMINATION_THEOREMS, (solved.evidence,), filt.scope, detail)


def _verdict_on_accountant(
    accountant: VerifiableAccountant, of_filter: Callable[[Any], Verdict | None]
) -> Verdict:
    """Return the verdict on an accountant: the theorem on its rule, the kernel's proof, and its certified numbers."""
    kind = type(accountant)
    if not is_library_class(kind) or not kind.__module__.startswith("filterproof.filters.accountants."):
        raise NoTheoremError("it is not a class of the library, and its code may differ")
    cited: list[str] = []
    evidence: list[Evidence] = []
    scopes = [f"all releases from a fresh one with these parameters on, for {accountant.scope}"]
    for inner in accountant.underlying_filters:
        known = of_filter(inner)
        if known is None or known.outcome is not Outcome.HOLDS:
            why = f"no theorem covers {inner!r}" if known is None else known.detail
            raise NoTheoremError(f"its guarantee is that of its filter, and {why}")
        cited += known.citations
        evidence += [] if known.citations else [known.evidence]
        if not is_verifiable(inner):
            scopes.append(known.scope)
    if not _state_is_reachable(accountant):
        raise NoTheoremError("the recorded charges of its people are no sums of charges")
    numbers = certify(accountant)  # type: ignore[arg-type]
    if numbers.refused or not numbers.numbers:
        raise NoTheoremError(f"its numbers are not certified: {numbers}")
    theorem = THEOREMS[accountant.theorem]
    if len(scopes) == 1:
        scopes.append(theorem.hypotheses)
    kernel = (
        f"theorem {name!r} of the kernel: {KERNEL_THEOREMS[name].says.rstrip('.')}"
        for name in accountant.kernel_theorems
    )
    count = len(numbers.numbers)
    points = f"{count} of its run-time numbers are certified, at the points that fp.certify names"
    detail = "; ".join((f"theorem {theorem.name!r}, {theorem.source}", *kernel, points))
    sure = (numbers.evidence, *evidence)
    return _proved_verdict((theorem.name,), tuple(cited), sure, "; ".join(scopes), detail)


def _state_is_reachable(accountant: VerifiableAccountant) -> bool:
    """Whether granted requests can have led to everybody's state."""
    if isinstance(accountant, IndividualFilter):
        return bool(checked_is_reachable_state(accountant.filter, accountant._state, accountant.people).all())
    if isinstance(accountant, LinearQueries):
        sums = accountant._sums.high, accountant._sums.low
        return bool(accountant._budget.is_reachable_state(sums).all())
    return True


def _proved_verdict(
    keys: tuple[str, ...], cited: tuple[str, ...], evidence: tuple[Evidence, ...], scope: str, detail: str
) -> Verdict:
    """Return HOLDS by the theorems of these keys, whose steps are run, by citations, and by other evidence.

    Raises RefusedError if a step of a theorem is refused.
    """
    proofs = [prove(key, done=PROVED_BY_NAME) for key in dict.fromkeys(keys)]
    for proof in proofs:
        if not proof.holds:
            why = f"theorem {proof.name!r}: {proof.verdict().detail}"
            raise RefusedError(why, engine="proof", evidence=proof.evidence)
    citations = tuple(dict.fromkeys(cited))
    weakest = Evidence.weakest(*evidence, *(proof.evidence for proof in proofs))
    sure = Evidence.CITED if citations else weakest
    return Verdict(Outcome.HOLDS, sure, scope, detail, citations=citations)
