"""Comparison of filters: the number of releases of one mechanism that each filter grants within (epsilon, delta).

>>> import filterproof as fp
>>> ranking = fp.rank_filters_by_releases(1.0, 1e-5, fp.Gaussian(mu=0.1))
>>> ranking.fewest, ranking.most, [f"{c.name}: {c.rounds:g}" for c in ranking.choices if c.low == ranking.most]
(7, 7, ['GaussianFilter: 7', 'GaussianResidueFilter: 7', 'PotentialFilter: 7'])
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from filterproof.filters.accountants.repeats import count_grants
from filterproof.filters.catalogue import CATALOGUE
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.guarantee_budget import order_budget
from filterproof.mc.engine.adversaries import Constant
from filterproof.mc.estimate.survival import SurvivorCounts
from filterproof.mc.intervals.bernstein import empirical_bernstein
from filterproof.mc.intervals.estimate import Estimate
from filterproof.mc.intervals.moments import Moments
from filterproof.mc.losses.composition import Bounds, Composition
from filterproof.mc.runs.play import SimulationSettings
from filterproof.mc.worst_case.calibrate import calibrate
from filterproof.mc.worst_case.calibrated_thresholds import tabulated_filter
from filterproof.theory.argument_checks import check_count, check_delta, check_positive
from filterproof.theory.conversions import BUN_STEINKE, CKS, Conversion, max_gaussian_mu
from filterproof.theory.display import Displayed, Plottable, Row
from filterproof.theory.guarantees import ZCDP, GaussianDP, PureDP
from filterproof.theory.pairs import DominatingPair, Gaussian, RandomizedResponse
from filterproof.theory.proofs.threshold import threshold
from filterproof.theory.rounding import root_round_up

#: The most rounds of one mechanism that are counted one by one.
MAX_ROUNDS = 20_000
#: The orders of the Rényi filter are 1 + t for these t.
_ORDERS = np.geomspace(0.02, 2000.0, 120)
#: Simulated rounds in total, for a filter that looks at losses: for a first look, and for the reported number.
_PILOT_ROUNDS, _SIMULATED_ROUNDS = 60_000, 200_000
#: The longest run of a filter without a limit on rounds, as a multiple of the best plan.
_MAX_ROUNDS_RATIO = 8
#: The failure probability of a simulated number of rounds.
_FAILURE = 1e-3
#: The relative precision of a calibrated threshold.
_RELATIVE_PRECISION = 1e-3

_RHO_MECHANISMS = "mechanisms with a known zCDP parameter"
_THIS_MECHANISM = "this mechanism alone, with observed losses; rounds are a mean"
_REALISED_LOSSES = (
    f"mechanisms with observed losses; rounds are a mean, of at most {_MAX_ROUNDS_RATIO} times the possible"
)
_APPROX_DP_MECHANISMS = "(epsilon, delta)-DP mechanisms, by their epsilon and delta"


@dataclass(frozen=True, slots=True, repr=False)
class FilterChoice(Displayed):
    """A filter that keeps the guarantee, with its number of granted releases and its code.

    Attributes
    ----------
    name : str
        Name of the filter.
    rounds : float
        Number of releases in a row. For a filter that observes losses: the mean over simulated runs.
    low, high : float
        Bounds on `rounds`. They are equal for a count and a confidence interval (failure 1e-3) for a mean.
    holds_for : str
        The mechanisms for which the filter is sound, or the reason why it cannot be made.
    code : str
        Two lines of Python after `import filterproof as fp`; "" if the filter cannot be made.
    """

    name: str
    rounds: float
    low: float
    high: float
    holds_for: str
    code: str


@dataclass(frozen=True, slots=True, repr=False)
class FilterComparison(Plottable):
    """The number of releases that each filter grants, in decreasing order.

    Attributes
    ----------
    epsilon, delta : float
        The guarantee; epsilon in nats.
    mechanism : DominatingPair, PureDP, GaussianDP or ZCDP
        The mechanism that is released again and again.
    fewest : int
        A certified number of releases, fixed in advance, that keep the guarantee.
    most : int
        A certified limit: more releases, fixed in advance, break the guarantee. No sound filter that ignores losses
        grants more.
    choices : tuple of FilterChoice
        The filters.
    """

    epsilon: float
    delta: float
    mechanism: DominatingPair | PureDP | GaussianDP | ZCDP
    fewest: int
    most: int
    choices: tuple[FilterChoice, ...]

    def rows(self) -> list[Row]:
        """Return a row for each filter; `share_low` and `share_high` bound its share of the possible releases."""
        return [
            {
                "filter": choice.name,
                "rounds": choice.rounds,
                "low": choice.low,
                "high": choice.high,
                "possible_low": self.fewest,
                "possible_high": self.most,
                "share_low": choice.low / self.most if self.most else None,
                "share_high": choice.high / self.fewest if self.fewest else None,
                "holds_for": choice.holds_for,
                "code": choice.code,
            }
            for choice in self.choices
        ]


def rank_filters_by_releases(
    epsilon: float,
    delta: float,
    mechanism: DominatingPair | PureDP | GaussianDP | ZCDP,
    *,
    most: int = MAX_ROUNDS,
) -> FilterComparison:
    """Count how often each sound filter grants one mechanism within (epsilon, delta)-DP, the best filter first.

    Parameters
    ----------
    epsilon : float
        In nats, > 0.
    delta : float
        In (0, 1).
    mechanism : DominatingPair, PureDP, GaussianDP or ZCDP
        A pair of shape (), or the guarantee of each release.
    most : int, default 20,000
        Limit on the number of releases.

    Returns
    -------
    FilterComparison
        The filters in decreasing order of releases, and bounds on the possible number.

    Raises
    ------
    ValueError
        If a plan of more than `most` releases may keep the guarantee.
    TypeError
        If `mechanism` is of another type.

    Notes
    -----
    The filters' own code counts the releases. The possible number is that of a plan fixed in advance, composed with
    certified bounds. For ZCDP(rho) the upper bound composes Gaussians, and the lower bound is B*/rho. Filters that
    observe losses are simulated for Gaussians and for pairs with finitely many outputs.
    """
    epsilon, delta = float(check_positive("epsilon", epsilon)), float(check_delta("delta", delta))
    most = check_count("most", most)
    pair = _pair_of_mechanism(mechanism)
    fewest, largest = bounds_on_planned_rounds(epsilon, delta, pair, most)
    if isinstance(mechanism, ZCDP):
        with_rho = threshold("B*", epsilon, delta, digits=17).low / Fraction(mechanism.rho)
        fewest = min(math.floor(with_rho), largest)
    only_rho = isinstance(mechanism, ZCDP)
    candidates = _catalogue_candidates(epsilon, delta, pair, only_rho=only_rho)
    choices = [_counted_choice(candidate, pair, 2 * most) for candidate in candidates]
    # only for these, the quantile of a loss takes microseconds
    can_simulate = pair.outputs is not None or pair.normal_mu is not None
    if can_simulate and not only_rho:
        choices += _simulated_choices(epsilon, delta, pair, largest)
    choices.sort(key=lambda choice: -choice.rounds)
    return FilterComparison(epsilon, delta, mechanism, fewest, largest, tuple(choices))


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A candidate filter: its name, constructor and expression, and the mechanisms for which it is sound."""

    name: str
    make: Callable[[], PrivacyFilter]
    text: str
    holds_for: str


