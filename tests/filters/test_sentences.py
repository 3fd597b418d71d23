"""What cannot be made or asked is refused in one sentence: what must be, what was got, and what to do instead."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.accountants.repeats import count_grants
from filterproof.filters.testing.broken_invariants import broken_invariants
from tests.filters.own import of

Call = Callable[[], object]

STEP, BIT = fp.Gaussian(0.5), fp.RandomizedResponse(0.25)
SAMPLED = fp.RealisationFilter(10.0, 1e-5, 8, (STEP,))
RNG = np.random.default_rng(1)
HUGE = 2**48 + 1
TRACKER, PEOPLE = fp.odometers.GaussianTracker(0.5), fp.IndividualFilter(fp.ZCDPFilter(1.0), 5)
LARGE = fp.odometers.GaussianTracker(1e308)
QUERIES = fp.people.LinearQueries(2, norm_budget=1.0, kappa=1.0)
OF_ORDER = fp.charges.renyi_charge.at(2.0)
TRACKED = fp.odometers.IndividualTracker(TRACKER, 4)


class Silent:
    """An accountant that takes everything in."""

    def compose(self, event: object, count: int) -> None:
        pass


def waiting() -> fp.Session:
    """A session that waits for a loss."""
    session = SAMPLED.open()
    session.request(STEP)
    return session


def asked(values: Any) -> object:
    return QUERIES.answer(values, RNG)


def silent() -> fp.PrivacyFilter:
    return fp.from_accountant(Silent, lambda pair: 0, fp.ZCDP(1.0), menu=(STEP,), spent=lambda held: math.nan)


def of_sites(**given: Any) -> fp.LabelledFilter:
    keeper = fp.from_budget(dict, lambda budget, pair: True, fp.PureDP(1.0))
    return fp.LabelledFilter(keeper, **({"labels": {"site": "a"}, "over": {}} | given))


def additive(**parts: Any) -> type[fp.AdditiveFilter]:
    """A design of one's own, in which something is missing or no charge."""
    return of(fp.AdditiveFilter, **({"promise": fp.ZCDP(1.0)} | parts))


BARE = additive(budget=fp.Budget.of(0.5), charge=lambda filt, request: request.zcdp_rho)()


def each(word: str, call: Callable[[Any], object], *given: Any) -> list[tuple[Call, str]]:
    """The call with each of these, and a word of what all of them are refused with."""
    return [(partial(call, one), word) for one in given]


