"""What cannot be made or asked is refused in one sentence: what must be, what was got, and what to do instead."""

import math
from collections.abc import Callable
from fractions import Fraction
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


class Silent:
    """An accountant that takes everything in."""

    def compose(self, event: object, count: int) -> None:
        pass


def queries_with(**given: Any) -> fp.people.LinearQueries:
    return fp.people.LinearQueries(2, **({"norm_budget": 1.0, "kappa": 1.0} | given))


def waiting() -> fp.Session:
    """A session that waits for a loss."""
    session = SAMPLED.open()
    session.request(STEP)
    return session


def of_sites(**given: Any) -> fp.LabelledFilter:
    keeper = fp.from_budget(dict, lambda budget, pair: True, fp.PureDP(1.0))
    return fp.LabelledFilter(keeper, **({"labels": {"site": "a"}, "over": {}} | given))


def additive(**parts: Any) -> type[fp.AdditiveFilter]:
    """A design of one's own, in which something is missing or no charge."""
    return of(fp.AdditiveFilter, **({"promise": fp.ZCDP(1.0)} | parts))


BARE = additive(budget=fp.Budget.of(0.5), charge=lambda filt, request: request.zcdp_rho)()


VALUES: list[tuple[Call, str]] = [
    (lambda: additive(charge=fp.pure_charge, promise=fp.GaussianDP(1.0)), "promise must follow from a sum"),
    (
        lambda: additive(charge=fp.charges.renyi_charge.at(2.0), promise=fp.ApproxDP(1.0, 1e-5)),
        "promise must leave a budget above zero",
    ),
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
    (
        lambda: fp.odometers.TrackerLimitFilter(fp.odometers.GaussianTracker(0.5), HUGE),
        r"blocks must be at most 2\^48, got blocks=.*",
    ),
    (
        lambda: fp.odometers.TrackerLimitFilter(fp.odometers.GaussianTracker(1e308), 1000),
        "blocks times size must not overflow, got",
    ),
    *(
        (lambda bad=bad: fp.Budget.of(bad), "budget must be finite and >= 0, got")
        for bad in (-1.0, math.inf, math.nan, -Fraction(1, 10**400), None, "1", 10**400)
    ),
    (lambda: waiting().observe("x"), "loss must be a number, got loss='x'; pass log"),  # type: ignore[arg-type]
    *(
        (lambda parts=parts: fp.Budget(*parts, 0), "must be a limit in two doubles")
        for parts in (*((1.0, 0.5), (math.nan, 0.0), (-1.0, 0.0), (1.0, math.nan)),)
    ),
    *(
        (
            lambda scale=scale: fp.charges.SquaredCharge(0.5, scale),
            r"scale must be a double of at least 2\^-8, got scale=.*; put the",
        )
        for scale in (0.0, -1.0, 2.0**-9, math.inf, math.nan)
    ),
    *(
        (
            lambda word=word: fp.GaussianFilter(1.0).open(word),
            "on_denial must be 'halt' or 'retry', got .*; choose",
        )
        for word in ("HALT", ["halt"])
    ),
    (
        lambda: fp.training.ClippedSums(
            fp.IndividualFilter(fp.ZCDPFilter(1.0), 5), clip=1.0, sigma=1.0, runs=2
        ),
        "runs must divide",
    ),
    *(
        (lambda ask=ask: ask(fp.Gaussian(np.ones(2))), "one pair per person")
        for ask in (
            fp.odometers.IndividualTracker(fp.odometers.GaussianTracker(0.5), 4).spend,
            fp.IndividualFilter(fp.ZCDPFilter(1.0), 3).select,
        )
    ),
    (lambda: fp.odometers.RogersOdometer(0.5, 3), "delta must be below 1/e, got delta="),
    (
        lambda: fp.from_accountant(
            Silent, lambda pair: 0, fp.ZCDP(1.0), menu=(STEP,), spent=lambda held: math.nan
        ),
        "must answer with a number, got nan",
    ),
    (lambda: of_sites(over={"site": "b"}), "over must name labels of requests, got site=b; add"),
    (lambda: of_sites(together="epoch"), "together must name dimensions of labels"),
    (lambda: of_sites(labels={"site": tuple(range(33))}), "labels must leave at most 32 ways .* got 33"),
    (lambda: broken_invariants(fp.ZCDPFilter(1.0), rng=RNG, examples=0), "examples"),
]

TYPES: list[tuple[Call, str]] = [
    (
        lambda: additive()().charge(STEP),
        r"Own\.charge must be set, got none; set e\.g\. charge = fp\.zcdp_charge",
    ),
    (lambda: additive(charge=fp.zcdp_charge, budget=0.5)().open(), r"Own\.budget must be a Budget, got"),
    *(
        (ask, r"Own\.charge must return a charge, got 0\.125; return fp\.charges\.LinearCharge")
        for ask in (
            lambda: BARE.open().request(STEP),
            *(
                lambda name=name: getattr(BARE, name)(BARE.start(1), STEP)
                for name in ("admits", "spend", "step")
            ),
        )
    ),
    (
        lambda: queries_with().answer(np.ma.masked_array(np.ones(2), mask=True), RNG),
        "values must be no masked",
    ),
    (
        lambda: queries_with().answer([[1.0], [1.0, 2.0]], RNG),
        "values must be an array, got rows of different",
    ),
    *(
        (lambda parts=parts: fp.Budget(*parts), "must be two doubles and an integer, got .* make a budget by")
        for parts in ((None,), (1.0, "0"), (1.0, 0.0, 0.0))
    ),
    *(
        (lambda make=make, bad=bad: make(bad), "charge must be a number that a double can hold, got")
        for make in (
            fp.charges.LinearCharge,
            fp.charges.SquaredCharge,
            lambda scale: fp.charges.SquaredCharge(0.5, scale),
        )
        for bad in (None, "1/2", 10**400)
    ),
    (
        lambda: fp.people.AboveThreshold(5, ratio=Fraction(3, 2), rng=RNG).is_above(1, None),  # type: ignore[arg-type]
        "rng must be a numpy.random.Generator, got None",
    ),
    (lambda: fp.IndividualFilter(SAMPLED, 3), "without realised losses"),
    (lambda: count_grants(SAMPLED, STEP, most=5), "filt must not look at losses, got RealisationFilter; use"),
    *(
        (lambda bad=bad: fp.charges.GuaranteeScope(orders=bad), r"orders must be pairs \(order, bound\), got")
        for bad in (2.0, (2.0,), ((2.0, 0.5, 3.0),))
    ),
    (lambda: fp.from_command("node", "pure(1)"), "must be a guarantee"),  # type: ignore[arg-type]
    (lambda: fp.certify(3), "thing must be a filter"),  # type: ignore[arg-type]
]


@pytest.mark.filterwarnings("ignore::filterproof.filters.UnsoundFilterWarning")
@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        *((call, ValueError, said) for call, said in VALUES),
        *((call, TypeError, said) for call, said in TYPES),
        (
            lambda: additive().budget,
            AttributeError,
            r"Own\.budget must be set unless promise and charge determine",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_it_is_refused_in_a_sentence(call: Call, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence) as error:
        call()
    assert all(part in str(error.value) for part in (" must ", ", got ", "; ")), str(error.value)
    assert "\n" not in str(error.value)