def _catalogue_candidates(
    epsilon: float, delta: float, pair: DominatingPair, *, only_rho: bool
) -> Iterator[_Candidate]:
    """Yield the filters of the catalogue that can promise (epsilon, delta)-DP."""
    for conversion, word in ((CKS, "CKS"), (BUN_STEINKE, "BUN_STEINKE")):
        name = f"ApproximateDPFilter, {word}"
        yield _candidate("ApproximateDPFilter", _RHO_MECHANISMS, epsilon, delta, conversion, name=name)
    alpha, rho = _best_order_and_budget(epsilon, delta, pair)
    if rho > 0:
        holds_for = f"mechanisms with a known Rényi divergence of order {alpha:g}"
        yield _candidate("RenyiFilter", holds_for, alpha, rho, name="RenyiFilter, best order")
    if only_rho:
        return
    mu = largest_gaussian_mu(epsilon, delta)
    yield _candidate("GaussianFilter", "mechanisms with a known GDP parameter", mu)
    yield _candidate("GaussianResidueFilter", "mechanisms with a known GDP parameter or a pure epsilon", mu)
    for name in ("RogersFilter", "WhitehouseFilter", "BasicFilter"):
        yield _candidate(name, _APPROX_DP_MECHANISMS, epsilon, delta)
    root = math.sqrt(2 * float(CKS.budget(epsilon, delta))) * (1 - 2.0**-50)
    yield _candidate("BlackwellFilter", "this mechanism and Gaussians of any mu", root, (pair,))
    designed = "every pair of the library's; best near those of its design"
    yield _candidate("PotentialFilter", designed, epsilon, delta, (pair,))
    epsilon_each = float(pair.pure_epsilon)
    if math.isfinite(epsilon_each):
        yield _Candidate(
            "calibrated, from the table",
            lambda: tabulated_filter(epsilon, delta, each=epsilon_each),
            f"fp.tabulated_filter({epsilon!r}, {delta!r}, each={epsilon_each!r})",
            "pure-DP mechanisms up to the table's largest level",
        )
        menu = [RandomizedResponse(epsilon_each)]
        yield _Candidate(
            "calibrated",
            lambda: calibrate(
                _catalogue_class("ZCDPFilter"), epsilon, delta, menu=menu, relative=_RELATIVE_PRECISION
            ),
            f"fp.calibrate(fp.ZCDPFilter, {epsilon!r}, {delta!r}, menu={_code_of_value(menu)}, "
            f"relative={_RELATIVE_PRECISION!r})",
            f"pure-DP mechanisms up to epsilon {epsilon_each:g}",
        )


