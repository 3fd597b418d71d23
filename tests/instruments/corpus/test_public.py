"""Each public bug grants more than its guarantee, its repair does not, and the record says so of them all."""

from fractions import Fraction

import pytest

import filterproof as fp
from filterproof.reports.package_data import recorded_data
from tests.instruments.corpus.power import SUBJECTS, examined
from tests.instruments.corpus.public import BUGS
from tests.instruments.corpus.public.bug import Budget, PublicBug


def granted(bug: PublicBug, pair: fp.DominatingPair, *, repaired: bool) -> int:
    """How often the pair is granted of twenty times at every label, where it reads the record."""
    filt, times, budget = bug.make(repaired=repaired), 0, bug.budget(repaired)
    for where in 20 * list(getattr(filt, "label_combinations", [()])):
        request = fp.LabelledRequest(pair, where) if where else pair
        times += budget.spend(request) and (not where or filt.reads_record(where))
    return times


def breaks(bug: PublicBug, pair: fp.DominatingPair, times: int) -> bool:
    """Whether so many of the pair pass the guarantee: by what pure epsilons or rhos add up to, or by their delta."""
    match bug.promise:
        case fp.PureDP(epsilon):
            return times * float(pair.pure_epsilon) > epsilon
        case fp.ZCDP(rho) if isinstance(pair, fp.RandomizedResponse):
            return times * float(pair.renyi(1.5)) > 1.5 * rho
        case fp.ZCDP(rho):
            return times * float(pair.zcdp_rho) > rho
        case fp.ApproxDP(epsilon, delta) if isinstance(pair, fp.Erasure):
            return 1 - (1 - Fraction(float(pair.p))) ** times > Fraction(delta)
        case fp.ApproxDP(epsilon, delta):
            return times > 0 and fp.Composition({pair: times}).delta(epsilon).low > delta
    raise AssertionError(bug.promise)


BUDGETS = [bug for bug in BUGS if issubclass(bug.budget, Budget)]


@pytest.mark.parametrize("bug", BUDGETS, ids=lambda bug: bug.name)
def test_bug_grants_more_than_guarantee_and_repair_does_not(bug: PublicBug) -> None:
    pairs = [bug.budget.kind(size) for size in (0.125, 0.25, 0.5, 1.0, 1.0045, 2.0, 4.0)]
    broken = {
        repaired: any(breaks(bug, pair, granted(bug, pair, repaired=repaired)) for pair in pairs)
        for repaired in (False, True)
    }
    assert broken == {False: True, True: False}


@pytest.mark.parametrize("name", ["an unset budget is NaN", "read, compared, set"])
def test_examination_refutes_a_filter_and_a_service_of_public_bugs(name: str) -> None:
    places = {(bug.name, bug.kind): place for place, bug in enumerate(SUBJECTS["public"])}
    assert examined(("public", places[name, "broken"], 0.4))["outcome"] == "REFUTED"


def test_record_has_every_public_bug_refuted_and_no_repair() -> None:
    rows = [row for row in recorded_data("power")["cases"] if row["part"] == "public"]
    assert [(row["name"], row["kind"]) for row in rows] == [
        (bug.name, bug.kind) for bug in SUBJECTS["public"]
    ]
    assert {(row["kind"], row["outcome"]) for row in rows} == {("broken", "REFUTED"), ("sound", "UNDECIDED")}
    assert all(row["thread"] and (row["counterexample"] or row["kind"] == "sound") for row in rows)
