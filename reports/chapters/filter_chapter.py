"""A filter's chapter: its verdict, certified bounds in the units of its guarantee, and simulations beside them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc import Composition, TradeOff, WorstCase
from filterproof.mc.engine.adversaries import Scripted
from filterproof.mc.estimate.simulate import simulate
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.examination import Examination
from filterproof.mc.examine.parameter_families import mechanism_name
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.examine.supremum import (
    Supremum,
    largest_renyi_lower_bound,
    promised_renyi_by_order,
    supremum,
)
from filterproof.mc.examine.trace import TraceRow
from filterproof.mc.examine.verification import verify
from filterproof.mc.worst_case.solve import worst_cases
from filterproof.reports.agreement import Agreement, AgreementOutcome
from filterproof.reports.chapters.filter_page_subjects import SUBJECTS, FilterPageSubject
from filterproof.reports.chapters.simulated_divergences import (
    BEST_ON_MENU,
    AdversaryWithBounds,
    SimulatedDivergence,
    SimulatedDivergences,
    compare_adversary,
    comparisons,
    worst_case_direction,
)
from filterproof.reports.finding import Claim, Finding
from filterproof.reports.study import Study
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.extremal import Steps
from filterproof.theory.pairs.base import Direction

#: The effort of the examination of a filter that a theorem covers, and of one that is known to break its guarantee.
_EFFORT, _TO_REFUTE = 0.0001, 0.02
#: The epsilons of the band of the trade-off curve, over that of the page, and the runs of each direction.
_SHARES, _BAND_RUNS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0), 10_000


@dataclass(frozen=True, slots=True)
class CertifiedDivergenceBounds:
    """Certified bounds on the largest divergence that an adversary reaches at one epsilon or order.

    `high` is None where no theorem covers the filter. `steps` are requests, granted by the filter's own code, that
    reach `low`; () where a solved game does. `simulated` is the interval of that adversary.
    """

    measure: Divergence
    low: float
    high: float | None
    promised: float
    steps: Steps
    simulated: SimulatedDivergence | None = None

    @property
    def shares(self) -> tuple[float, float | None]:
        """Both bounds over what the guarantee allows."""
        return self.low / self.promised, None if self.high is None else self.high / self.promised


@dataclass(frozen=True, slots=True)
class MenuGame:
    """The worst case over a page's menu at its epsilon: certified bounds and the most rounds."""

    epsilon: float
    low: float
    high: float
    promised: float
    evidence: Evidence
    rounds: int


@dataclass(frozen=True, slots=True)
class FilterChapter:
    """Everything that the report says of one filter.

    `main` are the bounds that the front page shows, `curve` those of the profile, `main` among them; `game` is the
    worst case over the page's menu. `uncovered` names what the examination did not try, `turns` the rounds of a
    counterexample and `why` what is wrong with them.
    """

    subject: FilterPageSubject
    verdict: Verdict
    uncovered: str
    main: CertifiedDivergenceBounds
    curve: tuple[CertifiedDivergenceBounds, ...]
    game: MenuGame
    comparisons: SimulatedDivergences
    band: TradeOff | None
    turns: tuple[TraceRow, ...] = ()
    why: tuple[str, ...] = ()

    @property
    def finding(self) -> Finding:
        """The claim about the guarantee, with its verdict."""
        return Finding(claim_of(self.subject), self.verdict)

    @property
    def all_comparisons(self) -> tuple[SimulatedDivergence, ...]:
        """Every comparison of a simulation with an enclosure."""
        ends = (bounds.simulated for bounds in self.curve if bounds.simulated is not None)
        return (*ends, *self.comparisons.rows)

    @property
    def failure(self) -> float:
        """The probability that some interval of this chapter misses, at most."""
        band = 0.0 if self.band is None else self.band.failure
        return band + sum(comparison.failure for row in self.all_comparisons for comparison in row.estimates)


def claim_of(subject: FilterPageSubject) -> Claim:
    """The claim about the guarantee of a filter."""
    filt = subject.make()
    sound = type(filt).sound
    expected = Outcome.UNDECIDED if sound is None else Outcome.HOLDS if sound else Outcome.REFUTED
    return Claim(
        subject.guarantee_claim_key,
        f"The guarantee of {subject.name}, {filt.promise}",
        "its own code",
        expected,
    )


