"""The divergence of a short training with one number a sum, by integrating over all that may be released.

>>> import filterproof as fp
>>> import numpy as np
>>> people = fp.LogisticTraining(np.array([[90.0], [2.0]]), np.array([0, 1]), rate=0.01)
>>> sums = fp.ClippedSums.making(fp.GaussianFilter(mu=1.0), clip=1.5, sigma=2.0)
>>> found = fp.evaluate_training(people, sums, epsilon=1.0, steps=2, direction="QP")
>>> bool(abs(found.value - fp.GaussianDP(1.0).delta(1.0)) < 1e-8)  # two steps use up the budget, on every path
True
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from filters.contract.parameters import one_epsilon
from mc.evaluate.evaluation import NumericalEvaluation
from mc.training.training import MakeSums, Training
from mc.training.two_trainings import TwoTrainings
from theory.arguments import check_count
from theory.pairs import Gaussian
from theory.pairs.base import Direction, check_direction

__all__ = ["evaluate_training"]

#: Noise beyond so many standard deviations is left out.
_REACH = 8.5
#: Worlds times people that are held at once.
_MOST = 4_000_000


def evaluate_training(
    training: Training,
    make: MakeSums,
    *,
    epsilon: float,
    steps: int,
    person: int = 0,
    points: int = 64,
    direction: Direction = "PQ",
) -> NumericalEvaluation:
    """H_{e^epsilon}(P || Q), P and Q the laws of all that is released in `steps` steps with and without `person`.

    For sums of one number: a grid of `points` values of each noise but the last, whose share is in closed form, so
    that points^(steps - 1) worlds are played through `make`'s code; and again with half as many points. Direction
    "QP" gives H(Q || P). Nothing bounds the error: where a vector jumps, the difference of the grids may miss it.
    Raises ValueError for sums of more numbers and where there would be too many worlds.
    """
    epsilon, steps = one_epsilon("epsilon", epsilon), check_count("steps", steps)
    points = check_count("points", points, least=8)
    check_direction(direction)
    worlds = points ** (steps - 1)
    if worlds * training.people > _MOST:
        raise ValueError(
            f"steps must leave at most {_MOST:,} people in all worlds, got points={points} and steps={steps} for "
            f"{training.people} people; take fewer of them, or simulate_training"
        )
    coarse, value = (
        _integrated(training, make, epsilon, steps, person, size, direction) for size in (points // 2, points)
    )
    return NumericalEvaluation(
        epsilon,
        value,
        abs(value - coarse),
        direction,
        steps,
        worlds,
        f"this training, without person {person}",
    )


def _integrated(
    training: Training,
    make: MakeSums,
    epsilon: float,
    steps: int,
    person: int,
    points: int,
    direction: Direction,
) -> float:
    width = 2 * _REACH / points
    noise = (np.arange(points) + 0.5) * width - _REACH
    weight = np.exp(-noise * noise / 2) * (width / np.sqrt(2 * np.pi))
    runs = points ** (steps - 1)
    grid = np.indices((points,) * (steps - 1)).reshape(steps - 1, runs)
    two = TwoTrainings(training, make, person=person, runs=runs)
    loss, share = np.zeros(runs), np.ones(runs)
    for place in grid:
        drawn, other = _ordered(two, direction)
        shift = (drawn - other) / two.sigma
        z = noise[place]
        loss += shift * z + shift * shift / 2
        share *= weight[place]
        two.go_on((drawn + two.sigma * z)[:, None])
    drawn, other = _ordered(two, direction)
    last = np.abs(drawn - other) / two.sigma
    moved = last > 0
    value = -np.expm1(np.minimum(epsilon - loss, 0.0))
    value[moved] = Gaussian(last[moved]).hockey_stick(epsilon - loss[moved])
    return float(share @ value)


def _ordered(two: TwoTrainings, direction: Direction) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The sums behind the law that outputs are drawn from, and behind the other one: (runs,) each."""
    with_person, without_person = two.sums_alike()
    if with_person.shape[-1] != 1:
        raise ValueError(
            f"training must release one number a step, got {with_person.shape[-1]}; use simulate_training for vectors"
        )
    with_person, without_person = with_person[:, 0], without_person[:, 0]
    return (with_person, without_person) if direction == "PQ" else (without_person, with_person)