def _candidate(kind: str, holds_for: str, *given: Any, name: str | None = None) -> _Candidate:
    """Return the candidate that makes a filter of the named class with these arguments."""
    text = f"fp.{kind}({', '.join(map(_code_of_value, given))})"
    return _Candidate(name or kind, lambda: _catalogue_class(kind)(*given), text, holds_for)


def _catalogue_class(name: str) -> type[Any]:
    """Return the class of a filter, by its name in the catalogue."""
    return CATALOGUE[name].filter_class


def _code_of_value(value: Any) -> str:
    """Return the expression that makes a number, a pair, a conversion, or a tuple or list of pairs."""
    match value:
        case tuple():
            return f"({', '.join(map(_code_of_value, value))},)"
        case list():
            return f"[{', '.join(map(_code_of_value, value))}]"
        case Conversion():
            return f"fp.{'CKS' if value is CKS else 'BUN_STEINKE'}"
        case DominatingPair():
            return f"fp.{value!r}".replace(", ratio=None", "").replace(", adjacency='removal'", "")
    return repr(value)


def _counted_choice(candidate: _Candidate, pair: DominatingPair, most: int) -> FilterChoice:
    """Count how often the candidate grants the pair before a denial."""
    try:
        count = count_grants(candidate.make(), pair, most=most)
    except ValueError as error:  # it grants nothing within the guarantee
        return FilterChoice(candidate.name, 0, 0, 0, f"none: {error}", "")
    return FilterChoice(
        candidate.name, count, count, count, candidate.holds_for, _session_code(candidate.text, pair)
    )


def _session_code(text: str, pair: DominatingPair, after: str = "") -> str:
    """Return the lines of code that open a session of a filter and request the pair."""
    return f"session = {text}.open()\ngranted = session.request({_code_of_value(pair)})  # before each release{after}"