CLAIMS = tuple(map(claim_of, SUBJECTS))
SIMULATION = Claim(
    "simulation-meets-theory",
    "The simulated deltas and Rényi divergences of every filter and adversary, beside certified bounds on them",
    "solved games, evaluated strategies and closed forms, without sampling",
    AgreementOutcome.AGREES,
)


def filter_chapter(study: Study, subject: FilterPageSubject) -> FilterChapter:
    """Examine, solve and simulate one filter."""
    filt = subject.make()
    exam = _page_examination(study, filt, subject)
    holds = exam.verdict.outcome is Outcome.HOLDS
    epsilon = float(subject.epsilon)
    epsilons = [subject.epsilon]
    if not holds:
        epsilons += [other for other in subject.simulated if abs(other - epsilon) > 1e-4]
    games = worst_cases(
        filt, subject.menu, epsilons=epsilons, rounds=subject.rounds, direction=subject.direction
    )
    largest = supremum(filt, epsilon, verdict=exam.verdict)
    curve = (
        _bounds_over_all_mechanisms(study, filt, subject, largest, exam.verdict)
        if holds and largest.steps
        else tuple(
            _on_menu(study, filt, game, largest.high if holds else None, main=game is games[0])
            for game in games
        )
    )
    trace = exam.trace
    return FilterChapter(
        subject,
        exam.verdict,
        exam.not_tried,
        curve[0],
        tuple(sorted(curve, key=lambda bounds: bounds.measure.at)),
        MenuGame(
            epsilon,
            games[0].low,
            games[0].high,
            float(filt.promise.delta(epsilon)),
            games[0].evidence,
            games[0].rounds,
        ),
        _simulated_and_certified_divergences(study, filt, subject, games[0], largest, curve[0]),
        _best_adversary_trade_off_band(study, filt, subject, games[0], largest if holds else None),
        trace.rows if trace is not None else (),
        trace.why if trace is not None else (),
    )


def _page_examination(study: Study, filt: PrivacyFilter, subject: FilterPageSubject) -> Examination:
    """The examination: where the filter is sound only the stage that looks for a theorem.

    A theorem asks for no requests, so that one family of them shows that the filter grants something.
    """
    if type(filt).sound:
        family = mechanism_name(subject.menu[0])
        return verify(filt, effort=_EFFORT, seed=study.seed, stages=("certificate",), mechanisms=(family,))
    return verify(filt, effort=_TO_REFUTE, seed=study.seed)


def _bounds_over_all_mechanisms(
    study: Study, filt: PrivacyFilter, subject: FilterPageSubject, largest: Supremum, verdict: Verdict
) -> tuple[CertifiedDivergenceBounds, ...]:
    """Return the bounds over every covered mechanism; those of the front page come first."""
    if orders := promised_renyi_by_order(filt.promise):
        return tuple(_at_order(study, filt, subject, order, rho) for order, rho in orders.items())
    others = [bound for bound in subject.simulated if abs(bound - largest.epsilon) > 1e-4]
    return tuple(
        _at_epsilon(study, filt, bound)
        for bound in (largest, *(supremum(filt, each, verdict=verdict) for each in others))
    )


def _simulated_and_certified_divergences(
    study: Study,
    filt: PrivacyFilter,
    subject: FilterPageSubject,
    game: WorstCase,
    largest: Supremum,
    main: CertifiedDivergenceBounds,
) -> SimulatedDivergences:
    """Simulate the page's adversaries, and compare with certified bounds on the same divergences."""
    excluded = "" if main.steps else BEST_ON_MENU  # which is simulated already
    divergences = comparisons(study, subject, filt, game, largest, already_compared=excluded)
    if main.measure.kind != "renyi" or not main.steps:
        return divergences
    epsilon = float(subject.epsilon)
    requests = RequestSequence(main.steps)
    bounds = Composition(requests.counts).delta(epsilon, relative=1e-3)
    adversary = Scripted(*zip(*main.steps, strict=True))
    opponent = AdversaryWithBounds(
        "extremal requests", adversary, "PQ", requests.rounds, bounds.low, bounds.high, "plain"
    )
    row = compare_adversary(
        study, filt, opponent, Divergence.hockey_stick(epsilon), float(filt.promise.delta(epsilon))
    )
    return SimulatedDivergences((row, *divergences.rows), divergences.left_out)


