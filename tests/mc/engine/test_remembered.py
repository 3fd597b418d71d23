"""What is remembered: an answer to an equal question, and to none that differs in anything it depends on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from filters import GaussianFilter, ZCDPFilter
from mc.engine.adversaries import Constant, LossAvoiding, LossChasing
from mc.engine.adversary import Adversary, View
from mc.engine.game import Game
from mc.engine.levels import even_level
from mc.engine.remembered import remembered
from mc.estimate.estimator import Aim
from mc.estimate.pilot import estimators
from mc.estimate.spending import expanded
from theory.pairs import DominatingPair, FinitePair, Gaussian, RandomizedResponse


@dataclass(frozen=True)
class Own(Adversary):
    def request(self, view: View) -> DominatingPair:
        return Gaussian(0.25)


def test_questions_of_the_librarys_values_are_answered_once_and_on_copies() -> None:
    asked: list[Any] = []

    @remembered(8)
    def answer(*given: Any) -> list[Any]:
        asked.append(given)
        return [given]

    filt = GaussianFilter(mu=1.0)
    first = answer(filt, np.zeros(2))
    assert answer(GaussianFilter(mu=1.0), np.zeros(2)) is first
    object.__setattr__(filt, "budget", ZCDPFilter(rho=8.0).budget)
    assert asked[0][0].budget == GaussianFilter(mu=1.0).budget, "what it holds is nobody else's"
    for other in ((filt, np.zeros(2)), (GaussianFilter(mu=1.0), -np.zeros(2)), (1,), (1.0,)):
        assert answer(*other) is answer(*other)
    assert len(asked) == 5
    for own in (Own(), lambda mu: Gaussian(mu)):
        assert answer(own) is not answer(own)  # it may answer otherwise another time


GDP, CHASING, AIM = (
    GaussianFilter(mu=1.0),
    Game.between(GaussianFilter(mu=1.0), LossChasing()),
    Aim(1000, 1e-6),
)
UNEVEN = Constant(FinitePair((0.7, 0.2, 0.1), (0.4, 0.35, 0.25)))
THREE = Game.between(ZCDPFilter(2.0), UNEVEN, rounds=3)


@pytest.mark.parametrize(
    ("function", "questions"),
    [
        (even_level, [(GDP, Gaussian, 7), (GDP, Gaussian, 8), (GDP, RandomizedResponse, 7), (GaussianFilter(0.5), Gaussian, 7)]),
        (
            estimators,
            [
                *((CHASING, (4.0,), replace(AIM, **other)) for other in (
                    {}, {"n": 1001}, {"failure": 1e-5}, {"method": "plain"}, {"trusting": False}, {"interval": "betting"},
                )),
                (CHASING, (4.5,), AIM),
                (Game.between(GDP, LossAvoiding()), (4.0,), AIM),
            ],
        ),
        (
            lambda *given: expanded(*given).divergence(3.0),  # type: ignore[union-attr]
            [
                *((replace(THREE, **other), 1000) for other in (
                    {}, {"direction": "QP"}, {"rounds": 2}, {"filter": ZCDPFilter(0.3)}, {"adversary": Constant(RandomizedResponse(0.3))},
                )),
            ],
        ),
    ],
    ids=["level", "choice", "expansion"],
)  # fmt: skip
def test_an_answer_depends_on_all_that_is_asked(function: Callable[..., Any], questions: list[Any]) -> None:
    answers = [function(*question) for question in questions]
    assert answers == [function(*question) for question in reversed(questions)][::-1]
    assert len(set(answers)) == len(answers)


def test_levels_choices_and_expansions_are_remembered() -> None:
    again = Game.between(GaussianFilter(mu=1.0), LossChasing())
    assert estimators(CHASING, (4.0,), AIM) is estimators(again, (4.0,), AIM)
    assert expanded(THREE, 1000) is expanded(replace(THREE, filter=ZCDPFilter(2.0)), 1000)
    assert expanded(THREE, 1000, most=2) is None
    assert even_level(GDP, Gaussian, np.int64(7)) is even_level(GaussianFilter(mu=1.0), Gaussian, 7)