VALUES: list[tuple[Call, str]] = [
    (lambda: additive(charge=fp.pure_charge, promise=fp.GaussianDP(1.0)), "promise must follow from a sum"),
    (lambda: additive(charge=OF_ORDER, promise=fp.ApproxDP(1.0, 1e-5)), "leave a budget above zero"),
    (lambda: fp.GaussianFilter(1e200), r"mu must be at most 2\^511, got mu=1e\+200; pass a smaller mu"),
    (lambda: fp.WhitehouseFilter(1.0, 1e-5, tail=1e-4), "tail must be at most delta"),
    (lambda: fp.RogersFilter(1.0, 0.4), "delta must be below 1/e"),
    (lambda: fp.AllOrdersFilter((), ()), "orders must hold at least one"),
    (lambda: fp.AllOrdersFilter((2.0, 2.0), (1.0, 1.0)), "distinct"),
    (lambda: fp.SomeOrderMarkovFilter(0.1, 1e-5, (2.0,)), "orders must include one that can give"),
    # where a game breaks the rule
    (lambda: fp.SomeOrderMarkovFilter(80.0, 0.01, (1.1, 1.3)), r"orders must take at most all of"),
    (lambda: fp.RenyiFilter.planned(2.0, 1e-5, {fp.Erasure(0.5): 1}), "with a finite Rényi divergence"),
    (lambda: fp.RangedBlackwellFilter(1.0, (BIT,), 2.0, 1.0), "low and high"),
    (lambda: fp.NonadaptiveCompositionFilter(1.0, 0.1, (BIT,), ratio=Fraction(2)), "ratio must agree"),
    (lambda: fp.RealisationFilter(1.0, 0, 5, (STEP,)), "only pure mechanisms for delta=0, got Gaussian"),
    (lambda: fp.RealisationFilter(10.0, 1e-5, 48, (STEP,), dhat=9e-6), "dhat and theta must be given"),
    (lambda: fp.RealisationFilter(10.0, 1e-5, 10, ()), "menu must hold at least one pair"),
    (lambda: fp.odometers.TrackerLimitFilter(TRACKER, HUGE), r"blocks must be at most 2\^48, got blocks="),
    (lambda: fp.odometers.TrackerLimitFilter(LARGE, 1000), "blocks times size must not overflow"),
    *each(
        "budget must be", fp.Budget.of, -1.0, math.inf, math.nan, -Fraction(1, 10**400), None, "1", 10**400
    ),
    *each("two doubles", lambda high: fp.Budget(high, 0.0), math.nan, -1.0, math.inf),
    *each("two doubles", lambda low: fp.Budget(1.0, low), math.nan, 0.5),
    (lambda: waiting().observe("x"), "loss must be a number, got loss='x'; pass log"),  # type: ignore[arg-type]
    *each("on_denial must be", fp.GaussianFilter(1.0).open, "HALT", ["halt"]),
    *each(
        "on_denial must be",
        lambda word: fp.people.PairwiseFilter(fp.ZCDPFilter(1.0), 2, on_denial=word),
        "ask",
    ),
    (lambda: fp.training.ClippedSums(PEOPLE, clip=1.0, sigma=1.0, runs=2), "runs must divide"),
    (lambda: PEOPLE.select(fp.Gaussian(np.ones(2))), "one pair per person"),
    (lambda: TRACKED.spend(fp.Gaussian(np.ones(2))), "one pair per person"),
    (lambda: fp.odometers.RogersOdometer(0.5, 3), "delta must be below 1/e, got delta="),
    (silent, "must answer with a number, got nan"),
    *each("sizes must", lambda sizes: fp.odometers.VaryingTracker(2.0, sizes), [], [1.0, 0.0]),
    (lambda: of_sites(over={"site": "b"}), "over must name labels of requests, got site=b; add"),
    (lambda: of_sites(together="epoch"), "together must name dimensions of labels"),
    (lambda: of_sites(labels={"site": tuple(range(33))}), "labels must leave at most 32 ways .* got 33"),
    (lambda: broken_invariants(fp.ZCDPFilter(1.0), rng=RNG, examples=0), "examples"),
]
NO_CHARGE, NO_NUMBER = r"Own\.charge must return a charge, got 0\.125; return", (None, "1/2", 10**400)
TYPES: list[tuple[Call, str]] = [
    *each(
        "a single pair", lambda mus: BARE.open().request(fp.Gaussian(mus)), np.array([0.1, 9.0]), np.ones(0)
    ),
    (lambda: of(fp.ZCDPFilter, step=0.1)(0.5).open(), r"Own\.step must be a method, got 0\.1; give"),
    (lambda: additive()().charge(STEP), r"Own\.charge must be set, got none; set"),
    (lambda: additive(charge=fp.zcdp_charge, budget=0.5)().open(), r"Own\.budget must be a Budget, got"),
    (lambda: BARE.open().request(STEP), NO_CHARGE),
    *each(NO_CHARGE, lambda name: getattr(BARE, name)(BARE.start(1), STEP), "admits", "spend", "step"),
    *each("values must be no masked", asked, np.ma.masked_array(np.ones(2), mask=True)),
    *each("values must be an array, got rows", asked, [[1.0], [1.0, 2.0]]),
    *each(
        "must be two doubles and an integer",
        lambda parts: fp.Budget(*parts),
        (None,),
        (1.0, "0"),
        (1.0, 0.0, 0.0),
    ),
    *each("charge must be a number", fp.charges.LinearCharge, *NO_NUMBER),
    *each("charge must be a number", fp.charges.SquaredCharge, *NO_NUMBER),
    *each("charge must be a number", lambda scale: fp.charges.SquaredCharge(0.5, scale), *NO_NUMBER),
    (lambda: fp.people.AboveThreshold(5, ratio=Fraction(3, 2), rng=RNG).is_above(1, None), "rng must be"),  # type: ignore[arg-type]
    (lambda: fp.people.ActiveCount(2, 1, sigma=1.0).release(np.ones(2, dtype=bool), None), "rng must be"),  # type: ignore[arg-type]
    (lambda: fp.IndividualFilter(SAMPLED, 3), "loss of one person depends on the data of the others"),
    (lambda: count_grants(SAMPLED, STEP, most=5), "filt must not look at losses, got RealisationFilter; use"),
    *each("pairs", lambda bad: fp.charges.GuaranteeScope(orders=bad), 2.0, (2.0,), ((2.0, 0.5, 3.0),)),
    *each("released must be callable", lambda bad: fp.from_budget(dict, id, fp.PureDP(1.0), released=bad), 3),
    (lambda: fp.from_command("node", "pure(1)"), "must be a guarantee"),  # type: ignore[arg-type]
    (lambda: fp.odometers.VaryingTracker(2.0, 0.5), "sizes must be a sequence"),  # type: ignore[arg-type]
    (lambda: fp.certify(3), "thing must be a filter"),  # type: ignore[arg-type]
]


@pytest.mark.filterwarnings("ignore::filterproof.filters.UnsoundFilterWarning")
@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        *((call, ValueError, said) for call, said in VALUES),
        *((call, TypeError, said) for call, said in TYPES),
        (lambda: additive().budget, AttributeError, r"Own\.budget must be set unless"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_it_is_refused_in_a_sentence(call: Call, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence) as error:
        call()
    assert all(part in str(error.value) for part in (" must ", ", got ", "; ")), str(error.value)
    assert "\n" not in str(error.value)