def _at_epsilon(study: Study, filt: PrivacyFilter, largest: Supremum) -> CertifiedDivergenceBounds:
    """Return the certified bounds on delta at an epsilon, with a simulation that reaches the lower one."""
    measure = Divergence.hockey_stick(largest.epsilon)
    simulated = _extremal_comparison(
        study, filt, largest.steps, measure, (largest.low, largest.high), largest.promised
    )
    return CertifiedDivergenceBounds(
        measure, largest.low, largest.high, largest.promised, largest.steps, simulated
    )


def _at_order(
    study: Study, filt: PrivacyFilter, subject: FilterPageSubject, order: float, rho: float
) -> CertifiedDivergenceBounds:
    """Return the certified bounds on the Rényi divergence at an order, with a simulation."""
    measure = Divergence.renyi(order)
    low, steps = largest_renyi_lower_bound(filt, subject.menu, order)
    high = max(rho, low)
    simulated = _extremal_comparison(study, filt, steps, measure, (low, high), rho)
    return CertifiedDivergenceBounds(measure, low, high, rho, steps, simulated)


def _extremal_comparison(
    study: Study,
    filt: PrivacyFilter,
    steps: Steps,
    measure: Divergence,
    bounds: tuple[float, float],
    promised: float,
) -> SimulatedDivergence | None:
    """Simulate the requests that reach the lower bound; None without requests."""
    if not steps:
        return None
    rounds = sum(times for _, times in steps)
    adversary = Scripted(*zip(*steps, strict=True))
    opponent = AdversaryWithBounds("extremal requests", adversary, "PQ", rounds, *bounds)
    return compare_adversary(study, filt, opponent, measure, promised)


def _on_menu(
    study: Study, filt: PrivacyFilter, game: WorstCase, high: float | None, *, main: bool
) -> CertifiedDivergenceBounds:
    """The worst case of the menu, simulated at the epsilon of the page; `high` is None where no theorem bounds it."""
    at = float(game.epsilon)
    measure, promised = Divergence.hockey_stick(at, worst_case_direction(game)), float(filt.promise.delta(at))
    best = AdversaryWithBounds(
        BEST_ON_MENU, game.strategy, worst_case_direction(game), max(game.rounds, 1), game.low, game.high
    )
    simulated = compare_adversary(study, filt, best, measure, promised) if main and game.low > 0 else None
    return CertifiedDivergenceBounds(measure, game.low, high, promised, (), simulated)


def _best_adversary_trade_off_band(
    study: Study, filt: PrivacyFilter, subject: FilterPageSubject, game: WorstCase, largest: Supremum | None
) -> TradeOff | None:
    """Return the simulated band of the trade-off curve of the best known adversary."""
    adversary = game.strategy if largest is None or largest.adversary is None else largest.adversary
    ways: tuple[Direction, Direction] = ("PQ", "QP") if worst_case_direction(game) == "QP" else ("QP", "PQ")
    epsilons = [share * float(subject.epsilon) for share in _SHARES]
    of_others, of_drawn = (
        simulate(
            filt,
            adversary,
            epsilon=epsilons,
            n=study.size(_BAND_RUNS),
            rounds=subject.rounds,
            seed=study.seed,
            failure=study.failure_per_comparison / 2,
            method="plain",
            direction=direction,
            workers=1,
        )
        for direction in ways
    )
    return TradeOff(of_others, of_drawn)


def simulation_finding(chapters: Collection[FilterChapter]) -> Finding:
    """Whether every simulated interval meets the certified bounds beside it."""
    rows = [
        (row.beside_bounds(estimate), estimate)
        for chapter in chapters
        for row in chapter.all_comparisons
        for estimate in row.estimates
    ]
    routes = tuple(route for route, _ in rows)
    runs = sum(estimate.n for _, estimate in rows)
    scope = f"{len(rows)} simulations of {len(chapters)} filters, {runs:,} runs"
    return Finding(SIMULATION, Agreement(routes, scope, sum(estimate.failure for _, estimate in rows)))
