"""Odometers, trackers, individual filters, linear queries and trainings: instances, and what is simulated of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from filterproof.filters import (
    ClippedSums,
    DoublingOdometer,
    GaussianFilter,
    GaussianTracker,
    IndividualFilter,
    LinearQueries,
    LineOdometer,
    MixtureOdometer,
    Odometer,
    RenyiTracker,
    RogersOdometer,
    StitchedOdometer,
    Tracker,
    TrackerLimitFilter,
)
from filterproof.mc import (
    BoundApproaching,
    Estimate,
    HighWhileLossPositive,
    LogisticTraining,
    Training,
    TrainingWithCanary,
    audit_training,
    simulate_person,
    simulate_renyi,
    simulate_training,
)
from filterproof.mc.estimate.answer_misses import answer_misses
from filterproof.mc.estimate.crossing import crossing_probability
from filterproof.mc.estimate.simulate import simulate
from filterproof.mc.estimate.sparse_vector_stop import simulate_sparse_vector_stop
from filterproof.mc.training.digits import load_digit_arrays
from filterproof.reports.study import Study
from filterproof.theory.pairs import Gaussian, RandomizedResponse
from filterproof.theory.pairs.sparse_vector_stopping import stop_distribution

#: The failure probability of every odometer and of an answer's error.
DELTA = 0.05
#: The mu and the number of the rounds at which an odometer is compared with a quantile; the adversary plays `WATCHED`.
MU, ROUNDS, WATCHED = 0.1, 1000, 150
ODOMETERS: dict[str, Odometer | RogersOdometer] = {
    "Line": LineOdometer(DELTA, target=1.0),
    "Mixture": MixtureOdometer(DELTA, scale=0.1),
    "Stitched": StitchedOdometer(DELTA, first=0.1),
    "Doubling": DoublingOdometer(DELTA, first=0.05),
    "Rogers": RogersOdometer(DELTA, records=1000),
}
ADVERSARY = BoundApproaching(share=0.3, low=0.02, high=1000.0)
#: Trackers of this size and a rule of so many blocks.
BLOCKS = 4
RENYI = RenyiTracker(alpha=8.0, size=0.5)
TRACKERS: dict[str, Tracker] = {"Rényi": RENYI, "Gaussian": GaussianTracker(size=0.5)}
#: The epsilon at which divergences are simulated.
EPSILON = 1.0
#: The noise of an individual filter, and the mu of each person's filter.
SIGMA, BUDGET = 4.0, 1.0
#: Linear queries: people, norm budget, coordinates and privacy.
PEOPLE, NORM_BUDGET, KAPPA = 100, 20.0, 0.5
_QUERIES: dict[str, Any] = {"norm_budget": NORM_BUDGET, "kappa": KAPPA, "dimension": 4, "delta": DELTA}
_RUNS = 16_000
#: The mu of everybody's filter, norms, noise and rounds: one in which person 0 spends all, and one that stops short.
_Case: TypeAlias = tuple[float, tuple[float, ...], float, int]
_WHOLE: _Case = (BUDGET, (1.0, 2.0, 0.5), SIGMA, 72)
_PARTLY: _Case = (2.0, (1.7, 0.6), 2.5, 30)
#: Everyone's filter in a training: a budget of 4 clipped steps; people besides the canary, who is the last, and the
#: epsilon of all divergences.
PROMISE, CLIP, NOISE, CLIPPED_STEPS = GaussianFilter(mu=1.0), 1.0, 2.0, 4
TRAINED, TRAINED_AT = 40, 0.5
#: Steps with filtering, and those of its audit: as many after the budget is spent as before.
_STEPS, _FILTERED = 16, 2 * CLIPPED_STEPS
_TRAINING_RUNS = 2_000
#: Values on two neighbouring data sets for which a stop in the last round tells much of them, and e^epsilon of a noise.
_STOP, _OTHERS, _RATIO = (*[-1] * 6, 1), (0,) * 7, Fraction(3, 2)


#: The key of a page, what is estimated, what is guaranteed, and what simulates it.
Simulation: TypeAlias = tuple[str, str, Any, partial[Estimate]]


def page_simulations(study: Study, page: str) -> list[tuple[str, float, partial[Estimate]]]:
    """Return the simulations of a page: a description, the guaranteed bound and a callable."""
    jobs = _training_simulations(study) if page == "trainings" else _accountant_simulations(study.size(_RUNS))
    given = {"seed": study.seed, "failure": study.failure_per_comparison}
    return [
        (what, float(np.asarray(promised)), partial(work, **given))
        for key, what, promised, work in jobs
        if key == page
    ]


def _accountant_simulations(runs: int) -> Iterator[Simulation]:
    """Yield the simulations of odometers, trackers, individual filters and linear queries."""
    play: dict[str, Any] = {"n": runs, "workers": 1}
    for name, odometer in ODOMETERS.items():
        # the charge of Rogers et al. is a pure epsilon, which a Gaussian has not
        family = RandomizedResponse if isinstance(odometer, RogersOdometer) else Gaussian
        work = partial(
            crossing_probability, odometer, replace(ADVERSARY, family=family), rounds=WATCHED, **play
        )
        yield "odometers", f"{name} odometer", odometer.delta, work
    for name, tracker in TRACKERS.items():
        filt, chaser = TrackerLimitFilter(tracker, BLOCKS), HighWhileLossPositive(pace=8)
        if isinstance(tracker, RenyiTracker):
            promised: Any = tracker.guarantee(BLOCKS).rho
            work = partial(simulate_renyi, filt, chaser, alpha=tracker.alpha, **play)
        else:
            promised = filt.promise.delta(EPSILON)
            work = partial(simulate, filt, chaser, epsilon=EPSILON, **play)
        yield "trackers", f"{name} tracker", promised, work
    partly = f" of a budget of {_PARTLY[0]:g}, noise {_PARTLY[2]:g}"
    for (mu, norms, sigma, rounds), way, what, analysis in (
        (_WHOLE, "PQ", "a person removed", np.positive),
        (_WHOLE, "QP", "a person added", np.positive),
        (_PARTLY, "PQ", f"a person removed{partly}", np.positive),
        (_PARTLY, "QP", f"a person added{partly}", np.positive),
        (_WHOLE, "PQ", "a person removed from a Lipschitz analysis", partial(np.hypot, 1.0)),
    ):
        game: dict[str, Any] = {"sigma": sigma, "rounds": rounds, "n": runs // 2, "epsilon": EPSILON}
        game |= {"direction": way, "analysis": analysis}
        person = GaussianFilter(mu=mu)
        work = partial(simulate_person, person, norms, **game)
        yield "people", what, person.promise.delta(EPSILON), work
    # the probability of a stop in the last round, beside what the other data set's allows
    allowed = float(_RATIO**3 * stop_distribution(_OTHERS, ratio=_RATIO)[len(_STOP) - 1])
    work = partial(simulate_sparse_vector_stop, _STOP, ratio=_RATIO, n=runs)
    yield "people", "a stop by the sparse vector technique", allowed, work
    work = partial(answer_misses, PEOPLE, answers=runs // 6, **_QUERIES)
    yield "queries", "an answer misses its bound", DELTA, work


def _training_simulations(study: Study) -> Iterator[Simulation]:
    """Yield the simulations of logistic regression with a canary and individual filters."""
    pixels, digit = load_digit_arrays()
    some = np.flatnonzero((digit == 3) | (digit == 8))[:TRAINED]
    training = TrainingWithCanary(LogisticTraining(pixels[some] / 16, digit[some] == 8, rate=0.05), 1e4)
    promised, canary = PROMISE.promise.delta(TRAINED_AT), training.people - 1
    at: dict[str, Any] = {"epsilon": TRAINED_AT, "n": study.size(_TRAINING_RUNS)}
    for who, person, steps in (("a canary", canary, _STEPS), ("a digit", 0, CLIPPED_STEPS)):
        for way, words in (("PQ", "removed"), ("QP", "added")):
            work = partial(
                _simulated_training_delta, training, **at, steps=steps, person=person, direction=way
            )
            yield "trainings", f"{who} {words}, {steps} steps", promised, work
    work = partial(_audited_training_delta, training, **at, steps=_FILTERED, person=canary)
    yield "trainings", f"audited, {_FILTERED} steps with filtering", promised, work


def _simulated_training_delta(training: Training, **how: Any) -> Estimate:
    """Estimate delta between trainings with and without one person."""
    # the sums are made where they are played: what makes them cannot be sent to another process
    return simulate_training(training, ClippedSums.factory(PROMISE, clip=CLIP, sigma=NOISE), **how)


def _audited_training_delta(training: Training, **how: Any) -> Estimate:
    """Return the estimate of delta that an audit of the training reaches."""
    return audit_training(training, ClippedSums.factory(PROMISE, clip=CLIP, sigma=NOISE), **how).reached


def page_instances(page: str) -> dict[str, Any]:
    """What is examined for a page, by name."""
    many: dict[str, Callable[[], dict[str, Any]]] = {
        "odometers": lambda: dict(ODOMETERS),
        "trackers": lambda: dict(TRACKERS),
        "people": lambda: {"people": IndividualFilter(GaussianFilter(mu=BUDGET), 3)},
        "queries": lambda: {"queries": LinearQueries(3, norm_budget=NORM_BUDGET, kappa=KAPPA)},
        "trainings": lambda: {"trainings": ClippedSums(IndividualFilter(PROMISE, 3), clip=CLIP, sigma=NOISE)},
    }
    return many[page]()


def min_bound_to_quantile_ratio(name: str) -> tuple[float, int]:
    """Return the smallest ratio of an odometer's bound to the loss quantile, and its round.

    The rounds are of one mechanism, whose zCDP parameter is that of Gaussian(MU).
    """
    odometer = ODOMETERS[name]
    request = RandomizedResponse(MU) if isinstance(odometer, RogersOdometer) else Gaussian(MU)
    state, bounds = odometer.start(1), []
    for _ in range(ROUNDS):
        state = odometer.spend(state, request)
        bounds.append(float(odometer.epsilon(state)[0]))
    rounds = np.arange(1, ROUNDS + 1)
    ratios = np.array(bounds) / np.asarray(Gaussian(MU * np.sqrt(rounds)).loss_isf(DELTA))
    return float(ratios.min()), int(rounds[np.argmin(ratios)])