def _simulated_choices(
    epsilon: float, delta: float, pair: DominatingPair, most: int
) -> Iterator[FilterChoice]:
    """Yield the filters that look at losses, with their simulated mean number of rounds."""
    looks: list[tuple[float, _Candidate, int]] = []
    lengths = sorted({max(most // 2, 1), max(most, 1), 2 * most or 1, 4 * most or 1})
    for rounds in lengths:
        candidate = _candidate("RealisationFilter", _THIS_MECHANISM, epsilon, delta, rounds, (pair,))
        try:
            filt = candidate.make()
        except ValueError:
            continue
        mean = _mean_rounds(filt, pair, rounds, max(_PILOT_ROUNDS // len(lengths) // rounds, 2), 1)
        looks.append((mean.value, candidate, rounds))
    if looks:
        _, candidate, rounds = max(looks, key=lambda look: look[0])
        yield _simulated_choice(candidate, pair, rounds)
    pure = ("ExPostFilter",) if math.isfinite(float(pair.pure_epsilon)) else ()
    for name in ("HockeyStickFilter", *pure):
        yield _simulated_choice(
            _candidate(name, _REALISED_LOSSES, epsilon, delta), pair, _MAX_ROUNDS_RATIO * max(most, 1)
        )


def _simulated_choice(candidate: _Candidate, pair: DominatingPair, rounds: int) -> FilterChoice:
    """Return a filter with its mean number of rounds, simulated with observed losses."""
    mean = _mean_rounds(candidate.make(), pair, rounds, max(_SIMULATED_ROUNDS // rounds, 2), 0)
    code = _session_code(candidate.text, pair, ", session.observe(loss) after it")
    return FilterChoice(candidate.name, mean.value, mean.low, mean.high, candidate.holds_for, code)


def _mean_rounds(filt: PrivacyFilter, pair: DominatingPair, rounds: int, n: int, seed: int) -> Estimate:
    """Return the estimated mean number of releases before a denial."""
    play = SimulationSettings(n=n, seed=seed, rounds=rounds, workers=1)
    longer = play.sums(play.game(filt, Constant(pair)), SurvivorCounts(rounds)).sums
    ended = -np.diff(longer, prepend=n, append=0).astype(np.int64)  # after 0, 1, ..., rounds releases
    return empirical_bernstein(Moments.of(np.repeat(np.arange(rounds + 1), ended), rounds), failure=_FAILURE)


def _pair_of_mechanism(mechanism: DominatingPair | PureDP | GaussianDP | ZCDP) -> DominatingPair:
    """Return the dominating pair of a mechanism; for ZCDP(rho) a Gaussian with no smaller rho."""
    match mechanism:
        case PureDP(epsilon):
            return RandomizedResponse(epsilon)
        case GaussianDP(mu):
            return Gaussian(mu)
        case ZCDP(rho):
            return Gaussian(root_round_up(2 * Fraction(rho)))
        case DominatingPair() if mechanism.shape == ():
            return mechanism
    raise TypeError(
        f"mechanism must be a pair of shape () or PureDP, GaussianDP or ZCDP, got {mechanism!r}; "
        "pass e.g. fp.Gaussian(0.1)"
    )


def bounds_on_planned_rounds(
    epsilon: float, delta: float, pair: DominatingPair, most: int
) -> tuple[int, int]:
    """Return lower and upper bounds on the rounds of a plan, fixed in advance, that keeps delta."""
    looked: dict[int, Bounds] = {}
    largest = float(pair.pure_epsilon)
    pure = Fraction(largest) if largest < math.inf else math.inf

    def delta_bounds(rounds: int) -> Bounds:
        """Return bounds on the delta of so many rounds, close enough to compare it with `delta`."""
        if rounds * pure <= epsilon:
            return Bounds(0.0, 0.0)
        if rounds not in looked:
            plan = Composition({pair: rounds})
            rough = plan.delta(epsilon, relative=0.1)
            looked[rounds] = plan.delta(epsilon) if rough.low <= delta < rough.high else rough
        return looked[rounds]

    def last_rounds_keeping(keeps: Callable[[int], bool], first: int) -> int:
        """Return the last number of rounds, from `first` on, for which `keeps` is true; or first - 1."""
        low, step = first - 1, 1
        while keeps(low + step):
            low, step = low + step, 2 * step
            if low > most:
                raise ValueError(
                    f"mechanism must allow at most {most:,} rounds, got more of {pair!r} within ({epsilon:g}, "
                    f"{delta:g}); pass a larger most"
                )
        return low + bisect_left(range(low + 1, low + step), True, key=lambda rounds: not keeps(rounds))

    fewest = last_rounds_keeping(lambda rounds: delta_bounds(rounds).high <= delta, 1)
    return fewest, last_rounds_keeping(lambda rounds: delta_bounds(rounds).low <= delta, fewest + 1)


def _best_order_and_budget(epsilon: float, delta: float, pair: DominatingPair) -> tuple[float, float]:
    """Return the Rényi order whose budget allows the most rounds, and this budget or 0."""
    best, most = (2.0, 0.0), 0.0
    for t in _ORDERS:
        alpha = float(f"{1 + t:.4g}")
        budget = order_budget(alpha, epsilon, delta, CKS)
        if budget <= 0:
            continue
        charged = max(float(pair.renyi(alpha)), float(pair.swapped.renyi(alpha)))
        if budget > most * charged:
            best, most = (alpha, budget), budget / charged if charged else math.inf
    return best


def largest_gaussian_mu(epsilon: float, delta: float) -> float:
    """Return the largest mu for which Gaussian(mu) is certified to be (epsilon, delta)-DP."""
    mu = float(max_gaussian_mu(epsilon, delta))
    for bits in range(50, 0, -1):
        tried = mu * (1 - 2.0**-bits)
        if Composition({Gaussian(tried): 1}).delta(epsilon).high <= delta:
            return tried
    raise ValueError(
        f"delta is too small for any Gaussian (epsilon={epsilon!r}, delta={delta!r}); pass a larger delta"
    )
